"""Operators on the worked example of the digest: their neighbourhoods, one after the other."""

import numpy as np
import pytest

from app.smt.decoder.derivation import Phrase
from app.smt.decoder.sampling.operators import DerivationShape, gloss, is_reachable, merge_split, neighbours, reorder

# la maison bleue
OPTIONS = [(0, 1, "the"), (0, 1, "it"), (1, 2, "house"), (1, 2, "home"), (2, 3, "blue"), (0, 2, "the house"), (1, 3, "blue house")]
SPANS: dict[tuple[int, int], list[Phrase]] = {}
for number, (start, end, words) in enumerate(OPTIONS):
    SPANS.setdefault((start, end), []).append(Phrase(start, end, tuple(words.split()), number))


def phrases(*rows: int) -> tuple[Phrase, ...]:
    return tuple(Phrase(OPTIONS[row][0], OPTIONS[row][1], tuple(OPTIONS[row][2].split()), row) for row in rows)


def sizes(shapes: list[DerivationShape]) -> list[int]:
    return [len(shape) for shape in shapes]


def test_the_gloss_takes_the_first_option_of_each_word() -> None:
    assert gloss(SPANS, 3) == phrases(0, 2, 4)


@pytest.mark.parametrize(
    ("state", "place", "expected"),
    [
        ((0, 2, 4), 1, [4, 1]),
        ((0, 2, 4), 2, [2, 1]),
        ((0, 6), 1, [2]),
        ((0, 6), 2, [1, 2]),
        ((0, 4, 2), 1, [4]),
        ((0, 4, 2), 2, [2]),
    ],
)
def test_merge_split(state: tuple[int, ...], place: int, expected: list[int]) -> None:
    shapes = merge_split(SPANS, phrases(*state), place)
    assert sizes(shapes) == expected and shapes[0].phrases == phrases(*state)


def test_reorder_within_the_limit_of_jumps() -> None:
    (own, exchanged) = reorder(phrases(0, 2, 4), 1, 2)
    assert own.phrases == phrases(0, 2, 4) and exchanged.phrases == phrases(0, 4, 2)
    (_, backwards) = reorder(phrases(0, 4, 2), 0, 2)
    assert backwards.phrases == phrases(2, 4, 0)
    assert is_reachable(backwards.phrases, 6) and not is_reachable(backwards.phrases, 1)


def test_where_no_operator_can_be_applied_a_derivation_stays() -> None:
    rng = np.random.default_rng(1)
    (shape,) = neighbours({(0, 1): [phrases(0)[0]]}, phrases(0), 6, ["merge-split", "reorder"], rng)
    assert shape.phrases == phrases(0) and len(shape) == 1
    assert len(neighbours({}, (), 6, ["retrans"], rng)) == 1
