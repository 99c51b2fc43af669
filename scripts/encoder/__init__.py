"""Training of the cross-encoder, which reads a source and its translation together."""
