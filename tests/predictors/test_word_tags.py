"""The chain against sums over all taggings, finite differences and scikit-learn's measures; files; serving."""

import json
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score, matthews_corrcoef

from app.engine import Engine
from app.engine.segments import Segments
from app.errors import InputError
from app.features import PairResources, View
from app.features.word_level import GAPS, WORDS, gap_offsets
from app.predictors.word_tags import load_word_tagger, save_word_tagger
from app.predictors.word_tags.model import WordTagCard, WordTagger
from app.predictors.word_tags.random_field_kernels import emission_scores, log_likelihood, marginals, train_epoch
from app.predictors.word_tags.scores import best_threshold, tag_accuracy
from app.predictors.word_tags.training import TaggedPart, train_random_field
from app.settings import Settings
from app.text import LanguagePair, SegmentBatch, pack_lines
from app.text.pieces import places_of_words, words_of_pieces
from app.text.side_information import SideInformation

SMALL = st.floats(-3, 3, allow_nan=False)


def tagging_score(scores: list[float], moves: np.ndarray, tags: tuple[int, ...]) -> float:
    return sum(s * t for s, t in zip(scores, tags, strict=True)) + sum(moves[a, b] for a, b in pairwise(tags))


@given(st.lists(SMALL, min_size=1, max_size=7), st.lists(SMALL, min_size=4, max_size=4))
def test_marginals_are_sums_over_all_taggings(scores: list[float], moves: list[float]) -> None:
    between = np.array(moves).reshape(2, 2)
    weights = {tags: np.exp(tagging_score(scores, between, tags)) for tags in product((0, 1), repeat=len(scores))}
    total = sum(weights.values())
    expected = [sum(w for tags, w in weights.items() if tags[k]) / total for k in range(len(scores))]
    offsets = np.array([0, len(scores)], np.int64)
    assert marginals(np.array(scores), offsets, between).tolist() == pytest.approx(expected, abs=1e-9)
    gold = next(iter(weights))
    likelihood = log_likelihood(np.array(scores), np.array(gold, np.int8), offsets, between)
    assert likelihood == pytest.approx(np.log(weights[gold] / total), abs=1e-9)


def test_a_first_step_goes_up_the_gradient() -> None:
    rng = np.random.default_rng(4)
    features = rng.integers(-1, 6, (9, 3)).astype(np.int32)
    tags, offsets = rng.integers(0, 2, 9).astype(np.int8), np.array([0, 9], np.int64)
    weights, moves = rng.normal(size=6).astype(np.float32), rng.normal(size=(2, 2))

    def likelihood(w: np.ndarray, m: np.ndarray) -> float:
        return float(log_likelihood(emission_scores(features, w.astype(np.float32)), tags, offsets, m))

    slopes = np.array([(likelihood(weights + e, moves) - likelihood(weights - e, moves)) / 0.02 for e in 0.01 * np.eye(6)])
    move_slopes = np.zeros((2, 2))
    for a, b in product(range(2), repeat=2):
        up = np.zeros((2, 2))
        up[a, b] = 1e-4
        move_slopes[a, b] = (likelihood(weights, moves + up) - likelihood(weights, moves - up)) / 2e-4
    # With huge sums of squares a step is the gradient times rate over their root, for moves in one step.
    new_weights, new_moves = weights.copy(), moves.copy()
    train_epoch(
        features, tags, offsets, np.array([0]), new_weights, np.full(6, 1e8, np.float32), new_moves, np.full((2, 2), 1e8), 1.0
    )
    assert (new_weights - weights) * 1e4 == pytest.approx(slopes, abs=0.05)
    assert (new_moves - moves) * 1e4 == pytest.approx(move_slopes, abs=1e-3)


@pytest.mark.filterwarnings("ignore:A single label")
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=40))
def test_measures_are_scikit_learns(pairs: list[tuple[int, int]]) -> None:
    gold, predicted = (np.array(side, np.int8) for side in zip(*pairs, strict=True))
    found = tag_accuracy(gold, predicted)
    assert found.mcc == pytest.approx(matthews_corrcoef(gold, predicted), abs=1e-9)
    assert found.f1_bad == pytest.approx(f1_score(gold, predicted, zero_division=0), abs=1e-9)
    assert found.f1_ok == pytest.approx(f1_score(1 - gold, 1 - predicted, zero_division=0), abs=1e-9)


@given(st.lists(st.tuples(st.integers(0, 1), st.sampled_from([0.1, 0.2, 0.5, 0.9])), min_size=1, max_size=30))
def test_no_threshold_is_better_than_the_best(rows: list[tuple[int, float]]) -> None:
    gold, bad = np.array([r[0] for r in rows], np.int8), np.array([r[1] for r in rows])
    best = best_threshold(gold, bad)
    scores = {t: tag_accuracy(gold, (bad >= t).astype(np.int8)).mcc for t in set(bad.tolist())}
    assert scores[best] == pytest.approx(max(scores.values()))


@pytest.mark.parametrize(
    ("pieces", "words", "expected"),
    [
        (["Gleich@@", "zeitig", "nahm"], ["gleichzeitig", "nahm"], [0, 0, 1]),
        (["▁In", "▁add", "ition", ","], ["In", "addition", ","], [0, 1, 1, 2]),
        (["hadn", "&apos;t"], ["hadn", "'t"], [0, 1]),
        (["can", "not."], ["cannot", "."], [0, 0]),
        (["other"], ["words"], None),
        ([], [], []),
    ],
)
def test_pieces_belong_to_words(pieces: list[str], words: list[str], expected: list[int] | None) -> None:
    assert words_of_pieces(pieces, words) == expected


def test_places_of_words() -> None:
    assert places_of_words("It's  (a) test.", ["It", "'s", "(", "a", ")", "test", "."]) == [
        (0, 2), (2, 4), (6, 7), (7, 8), (8, 9), (10, 14), (14, 15),
    ]  # fmt: skip
    assert places_of_words("a\x01b c", ["ab", "c"]) == [None, (4, 5)]
    assert places_of_words("the cat", ["dog"]) == [None]


MEASURES = dict.fromkeys(("mcc", "f1_ok", "f1_bad", "f1_product", "bad", "predicted_bad"), 0.5)
ACCURACY = {"data": "none", "words": MEASURES, "gaps": MEASURES}


def toy(lines: list[str]) -> tuple[View, np.ndarray, np.ndarray]:
    """The word "bad" is BAD, and the gap after it."""
    batch = SegmentBatch(LanguagePair("en", "de"), pack_lines(lines), pack_lines(lines))
    words = np.array([int(word == "bad") for line in lines for word in line.split()], np.int8)
    gaps = np.array([tag for line in lines for tag in [0, *(int(word == "bad") for word in line.split())]], np.int8)
    return View(batch, PairResources(batch.pair)), words, gaps


def test_a_chain_learns_and_its_file_says_the_same(tmp_path: Path) -> None:
    lines = ["a good day", "a bad day", "bad", "day good bad a", "", "good"] * 30
    view, words, gaps = toy(lines)
    own = [feature for feature in WORDS if not feature.needs]
    between = [feature for feature in GAPS if not feature.needs]
    chains = (
        train_random_field("words", own, [TaggedPart(view, view.target.offsets, words)], 1),
        train_random_field("gaps", between, [TaggedPart(view, gap_offsets(view.target), gaps)], 1),
    )
    ids = tuple(f.id for f in own), tuple(f.id for f in between)
    card = WordTagCard(1, "toy", "en-de", *ids, {}, {}, ACCURACY, "2026-01-01", "CC0")
    model = WordTagger(card, *chains)
    tags = model.tag(toy(["bad a bad", "good", ""])[0])
    assert (tags.words >= tags.word_threshold).tolist() == [True, False, True, False]
    assert (tags.gaps >= tags.gap_threshold).tolist() == [False, True, False, True, False, False, False]
    save_word_tagger(model, tmp_path / "toy")
    again = load_word_tagger(tmp_path / "toy").tag(toy(["bad a bad", "good", ""])[0])
    assert again.words.tolist() == tags.words.tolist()
    assert again.gaps.tolist() == tags.gaps.tolist()
    (tmp_path / "toy" / "arrays.safetensors").write_bytes(b"x" * 100)
    with pytest.raises(InputError):
        load_word_tagger(tmp_path / "toy")


def test_tags_that_do_not_fit_are_refused() -> None:
    view, words, _ = toy(["a bad day"])
    own = [feature for feature in WORDS if not feature.needs]
    with pytest.raises(InputError, match="one tag for each"):
        train_random_field("words", own, [TaggedPart(view, view.target.offsets, words[:-1])], 1)
    with pytest.raises(InputError, match="all tags are equal"):
        train_random_field("words", own, [TaggedPart(view, view.target.offsets, np.zeros(3, np.int8))], 1)


def test_the_engine_prefers_what_was_sent(engine: Engine) -> None:
    pair = LanguagePair("ro", "en")
    plain = engine.word_tags(Segments(pair, ["Casa este mare."], ["The house is big."]))
    assert plain.tagger.card.id == "ro-en-words"
    side_information = SideInformation(
        tokens=(("The", "house", "is", "bi@@", "g."),), token_log_probs=[[-0.1, -0.1, -0.1, -3.0, -0.1, -0.1]]
    )
    sent = Segments(pair, ["Casa este mare."], ["The house is big."], side_information)
    glass = engine.word_tags(sent)
    assert glass.tagger.card.id == "ro-en-words-nmt"
    assert len(glass.tags.words) == 5
    assert len(glass.tags.gaps) == 6
    with pytest.raises(InputError, match="ro-en-words"):
        engine.word_tags(sent, "nope")
    with pytest.raises(InputError, match="tokens"):
        engine.word_tags(Segments(pair, ["a"], ["b"]), "ro-en-words-nmt")


@settings(max_examples=15)
@given(st.lists(st.tuples(st.text(max_size=30), st.text(max_size=30)), max_size=4))
def test_anything_is_tagged(engine: Engine, rows: list[tuple[str, str]]) -> None:
    for pair in ("ro-en", "en-zh", "si-en"):
        found = engine.word_tags(Segments(LanguagePair.parse(pair), [s for s, _ in rows], [t for _, t in rows]))
        assert len(found.tags.words) == len(found.words.ids)
        assert len(found.tags.gaps) == len(found.words.ids) + len(rows)
        assert ((found.tags.words >= 0) & (found.tags.words <= 1)).all()


def test_cards_say_how_good_they_are() -> None:
    folders = sorted(Settings().models_dir.glob("*-words*"))
    assert len(folders) == 14
    for folder in folders:
        card = json.loads((folder / "word-tags.json").read_text("utf-8"))
        assert card["accuracy"]["words"]["mcc"] > 0.1
        assert card["accuracy"]["data"].startswith("mlqe-pe/")
