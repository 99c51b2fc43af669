"""What requests, answers and jobs of several operations are made of."""
