"""The commands of `assay`: one module per group of verbs."""
