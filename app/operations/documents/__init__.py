"""Segments grouped to documents, and the quality of documents."""
