"""Where systems differ: n-grams, lengths, word frequencies, segments."""
