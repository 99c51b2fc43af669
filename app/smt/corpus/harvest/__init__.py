"""More text and more words for a system: pairs out of comparable corpora, and translations of unknown words."""
