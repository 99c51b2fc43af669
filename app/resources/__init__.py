"""What is loaded once and only read: language models, n-gram counts, lexical tables, and their manifests."""
