"""Import of language models, n-gram counts and lexical tables of other programs into folders that the engine loads."""
