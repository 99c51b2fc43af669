"""Gold orders and their evaluation: the example of google/topdown-btg-preordering, and definitions by brute force."""

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.arrays import Int64s
from app.smt.preordering.evaluation import evaluate_orders
from app.smt.preordering.gold import NO_PLACE, gold_order, linked_places, mean_places
from app.smt.preordering.profile import profile_of
from app.smt.reordering.treebank import unit_tree
from app.smt.reordering.units import Attachment, ranks_of_words

# Links of its test sentences: "I had a red pen .", "You went to the park yesterday .", "I do not know the answer .".
EXAMPLE = (
    (6, [(0, 0), (1, 5), (1, 6), (3, 2), (4, 3), (5, 7)]),
    (7, [(0, 0), (1, 5), (2, 4), (3, 3), (4, 3), (5, 2), (6, 6)]),
    (7, [(0, 0), (2, 6), (3, 5), (4, 2), (5, 3), (6, 7)]),
)


@st.composite
def aligned(draw: st.DrawFn, longest: int = 6) -> tuple[int, Int64s]:
    length = draw(st.integers(0, longest))
    pairs = st.tuples(st.integers(0, max(0, length - 1)), st.integers(0, 7))
    return length, np.array(draw(st.lists(pairs, max_size=9 if length else 0, unique=True)), np.int64).reshape(-1, 2)


def test_published_example() -> None:
    places = [linked_places(length, np.array(links)) for length, links in EXAMPLE]
    rows = [row for row in places if row is not None]
    assert len(rows) == 3
    # "I a red pen had .", "You yesterday the park to went ." and, wrongly, "I do not the answer know ."
    orders = [[0, 2, 3, 4, 1, 5], [0, 5, 3, 4, 2, 1, 6], [0, 1, 2, 4, 5, 3, 6]]
    means = evaluate_orders(orders, rows).means()
    assert round(means["fuzzy"], 6) == 0.857143
    assert round(means["kendall"], 6) == 0.933333
    assert round(means["complete"], 6) == 0.666667
    # 3 inversions of 10 + 21 + 15 pairs, 3 breaks at 6 + 8 + 7 joints.
    assert means["pooled_kendall"] == pytest.approx(1 - 3 / 46)
    assert means["pooled_fuzzy"] == pytest.approx(1 - 3 / 21)


def test_words_that_contain_each_other_have_no_order() -> None:
    assert linked_places(2, np.array([(0, 0), (0, 2), (1, 1)])) is None
    # The first ends with the second.
    places = linked_places(3, np.array([(0, 0), (0, 2), (2, 2)]))
    assert places is not None
    assert places.tolist() == [0, NO_PLACE, 1]


@pytest.mark.parametrize(("attach", "expected"), [("right", [0, 1, 3, 2, 2, 4, 4, 4, 4]), ("left", [0, 1, 3, 3, 2, 2, 4, 4, 4])])
def test_unaligned_words_share_the_place_of_a_neighbour(attach: Attachment, expected: list[int]) -> None:
    # "I will wait for you the day after tomorrow", "Ja ću te čekati prekosutra" (digest 4.2).
    links = np.array([(0, 0), (1, 1), (2, 3), (4, 2), (6, 4), (7, 4), (8, 4)])
    assert mean_places(9, links, attach).tolist() == expected
    assert evaluate_orders([gold_order(9, links, attach)], [mean_places(9, links, attach)]).means()["kendall"] == 1


def test_orders_that_are_no_permutation() -> None:
    for order in ([0, 0], [0, 2], [0], [0, 1, 2], [0.5, 1], [True, False], ["0", "1"], [0, 10**30], [[0, 1]]):
        with pytest.raises(ValueError, match="each position once"):
            evaluate_orders([np.array(order)], [np.array([0, 1])])


@pytest.mark.parametrize("links", [[(2, 0)], [(-1, 0)], [(0, -1)], [(0, 0), (10**9, 0)]])
def test_links_outside_of_the_words_are_refused(links: list[tuple[int, int]]) -> None:
    functions = (
        gold_order, mean_places, linked_places, ranks_of_words, unit_tree, lambda length, rows: profile_of([(length, rows)])
    )  # fmt: skip
    for function in functions:
        with pytest.raises(ValueError, match="outside of the 2 words"):
            function(2, np.array(links))
        with pytest.raises(ValueError, match="shape"):
            function(2, np.array([0, 1]))


def test_empty_corpus_and_short_sentences() -> None:
    with pytest.raises(ValueError, match="no sentence"):
        evaluate_orders([], []).means()
    scores = evaluate_orders([[], [0], [1, 0]], [np.array([], np.int64), np.array([0]), np.array([NO_PLACE, 0])])
    assert set(scores.means().values()) == {1.0}


@given(aligned())
def test_gold_orders_are_complete(sentence: tuple[int, Int64s]) -> None:
    length, links = sentence
    scores = evaluate_orders([gold_order(length, links)], [mean_places(length, links)])
    assert (scores.kendall[0], scores.fuzzy[0], scores.complete[0]) == (1, 1, 1)


@given(aligned())
def test_linked_places_are_the_partial_order(sentence: tuple[int, Int64s]) -> None:
    length, links = sentence
    targets = {i: links[links[:, 0] == i, 1].tolist() for i in range(length)}
    words = [i for i in range(length) if targets[i]]

    def precedes(i: int, j: int) -> bool:
        return min(targets[i]) <= min(targets[j]) and max(targets[i]) <= max(targets[j])

    places = linked_places(length, links)
    assert (places is None) == any(not precedes(i, j) and not precedes(j, i) for i in words for j in words)
    if places is not None:
        assert all((places[i] <= places[j]) == precedes(i, j) for i in words for j in words)
        assert sorted(set(places[words].tolist())) == list(range(len(set(places[words].tolist()))))


@given(st.permutations(range(5)), st.lists(st.integers(0, 4), min_size=5, max_size=5))
def test_kendall_is_the_best_distance_over_orders_of_ties(order: list[int], values: list[int]) -> None:
    places = np.unique(values, return_inverse=True)[1]
    best = max(
        np.mean([total.index(order[i]) < total.index(order[j]) for i in range(5) for j in range(i + 1, 5)])
        for total in map(list, permutations(range(5)))
        if all(places[a] <= places[b] for a, b in pairwise(total))
    )
    assert evaluate_orders([order], [places]).kendall[0] == pytest.approx(best)
