"""What scores mean for the work ahead: confidence, bands, what may pass unseen, totals of documents."""
