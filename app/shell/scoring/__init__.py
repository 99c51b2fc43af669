"""Parts of `assay score`: sacreBLEU's options, gates, saved scores."""
