"""Language pairs of one's own: what `assay pair` does with files and folders."""
