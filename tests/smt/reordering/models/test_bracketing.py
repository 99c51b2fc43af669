"""Bracketing preorderers on disk and from files: stored weights are those of the training, and foreign files are refused."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from app.errors import InputError
from app.resources.manifest import checksum
from app.smt.preordering.bracketing import BracketingModel, BracketingOptions, learn_bracketing
from app.smt.reordering.models.artifacts import CARD
from app.smt.reordering.models.bracketing import (
    BRACKETING,
    BracketingCard,
    BracketingTraining,
    columns_of,
    learn_mean,
    load_bracketing,
    save_bracketing,
    train_bracketing_on_files,
)
from tests.smt.reordering.models.test_training import write

LEARNING = BracketingOptions(passes=2, bits=10)
OPTIONS = BracketingTraining(LEARNING)
CARD_OF_TEST = BracketingCard(OPTIONS, 2, 6, {"length": 1}, {"source a": "0" * 64}, "CC0", "0")
SENTENCES = [[["the", "dog", "barks"]], [["a", "cat", "sleeps"]]]
PLACES = [np.array([1, 2, 0]), np.array([1, 2, 0])]


def _model(seed: int = 0) -> BracketingModel:
    *_, model = learn_bracketing(SENTENCES, PLACES, replace(LEARNING, seed=seed))
    return model


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save_bracketing(_model(), CARD_OF_TEST, tmp_path)
    return tmp_path


def test_a_model_is_read_as_it_was_written(folder: Path) -> None:
    model, card = load_bracketing(folder)
    assert np.allclose(model.weights, _model().weights, rtol=1e-6)
    assert (model.columns, model.beam) == (1, LEARNING.beam)
    assert replace(card, sha256="") == CARD_OF_TEST
    # Zeros are not stored.
    assert len(load_file(folder / BRACKETING)["slots"]) == np.count_nonzero(_model().weights.any(axis=1)) < 1024


def test_weights_are_the_mean_of_trainings() -> None:
    model = learn_mean(SENTENCES, PLACES, LEARNING, 3)
    assert np.allclose(model.weights, np.mean([_model(seed).weights for seed in range(3)], axis=0))


def test_files_give_a_model_that_orders_any_sentence(tmp_path: Path) -> None:
    # A sentence of one word, and one with a single linked word, say nothing about order.
    paths = write(
        tmp_path, "The Dog barks\nA cat sleeps\na\nb c\n", "x y z\nx y z\nx\nx y\n", "0-1 1-2 2-0\n0-1 1-2 2-0\n0-0\n0-0\n"
    )
    passes: list[tuple[int, int]] = []
    model, card = train_bracketing_on_files(
        *paths, replace(OPTIONS, models=2), "CC0", watch=lambda model, number: passes.append((model, number))
    )
    assert passes == [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert (card.sentences, card.words, card.omissions) == (2, 6, {"length": 1, "linked words": 1})
    assert sorted(card.data) == ["links links", "source source", "target target"]
    assert model.order(columns_of(["the", "DOG", "barks"], [])) == [2, 0, 1]
    for words in ([], ["never"], ["never"] * 200, ["\u200b", "ß", "😀"]):
        assert sorted(model.order(columns_of(words, []))) == list(range(len(words)))


def test_text_without_a_usable_sentence_is_refused(tmp_path: Path) -> None:
    paths = write(tmp_path, "a\nb c\n", "x\ny z\n", "0-0\n0-0\n")
    with pytest.raises(InputError, match="no sentence of source can be used"):
        train_bracketing_on_files(*paths, OPTIONS, "CC0")


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        ("slots", lambda rows: rows[::-1], "rise"), ("slots", lambda rows: rows + 1024, "beyond"),
        ("slots", lambda rows: rows[:-1], "rise"), ("weights", lambda rows: rows * np.nan, "no numbers"),
        ("weights", lambda rows: rows[:, :1], "rise"), ("weights", lambda rows: rows.astype(np.float64), "other arrays"),
    ],
)  # fmt: skip
def test_numbers_that_are_no_weights_are_refused(folder: Path, name: str, change: object, reason: str) -> None:
    assert callable(change)
    arrays = load_file(folder / BRACKETING)
    save_file({**arrays, name: np.ascontiguousarray(change(arrays[name]))}, folder / BRACKETING)
    card = json.loads((folder / CARD).read_text())
    (folder / CARD).write_text(json.dumps({**card, "sha256": checksum(folder / BRACKETING)}))
    with pytest.raises(InputError, match=reason):
        load_bracketing(folder)


@pytest.mark.parametrize("change", [{"bits": 60}, {"beam": 0}, {"margin": -1}])
def test_cards_of_another_form_are_refused(folder: Path, change: dict[str, object]) -> None:
    card = json.loads((folder / CARD).read_text())
    card["options"]["learning"].update(change)
    (folder / CARD).write_text(json.dumps(card))
    with pytest.raises(InputError, match=CARD):
        load_bracketing(folder)
