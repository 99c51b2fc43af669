"""How much a request or a chunk of a job asks for: what quotas are counted in."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from app.running.rates import NOTHING, Amount

__all__ = ["amount_of_columns", "amount_of_lists", "amount_of_texts"]


def amount_of_texts(texts: Iterable[str]) -> Amount:
    """That of segments with these sources."""
    lengths = [len(text) for text in texts]
    return Amount(len(lengths), sum(lengths))


def amount_of_lists(lists: Iterable[Sequence[str]]) -> Amount:
    """That of lists of translations without sources: each is a segment, and its own characters count."""
    return sum((amount_of_texts(texts) for texts in lists), NOTHING)


def amount_of_columns(chunk: Mapping[str, Any]) -> Amount:
    """That of a job's chunk of sources and what belongs to them."""
    return amount_of_texts(chunk["sources"])
