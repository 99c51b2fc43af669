"""Months and weekdays of one side of a segment."""
