"""Stop words, numerals and repetition by hand."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.features import PairResources, exact_set, extract_features
from app.resources.ngram_counts import NgramCounts
from app.text import LanguagePair, SegmentBatch, pack_lines

RO = LanguagePair("ro", "en")


def counts(frequent: int) -> NgramCounts:
    """Counts in which the first words of a hundred-odd are the most frequent, 200 down to 1."""
    return NgramCounts.count(
        pack_lines([" ".join([f"w{chr(97 + k // 26)}{chr(97 + k % 26)}"] * (frequent - k)) for k in range(frequent)])
    )


def one(source: str, target: str, *ids: str) -> list[float]:
    batch = SegmentBatch(RO, pack_lines([source]), pack_lines([target]))
    resources = PairResources(RO, source_counts=counts(200), target_counts=counts(120))
    return extract_features(batch, exact_set("t", ids), resources, strict=True).values[0].tolist()


def test_stop_words_are_the_hundred_most_frequent_tokens() -> None:
    # wdv has rank 99 (from 0) and is a stop word; wdw has rank 100 and is none.
    assert one("waa waa wdv wdw zzz", "waa wab wdw wdx", "5000", "5001", "5002") == [2, 3, 2 / 3]
    assert one("zzz", "waa", "5000", "5001", "5002") == [1, 0, 0]


def test_marks_and_numbers_are_no_stop_words() -> None:
    resources = PairResources(RO, source_counts=NgramCounts.count(pack_lines([". . . 5 5 a", ". a"])))
    batch = SegmentBatch(RO, pack_lines([". 5 a b"]), pack_lines(["x"]))
    matrix = extract_features(batch, exact_set("t", ["5000", "5001", "5002"]), resources)
    assert matrix.values.tolist() == [[1]]
    assert {omission.feature.id: omission.reason for omission in matrix.left_out} == {
        "5000": "target n-gram counts not loaded",
        "5002": "target n-gram counts not loaded",
    }


def test_numerals() -> None:
    assert one("5 , 12:30 and 1,000", "five 12:30 1000", "5003", "5004", "5005") == [2, 3, 2 / 3]
    assert one("none", "5", "5005") == [0]


def test_repetition_by_hand() -> None:
    # a stands three times, b twice, c once: (3·3 + 2·2 + 1) / 6.
    assert one("x", "a b a c b a", "5006", "5007") == pytest.approx([14 / 6, 1])


@given(st.lists(st.sampled_from("abcd"), max_size=12))
def test_repetition_is_a_mean_over_tokens(tokens: list[str]) -> None:
    expected = sum(Counter(tokens)[token] for token in tokens) / len(tokens) if tokens else 0
    assert one("x", " ".join(tokens), "5006") == pytest.approx([expected])
