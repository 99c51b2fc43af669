"""Wins between systems against the worked values of the thesis' digest, 4.13 and 4.14, and by plain counting."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.metrics.meta_evaluation.wins import count_wins, expected_wins, ratio_of_wins

# A > B 6:4, A > C 9:1, B > C 3:3.
WINS = np.array([[0.0, 6.0, 9.0], [4.0, 0.0, 3.0], [1.0, 3.0, 0.0]])


def test_the_worked_values_of_the_digest() -> None:
    assert expected_wins(WINS).tolist() == pytest.approx([0.75, 0.45, 0.30])
    assert ratio_of_wins(WINS).tolist() == pytest.approx([0.75, 0.4375, 0.25])


def test_opponents_without_an_untied_comparison_do_not_count() -> None:
    wins = np.array([[0.0, 3.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    assert expected_wins(wins)[:2].tolist() == [0.75, 0.25] and np.isnan(expected_wins(wins)[2])
    assert np.isnan(ratio_of_wins(wins)[2])


judgements = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2)), max_size=20)


@given(judgements)
def test_wins_are_those_of_plain_counting(rows: list[tuple[int, int, int]]) -> None:
    labels, groups, systems = (np.array([row[k] for row in rows], dtype) for k, dtype in ((0, float), (1, int), (2, int)))
    expected = np.zeros((3, 3))
    for (label, group, system), (rival_label, rival_group, rival) in combinations(rows, 2):
        if group == rival_group and system != rival and label != rival_label:
            expected[(system, rival) if label > rival_label else (rival, system)] += 1
    order = np.argsort(groups, kind="stable")
    wins = count_wins(labels[order], groups[order], systems[order], 3)
    assert wins.tolist() == expected.tolist()
    shares = expected_wins(wins)
    assert ((shares >= 0) & (shares <= 1) | np.isnan(shares)).all()
