"""Agreement of metrics with people: correlations, pairwise accuracy, and tests of the difference of two metrics."""
