"""Sparse features: any number of them, under names that come up as phrases and boundaries between them do."""
