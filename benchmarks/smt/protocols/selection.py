"""Study of development text by selectors: weights tuned on selections of several sizes and seeds (Song 2015, section 4.4)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import mean, stdev

import numpy as np

from app.arrays import Int64s
from app.errors import InputError
from app.smt.corpus.selection.choice import Budget
from app.smt.corpus.selection.greedy import choose
from app.smt.corpus.selection.materials import Materials
from app.smt.corpus.selection.methods import make_scorer, method_called
from app.smt.corpus.selection.pool import Pool
from app.smt.corpus.selection.scoring import score_pool
from app.smt.tuning.method import TuningData
from app.smt.tuning.pool import TuningPool
from app.smt.tuning.tune import tune
from app.text.ragged import ragged_rows

__all__ = ["Repeat", "Study", "StudyRow", "study_selection"]


@dataclass(frozen=True)
class Repeat:
    """One selection and its tuning: pairs, words and distinct words of the source, and the score of the weights on other lists."""

    pairs: int
    words: int
    distinct: int
    score: float


@dataclass(frozen=True)
class StudyRow:
    """A method with a budget of words (None: no limit) and a limit of similarity; one repeat per seed."""

    method: str
    budget: int | None
    diversity: float
    repeats: tuple[Repeat, ...]

    @property
    def scores(self) -> tuple[float, ...]:
        """Scores of all repeats."""
        return tuple(repeat.score for repeat in self.repeats)

    @property
    def mean(self) -> float:
        """Mean score."""
        return mean(self.scores)

    @property
    def deviation(self) -> float | None:
        """Sample standard deviation of the scores; None for one repeat."""
        return stdev(self.scores) if len(self.scores) > 1 else None


@dataclass(frozen=True)
class Study:
    """Settings of a study: methods, budgets, and limits of similarity (None: the method's own).

    A seed is one repeat: it seeds the tuner and the method, unless the method's name has its own seed.
    """

    methods: Sequence[str]
    sizes: Sequence[int | None] = (None,)
    diversities: Sequence[float | None] = (None,)
    tuner: str = "mert"
    seeds: Sequence[int] = (1, 2, 3)


def study_selection(pool: Pool, study: Study, lists: TuningPool, held_out: TuningPool, materials: Materials) -> Iterator[StudyRow]:
    """Tune on each method's selection of `pool`, with n-best lists `lists`; measure on `held_out`, with equal columns.

    Start weights are equal. A method receives the materials that it needs. The tuner runs once for each method, size, limit and
    seed. InputError (`unequal-lengths`) for a pair without list, and the errors of methods, materials and the tuner.
    """
    offsets, words = _words(pool)
    _check(lists, len(offsets) - 1)
    for method in study.methods:
        selector = method_called(method)
        is_random = "seed" in selector.options and "|seed:" not in method
        method_materials = replace(materials, **dict.fromkeys(materials.names - selector.uses))
        for size in study.sizes:
            budget = Budget(words=size)
            scores = {}
            for seed in study.seeds if is_random else study.seeds[:1]:
                spec = f"{method}|seed:{seed}" if is_random else method
                scores[seed] = score_pool(pool, make_scorer(spec, pool, method_materials, budget))
            for diversity in study.diversities:
                filters = selector.filters if diversity is None else replace(selector.filters, diversity=diversity)
                selections = {
                    seed: np.sort(choose(pool, seed_scores, budget, filters).order) for seed, seed_scores in scores.items()
                }
                repeats = []
                for seed in study.seeds:
                    rows = selections[seed if is_random else study.seeds[0]]
                    if not len(rows):
                        raise InputError("empty-input", f"{method} chooses nothing of this text", ("--method",))
                    own_words = words[ragged_rows(offsets, rows)[0]]
                    score = _worth(lists, rows, held_out, study.tuner, seed)
                    repeats.append(Repeat(len(rows), len(own_words), len(np.unique(own_words)), score))
                yield StudyRow(method, size, filters.diversity, tuple(repeats))


def _worth(lists: TuningPool, rows: Int64s, held_out: TuningPool, tuner: str, seed: int) -> float:
    tuning = tune(TuningData(lists.rows(rows), np.ones(len(lists.names))), tuner, [seed], held_out)
    assert tuning.best.held_out is not None
    return tuning.best.held_out


def _words(pool: Pool) -> tuple[Int64s, Int64s]:
    """Return offsets of sources, and their words as hashes."""
    lengths, words = [], []
    for chunk in pool.chunks():
        source = chunk.pairs.source
        lengths.append(source.lengths)
        words.append(source.hashes.view(np.int64)[source.ids])
    return np.concatenate([[0], np.cumsum(np.concatenate(lengths))]).astype(np.int64), np.concatenate(words)


def _check(lists: TuningPool, pairs: int) -> None:
    """Raise InputError if a pair has no list."""
    if not np.array_equal(lists.segments, np.arange(pairs)):
        lacking = np.setdiff1d(np.arange(pairs), lists.segments)
        detail = f"line {lacking[0] + 1} of the text has none" if len(lacking) else f"the text has {pairs} lines"
        raise InputError("unequal-lengths", f"there are n-best lists of {len(lists)} segments, but {detail}", ("--n-best",))
