"""Systems whose phrase tables have weights, and what these are worth."""
