"""Selection of parts of parallel text: scores of pairs, budgets, and outputs."""
