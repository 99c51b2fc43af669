"""Named numbers of many hypotheses as columns, dense and sparse."""
