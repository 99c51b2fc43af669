"""A filter of OpusFilter.

In a configuration it is ``AssayFilter: {model: MODEL, threshold: SCORE}`` with ``module: app.scale.adapters.opusfilter``.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

from opusfilter import CLEAN_HIGH, CLEAN_LOW, FilterABC

from app.scale.adapters.pairs import higher_is_better, pair_scores
from app.scale.scorer import Scorer

__all__ = ["AssayFilter"]

# Pairs that are scored together.
PAIRS: Final = 1024


class AssayFilter(FilterABC):  # type: ignore[misc]
    """Accepts pairs whose predicted quality is as good as `threshold`, or better; a pair with a fault has the score NaN and fails.

    `options` are those of `Scorer`, as ``pair`` or ``profile``.
    """

    def __init__(
        self, threshold: float, model: str | None = None, name: str | None = None, workdir: str = "", **options: Any
    ) -> None:
        super().__init__(name=name, workdir=workdir)
        self.threshold = threshold
        self._scorer = Scorer(model, **options)
        self._higher = higher_is_better(self._scorer)

    @property
    def score_direction(self) -> str:
        """Direction of better scores, of the predictor's label."""
        return str(CLEAN_HIGH if self._higher else CLEAN_LOW)

    def score(self, pairs: Iterable[Sequence[str]]) -> Iterator[float]:
        """Score of each pair."""
        rest = iter(pairs)
        while part := list(islice(rest, PAIRS)):
            yield from pair_scores(self._scorer, part)

    def accept(self, score: float) -> bool:
        """True for a score that is good enough."""
        return score >= self.threshold if self._higher else score <= self.threshold

    def filter(self, pairs: Iterable[Sequence[str]]) -> Iterator[Sequence[str]]:
        """Accepted pairs."""
        return (pair for pair, is_accepted in self._judged(pairs) if is_accepted)

    def filterfalse(self, pairs: Iterable[Sequence[str]]) -> Iterator[Sequence[str]]:
        """Pairs that are not accepted."""
        return (pair for pair, is_accepted in self._judged(pairs) if not is_accepted)

    def _judged(self, pairs: Iterable[Sequence[str]]) -> Iterator[tuple[Sequence[str], bool]]:
        # OpusFilter's own filter scores one pair at a time.
        rest = iter(pairs)
        while part := list(islice(rest, PAIRS)):
            yield from zip(part, map(self.accept, self.score(part)), strict=True)
