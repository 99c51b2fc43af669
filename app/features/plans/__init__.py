"""Plans of feature sets: formulas of shared numbers, which one kernel call evaluates."""
