"""Grammars on disk: what is written is read, and damaged or foreign files are refused."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from app.errors import InputError
from app.resources.manifest import checksum
from app.smt.reordering.grammar import Grammar
from app.smt.reordering.labels import LABELS
from app.smt.reordering.models.artifacts import CARD
from app.smt.reordering.models.stored import GRAMMAR, GrammarCard, TrainingOptions, load_grammars, save_grammars
from tests.smt.reordering.enumeration import random_grammar

OPTIONS = TrainingOptions(splits=(2, 1))
CARD_OF_TEST = GrammarCard(OPTIONS, 3, 9, {"arity": 1}, [-3.0, -2.5], {"source a": "0" * 64}, "CC0", "0")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save_grammars([_grammar()], CARD_OF_TEST, tmp_path)
    return tmp_path


def _grammar() -> Grammar:
    return random_grammar(OPTIONS.layout, ("", "a", "b", "a b", "ç"), LABELS, 3)


def test_a_grammar_is_read_as_it_was_written(folder: Path) -> None:
    (grammar,), card = load_grammars(folder)
    expected = _grammar()
    assert grammar.words == expected.words
    for name in ("roots", "rules", "emissions"):
        assert np.allclose(getattr(grammar, name), getattr(expected, name), rtol=1e-6)
    assert replace(card, sha256="") == CARD_OF_TEST


def test_several_grammars_are_read_in_their_order(tmp_path: Path) -> None:
    grammars = [random_grammar(OPTIONS.layout, ("", "a"), LABELS, seed) for seed in (1, 2)]
    save_grammars(grammars, replace(CARD_OF_TEST, options=replace(OPTIONS, models=2)), tmp_path)
    for grammar, expected in zip(load_grammars(tmp_path)[0], grammars, strict=True):
        assert np.allclose(grammar.rules, expected.rules, rtol=1e-6)
        assert np.allclose(grammar.emissions, expected.emissions, rtol=1e-6)
    save_grammars(grammars, CARD_OF_TEST, tmp_path)
    with pytest.raises(InputError, match="shape"):
        load_grammars(tmp_path)


def test_cards_without_smoothing_and_models_are_those_of_a_single_grammar(folder: Path) -> None:
    card = json.loads((folder / CARD).read_text())
    del card["options"]["smoothing"], card["options"]["models"]
    (folder / CARD).write_text(json.dumps(card))
    grammars, stored = load_grammars(folder)
    assert len(grammars) == 1 and stored.options == OPTIONS


def test_equal_grammars_have_equal_bytes(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other")
    save_grammars([_grammar()], CARD_OF_TEST, other)
    assert [(other / name).read_bytes() for name in (GRAMMAR, CARD)] == [(folder / name).read_bytes() for name in (GRAMMAR, CARD)]


def test_damaged_files_are_refused(folder: Path) -> None:
    raw = bytearray((folder / GRAMMAR).read_bytes())
    raw[-1] ^= 1
    (folder / GRAMMAR).write_bytes(bytes(raw))
    with pytest.raises(InputError, match="checksum"):
        load_grammars(folder)
    (folder / GRAMMAR).unlink()
    with pytest.raises(InputError, match="missing or unreadable"):
        load_grammars(folder)
    (folder / CARD).unlink()
    with pytest.raises(InputError, match="holds no model"):
        load_grammars(folder)


def _store(folder: Path, **arrays: object) -> None:
    """Replace arrays, with the checksum that fits."""
    save_file({**load_file(folder / GRAMMAR), **arrays}, folder / GRAMMAR)
    card = json.loads((folder / CARD).read_text())
    (folder / CARD).write_text(json.dumps({**card, "sha256": checksum(folder / GRAMMAR)}))


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        ("rules", lambda table: table[:-1], "shape"), ("emissions", lambda table: table.astype(np.float64), "shape"),
        ("rules", lambda table: -table, "no probabilities"), ("roots", lambda table: table * np.nan, "no probabilities"),
        ("rules", lambda table: table / 2, "add up"), ("roots", lambda table: table / 2, "add up"),
        ("words", lambda table: np.frombuffer(b"\na\na\nb\nc", np.uint8), "twice"),
        ("words", lambda table: table.astype(np.int32), "other arrays"),
    ],
)  # fmt: skip
def test_numbers_that_are_no_grammar_are_refused(folder: Path, name: str, change: object, reason: str) -> None:
    assert callable(change)
    _store(folder, **{name: np.ascontiguousarray(change(load_file(folder / GRAMMAR)[name]))})
    with pytest.raises(InputError, match=reason):
        load_grammars(folder)


@pytest.mark.parametrize("change", [{"options": {**vars(OPTIONS), "splits": [0, 3]}}, {"version": 2}, {"log_likelihoods": None}])
def test_cards_of_another_form_are_refused(folder: Path, change: dict[str, object]) -> None:
    card = json.loads((folder / CARD).read_text())
    (folder / CARD).write_text(json.dumps({**card, **change}))
    with pytest.raises(InputError, match=CARD):
        load_grammars(folder)
