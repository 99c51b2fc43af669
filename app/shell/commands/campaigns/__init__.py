"""`assay campaign`: people's judgements of translations, by Pearmut."""
