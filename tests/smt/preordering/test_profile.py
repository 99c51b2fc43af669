"""Profiles of corpora: sentences worked by hand, and laws."""

import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.arrays import Int64s
from app.smt.preordering.profile import profile_of
from tests.smt.preordering.test_evaluation import aligned


def links_of(ranks: list[int]) -> Int64s:
    return np.array([(i, rank) for i, rank in enumerate(ranks)], np.int64).reshape(-1, 2)


def test_sentences_worked_by_hand() -> None:
    # "2 4 1 3" is prime; "3 2 1" inverts; a sentence without links; a single phrase of two words.
    corpus = [(4, links_of([1, 3, 0, 2])), (3, links_of([2, 1, 0])), (5, links_of([])), (2, np.array([(0, 0), (1, 0)]))]
    profile = profile_of(corpus)
    assert (profile.sentences, profile.linked_sentences, profile.words, profile.linked_words) == (4, 3, 14, 9)
    assert profile.arities == {1: 1, 2: 1, 4: 1}
    assert profile.operators == {"P21": 2, "P2413": 1}
    # Order of the first: words 3 1 4 2. From behind 3 back over 3 words to 1, on over two to 4, back over three to 2.
    assert profile.distances == {2: 3, 3: 2}
    assert profile.coverage() == 2 / 3
    assert profile.coverage(4) == 1
    assert profile.near_steps(2) == 3 / 5
    # 3 of 6 pairs, none of 3, all of one tie.
    assert profile.kendall == (3 / 6 + 0 + 1) / 3
    assert json.loads(json.dumps(profile.as_json()))["arities"] == {"1": 1, "2": 1, "4": 1}


def test_empty_corpora() -> None:
    for profile in (profile_of([]), profile_of([(3, links_of([]))])):
        assert (profile.coverage(), profile.near_steps(0), profile.kendall) == (1, 1, 1)


@given(st.lists(aligned(), max_size=4))
def test_counts_add_up(corpus: list[tuple[int, Int64s]]) -> None:
    profile = profile_of(corpus)
    assert sum(profile.arities.values()) == profile.linked_sentences
    # Each operator of a children joins a - 1 phrases to a first one; steps go between all phrases.
    joints = sum((len(label) - 2) * count for label, count in profile.operators.items())
    assert joints == sum(profile.distances.values())
    assert 0 <= profile.coverage() <= profile.coverage(5) <= 1
