"""Budgets: what they hold, whatever the scores are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InputError
from app.smt.corpus.selection.choice import Budget, choose_best
from app.smt.corpus.selection.scoring import PoolScores

POOLS = st.lists(st.tuples(st.sampled_from([-np.inf, -2.0, 0.0, 0.5, 3.0]), st.integers(1, 9)), min_size=1, max_size=30).map(
    lambda rows: PoolScores(np.array([score for score, _ in rows], np.float32), np.array([words for _, words in rows], np.int32))
)


def by_hand(pool: PoolScores, budget: Budget) -> list[int]:
    """The same, a pair at a time."""
    places = [place for place in range(len(pool)) if pool.scores[place] > -np.inf]
    places = [place for place in places if budget.minimum is None or pool.scores[place] >= budget.minimum]
    most = min(
        budget.pairs if budget.pairs is not None else len(pool),
        round(budget.share * len(pool)) if budget.share is not None else len(pool),
    )
    taken: list[int] = []
    total = 0
    for place in sorted(places, key=lambda place: -pool.scores[place]):
        words = int(pool.words[place])
        if len(taken) == most or (budget.words is not None and total >= budget.words):
            break
        if budget.strict and budget.words is not None and total + words > budget.words:
            continue
        taken.append(place)
        total += words
    return sorted(taken)


@given(
    POOLS,
    st.none() | st.integers(1, 40),
    st.none() | st.integers(1, 60),
    st.none() | st.floats(0.01, 1),
    st.none() | st.sampled_from([-2.0, 0.25]),
    st.booleans(),
)
def test_what_is_chosen(
    pool: PoolScores, pairs: int | None, words: int | None, share: float | None, least: float | None, strict: bool
) -> None:
    budget = Budget(pairs, words, share, least, strict and words is not None)
    chosen = np.flatnonzero(choose_best(pool, budget))
    assert chosen.tolist() == by_hand(pool, budget)
    assert pairs is None or len(chosen) <= pairs
    if words is not None:
        spent = int(pool.words[chosen].sum())
        assert spent <= words if strict else spent < words + 9


def test_budgets_that_say_nothing_are_refused() -> None:
    for wrong in ({"pairs": 0}, {"words": 0}, {"share": 0.0}, {"share": 1.5}):
        with pytest.raises(InputError, match="a budget is"):
            Budget(**wrong)
