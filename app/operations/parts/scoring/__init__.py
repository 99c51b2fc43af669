"""Parts of a request for scores and of its answer."""
