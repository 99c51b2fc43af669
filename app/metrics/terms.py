"""Accuracy of terms: uses of a glossary's source terms whose translation has a target term, and no forbidden one."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from app.arrays import Bools, Float64s, Int64s
from app.errors import InputError
from app.metrics.definition import Metric, PreparedMetric, Segments, reference_rows
from app.resources.terminology import Terminology
from app.running.deadline import check_deadline

__all__ = ["TermAccuracy"]

RIGHT, USES = range(2)
# Segments between two checks of the deadline.
GROUP: Final = 500


class TermAccuracy(Metric):
    """Per cent of the terms of sources that a translation has, confirmed by lemma; 100 if the sources have none.

    Terms with one source in a segment are one use. A term without target terms only asks for the absence of forbidden ones.
    """

    name = "terms"
    needs_references = False
    reads_references = False

    def __init__(self, terminology: Terminology, sources: Segments | None = None) -> None:
        self.terminology: Final = terminology
        self.sources: Final = sources

    def with_sources(self, sources: Segments | None) -> Metric:
        """The metric with sources; InputError without."""
        if sources is None:
            raise InputError("invalid-request", "terms compares with the terms of sources: sources are missing", ("sources",))
        return TermAccuracy(self.terminology, sources)

    def prepare(self, references: Sequence[Segments]) -> "PreparedTerms":
        """The sources; references are not read."""
        assert self.sources is not None
        return PreparedTerms(self.terminology, self.sources)

    def score(self, sums: Float64s) -> Float64s:
        """Per cent of right uses; (m, 2) to (m,)."""
        return np.asarray(np.where(sums[:, USES] > 0, 100 * sums[:, RIGHT] / np.maximum(sums[:, USES], 1), 100.0))

    def plausible_rows(self, statistics: Float64s, references: int) -> Bools:
        """True for rows of whole numbers with no more right uses than uses."""
        right, uses = statistics.T
        return np.asarray((right >= 0) & (right <= uses) & (statistics == np.floor(statistics)).all(1))

    def cautions(self, statistics: Float64s) -> list[str]:
        """Languages without lemmas, and sources without any term."""
        cautions = self.terminology.cautions
        return cautions if statistics[:, USES].any() else [*cautions, "terms: the sources have no term of the glossary"]

    def options(self) -> str:
        """The digest of the terms and of the pair."""
        return f"glossary:{self.terminology.digest}"


class PreparedTerms(PreparedMetric):
    """Sources whose terms translations are searched for."""

    def __init__(self, terminology: Terminology, sources: Segments) -> None:
        self._terminology = terminology
        self._sources = sources

    def statistics(self, hypotheses: Segments, reference_of: Int64s | None = None) -> Float64s:
        """Rows of right uses and uses; shape (h, 2)."""
        rows = np.zeros((len(hypotheses), 2))
        for k, segment in enumerate(reference_rows(len(hypotheses), len(self._sources), reference_of).tolist()):
            if k % GROUP == 0:
                check_deadline()
            uses = self._terminology.uses(self._sources[segment], hypotheses[k])
            rows[k] = sum(not (use.is_missing or use.forbidden) for use in uses), len(uses)
        return rows
