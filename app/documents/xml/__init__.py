"""Documents of tags: what lxml reads in them, and where a scanner finds their tags."""
