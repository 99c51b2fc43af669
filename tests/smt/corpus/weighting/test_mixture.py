"""Mixtures of language models: EM against another optimiser, and the one model against the sum of models, by enumeration."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from app.building.arpa import read_arpa, write_arpa
from app.building.kneser_ney import BackoffModel, estimate_language_model
from app.errors import InputError
from app.smt.corpus.weighting.mixture import fit_mixture, mix_models, token_probabilities
from app.text.batch import pack_lines

ONE = pack_lines(["a b a c", "b a", "c c a b", "a a", "d a b"])
OTHER = pack_lines(["x a y", "y y x b", "b y", "x x", "a y x"])
HELD_OUT = pack_lines(["a b y", "x a q", "c a b"])


def models(order: int = 3) -> list[BackoffModel]:
    return [estimate_language_model(text, order) for text in (ONE, OTHER)]


def by_text(model: BackoffModel) -> dict[tuple[str, ...], tuple[float, float]]:
    """n-grams as words, with probability and back-off, by following prefixes."""
    table: dict[tuple[str, ...], tuple[float, float]] = {}
    texts: list[tuple[str, ...]] = []
    for n, order in enumerate(model.orders):
        texts = [
            (*(texts[prefix] if n else ()), model.vocabulary[last]) for prefix, last in zip(order.prefix, order.last, strict=True)
        ]
        table.update(zip(texts, zip(10**order.log_prob, 10**order.backoff, strict=True), strict=True))
    return table


def probability(table: dict[tuple[str, ...], tuple[float, float]], context: tuple[str, ...], word: str) -> float:
    """By the definition of back-off."""
    if (*context, word) in table:
        return table[(*context, word)][0]
    if not context:
        return table[("<unk>",)][0]
    return table.get(context, (0.0, 1.0))[1] * probability(table, context[1:], word)


def test_the_one_model_is_the_sum_where_an_n_gram_is_listed_and_sums_to_one_everywhere() -> None:
    shares = (0.3, 0.7)
    tables = [by_text(model) for model in models()]
    mixed = mix_models(models(), shares)
    table = by_text(mixed)
    assert set(table) == set(tables[0]) | set(tables[1])
    words = [word for word in mixed.vocabulary if word != "<s>"]
    lacking = [1 + sum((word,) not in part for word in words) for part in tables]
    for gram in table:
        if gram == ("<s>",):
            continue
        expected = 0.0
        for part, share, missing in zip(tables, shares, lacking, strict=True):
            value = probability(part, gram[:-1], gram[-1])
            expected += share * (value / missing if (gram[-1],) not in part or gram[-1] == "<unk>" else value)
        assert table[gram][0] == pytest.approx(expected, rel=1e-9), gram
    for context in [(), *product(mixed.vocabulary), *product(mixed.vocabulary, repeat=2)]:
        assert sum(probability(table, context, word) for word in words) == pytest.approx(1, abs=1e-9), context


def test_a_mixture_of_equal_models_is_that_model(tmp_path: Path) -> None:
    model = models()[0]
    for mixed in (mix_models([model], [1]), mix_models([model, model], [0.2, 0.8])):
        write_arpa(mixed, tmp_path / "mixed.arpa")
        write_arpa(model, tmp_path / "model.arpa")
        ours, theirs = by_text(read_arpa(tmp_path / "mixed.arpa")), by_text(read_arpa(tmp_path / "model.arpa"))
        assert ours.keys() == theirs.keys()
        for gram, values in ours.items():
            assert values == pytest.approx(theirs[gram], rel=1e-5), gram


def test_models_are_mixed_at_one_order() -> None:
    with pytest.raises(InputError, match="of one order"):
        mix_models([models(2)[0], models(3)[1]], [1, 1])


def test_em_finds_what_another_optimiser_finds() -> None:
    probabilities = token_probabilities(models(), HELD_OUT)
    # 9 words and 3 ends, but for q, which no model knows.
    assert probabilities.shape == (2, 11)
    mixture = fit_mixture(probabilities)

    def perplexity(weight: float) -> float:
        return float(np.exp(-np.log(weight * probabilities[0] + (1 - weight) * probabilities[1]).mean()))

    best = minimize_scalar(perplexity, (0, 1), bounds=(0, 1), method="bounded", options={"xatol": 1e-9})
    assert mixture.weights[0] == pytest.approx(best.x, abs=1e-3)
    assert mixture.perplexity == pytest.approx(best.fun, rel=1e-7)
    assert mixture.weights.sum() == pytest.approx(1)
    assert mixture.single_perplexities == pytest.approx([perplexity(1), perplexity(0)])


def test_the_mixture_that_em_measures_is_the_one_that_is_written() -> None:
    # Every n-gram of this text is listed by one model at least, so that the written model has the mixture's probabilities.
    text = pack_lines(["a b a c", "x a y"])
    mixture = fit_mixture(token_probabilities(models(), text))
    table = by_text(mix_models(models(), mixture.weights))
    total = 0.0
    for row in range(len(text)):
        words = ["<s>", *text.tokens(row), "</s>"]
        total += sum(np.log(probability(table, tuple(words[max(0, at - 2) : at]), words[at])) for at in range(1, len(words)))
    assert np.exp(-total / 9) == pytest.approx(mixture.perplexity, rel=1e-6)


@settings(max_examples=50)
@given(st.integers(1, 4), st.integers(1, 30), st.integers(0, 2**32 - 1))
def test_mixtures_are_no_worse_than_equal_weights_or_one_model(count: int, tokens: int, seed: int) -> None:
    probabilities = np.random.default_rng(seed).uniform(1e-6, 1, (count, tokens))
    mixture = fit_mixture(probabilities)
    equal = float(np.exp(-np.log(probabilities.mean(axis=0)).mean()))
    assert mixture.perplexity <= min(equal, mixture.single_perplexities.min()) * (1 + 1e-6)
    same = fit_mixture(np.repeat(probabilities[:1], 3, axis=0), np.array([0.2, 0.3, 0.5]))
    assert same.weights == pytest.approx([0.2, 0.3, 0.5])
    assert same.perplexity == pytest.approx(mixture.single_perplexities[0])


def test_text_of_unknown_words_alone_is_refused() -> None:
    with pytest.raises(InputError, match="held-out text"):
        fit_mixture(np.zeros((2, 0)))
