"""How well a metric agrees with people: correlations, pairwise accuracy, and whether two metrics differ in it."""
