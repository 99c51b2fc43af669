"""The commands of `assay`: one module for each few that belong together."""
