"""Accuracy of selections: by hand, by brute force, by sacreBLEU, and what always holds."""

from itertools import product

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st

from app.metrics import metrics_named
from app.planning.selection_accuracy import CandidatePool, SelectionAccuracy, accuracy_of


def measured(pool: CandidatePool, selection: np.ndarray) -> SelectionAccuracy:
    return accuracy_of(pool, selection, {}, {})


def test_three_sources_by_hand() -> None:
    # The third source has one translation, so nothing is selected there.
    sources, systems = ["s", "t", "s", "t", "u", "s"], ["a", "a", "b", "b", "a", "c"]
    pool = CandidatePool.of(sources, systems, np.array([0.1, 0.6, 0.3, 0.2, 0.0, 0.1]), False)
    assert (pool.sources, pool.rows.tolist(), pool.source.tolist()) == (2, [0, 1, 2, 3, 5], [0, 1, 0, 1, 0])
    assert measured(pool, pool.oracle) == SelectionAccuracy(1.0, pytest.approx((0.1 + 0.2) / 2), {})
    # Of s, two of three translations are the best; of t, one of two.
    assert measured(pool, pool.chance) == SelectionAccuracy(
        pytest.approx((2 / 3 + 1 / 2) / 2), pytest.approx((0.5 / 3 + 0.8 / 2) / 2), {}
    )
    assert measured(pool, pool.of_system("a")) == SelectionAccuracy(0.5, pytest.approx((0.1 + 0.6) / 2), {})
    # `c` did not translate t: chance there.
    assert measured(pool, pool.of_system("c")) == SelectionAccuracy(0.75, pytest.approx((0.1 + 0.4) / 2), {})
    # A tie of a and b for s is shared; for t, b is selected.
    tied = pool.best(np.array([0.2, 0.9, 0.2, 0.1, 0.5]), False)
    assert tied.tolist() == [0.5, 0, 0.5, 1, 0]
    assert measured(pool, tied) == SelectionAccuracy(0.75, pytest.approx((0.2 + 0.2) / 2), {})


def test_repeated_sources_are_joined_by_their_order() -> None:
    sources, systems = ["s", "s", "s", "s", "s"], ["a", "a", "b", "b", "b"]
    pool = CandidatePool.of(sources, systems, np.arange(5.0), True)
    assert (pool.rows.tolist(), pool.source.tolist()) == ([0, 1, 2, 3], [0, 1, 0, 1])


def test_one_system_leaves_nothing_to_select() -> None:
    pool = CandidatePool.of(["s", "t"], ["a", "a"], np.zeros(2), True)
    assert (pool.sources, len(pool.rows)) == (0, 0)


TABLES = st.lists(
    st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.1, 0.2, 0.3])), min_size=2, max_size=4),
    min_size=1,
    max_size=5,
)


@settings(deadline=None)
@given(TABLES, st.booleans())
def test_selections_are_means_over_all_ways_to_break_ties(table: list[list[tuple[float, float]]], higher: bool) -> None:
    cells = [(f"source {k}", f"system {m}", *cell) for k, row in enumerate(table) for m, cell in enumerate(row)]
    pool = CandidatePool.of([c[0] for c in cells], [c[1] for c in cells], np.array([c[2] for c in cells]), higher)
    best = max if higher else min
    ways = [[m for m, cell in enumerate(row) if cell[1] == best(c[1] for c in row)] for row in table]
    outcomes = [
        (
            np.mean([row[m][0] == best(c[0] for c in row) for row, m in zip(table, way, strict=True)]),
            np.mean([row[m][0] for row, m in zip(table, way, strict=True)]),
        )
        for way in product(*ways)
    ]
    found = measured(pool, pool.best(np.array([c[3] for c in cells]), higher))
    assert (found.accuracy, found.label) == pytest.approx(tuple(np.mean(outcomes, axis=0)))
    sign = 1 if higher else -1
    oracle, chance = measured(pool, pool.oracle), measured(pool, pool.chance)
    assert oracle.accuracy == 1 and sign * oracle.label >= sign * found.label - 1e-12
    assert all(sign * oracle.label >= sign * measured(pool, pool.of_system(s)).label - 1e-12 for s in set(pool.systems))
    assert chance.label == pytest.approx(np.mean([np.mean([c[0] for c in row]) for row in table]))
    # Chance selects as often as every constant score does.
    assert chance == measured(pool, pool.best(np.zeros(len(cells)), higher))
    if all(len(row) == len(table[0]) for row in table):
        of_systems = [measured(pool, pool.of_system(f"system {m}")) for m in range(len(table[0]))]
        assert chance.label == pytest.approx(np.mean([each.label for each in of_systems]))
        assert chance.accuracy == pytest.approx(np.mean([each.accuracy for each in of_systems]))


def test_scores_of_a_selection_are_those_of_sacrebleu() -> None:
    references = ["The old house stands on the hill.", "She reads a long book.", "It rains in the town today."]
    translations = {
        "a": ["The old house is on the hill.", "She read long book.", "Rain in town today."],
        "b": ["Old house stands on a hill.", "She reads a long book.", "It rains in the city today."],
    }
    sources = [f"source {k}" for k in range(3)] * 2
    systems = [name for name in translations for _ in range(3)]
    texts = [text for rows in translations.values() for text in rows]
    labels = np.array([3.0, 1, 1, 2, 2, 2])
    pool = CandidatePool.of(sources, systems, labels, True)
    metrics = metrics_named(["bleu", "chrf"])
    statistics = {n: m.prepare([references * 2]).statistics_of_systems([texts])[0] for n, m in metrics.items()}
    selected = [translations["a"][0], *translations["b"][1:]]
    for selection, chosen in ((pool.oracle, selected), (pool.of_system("a"), translations["a"])):
        scores = accuracy_of(pool, selection, metrics, statistics).scores
        assert scores["bleu"] == pytest.approx(sacrebleu.corpus_bleu(chosen, [references]).score)
        assert scores["chrf"] == pytest.approx(sacrebleu.corpus_chrf(chosen, [references]).score)
    # Chance has half of the statistics of each system: the corpus of both.
    both = sacrebleu.corpus_bleu([*translations["a"], *translations["b"]], [references * 2]).score
    chance = accuracy_of(pool, pool.chance, metrics, statistics).scores["bleu"]
    assert chance == pytest.approx(both)
