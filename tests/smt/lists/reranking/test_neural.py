"""The small translation model: derivatives against finite differences, and what it learns."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.errors import InputError
from app.smt.lists.reranking.columns import with_features
from app.smt.lists.reranking.evidence import RerankingResources
from app.smt.lists.reranking.neural.model import TranslationModel
from app.smt.lists.reranking.neural.network import backward, forward, initial, pack
from app.smt.lists.reranking.neural.training import train_translation_model
from app.text.batch import pack_lines
from tests.smt.lists.reranking.test_list_features import lists_of


def test_derivatives_are_those_of_finite_differences() -> None:
    rng = np.random.default_rng(5)
    weights: dict[str, Any] = initial((9, 8), 4, 5, 6, rng)
    weights = {name: array.astype(np.float64) + 0.2 * rng.normal(size=array.shape) for name, array in weights.items()}
    batch = pack([[3, 4, 5], [6], []], [[3, 4], [5, 6, 7, 3], [7]])

    def loss() -> tuple[float, Any]:
        passed = forward(weights, batch)
        logits = passed.hidden @ weights["output"].T
        log_probs = logits - np.log(np.exp(logits).sum(1, keepdims=True))
        return -float(log_probs[np.arange(len(batch.next_words)), batch.next_words].sum()), (passed, np.exp(log_probs))

    _, (passed, errors) = loss()
    errors[np.arange(len(batch.next_words)), batch.next_words] -= 1
    slopes = backward(weights, passed, errors @ weights["output"])
    assert set(slopes) == set(weights) - {"output", "output0"}
    for name, given in slopes.items():
        slope = given
        if isinstance(given, tuple):
            slope = np.zeros_like(weights[name])
            slope[given[0]] = given[1]
        places = [tuple(rng.integers(0, size) for size in slope.shape) for _ in range(3)]
        for place in [*places, np.unravel_index(np.argmax(np.abs(slope)), slope.shape)]:
            kept, both = weights[name][place], []
            for step in (1e-5, -1e-5):
                weights[name][place] = kept + step
                both.append(loss()[0])
            weights[name][place] = kept
            assert slope[place] == pytest.approx((both[0] - both[1]) / 2e-5, abs=1e-6), name


PAIRS = [("der hund", "the dog"), ("die katze", "the cat"), ("ein hund", "a dog"), ("eine katze", "a cat")] * 40


def test_it_learns_what_stands_for_what(tmp_path: Path) -> None:
    sources, targets = (pack_lines([pair[side] for pair in PAIRS]) for side in (0, 1))
    model = train_translation_model(sources, targets, 30)
    model.save(tmp_path / "model")
    read = TranslationModel.load(tmp_path / "model")
    lists = lists_of([[("the cat", 0.0), ("the dog", 0.0), ("the cat", 0.0), ("", 0.0)], [("the dog", 0.0), ("a cat", 0.0)]])
    values = with_features(lists, ["neural"], RerankingResources(neural=read), ["die katze", "eine katze"]).features[:, 0]
    assert values[0] == values[2] > -1.0
    assert values[0] > max(values[1], values[3]) + 1
    assert values[5] > values[4] + 1
    assert train_translation_model(sources, targets, 1).weights["hidden"].tobytes() == (
        train_translation_model(sources, targets, 1).weights["hidden"].tobytes()
    )


def test_probabilities_of_all_words_are_one() -> None:
    sources, targets = (pack_lines([pair[side] for pair in PAIRS]) for side in (0, 1))
    model = train_translation_model(sources, targets, 2)
    # The first word is one of the vocabulary, the unknown word, the end, or what stands before a text.
    hidden = forward(model.weights, pack([[3]], [[3]])).hidden[:1]
    logits = (hidden @ model.weights["output"].T + model.weights["output0"])[0].astype(np.float64)
    place = model.target_words.tolist().index(pack_lines(["the"]).hashes[0])
    end = model.score(pack_lines(["der hund"]), pack_lines([""]), np.zeros(1, np.int64))
    assert end[0] < 0.0
    assert 0.0 < np.exp(logits[place + 3]) / np.exp(logits).sum() < 1.0


def test_files_that_are_none_are_refused(tmp_path: Path) -> None:
    (tmp_path / "model").write_bytes(b"nothing")
    with pytest.raises(InputError, match="is not a translation model"):
        TranslationModel.load(tmp_path / "model")
    with pytest.raises(InputError, match="text on both sides"):
        train_translation_model(pack_lines([""]), pack_lines(["a"]))
    with pytest.raises(InputError, match="2 target segments"):
        train_translation_model(pack_lines(["a"]), pack_lines(["a", "b"]))
