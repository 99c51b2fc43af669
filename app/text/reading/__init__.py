"""Readers of files: lines, tables, n-best lists and lists of objects, decoded and within limits."""
