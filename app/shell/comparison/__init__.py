"""Parts of `assay compare`: tables and the page."""
