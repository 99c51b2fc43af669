"""Labelled text that resources were built from: it looks more fluent to them than any new text, and so do measurements on it."""

from collections.abc import Sequence
from typing import Any, Final

from app.operations.operation import Context
from app.text import LanguagePair
from app.text.batch import pack_tokens
from app.text.tokenisation import tokeniser_for

__all__ = ["SOURCE_COUNTS", "built_from_note", "cautions_of_text", "count_built_from", "text_counts"]

# Under which a chunk carries how many of its sources are in that text.
SOURCE_COUNTS: Final = "built_from"
# New text shares greetings and headings with a corpus, and stays below this share. Of MLQE-PE's dev sets at most 24 of 1000
# segments are in the resources' text; of its training sets all are.
CAUTION_SHARE: Final = 0.1


def count_built_from(context: Context, pair: LanguagePair, sources: Sequence[str]) -> int:
    """Number of sources that occur word for word in the text of a pair's resources, by its index."""
    index = context.engine.pair_resources(pair).corpus_index
    if index is None:
        return 0
    tokenise = tokeniser_for(pair.source)
    return int(index.source.holds(pack_tokens([tokenise(text) for text in sources])).sum())


def text_counts(context: Context, pair: LanguagePair, sources: Sequence[str]) -> list[Any]:
    """Counts of labelled sources of one pair, for `cautions_of_text` and `built_from_note`."""
    return [{"pair": str(pair), "labels": (), "sources": len(sources), SOURCE_COUNTS: count_built_from(context, pair, sources)}]


def _counts(results: Sequence[Any]) -> dict[str, tuple[int, int]]:
    """For each pair, the number of sources in that text and of all sources; chunks of older versions lack them."""
    counts: dict[str, tuple[int, int]] = {}
    for part in results:
        inside, rows = counts.get(part.get("pair", ""), (0, 0))
        # A chunk of documents has a label for each document, and counts its sources.
        sources = part.get("sources", len(part["labels"]))
        counts[part.get("pair", "")] = inside + part.get(SOURCE_COUNTS, 0), rows + sources
    return {pair: (inside, rows) for pair, (inside, rows) in counts.items() if inside >= CAUTION_SHARE * rows > 0}


def cautions_of_text(outputs: Sequence[Any]) -> list[str]:
    """Cautions of a training in which many sources are in that text."""
    return [
        f"{inside} of the {rows} labelled sources are in the text that the loaded resources of {pair} were built from: to these "
        "they look more fluent than new text, so that the measured accuracy is too good, and the model may know nothing of new "
        "text; label other text, or build the resources without it"
        for pair, (inside, rows) in _counts(outputs).items()
    ]


def built_from_note(outputs: Sequence[Any]) -> str:
    """Note for a card, after its text about features; empty without such sources."""
    return "".join(f"; {inside} of {rows} sources of {pair} are in their text" for pair, (inside, rows) in _counts(outputs).items())
