"""Alignment by hand, and what must hold for every corpus."""

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from app.corpus.alignment import train_alignment
from app.corpus.lexical_table import estimate_lexical_table, read_lexical_table, write_lexical_table
from app.corpus.symmetrisation import alignment_error_rate, grow_diag_final_and, parse_links

SIDE = st.lists(st.sampled_from("abcde"), min_size=1, max_size=6)


def test_a_toy_corpus_is_aligned_word_by_word() -> None:
    source = [["das", "haus"], ["das", "buch"], ["ein", "buch"], ["ein", "haus"]]
    target = [["the", "house"], ["the", "book"], ["a", "book"], ["a", "house"]]
    trained = train_alignment(source, target)
    assert [list(links) for links in trained.links] == [[0, 1]] * 4


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(SIDE, SIDE), min_size=1, max_size=8))
def test_likelihood_never_falls(corpus: list[tuple[list[str], list[str]]]) -> None:
    trained = train_alignment([s for s, _ in corpus], [t for _, t in corpus])
    for stage in trained.perplexities:
        assert all(b <= a * (1 + 1e-9) for a, b in itertools.pairwise(stage))
    for (source, target), links in zip(corpus, trained.links, strict=True):
        assert len(links) == len(target)
        assert all(-1 <= i < len(source) for i in links)


def test_symmetrisation_grows_from_the_intersection() -> None:
    # Forward links 0-0 1-1 1-2; backward 0-0 1-1 2-2: the neighbour 1-2 joins, and so does 2-2.
    forward, backward = np.array([0, 1, 1]), np.array([0, 1, 2])
    assert grow_diag_final_and(forward, backward) == {(0, 0), (1, 1), (1, 2), (2, 2)}


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 6), st.integers(1, 6), st.data())
def test_symmetrised_links_lie_between_intersection_and_union(i: int, j: int, data: st.DataObject) -> None:
    forward = np.array(data.draw(st.lists(st.integers(-1, i - 1), min_size=j, max_size=j)))
    backward = np.array(data.draw(st.lists(st.integers(-1, j - 1), min_size=i, max_size=i)))
    straight = {(int(s), t) for t, s in enumerate(forward) if s >= 0}
    inverse = {(s, int(t)) for s, t in enumerate(backward) if t >= 0}
    links = grow_diag_final_and(forward, backward)
    assert straight & inverse <= links <= straight | inverse


def test_alignment_error_rate_by_hand() -> None:
    assert alignment_error_rate([parse_links("0-0 1-1 2-1")], [parse_links("0-0 1-2")]) == 1 - 2 / 5


def test_lexical_table_sums_to_one_and_survives_its_file(tmp_path) -> None:  # type: ignore[no-untyped-def]
    entries = estimate_lexical_table([["a", "b"], ["a"]], [["x", "y"], ["z"]], [parse_links("0-0"), parse_links("0-0")])
    totals: dict[str, float] = {}
    for source, _, p in entries:
        totals[source] = totals.get(source, 0) + p
    assert all(abs(total - 1) < 1e-12 for total in totals.values())
    assert ("a", "x", 0.5) in entries
    assert ("b", "NULL", 1.0) in entries
    write_lexical_table(entries, tmp_path / "lex.gz")
    assert [(s, t) for s, t, _ in read_lexical_table(tmp_path / "lex.gz")] == [(s, t) for s, t, _ in entries]
