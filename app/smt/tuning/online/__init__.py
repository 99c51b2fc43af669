"""Tuners that learn list by list: k-best MIRA and the structured perceptron."""
