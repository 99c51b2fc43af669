"""The most frequent function words of a language, from a treebank in CoNLL-U (Song's thesis, section 3.1.3: 100 of them)."""

from collections import Counter
from collections.abc import Iterable
from typing import Final

__all__ = ["CLOSED_CLASSES", "function_words"]

# Universal parts of speech whose words are few and frequent.
CLOSED_CLASSES: Final = frozenset({"ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ"})


def function_words(lines: Iterable[str], limit: int = 100) -> list[str]:
    """The `limit` most frequent lower-cased words with the tag of a closed class; ties are in code-point order."""
    counts: Counter[str] = Counter()
    for line in lines:
        cells = line.split("\t")
        if len(cells) > 3 and cells[0].isdigit() and cells[3] in CLOSED_CLASSES:
            counts[cells[1].lower()] += 1
    return [word for word, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:limit]]
