"""Work of the commands `assay campaign`."""
