"""Alignments of token vectors against loops over tokens, and laws of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.features import PairResources, View, feature_set, features_of_view
from app.features.encoded import NUMBERS, READ, EncodedSides, aligned_numbers, cut_rows, encoded_sides
from app.resources.encoders import EncodedTokens
from app.text import LanguagePair, SegmentBatch, tokeniser_for
from tests.features.hashed_words import AlignmentJudge, HashedWords

NAMES = [name for name, _ in NUMBERS]
ZERO = np.zeros(4, np.float32)


def tokens(texts: list[np.ndarray]) -> EncodedTokens:
    """Token vectors of texts."""
    offsets = np.concatenate([[0], np.cumsum([len(text) for text in texts])]).astype(np.int64)
    vectors = np.concatenate([np.empty((0, 4)), *texts]).astype(np.float32)
    return EncodedTokens(vectors, offsets, ("x",) * len(vectors), np.zeros((len(vectors), 2), np.int64))


def of(source: np.ndarray, target: np.ndarray, centre: np.ndarray = ZERO) -> dict[str, float]:
    """The numbers of one pair of texts by name."""
    row = aligned_numbers(EncodedSides(tokens([source]), tokens([target])), centre.astype(np.float32))[0]
    return dict(zip(NAMES, row.tolist(), strict=True))


@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_numbers_are_those_of_loops_over_tokens(s: int, t: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    source, target, centre = rng.normal(size=(s, 4)), rng.normal(size=(t, 4)), rng.normal(size=4)
    got = of(source, target, centre)

    def cosine(a: np.ndarray, b: np.ndarray) -> float:
        return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))

    near = [[cosine(a - centre, b - centre) for b in target] for a in source]
    recall, precision = [max(row) for row in near], [max(row[k] for row in near) for k in range(t)]
    first = [row.index(max(row)) for row in near]
    back = [max(range(s), key=lambda i: near[i][k]) for k in range(t)]
    quarter = max(1, s // 4)
    assert got["cosine"] == pytest.approx(cosine(source.mean(0), target.mean(0)), abs=1e-4)
    assert got["source.mean"] == pytest.approx(np.mean(recall), abs=1e-5)
    assert got["target.mean"] == pytest.approx(np.mean(precision), abs=1e-5)
    assert (got["source.lowest"], got["target.lowest"]) == pytest.approx((min(recall), min(precision)), abs=1e-5)
    assert got["source.worst_quarter"] == pytest.approx(np.mean(sorted(recall)[:quarter]), abs=1e-5)
    assert (got["source.spread"], got["target.spread"]) == pytest.approx((np.std(recall), np.std(precision)), abs=1e-5)
    assert got["source.mutual"] == pytest.approx(np.mean([back[first[i]] == i for i in range(s)]))
    assert got["target.mutual"] == pytest.approx(np.mean([first[back[k]] == k for k in range(t)]))
    assert got["jumps"] == pytest.approx(np.mean(np.abs(np.diff(first))) if s > 1 else 0)
    assert (got["source.tokens"], got["target.tokens"], got["length_ratio"]) == pytest.approx((s, t, np.log(t / s)))


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_sides_that_change_places_change_their_numbers(s: int, t: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    source, target = rng.normal(size=(s, 4)), rng.normal(size=(t, 4))
    one, other = of(source, target), of(target, source)
    for name in NAMES:
        if name.startswith("source."):
            assert one[name] == pytest.approx(other[name.replace("source", "target")], abs=1e-6)
    assert one["length_ratio"] == pytest.approx(-other["length_ratio"])


def test_a_text_finds_itself_whole() -> None:
    text = np.random.default_rng(1).normal(size=(6, 4))
    got = of(text, text)
    whole = ("cosine", "source.mean", "target.lowest", "source.worst_quarter", "source.mutual", "target.mutual", "jumps")
    assert [got[name] for name in whole] == pytest.approx([1.0] * len(whole), abs=1e-5)
    assert got["source.spread"] == pytest.approx(0, abs=1e-5)


def test_a_translation_aligns_better_than_that_of_another_source() -> None:
    rng = np.random.default_rng(2)
    sources = [rng.normal(size=(8, 4)) for _ in range(20)]
    targets = [rng.permutation(text + 0.3 * rng.normal(size=text.shape)) for text in sources]
    right = aligned_numbers(EncodedSides(tokens(sources), tokens(targets)), ZERO)
    wrong = aligned_numbers(EncodedSides(tokens(sources), tokens(targets[1:] + targets[:1])), ZERO)
    for name in ("source.mean", "target.mean", "source.worst_quarter", "source.mutual"):
        assert right[:, NAMES.index(name)].mean() > wrong[:, NAMES.index(name)].mean() + 0.1


def test_texts_without_tokens_are_zeros_but_for_their_counts() -> None:
    rows = aligned_numbers(
        EncodedSides(tokens([np.empty((0, 4)), np.ones((2, 4))]), tokens([np.ones((3, 4)), np.empty((0, 4))])), ZERO
    )
    assert rows[0, NAMES.index("target.tokens")] == 3 and rows[1, NAMES.index("source.tokens")] == 2
    assert np.count_nonzero(rows) == 2


def test_the_set_has_the_numbers_and_what_is_judged() -> None:
    ids = [feature.id for feature in feature_set("encoded").features]
    assert ids == [f"enc.{name}" for name in (*NAMES, "da", "hter", *(name for name, _ in READ))]
    assert all(not feature.needs or feature.id in ids for feature in feature_set("any-pair").features)


def test_groups_of_segments_say_what_all_together_say(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = LanguagePair("ro", "en")
    texts = [[" ".join(f"{side}{k}" for k in range(n % 7)) for n in range(40)] for side in ("a", "b")]
    batch = SegmentBatch.build(tokeniser_for("ro"), tokeniser_for("en"), *texts)
    resources = PairResources(pair, encoder=HashedWords(), sentence_judge=AlignmentJudge())
    wanted = feature_set("encoded")
    whole = features_of_view(View(batch, resources), wanted).values
    monkeypatch.setattr("app.features.encoded.sentences.CHARACTERS_PER_GROUP", 50)
    assert max(len(sides) for sides in encoded_sides(View(batch, resources))) < 20
    assert sum(len(sides) for sides in encoded_sides(View(batch, resources))) == 40
    assert features_of_view(View(batch, resources), wanted).values.tolist() == whole.tolist()
    empty = SegmentBatch.build(tokeniser_for("ro"), tokeniser_for("en"), [], [])
    assert features_of_view(View(empty, resources), wanted).values.shape == (0, whole.shape[1])


def test_long_texts_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HashedWords, "cut", lambda self, texts: np.array([len(text.split()) > 500 for text in texts]))
    batch = SegmentBatch.build(tokeniser_for("ro"), tokeniser_for("en"), ["a", "a " * 600, "a"], ["b", "b", "b " * 700])
    assert cut_rows(View(batch, PairResources(LanguagePair("ro", "en"), encoder=HashedWords()))) == {1, 2}
