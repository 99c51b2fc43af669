"""Strings of the files of a review, and faults of these files."""
