"""Commands that make the parts of a translation system of parallel text."""
