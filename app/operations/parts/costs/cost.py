"""Cost of requests and of chunks of jobs: work, which limits calls, and amounts, which quotas count."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.running.rates import ZERO, Amount

__all__ = ["Cost", "amount_of_columns", "amount_of_lists", "amount_of_texts"]


@dataclass(frozen=True)
class Cost:
    """Cost of a request, before it is answered.

    `amount` counts in quotas. Work is counted in pairs of compared characters: `text_work` by the lengths of texts alone, and
    `model_work` of networks and phrase-based systems that answer the request.
    """

    amount: Amount = ZERO
    text_work: int = 0
    model_work: int = 0

    @property
    def work(self) -> int:
        """Total work in pairs of compared characters."""
        return self.text_work + self.model_work


def amount_of_texts(sources: Iterable[str]) -> Amount:
    """Amount of segments with these sources."""
    lengths = [len(text) for text in sources]
    return Amount(len(lengths), sum(lengths))


def amount_of_lists(lists: Iterable[Sequence[str]]) -> Amount:
    """Amount of lists of translations without sources: each translation is a segment, and its own characters count."""
    return sum((amount_of_texts(texts) for texts in lists), ZERO)


def amount_of_columns(chunk: Mapping[str, Any]) -> Amount:
    """Amount of a job's chunk, by its column of sources."""
    return amount_of_texts(chunk["sources"])
