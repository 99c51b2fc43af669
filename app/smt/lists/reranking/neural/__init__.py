"""Small networks without recurrence for scores of hypotheses: a translation model with attention, and a language model."""
