"""What is made of a language pair of one's own: text that was cleaned, resources, labels, word tags, and what to expect."""
