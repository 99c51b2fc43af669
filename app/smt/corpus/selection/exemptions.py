"""Pairs that a selection always takes, outside its budget: other domains, and lines with a mark as score (Moses' mml)."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Bools
from app.errors import InputError
from app.smt.corpus.phrases.scoring.additions.domains import Domains
from app.smt.corpus.selection.choice import Budget
from app.smt.corpus.selection.greedy import Decision, PoolDecisions
from app.smt.corpus.selection.scoring import PoolScores

__all__ = ["MARK", "Exemptions", "judged_part"]

# Score of exempt pairs in files, as mml-score.perl writes it and mml-filter.py reads it.
MARK: Final = 99999.0


@dataclass(frozen=True)
class Exemptions:
    """Parts of a text by `domains`; pairs outside the `judged_domains` are exempt. So are pairs with the score `mark`."""

    domains: Domains | None = None
    judged_domains: frozenset[str] = frozenset()
    mark: float | None = None

    @classmethod
    def of(cls, path: Path | None, names: list[str], mark: float | None) -> "Exemptions":
        """Exemptions by a domain file of Moses; InputError for a domain that the file does not name."""
        domains = None if path is None else Domains.read(path)
        absent_names = sorted(set(names) - set(() if domains is None else domains.names))
        if absent_names:
            raise InputError("invalid-request", f"{path} names no domain {absent_names[0]}", ("--judged-domain",))
        return cls(domains, frozenset(names), mark)

    def mask(self, scores: PoolScores) -> Bools:
        """Mask of exempt pairs; shape (pairs,). InputError unless domains and pairs are equally many."""
        mask = np.zeros(len(scores), np.bool_) if self.mark is None else scores.scores == np.float32(self.mark)
        if self.domains is None:
            return mask
        if self.domains.sentences != len(scores):
            detail = f"{self.domains.path} has domains of {self.domains.sentences} pairs, but the pool has {len(scores)}"
            raise InputError("unequal-lengths", detail, (str(self.domains.path),))
        exempt = np.array([name not in self.judged_domains for name in self.domains.names])
        return np.asarray(mask | (bool(self.judged_domains) & exempt[self._domain_ids()]))

    def _domain_ids(self) -> np.ndarray:
        assert self.domains is not None
        return np.repeat(self.domains.ids, np.diff(self.domains.ranges, prepend=0))

    def boundaries(self, decisions: PoolDecisions) -> Iterator[str]:
        """Yield the lines of a domain file of the selected pairs."""
        assert self.domains is not None
        counts = np.cumsum(decisions.decisions == Decision.SELECTION)
        for last, domain in zip(self.domains.ranges.tolist(), self.domains.ids.tolist(), strict=True):
            yield f"{counts[last - 1]} {self.domains.names[domain]}\n"


def judged_part(scores: PoolScores, budget: Budget, exempt: Bools) -> tuple[PoolScores, Budget]:
    """Scores without exempt pairs, and the budget for the rest: a share counts the rest alone."""
    if not exempt.any():
        return scores, budget
    rest = int((~exempt).sum())
    limits = [limit for limit in (budget.pairs, None if budget.share is None else round(budget.share * rest)) if limit is not None]
    pairs = min(limits, default=None)
    rest_scores = PoolScores(np.where(exempt, np.float32(-np.inf), scores.scores), scores.words)
    return rest_scores, replace(budget, pairs=None if pairs is None else max(pairs, 1), share=None)
