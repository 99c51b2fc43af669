"""Lexical translation probabilities from word alignments, in GIZA's and Moses' text format."""

import gzip
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from app.corpus.symmetrisation import Links

__all__ = ["LexicalEntries", "estimate_lexical_table", "read_lexical_table", "write_lexical_table"]

NULL = "NULL"
LexicalEntries = list[tuple[str, str, float]]


def estimate_lexical_table(
    sources: Sequence[Sequence[str]], targets: Sequence[Sequence[str]], links: Sequence[Links]
) -> LexicalEntries:
    """(source, target, p(target | source)) by relative frequency of links, most probable first.

    An unaligned target token counts as a translation of NULL, an unaligned source token as translated by NULL.
    """
    pairs: Counter[tuple[str, str]] = Counter()
    for source, target, aligned in zip(sources, targets, links, strict=True):
        for i, j in aligned:
            pairs[source[i], target[j]] += 1
        seen_source = {i for i, _ in aligned}
        seen_target = {j for _, j in aligned}
        for i, token in enumerate(source):
            if i not in seen_source:
                pairs[token, NULL] += 1
        for j, token in enumerate(target):
            if j not in seen_target:
                pairs[NULL, token] += 1
    totals: Counter[str] = Counter()
    for (source_token, _), count in pairs.items():
        totals[source_token] += count
    entries = [(s, t, count / totals[s]) for (s, t), count in pairs.items()]
    return sorted(entries, key=lambda entry: (entry[0], -entry[2], entry[1]))


def write_lexical_table(entries: LexicalEntries, path: Path) -> None:
    """Write ``source target probability`` lines, gzip without a time stamp (the same input gives the same bytes)."""
    text = "".join(f"{source} {target} {p:.7f}\n" for source, target, p in entries)
    path.write_bytes(gzip.compress(text.encode("utf-8"), mtime=0))


def read_lexical_table(path: Path) -> LexicalEntries:
    """Read a table written by `write_lexical_table`, GIZA++ or Moses (gzip or plain)."""
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode("utf-8")
    rows = (line.rstrip("\r").split(" ") for line in text.split("\n") if line)
    return [(row[0], row[1], float(row[2])) for row in rows]
