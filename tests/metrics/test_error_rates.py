"""WER and PER against the worked examples of Song's thesis (reference of nine words)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.metrics import metric_named
from tests.metrics.test_simpbleu import CANDIDATES, R1

ERRORS = {
    "C1": (6, 6), "C2": (8, 6), "C3": (8, 6), "C4": (0, 0), "C5": (7, 3), "C6": (9, 6), "C7": (8, 4), "C8": (5, 5),
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
@pytest.mark.parametrize(("metric", "place"), [("wer", 0), ("per", 1)])
def test_worked_examples(name: str, metric: str, place: int) -> None:
    chosen = metric_named(f"{metric}|tok:none")
    statistics = chosen.prepare([[R1]]).statistics([CANDIDATES[name]])
    assert list(statistics[0]) == [ERRORS[name][place], 9]
    assert chosen.segment_scores(statistics)[0] == pytest.approx(100 * ERRORS[name][place] / 9)


WORDS = st.lists(st.sampled_from("abcd"), max_size=8)


def plain_distance(a: list[str], b: list[str]) -> int:
    """The kernel's twin."""
    if not a or not b:
        return len(a) + len(b)
    return min(plain_distance(a[1:], b[1:]) + (a[0] != b[0]), plain_distance(a[1:], b) + 1, plain_distance(a, b[1:]) + 1)


@given(st.lists(st.sampled_from("abcd"), max_size=5), st.lists(st.sampled_from("abcd"), max_size=5))
def test_word_errors_are_those_of_the_recursion(hypothesis: list[str], reference: list[str]) -> None:
    statistics = metric_named("wer|tok:none").prepare([[" ".join(reference)]]).statistics([" ".join(hypothesis)])
    assert statistics[0, 0] == plain_distance(hypothesis, reference)


@given(WORDS, WORDS)
def test_order_only_adds_errors(hypothesis: list[str], reference: list[str]) -> None:
    texts = [" ".join(hypothesis)], [[" ".join(reference)]]
    errors = {
        name: metric_named(name).prepare(texts[1]).statistics(texts[0])[0, 0] for name in ("ter", "wer|tok:none", "per|tok:none")
    }
    assert errors["per|tok:none"] <= errors["wer|tok:none"]
    assert errors["ter"] <= errors["wer|tok:none"]
