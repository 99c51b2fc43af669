"""Read-only resources: language models, n-gram counts, lexical tables, taggers, encoders, and their manifests."""
