"""Glossaries: terms with their translations, read from CSV, TSV, TBX and XLSX."""

from app.documents.glossaries.glossary import TERM_LENGTH, TERM_LIMIT, VARIANT_LIMIT, Glossary, Term
from app.documents.glossaries.reading import GLOSSARY_SUFFIXES, read_glossary

__all__ = ["GLOSSARY_SUFFIXES", "TERM_LENGTH", "TERM_LIMIT", "VARIANT_LIMIT", "Glossary", "Term", "read_glossary"]
