"""Minimum Bayes risk over a search graph: posteriors and gains against all derivations, one by one."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.errors import InputError
from app.smt.decoder.decoder import Decoder
from app.smt.decoder.graphs.lattice import lattice_of
from app.smt.decoder.graphs.lattice_agreement import LatticeMbr, ngram_posteriors
from app.smt.decoder.system import load_system
from tests.smt.decoder.systems import SENTENCE, all_derivations, write_system


def ngrams_of(words: list[str]) -> list[tuple[str, ...]]:
    return [tuple(words[i : i + n]) for n in range(1, 5) for i in range(len(words) - n + 1)]


@pytest.mark.parametrize("scale", [0.3, 1.0, 5.0])
@pytest.mark.parametrize(("reordering", "distortion"), [("msd-bidirectional-fe", 2), ("hier-leftright-forward-fe", 0)])
def test_posteriors_and_the_choice_are_those_of_all_derivations(
    reordering: str, distortion: int, scale: float, tmp_path: Path
) -> None:
    system = load_system(write_system(tmp_path, 11, reordering, distortion))
    result = Decoder(system).translate(SENTENCE, alternatives=True)
    derivations = list(all_derivations(system, SENTENCE))
    scores = scale * np.array([derivation.score for derivation in derivations])
    probabilities = np.exp(scores - scores.max())
    probabilities /= probabilities.sum()
    expected: dict[tuple[str, ...], float] = {}
    for derivation, probability in zip(derivations, probabilities.tolist(), strict=True):
        for ngram in set(ngrams_of(derivation.words)):
            expected[ngram] = expected.get(ngram, 0.0) + probability
    lattice = lattice_of(result)
    assert lattice is not None
    ours = ngram_posteriors(lattice, [*expected, ("no", "such")], scale)
    assert ours.pop(("no", "such")) == 0.0
    assert ours == pytest.approx(expected, abs=1e-9)
    # Moses' thetas: -1, then 1 / (4 p), each next one divided by r.
    thetas = [1 / (4 * 0.8), 1 / (4 * 0.8) / 0.6, 1 / (4 * 0.8) / 0.36, 1 / (4 * 0.8) / 0.216]
    gains = {
        derivation.text: sum(thetas[len(ngram) - 1] * expected[ngram] for ngram in ngrams_of(derivation.words)) - len(derivation.words)
        for derivation in derivations
    }  # fmt: skip
    best = LatticeMbr(size=10_000, scale=scale).best(result)
    assert best is not None and gains[best.text] == pytest.approx(max(gains.values()), abs=1e-9)


def test_with_a_huge_scale_the_most_probable_translation_wins(tmp_path: Path) -> None:
    system = load_system(write_system(tmp_path, 3, "msd-bidirectional-fe", 1))
    result = Decoder(system).translate(SENTENCE, alternatives=True)
    # All its n-grams are certain, and any gain of an n-gram is above the cost of a word with such a precision.
    best = LatticeMbr(scale=1000.0, precision=0.2, ratio=1.0).best(result)
    assert best is not None and best.text == result.n_best(1)[0].text


def test_pruned_searches_sum_over_what_they_kept(tmp_path: Path) -> None:
    system = load_system(write_system(tmp_path, 7, "msd-bidirectional-fe", 2))
    result = Decoder(system, replace(system.ini.limits, stack=3)).translate(SENTENCE, alternatives=True)
    lattice = lattice_of(result)
    assert lattice is not None
    kept = result.n_best(100_000)
    probabilities = np.exp([each.score for each in kept])
    probabilities /= probabilities.sum()
    words = sorted({word for each in kept for word in each.words})
    ours = ngram_posteriors(lattice, [(word,) for word in words])
    for word in words:
        has = np.array([word in each.words for each in kept])
        assert ours[(word,)] == pytest.approx(float(probabilities[has].sum()), abs=1e-9)


def test_a_sentence_without_words_and_options_beyond_limits(tmp_path: Path) -> None:
    system = load_system(write_system(tmp_path, 7, "msd-bidirectional-fe", 2))
    empty = LatticeMbr().best(Decoder(system).translate("", alternatives=True))
    assert empty is not None and empty.text == ""
    for options in ({"size": 0}, {"scale": -1.0}, {"precision": 0.0}, {"ratio": 1.5}):
        with pytest.raises(InputError):
            LatticeMbr(**options)  # type: ignore[arg-type]
