"""How much a call may ask for, as the page on HTTP says it."""

import pytest

from app.operations.operation import SHARED_ENCODING
from app.operations.parts.work import work_of_encoding, work_of_pairs
from app.settings import Settings


@pytest.mark.parametrize(
    ("letter", "share", "fits"),
    [("e", 1.0, 210), ("e", SHARED_ENCODING, 310), ("\u0d9a", 1.0, 174), ("\u0d9a", SHARED_ENCODING, 266)],
)
def test_two_thousand_segments_are_a_call_up_to_a_length(letter: str, share: float, fits: int) -> None:
    """Source and translation together have so many characters; each text is another one, and sources may be of three bytes a letter."""

    def work(characters: int) -> float:
        half = characters // 2
        pairs = [(f"{2 * k:04}".ljust(half, letter), f"{2 * k + 1:04}".ljust(half, "e")) for k in range(2000)]
        return work_of_pairs(pairs) + share * work_of_encoding(text for pair in pairs for text in pair)

    most = Settings().max_call_work
    assert work(fits) <= most < work(fits + fits // 20)
