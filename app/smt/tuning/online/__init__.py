"""Online tuners, list by list: k-best MIRA and the structured perceptron."""
