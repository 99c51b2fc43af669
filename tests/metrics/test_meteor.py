"""METEOR of 2005 against its formula on the thesis' sentences, and what holds for all text."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.metrics import metric_named
from tests.metrics.test_simpbleu import CANDIDATES, R1, R2


def segment_score(name: str, hypothesis: str, *references: str) -> float:
    metric = metric_named(name)
    return float(metric.segment_scores(metric.prepare([[r] for r in references]).statistics([hypothesis]))[0])


@pytest.mark.parametrize(
    ("candidate", "printed", "cubed"), [("C1", 0.297619, 0.350529), ("C3", 0.178571, 0.178571), ("C4", 0.944444, 0.999314)]
)
def test_the_sentences_of_the_thesis(candidate: str, printed: float, cubed: float) -> None:
    """Digest 4.5: one and three pieces of three matches."""
    assert segment_score("meteor|tok:none|power:1", CANDIDATES[candidate], R1) == pytest.approx(100 * printed, abs=1e-4)
    assert segment_score("meteor|tok:none", CANDIDATES[candidate], R1) == pytest.approx(100 * cubed, abs=1e-4)


def test_stems_match_after_words() -> None:
    assert segment_score("meteor|tok:none", "rains", "rain") == 0
    assert segment_score("meteor|tok:none|stem:en", "rains", "rain") == 50
    # Both matched, in two pieces where the order changed.
    statistics = metric_named("meteor|tok:none|stem:en").prepare([["rain falls"]]).statistics(["fall rains"])
    assert statistics.tolist() == [[2, 2, 2, 2]]


def test_the_kindest_reference_counts() -> None:
    both = segment_score("meteor|tok:none", CANDIDATES["C6"], R1, R2)
    assert both == segment_score("meteor|tok:none", CANDIDATES["C6"], R2) == pytest.approx(100 * (1 - 0.5 / 8**3))


def test_pieces_do_not_run_over_the_ends_of_segments() -> None:
    metric = metric_named("meteor|tok:none")
    statistics = metric.prepare([["a b", "c d", "", "e"]]).statistics(["a b", "c d", "", "e"])
    assert statistics[:, :2].tolist() == [[2, 1], [2, 1], [0, 0], [1, 1]]


words = st.lists(st.sampled_from("abcd"), max_size=7)


@given(words, words)
def test_matches_are_those_of_bags_and_pieces_are_runs(hypothesis: list[str], reference: list[str]) -> None:
    metric = metric_named("meteor|tok:none")
    row = metric.prepare([[" ".join(reference)]]).statistics([" ".join(hypothesis)])[0]
    bag = sum(min(hypothesis.count(word), reference.count(word)) for word in set(hypothesis))
    assert row[0] == bag
    assert (row[1] > 0) == (bag > 0) and row[1] <= bag
    assert 0 <= float(metric.score(row[None])[0]) <= 100
    if hypothesis == reference and hypothesis:
        assert row[1] == 1
    assert np.isfinite(row).all()
