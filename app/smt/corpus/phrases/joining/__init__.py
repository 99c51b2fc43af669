"""Phrase tables out of other tables: half tables of both directions, and tables of several texts."""
