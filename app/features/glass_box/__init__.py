"""Features from inside the MT system: its n-best list and search, or its token probabilities."""
