"""NIST against its definition spelt out, and compiled kernels against plain Python."""

from collections import Counter
from math import exp, log, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.metrics import metric_named
from app.metrics.lexical.matching import clipped_matches
from app.metrics.numbering import Numbering
from app.metrics.tokenisers import METRIC_TOKENISERS

TEXTS = st.lists(st.lists(st.sampled_from("abcd"), max_size=9), min_size=1, max_size=4)


def grams(words: list[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def nist(hypotheses: list[list[str]], references: list[list[list[str]]]) -> float:
    """Doddington's formula, corpus level."""
    counts = sum((grams(row, n) for each in references for row in each for n in range(1, 6)), Counter())
    words = sum(len(row) for each in references for row in each)

    def information(gram: tuple[str, ...]) -> float:
        return log2((counts[gram[:-1]] if len(gram) > 1 else words) / counts[gram])

    total = 0.0
    for n in range(1, 6):
        top = bottom = 0.0
        for i, hypothesis in enumerate(hypotheses):
            best: Counter[tuple[str, ...]] = Counter()
            for each in references:
                best |= grams(each[i], n)
            for gram, count in grams(hypothesis, n).items():
                top += min(count, best[gram]) * information(gram) if best[gram] else 0
                bottom += count
        total += top / bottom if bottom else 0.0
    length = sum(map(len, hypotheses))
    wanted = sum(sum(map(len, each)) for each in references) / len(references)
    ratio = min(1.0, length / wanted) if wanted else 1.0
    return total * (exp(log(0.5) / log(1.5) ** 2 * log(ratio) ** 2) if ratio else 0.0)


@given(TEXTS, st.data())
def test_nist_is_its_formula(hypotheses: list[list[str]], data: st.DataObject) -> None:
    same = st.lists(st.lists(st.sampled_from("abcd"), max_size=9), min_size=len(hypotheses), max_size=len(hypotheses))
    references = data.draw(st.lists(same, min_size=1, max_size=3))
    metric = metric_named("nist|tok:none")
    prepared = metric.prepare([[" ".join(row) for row in each] for each in references])
    found = metric.score(prepared.statistics([" ".join(row) for row in hypotheses]).sum(0, keepdims=True))[0]
    assert found == pytest.approx(nist(hypotheses, references), abs=1e-9)


def test_nist_penalty_is_a_half_at_two_thirds() -> None:
    metric = metric_named("nist|tok:none")
    full = metric.prepare([["a b c d e f"]]).statistics(["a b c d e f"])
    short = full.copy()
    short[:, 0] = 4
    assert metric.score(short)[0] == pytest.approx(metric.score(full)[0] / 2)


@given(st.lists(st.lists(st.integers(0, 3), max_size=10), min_size=1, max_size=3), st.data())
def test_clipped_matches_of_ragged_lists(references: list[list[int]], data: st.DataObject) -> None:
    hypotheses = data.draw(st.lists(st.lists(st.integers(0, 3), max_size=10), max_size=6))
    own = data.draw(st.lists(st.integers(0, len(references) - 1), min_size=len(hypotheses), max_size=len(hypotheses)))

    def csr(rows: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
        flat = np.array([v for row in rows for v in row], np.int64)
        return flat, np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)

    found = clipped_matches(*csr(hypotheses), *csr(references), np.array(own, np.int64), 3)
    for h, row in enumerate(hypotheses):
        words, wanted = [list(map(str, each)) for each in (row, references[own[h]])]
        expected = [(grams(words, k) & grams(wanted, k)).total() for k in (1, 2, 3)]
        assert found[h].tolist() == expected


@given(st.lists(st.text(max_size=30), max_size=6))
def test_words_are_those_of_split(texts: list[str]) -> None:
    numbering = Numbering(METRIC_TOKENISERS["none"], False)
    numbers, offsets = numbering.number(texts)
    symbols = numbering.symbols()
    for i, text in enumerate(texts):
        assert [symbols[k] for k in numbers[offsets[i] : offsets[i + 1]]] == text.split()


def test_words_with_every_blank_and_many_words() -> None:
    blanks = [chr(c) for c in range(0x3001) if chr(c).isspace()]
    texts = [f"a{blank}b" for blank in blanks] + [" ".join(f"w{k}" for k in range(20000))]
    numbering = Numbering(METRIC_TOKENISERS["none"], False)
    numbers, offsets = numbering.number(texts)
    assert np.diff(offsets).tolist() == [2] * len(blanks) + [20000]
    assert len(set(numbers.tolist())) == 20002
