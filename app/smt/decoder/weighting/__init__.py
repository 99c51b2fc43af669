"""Systems with weighted phrase tables, and the quality of their translations."""
