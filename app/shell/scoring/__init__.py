"""What `assay score` has of its own: sacreBLEU's options, gates, scores that are kept."""
