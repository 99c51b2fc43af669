"""Building of a new language pair: clean text, resources, labels, word tags, and the expected accuracy."""
