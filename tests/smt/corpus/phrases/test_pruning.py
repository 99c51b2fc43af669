"""Pruning: p values of scipy's Fisher test, counts by looking into every sentence, and thresholds."""

import gzip
from math import log
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import fisher_exact, hypergeom

from app.errors import InputError
from app.smt.corpus.phrases import pruning
from app.smt.corpus.phrases.pruning import prune_table
from app.smt.corpus.phrases.pruning_kernels import surprise

SOURCE = ["a b a", "a c", "b c d", "a b c", "e", "a b", "c d", "a"]
TARGET = ["A B", "A C C", "B C D", "A B C", "E", "A B", "C D", "A X"]
PAIRS = [("a", "A"), ("a b", "A B"), ("c", "C"), ("e", "E"), ("b", "C"), ("d", "C D"), ("a", "X"), ("a b c", "A B C"), ("q", "A")]


def contained(phrase: str, lines: list[str]) -> set[int]:
    return {row for row, line in enumerate(lines) if f" {phrase} " in f" {line} "}


def surprise_of(source: str, target: str) -> float:
    """By scipy, of the table of two by two."""
    one, other = contained(source, SOURCE), contained(target, TARGET)
    both = len(one & other)
    table = [[both, len(one) - both], [len(other) - both, len(SOURCE) - len(one) - len(other) + both]]
    return -log(fisher_exact(table, "greater").pvalue)


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / name for name in ("table.gz", "source", "target")]
    with gzip.open(paths[0], "wb") as file:
        file.write("".join(f"{source} ||| {target} ||| 0.5 0.5 ||| 0-0 ||| 1 1 1 ||| |||\n" for source, target in PAIRS).encode())
    paths[1].write_text("\n".join(SOURCE) + "\n", "utf-8")
    paths[2].write_text("\n".join(TARGET) + "\n", "utf-8")
    return paths


def kept(path: Path) -> list[tuple[str, str]]:
    rows = [line.split(" ||| ") for line in gzip.decompress(path.read_bytes()).decode().splitlines()]
    return [(row[0], row[1]) for row in rows]


@pytest.mark.parametrize("threshold", [0.0, 0.3, 1.0, 1.9, 5.0])
def test_pairs_are_kept_by_fishers_test(
    threshold: float, files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Several parts of everything.
    monkeypatch.setattr(pruning, "LINES", 3)
    monkeypatch.setattr(pruning, "ROWS", 2)
    made = prune_table(*files, tmp_path / "out.gz", threshold)
    expected = [pair for pair in PAIRS if surprise_of(*pair) >= threshold]
    assert kept(tmp_path / "out.gz") == expected
    assert (made.pairs, made.lines, made.singletons) == (len(PAIRS), len(expected), 2)


def test_alpha_is_what_tells_pairs_that_occur_once(files: list[Path], tmp_path: Path) -> None:
    assert surprise_of("e", "E") == pytest.approx(log(8))
    lower, higher = (prune_table(*files, tmp_path / f"{name}.gz", name) for name in ("alpha-epsilon", "alpha+epsilon"))
    assert set(kept(tmp_path / "alpha-epsilon.gz")) - set(kept(tmp_path / "alpha+epsilon.gz")) >= {("e", "E")}
    assert ("a b c", "A B C") in kept(tmp_path / "alpha-epsilon.gz")
    assert lower.threshold < log(8) < higher.threshold


def test_surprise_is_scipys() -> None:
    generator = np.random.default_rng(2)
    sentences = 30_000
    source, target = (np.maximum(1, (sentences ** generator.uniform(0, 0.999, 300)).astype(np.int64)) for _ in range(2))
    both = generator.integers(0, np.minimum(source, target) + 1)
    ours = surprise(both, source, target, sentences)
    theirs = -hypergeom.logsf(both - 1, sentences, source, target)
    usable = np.isfinite(theirs) & (theirs < 600)
    assert usable.sum() > 100 and ours[usable] == pytest.approx(theirs[usable], rel=1e-6, abs=1e-7)
    # Beyond what doubles hold: the one term that is left.
    (alone,) = surprise(np.array([15_000]), np.array([15_000]), np.array([15_000]), sentences)
    assert alone == pytest.approx(-hypergeom.logpmf(15_000, sentences, 15_000, 15_000))
    for size in (2, 1000, 10**8):
        assert surprise(np.array([1]), np.array([1]), np.array([1]), size)[0] == pytest.approx(log(size), abs=1e-5)


@pytest.mark.parametrize(
    ("number", "text", "code"),
    [
        (0, "a ||| A ||| 1\nb ||| B\n", "invalid-table"),
        (0, "a ||| A ||| 0.5 nan\n", "invalid-table"),
        (0, "a ||| A ||| 0.5 -1\n", "invalid-table"),
        (0, "a ||| A ||| 0.5 1\nb ||| B ||| 0.5\n", "invalid-table"),
        (0, "a ||| A |||  ||| 0-0\n", "invalid-table"),
        (0, "", "empty-input"),
        (2, "A\n", "unequal-lengths"),
        (1, "", "unequal-lengths"),
    ],
)
def test_what_is_wrong_is_told_and_nothing_written(number: int, text: str, code: str, files: list[Path], tmp_path: Path) -> None:
    files[number].write_text(text, "utf-8")
    with pytest.raises(InputError) as refused:
        prune_table(*files, tmp_path / "out.gz")
    assert refused.value.code == code
    assert not (tmp_path / "out.gz").exists()
