"""Scripts that build resources, models, references and packages of Assay."""
