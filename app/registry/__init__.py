"""What answers: models, taggers and metrics by name, versions and promotions, the rows they learned from, drift."""
