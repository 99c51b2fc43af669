"""Word lattices as input of the decoder: Moses' PLF, and translation options of their paths."""
