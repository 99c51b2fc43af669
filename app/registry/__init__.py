"""The registry: models, taggers and metrics by name, versions and promotions, training rows, drift."""
