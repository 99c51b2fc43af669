"""Training on files: stopped and continued, it ends with the numbers of one run; any number of threads gives the same."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from app.errors import InputError
from app.smt.reordering.models.stored import TrainingOptions
from app.smt.reordering.models.training import train_grammar, train_on_files
from app.smt.reordering.treebank import build_treebank
from tests.smt.reordering.test_grammar import random_sentences

OPTIONS = TrainingOptions(splits=(3, 2), iterations=4, rare=0)


class Stop(Exception):
    pass


def test_a_stopped_training_goes_on_with_equal_numbers(tmp_path: Path) -> None:
    treebank = build_treebank(random_sentences(40, 2), rare=0)
    expected, logs = train_grammar(treebank, OPTIONS)
    numbers = []

    def stop_after_two(number: int, log: float) -> None:
        numbers.append(number)
        if number == 2:
            raise Stop

    with pytest.raises(Stop):
        train_grammar(treebank, OPTIONS, 1, tmp_path, stop_after_two)
    grammar, later_logs = train_grammar(treebank, OPTIONS, 2, tmp_path, lambda number, log: numbers.append(number))
    assert numbers == [1, 2, 3, 4]
    assert later_logs == logs
    for name in ("roots", "rules", "emissions"):
        assert np.array_equal(getattr(grammar, name), getattr(expected, name))


def write(folder: Path, source: str, target: str, links: str) -> tuple[Path, Path, Path]:
    paths = folder / "source", folder / "target", folder / "links"
    for path, text in zip(paths, (source, target, links), strict=True):
        path.write_text(text, "utf-8")
    return paths


def test_files_give_a_grammar_and_its_card(tmp_path: Path) -> None:
    paths = write(tmp_path, "a b c\nb a\nç a b\n", "x y z\ny x\nz x\n", "0-2 1-1 2-0\n0-1 1-0\n0-1 2-0\n")
    (grammar,), card = train_on_files(*paths, OPTIONS, "CC0")
    assert grammar.words == ("", "a", "b", "c", "ç")
    assert (card.sentences, card.words, card.omissions, card.licence) == (3, 8, {}, "CC0")
    assert sorted(card.data) == ["links links", "source source", "target target"]
    assert len(card.log_likelihoods) == 4
    assert all(later >= earlier - 1e-9 for earlier, later in pairwise(card.log_likelihoods))


def test_models_are_those_of_successive_seeds(tmp_path: Path) -> None:
    paths = write(tmp_path, "a b c\nb a\n", "x y z\ny x\n", "0-2 1-1 2-0\n0-1 1-0\n")
    numbers: list[tuple[int, int]] = []
    options = replace(OPTIONS, models=2, smoothing=0.1, iterations=2)
    grammars, card = train_on_files(*paths, options, "CC0", watch=lambda model, number, log: numbers.append((model, number)))
    assert numbers == [(1, 1), (1, 2), (2, 1), (2, 2)]
    singles = [train_on_files(*paths, replace(options, models=1, seed=seed), "CC0") for seed in (1, 2)]
    for grammar, ((single,), _) in zip(grammars, singles, strict=True):
        assert np.array_equal(grammar.rules, single.rules)
    assert card.log_likelihoods == [log for _, single in singles for log in single.log_likelihoods]


def test_a_stopped_second_model_goes_on(tmp_path: Path) -> None:
    paths = write(tmp_path, "a b c\nb a\n", "x y z\ny x\n", "0-2 1-1 2-0\n0-1 1-0\n")
    options, numbers = replace(OPTIONS, models=2, smoothing=0.1), []

    def stop(model: int, number: int, log: float) -> None:
        numbers.append((model, number))
        if (model, number) == (2, 2):
            raise Stop

    with pytest.raises(Stop):
        train_on_files(*paths, options, "CC0", folder=tmp_path, watch=stop)
    grammars, card = train_on_files(
        *paths, options, "CC0", folder=tmp_path, watch=lambda model, number, log: numbers.append((model, number))
    )
    assert numbers == [(model, number) for model in (1, 2) for number in (1, 2, 3, 4)]
    expected, expected_card = train_on_files(*paths, options, "CC0")
    assert card == expected_card
    assert all(np.array_equal(first.rules, second.rules) for first, second in zip(grammars, expected, strict=True))


def test_text_without_a_usable_sentence_is_refused(tmp_path: Path) -> None:
    paths = write(tmp_path, "a\nb c\n", "x\ny z\n", "0-0\n0-0\n")
    with pytest.raises(InputError, match="no sentence of source can be used") as error:
        train_on_files(*paths, OPTIONS, "CC0")
    assert error.value.code == "invalid-training-data"


def test_links_out_of_range_are_named(tmp_path: Path) -> None:
    paths = write(tmp_path, "a b\na b\n", "x y\nx y\n", "0-0 1-1\n0-0 2-1\n")
    with pytest.raises(InputError, match="beyond the words") as error:
        train_on_files(*paths, OPTIONS, "CC0")
    assert error.value.where[-1] == 2
