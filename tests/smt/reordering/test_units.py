"""Permutations and minimal phrases of alignments: the digest's examples (4.2), and phrases from the definition."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.arrays import Int64s
from app.smt.reordering.trees import tree_of
from app.smt.reordering.units import phrases_of, ranks_of_words

# "I will wait for you the day after tomorrow", "Ja ću te čekati prekosutra".
LINKS = np.array([(0, 0), (1, 1), (2, 3), (4, 2), (6, 4), (7, 4), (8, 4)])


def test_unaligned_words_go_with_a_neighbour() -> None:
    right = ranks_of_words(9, LINKS, "mean", "right")
    assert (right + 1).tolist() == [1, 2, 5, 3, 4, 6, 7, 8, 9]
    assert tree_of(right, "flat").trees() == 132
    left = ranks_of_words(9, LINKS, "mean", "left")
    assert (left + 1).tolist() == [1, 2, 5, 6, 3, 4, 7, 8, 9]
    assert tree_of(left, "flat").trees() == 42


def test_choice_among_links_of_a_word() -> None:
    links = np.array([(0, 0), (0, 4), (1, 1), (2, 3)])
    assert ranks_of_words(3, links, "leftmost").tolist() == [0, 1, 2]
    assert ranks_of_words(3, links, "rightmost").tolist() == [2, 0, 1]
    assert ranks_of_words(3, links, "mean").tolist() == [1, 0, 2]
    assert ranks_of_words(3, links, "probable", probabilities=np.array([0.2, 0.8, 1, 1])).tolist() == [2, 0, 1]
    assert ranks_of_words(3, links, "probable", probabilities=np.array([0.8, 0.2, 1, 1])).tolist() == [0, 1, 2]


@given(st.integers(0, 8), st.data())
def test_ranks_are_a_permutation(length: int, data: st.DataObject) -> None:
    pairs = st.tuples(st.integers(0, max(0, length - 1)), st.integers(0, 8))
    links = np.array(data.draw(st.lists(pairs, max_size=12 if length else 0)), np.int64).reshape(-1, 2)
    for choice in ("leftmost", "rightmost", "mean"):
        assert sorted(ranks_of_words(length, links, choice, "left").tolist()) == list(range(length))


def longest_phrases(links: set[tuple[int, int]]) -> list[tuple[tuple[int, int], int]]:
    """The finest division of links whose source and target intervals are all disjoint, by joining any two that overlap."""
    groups = [{link} for link in links]
    joined = True
    while joined:
        joined = False
        for a in range(len(groups)):
            for b in range(a + 1, len(groups)):
                overlaps = any(
                    max(min(x[side] for x in groups[a]), min(x[side] for x in groups[b]))
                    <= min(max(x[side] for x in groups[a]), max(x[side] for x in groups[b]))
                    for side in (0, 1)
                )
                if overlaps:
                    groups[a] |= groups.pop(b)
                    joined = True
                    break
            if joined:
                break
    spans = sorted((min(x[0] for x in group), max(x[0] for x in group) + 1, min(x[1] for x in group)) for group in groups)
    targets = sorted(span[2] for span in spans)
    return [((begin, end), targets.index(target)) for begin, end, target in spans]


def as_pairs(links: Int64s) -> list[tuple[tuple[int, int], int]]:
    phrases = phrases_of(links)
    return [((int(begin), int(end)), int(rank)) for (begin, end), rank in zip(phrases.spans, phrases.ranks, strict=True)]


@given(st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=14))
def test_minimal_phrases_are_the_finest_disjoint_ones(links: set[tuple[int, int]]) -> None:
    assert as_pairs(np.array(sorted(links))) == longest_phrases(links)


def test_phrases_of_the_example() -> None:
    assert as_pairs(LINKS) == [((0, 1), 0), ((1, 2), 1), ((2, 3), 3), ((4, 5), 2), ((6, 9), 4)]
