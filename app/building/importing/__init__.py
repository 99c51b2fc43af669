"""What other programs made: language models, counts of n-grams and lexical tables, into folders that the engine loads."""
