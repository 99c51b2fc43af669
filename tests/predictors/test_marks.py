"""Marks of words against isotonic regression and Wilson's interval of other libraries, and on the shipped cards."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.isotonic import IsotonicRegression

from app.errors import InputError
from app.predictors.cross_encoder import load_cross_encoder
from app.predictors.word_tags import load_word_tagger
from app.predictors.word_tags.marks import MINIMUM, NO_MARKS, Mark, Marks, choose_marks, lower_bound, read_marks, stored_marks
from app.settings import Settings

MODELS = Settings().models_dir


def calibrated(seed: int, low: float, high: float, count: int = 20_000) -> tuple[np.ndarray, np.ndarray]:
    """Gold tags of words that are wrong with exactly their probability, between two bounds."""
    rng = np.random.default_rng(seed)
    bad = rng.uniform(low, high, count)
    return (rng.random(count) < bad).astype(np.int8), bad


@pytest.mark.parametrize("seed", range(5))
def test_marked_words_are_those_of_isotonic_regression(seed: int) -> None:
    gold, bad = calibrated(seed, 0, 0.8, 2000)
    bad = np.round(bad, 2)
    level = max(1 / 3, 2 * gold.mean() / (1 + gold.mean()))
    fit = IsotonicRegression().fit_transform(bad, gold)
    marks = choose_marks(gold, bad)
    assert (marks.wrong_words(bad) == (fit >= max(0.5, level))).all()
    assert (marks.possible_words(bad) == ((fit >= level) & (fit < max(0.5, level)))).all()


def test_calibrated_probabilities_are_marked_from_one_half_and_from_one_third_on() -> None:
    gold, bad = calibrated(1, 0, 0.6, 200_000)
    # All words have a share of .3, so a possible word has twice its odds: .46.
    marks = choose_marks(gold, bad)
    assert marks.wrong is not None and marks.possible is not None
    assert marks.wrong.threshold == pytest.approx(0.5, abs=0.02) and marks.wrong.precision == pytest.approx(0.55, abs=0.01)
    assert marks.wrong.share == pytest.approx(1 / 6, abs=0.03) and marks.wrong.recall == pytest.approx(0.55 / 0.3 / 6, abs=0.05)
    assert marks.possible.threshold == pytest.approx(0.6 / 1.3, abs=0.02)


def test_where_most_words_are_wrong_a_mark_needs_twice_their_odds() -> None:
    gold, bad = calibrated(2, 0.3, 0.9, 200_000)
    marks = choose_marks(gold, bad)
    assert marks.wrong is not None and marks.wrong.threshold == pytest.approx(0.75, abs=0.02) and marks.possible is None


@given(st.integers(0, 400), st.integers(0, 2**32 - 1))
def test_at_most_one_word_of_twenty_of_references_is_marked_as_wrong(count: int, seed: int) -> None:
    gold, bad = calibrated(seed, 0, 1, 2000)
    references = np.round(np.random.default_rng(seed).beta(2, 3, count), 2)
    marks, alone = choose_marks(gold, bad, references), choose_marks(gold, bad)
    assert marks.wrong_words(references).sum() <= 0.05 * count
    assert marks.wrong is None or (alone.wrong is not None and marks.wrong.threshold >= alone.wrong.threshold)
    # A bound that the mark keeps anyway changes nothing.
    assert choose_marks(gold, bad, references * 0.1) == alone


def test_noise_and_few_words_are_not_marked() -> None:
    rng = np.random.default_rng(3)
    assert choose_marks((rng.random(5000) < 0.2).astype(np.int8), rng.random(5000)).wrong is None
    gold = np.array([1] * (MINIMUM - 1) + [0] * 500, np.int8)
    assert choose_marks(gold, gold.astype(float)) == NO_MARKS
    assert choose_marks(np.zeros(0, np.int8), np.zeros(0)) == choose_marks(np.zeros(9, np.int8), np.ones(9)) == NO_MARKS


@given(st.integers(1, 500), st.data())
def test_bounds_are_those_of_wilson(count: int, data: st.DataObject) -> None:
    right = data.draw(st.integers(0, count))
    expected = binomtest(right, count).proportion_ci(0.98, "wilson").low
    assert lower_bound(right / count, count) == pytest.approx(expected, abs=1e-3)


def test_cards_give_the_marks_back() -> None:
    marks = Marks(Mark(0.5, 0.6, 0.3, 0.1), None)
    assert read_marks(json.loads(json.dumps(stored_marks(marks))), "x") == marks
    assert read_marks(None, "x") == NO_MARKS
    for wrong in ({}, {"wrong": None}, {"wrong": {"threshold": 1}, "possible": None}, {"wrong": 1, "possible": None}):
        with pytest.raises(ValueError, match="x"):
            read_marks(wrong, "x")


def test_a_mark_of_a_shipped_tagger_is_right_at_least_every_second_time() -> None:
    network = load_cross_encoder(MODELS / "cross-e5-small")
    assert network.word_marks.keys() == network.revisions.keys() and network.source_marks.keys() == network.source_revisions.keys()
    taggers = [load_word_tagger(folder) for folder in sorted(MODELS.glob("*-words*"))]
    marks = [tagger.word_marks for tagger in taggers] + [tagger.gap_marks for tagger in taggers]
    marks += [*network.word_marks.values(), *network.source_marks.values()]
    assert all(mark.wrong is None or mark.wrong.precision >= 0.5 for mark in marks)
    assert all(mark.possible is None or mark.possible.precision >= 1 / 3 for mark in marks)
    # Shares of all words that the tags of the highest correlation marked: .29 to .46 in en-de, .67 to .71 in en-zh.
    shares = {tagger.card.id: 0.0 if (wrong := tagger.word_marks.wrong) is None else wrong.share for tagger in taggers}
    assert shares["en-de-words"] < 0.05 and shares["en-zh-words"] < 0.05 and shares["et-en-words"] < 0.2


def test_a_damaged_mark_is_named(tmp_path: Path) -> None:
    folder = MODELS / "en-de-words"
    for name in ("arrays.safetensors", "README.md"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    card = json.loads((folder / "word-tags.json").read_text("utf-8"))
    card["marks"]["words"]["wrong"] = {"threshold": "high"}
    (tmp_path / "word-tags.json").write_text(json.dumps(card), encoding="utf-8")
    with pytest.raises(InputError, match=r"marks\.words"):
        load_word_tagger(tmp_path)
