"""Formats of string files, a module each."""
