"""Features that look at nothing but the list, against the thesis's example (digest 4.3) and against plain Python."""

from collections import Counter
from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.smt.lists.reranking.columns import COLUMNS, THESIS, with_features
from app.smt.lists.reranking.distinct import distinct_places, lists_at
from app.smt.lists.reranking.evidence import RerankingResources
from app.text.n_best import NBestLists
from app.text.packed_texts import PackedTexts

MIDDLES = (
    "approach would lead to",
    "approach would be",
    "way of doing this would lead to",
    "way of doing this would be",
    "approach would have",
    "approach would entail",
    "approach would result in",
    "approach would mean",
)
COSTS = (-7.17474, -7.19585, -7.45051, -7.45701, -7.53336, -7.54438, -7.62037, -7.65906)
SOURCE = "toute autre façon de faire entraînerait un déficit démocratique majeur ."


def lists_of(rows: list[list[tuple[str, float]]]) -> NBestLists:
    flat = [entry for row in rows for entry in row]
    return NBestLists(
        np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64),
        PackedTexts.of(text for text, _ in flat),
        np.array([score for _, score in flat], np.float64),
        (),
        np.zeros((len(flat), 0)),
    )


@pytest.fixture(scope="module")
def example() -> NBestLists:
    """Fig. 4.3, behind a list of one hypothesis, so that it is not the first."""
    row = [(f"any other {middle} a major democratic deficit .", cost) for middle, cost in zip(MIDDLES, COSTS, strict=True)]
    return lists_of([[("any other approach", -1.0)], row])


def values(lists: NBestLists, spec: str, sources: list[str] | None = None) -> list[float]:
    return with_features(lists, [spec], RerankingResources(), sources).features[:, -1].tolist()


def test_the_thesis_has_19_features() -> None:
    names = "lm3 ppl3 lm4 ppl4 lm5 ppl5 lm6 ppl6 lm7 ppl7 plm3 plm4 plm5 mbr np len lenr ibm ibm-1"
    assert list(THESIS) == names.split()
    assert set(THESIS) <= COLUMNS.keys()


def test_the_list_of_the_thesis(example: NBestLists) -> None:
    own = [0.628360, 0.641856, 0.497640, 0.508996, 0.611901, 0.611579, 0.583057, 0.608434]
    others = [0.475631, 0.492317, 0.381720, 0.393828, 0.505198, 0.506046, 0.485247, 0.514335]
    assert values(example, "mbr")[1:] == pytest.approx(own, abs=5e-7)
    assert values(example, "mbr|own:no")[1:] == pytest.approx(others, abs=5e-7)
    conditional = [-0.384021, -0.424534, -0.321429, -0.346654, -0.458285, -0.459387, -0.424533, -0.470855]
    assert values(example, "np")[1:] == pytest.approx(conditional, abs=1e-6)
    assert values(example, "np|order:2")[1] == pytest.approx(-0.358410, abs=5e-7)
    assert values(example, "np|order:1|join:joint")[1:3] == pytest.approx([-2.662645, -2.564439], abs=5e-7)
    assert values(example, "np|join:joint")[1:3] == pytest.approx([-3.053302, -3.021825], abs=5e-7)
    lengths = [-1.319600, -0.721003, -2.090322, -2.096822, -0.721003, -0.721003, -1.319600, -0.721003]
    assert values(example, "len")[1:] == pytest.approx(lengths, abs=5e-7)
    ratios = [1.0, 0.909091, 1.272727, 1.181818, 0.909091, 0.909091, 1.0, 0.909091]
    assert values(example, "lenr", ["alle", SOURCE])[1:] == pytest.approx(ratios, abs=5e-7)
    assert values(example, "lenr|form:inverse", ["alle", SOURCE])[2] == pytest.approx(1.1)
    assert values(example, "lenr|form:log", ["alle", SOURCE])[2] == pytest.approx(log(10 / 11))


def test_one_hypothesis_is_certain(example: NBestLists) -> None:
    assert values(example, "len")[0] == 0.0
    # The first word is one of three, each other follows from its history.
    assert values(example, "np")[0] == pytest.approx(log(1 / 3) / 3)
    # Three words have no 4-gram: sBLEU of a text with itself is 7/16.
    assert values(example, "mbr")[0] == pytest.approx(0.4375)


def sbleu(hypothesis: str, reference: str) -> float:
    """(3.3), in plain Python."""
    a, b = hypothesis.split(), reference.split()
    if not a:
        return 0.0
    penalty = 1.0 if len(a) >= len(b) else exp(1 - len(b) / len(a))
    product, score = 1.0, 0.0
    for n in range(1, 5):
        left, right = (Counter(tuple(side[k : k + n]) for k in range(len(side) - n + 1)) for side in (a, b))
        product *= sum((left & right).values()) / max(sum(left.values()), 1)
        score += penalty * product ** (1 / n) / 2 ** (5 - n)
    return score


words = st.lists(st.sampled_from("abc"), max_size=7).map(" ".join)


@given(st.lists(st.lists(st.tuples(words, st.floats(-50, 50)), max_size=5), min_size=1, max_size=4), st.floats(0, 3))
def test_lists_of_any_kind_are_as_in_plain_python(rows: list[list[tuple[str, float]]], scale: float) -> None:
    lists = lists_of(rows)
    computed = with_features(lists, [f"mbr|scale:{scale:f}", f"len|scale:{scale:f}"], RerankingResources()).features
    scale = float(f"{scale:f}")
    h = 0
    for row in rows:
        highest = max((score for _, score in row), default=0.0)
        shares = [exp(scale * (score - highest)) for _, score in row]
        for text, _ in row:
            gain = sum(sbleu(text, other) * share for (other, _), share in zip(row, shares, strict=True)) / sum(shares)
            assert computed[h, 0] == pytest.approx(gain, abs=1e-12)
            alike = sum(share for (other, _), share in zip(row, shares, strict=True) if len(other.split()) == len(text.split()))
            assert computed[h, 1] == pytest.approx(log(alike / sum(shares)), abs=1e-9)
            h += 1


@given(st.lists(st.lists(st.tuples(words, st.floats(-5, 5)), max_size=6), min_size=1, max_size=4))
def test_distinct_lists_keep_the_first_of_each_text(rows: list[list[tuple[str, float]]]) -> None:
    lists = lists_of(rows)
    shorter = lists_at(lists, distinct_places(lists))
    expected = [list(dict(reversed(row)).items()) for row in rows]
    for hypotheses, row in zip(shorter, expected, strict=True):
        assert {(shorter.texts[h], float(shorter.scores[h])) for h in hypotheses} == set(row)
    texts = [[shorter.texts[h] for h in hypotheses] for hypotheses in shorter]
    assert texts == [list(dict.fromkeys(text for text, _ in row)) for row in rows]


def test_totals_of_any_size_and_texts_of_any_kind() -> None:
    texts = ["\ud800 a", "שלום עולם", "", "a b"]
    lists = lists_of([[(text, score) for text, score in zip(texts, (1e300, -1e300, 0.0, 1e300), strict=True)], []])
    computed = with_features(lists, ["mbr|scale:1000", "np", "len", "lenr"], RerankingResources(), ["x", ""]).features
    assert np.isfinite(computed).all()
