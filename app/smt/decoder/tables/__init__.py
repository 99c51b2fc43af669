"""Selection of rows of phrase tables, and ways through several tables."""
