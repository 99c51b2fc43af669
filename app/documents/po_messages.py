"""Texts of messages in a PO catalogue, and the languages of its header."""

from app.documents.document import Languages, joined, language_of
from app.documents.po_entries import PoEntry

__all__ = ["entry_texts", "header_languages"]


def header_languages(header: str) -> Languages:
    """Languages of the header; the last line of each name counts."""
    values = dict(line.split(":", 1) for line in header.splitlines() if ":" in line)
    return language_of(values.get("X-Source-Language")), language_of(values.get("Language"))


def entry_texts(entry: PoEntry) -> list[tuple[str, str, int | None]]:
    """Sources and translations of an entry in one line each, with the numbers of plural forms; those with both texts."""
    source = entry.text("msgid")
    pairs: list[tuple[str, str, int | None]] = [(source, entry.text("msgstr"), None)]
    if entry.texts.get("msgid_plural"):
        plural = entry.text("msgid_plural")
        forms = ((k, "".join(pieces)) for k, pieces in sorted(entry.forms.items()))
        # The first form of Russian is also that of 21, so it has the number where English says one.
        pairs = [(plural if k or ("%" in text and "%" not in source) else source, text, k) for k, text in forms]
    one_line_pairs = [(joined(source), joined(text), k) for source, text, k in pairs]
    return [(source, text, k) for source, text, k in one_line_pairs if source and text]
