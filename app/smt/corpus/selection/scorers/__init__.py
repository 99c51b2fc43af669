"""What scores pairs of a pool: one module a kind of selector."""
