"""What a request of scores and its answer are made of."""
