"""Formats of string files in XML, with what they share."""
