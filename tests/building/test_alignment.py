"""Alignment by hand, and what must hold for every corpus."""

import itertools
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.building.alignment.symmetrisation import SYMMETRISATIONS, alignment_error_rate, symmetrise
from app.building.alignment.variational import train_alignment
from app.building.lexical_table import estimate_lexical_table, read_lexical_table, write_lexical_table
from app.errors import InputError
from app.resources.lexical_table import LexicalTable
from app.text import pack_tokens
from app.text.parallel_corpus import ParallelCorpus, WordLinks

SIDE = st.lists(st.sampled_from("abcde"), min_size=1, max_size=6)
PAIRS = st.lists(st.tuples(SIDE, SIDE), min_size=1, max_size=8)
NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))
Links = set[tuple[int, int]]


def packed(pairs: list[tuple[list[str], list[str]]]) -> ParallelCorpus:
    return ParallelCorpus(pack_tokens([s for s, _ in pairs]), pack_tokens([t for _, t in pairs]))


def test_a_toy_corpus_is_aligned_word_by_word() -> None:
    corpus = ParallelCorpus.of_lines(
        ["das haus", "das buch", "ein buch", "ein haus"], ["the house", "the book", "a book", "a house"]
    )
    assert train_alignment(corpus).source_of.tolist() == [0, 1] * 4


def test_a_corpus_without_pairs_is_refused() -> None:
    with pytest.raises(InputError):
        train_alignment(ParallelCorpus.of_lines(["a", ""], ["", "b"]))
    with pytest.raises(InputError):
        ParallelCorpus.of_lines(["a"], [])


@settings(max_examples=40, deadline=None)
@given(PAIRS)
def test_likelihood_never_falls(pairs: list[tuple[list[str], list[str]]]) -> None:
    corpus = packed(pairs)
    trained = train_alignment(corpus)
    for stage in trained.perplexities:
        assert all(b <= a * (1 + 1e-9) for a, b in itertools.pairwise(stage))
    assert len(trained.source_of) == len(corpus.target.ids)
    assert (trained.source_of >= -1).all()
    assert (trained.source_of < corpus.source.lengths[corpus.target.segments]).all()


def test_symmetrisation_grows_from_the_intersection() -> None:
    # Forward links 0-0 1-1 1-2; backward 0-0 1-1 2-2: the neighbour 1-2 joins, and so does 2-2.
    corpus = ParallelCorpus.of_lines(["a b c"], ["x y z"])
    forward, backward = np.array([0, 1, 1], np.int32), np.array([0, 1, 2], np.int32)
    lines = {name: next(symmetrise(corpus, forward, backward, name).lines()) for name in SYMMETRISATIONS}
    assert lines["intersect"] == "0-0 1-1"
    assert lines["union"] == lines["grow"] == lines["grow-diag-final-and"] == "0-0 1-1 1-2 2-2"
    with pytest.raises(InputError):
        symmetrise(corpus, forward, backward, "most")


def by_sets(straight: Links, inverse: Links, method: str) -> Links:
    """The definition on sets of pairs (Koehn's thesis and symal), round after round."""
    union, links = straight | inverse, straight & inverse
    if method in ("union", "intersect"):
        return union if method == "union" else links

    def ends_free(at: tuple[int, int]) -> int:
        return (at[0] not in {i for i, _ in links}) + (at[1] not in {j for _, j in links})

    grown = True
    while grown:
        grown = False
        for i, j in sorted(links):
            for di, dj in NEIGHBOURS[: 4 if method == "grow" else 8]:
                at = (i + di, j + dj)
                if at in union and at not in links and ends_free(at):
                    links.add(at)
                    grown = True
    if "final" in method:
        for directed in (straight, inverse):
            for at in sorted(directed):
                if ends_free(at) >= (2 if method.endswith("and") else 1):
                    links.add(at)
    return links


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=3), st.data())
def test_links_are_symmetrised_as_sets_are(sizes: list[tuple[int, int]], data: st.DataObject) -> None:
    corpus = packed([(["a"] * i, ["b"] * j) for i, j in sizes])
    # Each word of the other side, or none; a side without words has none.
    forward = [[data.draw(st.integers(-1, i - 1)) for _ in range(j)] for i, j in sizes]
    backward = [[data.draw(st.integers(-1, j - 1)) for _ in range(i)] for i, j in sizes]
    flat = [np.array([place for row in rows for place in row], np.int32) for rows in (forward, backward)]
    for method in SYMMETRISATIONS:
        expected = [
            by_sets({(i, j) for j, i in enumerate(f) if i >= 0}, {(i, j) for i, j in enumerate(b) if j >= 0}, method)
            for f, b in zip(forward, backward, strict=True)
        ]
        links = symmetrise(corpus, *flat, method)
        assert list(links.lines()) == [" ".join(f"{i}-{j}" for i, j in sorted(row)) for row in expected]


def test_alignment_error_rate_by_hand() -> None:
    assert alignment_error_rate(WordLinks.read(["0-0 1-1 2-1"]), WordLinks.read(["0-0 1-2"])) == 1 - 2 / 5
    assert alignment_error_rate(WordLinks.read(["0-0", "1-1"]), WordLinks.read(["1-1", "0-0"])) == 1


@settings(max_examples=60, deadline=None)
@given(PAIRS, st.data())
def test_a_lexical_table_is_relative_frequencies(pairs: list[tuple[list[str], list[str]]], data: st.DataObject) -> None:
    links = [
        set(data.draw(st.lists(st.tuples(st.integers(0, len(s) - 1), st.integers(0, len(t) - 1)), max_size=6))) for s, t in pairs
    ]
    counts: Counter[tuple[str, str]] = Counter()
    for (source, target), row in zip(pairs, links, strict=True):
        counts.update((source[i], target[j]) for i, j in row)
        counts.update((word, "NULL") for i, word in enumerate(source) if i not in {i for i, _ in row})
        counts.update(("NULL", word) for j, word in enumerate(target) if j not in {j for _, j in row})
    totals: Counter[str] = Counter()
    for (word, _), count in counts.items():
        totals[word] += count
    expected = sorted(((s, t, c / totals[s]) for (s, t), c in counts.items()), key=lambda entry: (entry[0], -entry[2], entry[1]))
    entries = estimate_lexical_table(packed(pairs).linked(WordLinks.of(links)))
    assert list(entries) == expected
    for name, array in entries.table().arrays().items():
        np.testing.assert_array_equal(array, LexicalTable.from_entries(expected).arrays()[name])


def test_a_lexical_table_survives_its_file(tmp_path: Path) -> None:
    entries = estimate_lexical_table(ParallelCorpus.of_lines(["a b", "a"], ["x y", "z"], ["0-0", "0-0"]))
    assert ("a", "x", 0.5) in list(entries)
    assert ("b", "NULL", 1.0) in list(entries)
    write_lexical_table(entries, tmp_path / "lex.gz")
    assert [(s, t) for s, t, _ in read_lexical_table(tmp_path / "lex.gz")] == [(s, t) for s, t, _ in entries]
