"""Choice of segments for people, damaged translations, and scores of annotators."""

import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.planning.annotator_scores import standardised_scores
from app.planning.attention_checks import damaged_translation, replaced_words
from app.planning.campaign_choice import choose_segments, disagreement, pool_of

SOURCES = st.lists(st.text(max_size=20), min_size=1, max_size=30)


def worth_of(count: int) -> np.ndarray:
    return np.random.default_rng(count).random(count)


@given(SOURCES, st.integers(1, 40), st.integers(0, 5))
def test_a_choice_is_within_its_budget_and_deterministic(sources: list[str], count: int, seed: int) -> None:
    worth = worth_of(len(sources))
    rows = choose_segments(sources, worth, count, seed)
    assert len(rows) == len(set(rows.tolist())) == min(count, len(sources))
    assert np.array_equal(rows, choose_segments(sources, worth, count, seed))
    # A smaller budget chooses the first of a larger one.
    assert np.array_equal(rows[:2], choose_segments(sources, worth, min(count, 2), seed))
    assert worth[rows[0]] == worth.max()


def test_disagreement_comes_first_among_equal_texts() -> None:
    scores = np.array([[0.5, 0.5], [0.1, 0.9], [0.4, 0.6], [0.0, 1.0]])
    worth = disagreement(scores, np.full((4, 2), 0.1))
    assert np.argsort(-worth).tolist() == [3, 1, 2, 0]
    # Sources without a common trigram are equally far from each other.
    assert choose_segments(["aaaa", "bbbb", "cccc", "dddd"], worth, 4, 1).tolist() == [3, 1, 2, 0]


@given(st.lists(st.lists(st.floats(-3, 3), min_size=3, max_size=3), min_size=1, max_size=10))
def test_disagreement_is_the_deviation_of_a_mixture(rows: list[list[float]]) -> None:
    scores = np.array(rows)
    assert disagreement(scores, np.zeros_like(scores)) == pytest.approx([statistics.pstdev(row) for row in rows], abs=1e-9)
    # One system: its uncertainty alone.
    assert disagreement(scores[:, :1], scores[:, 1:2] ** 2) == pytest.approx(scores[:, 1] ** 2)


def test_a_repeated_source_comes_last() -> None:
    sources = ["The cat sat on the mat.", "The cat sat on the mat.", "A storm came over the hills."]
    worth = np.array([1.0, 0.99, 0.2])
    assert choose_segments(sources, worth, 3, 7).tolist() == [0, 2, 1]


@given(st.integers(0, 5000), st.integers(1, 300), st.integers(0, 9))
def test_a_pool_is_evenly_drawn(count: int, size: int, seed: int) -> None:
    rows = pool_of(count, size, seed)
    assert len(rows) == min(count, size)
    assert np.all(np.diff(rows) > 0) and np.all((rows >= 0) & (rows < max(count, 1)))
    if count > size:
        assert (
            np.array_equal(rows * size // count, np.arange(size))
            or np.max(np.abs(rows - (np.arange(size) + 0.5) * count / size)) <= count / size + 1
        )


@pytest.mark.parametrize(
    ("count", "words"), [(1, 1), (2, 2), (5, 2), (6, 3), (8, 3), (9, 4), (15, 4), (16, 5), (20, 5), (21, 5), (40, 10)]
)
def test_numbers_of_replaced_words(count: int, words: int) -> None:
    """The published table of Graham et al. (2017)."""
    assert replaced_words(count) == words


WORDS = st.lists(
    st.sampled_from(["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]), min_size=5, max_size=30
)
DONORS = [
    "Foreign cats carry heavy green bricks over some unknown hills in every second winter without a single visible reason for it "
    * 2
]


@given(WORDS, st.integers(0, 1000))
def test_a_damage_is_where_it_says(words: list[str], seed: int) -> None:
    text = " ".join(words)
    damage = damaged_translation(text, DONORS, np.random.default_rng(seed))
    assert damage is not None
    replacement = damage.text[damage.start : damage.end]
    width = replaced_words(len(words))
    assert len(replacement.split()) == width and not set(replacement.casefold().split()) & set(words)
    assert damage.text.split()[0] == words[0]
    if len(words) > width + 1:
        assert damage.text.split()[-1] == words[-1]
    # Everything else is as it was.
    rest = damage.text[: damage.start] + damage.text[damage.end :]
    assert text.startswith(damage.text[: damage.start]) and text.endswith(damage.text[damage.end :])
    assert len(rest.split()) == len(words) - width
    assert damage == damaged_translation(text, DONORS, np.random.default_rng(seed))


def test_texts_without_blanks_lose_characters() -> None:
    text, donor = "我们昨天晚上在图书馆里读了一本很有意思的书", "飞机因为大雾推迟到明早才能起飞请旅客耐心等候通知谢谢合作"
    damage = damaged_translation(text, [donor], np.random.default_rng(3))
    assert damage is not None and len(damage.text) == len(text)
    assert damage.end - damage.start == replaced_words(len(text))


@pytest.mark.parametrize("text", ["", "one", "one two three four", "Donaudampfschifffahrtsgesellschaft", "中文短"])
def test_short_texts_are_not_damaged(text: str) -> None:
    assert damaged_translation(text, DONORS, np.random.default_rng(1)) is None


def test_donors_without_other_words() -> None:
    text = "one two three four five six"
    assert damaged_translation(text, [], np.random.default_rng(1)) is None
    assert damaged_translation(text, [text, "one two"], np.random.default_rng(1)) is None


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 100)), min_size=1, max_size=30))
def test_standardised_scores(pairs: list[tuple[str, int]]) -> None:
    names = [name for name, _ in pairs]
    scores = standardised_scores(names, [score for _, score in pairs])
    for name in set(names):
        values = [score for who, score in pairs if who == name]
        found = [score for who, score in zip(names, scores.tolist(), strict=True) if who == name]
        if len(set(values)) < 2:
            assert found == [0.0] * len(values)
        else:
            deviation = statistics.stdev(values)
            assert found == pytest.approx([(value - statistics.fmean(values)) / deviation for value in values])


def test_equal_decimals_have_no_spread() -> None:
    assert standardised_scores(["a"] * 3, [0.1, 0.1, 0.1]).tolist() == [0.0, 0.0, 0.0]
    assert standardised_scores([], []).tolist() == []
