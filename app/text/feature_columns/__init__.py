"""Features of many hypotheses as named columns, dense and sparse."""
