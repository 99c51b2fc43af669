"""Commands that build and import resources: language models, taggers, alignment, lexical tables."""
