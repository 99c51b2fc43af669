"""From scores to work: confidence, bands, acceptance without review, totals of documents."""
