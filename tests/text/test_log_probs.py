"""Log-probabilities as text: the same numbers, or an error with the place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InputError
from app.text.side_information import SideInformation, read_side_information


def read_log_probs(cells: list[str], longest: int, first: int = 0) -> SideInformation:
    return read_side_information({"token_log_probs": cells}, longest, first)


@given(st.lists(st.lists(st.floats(-1e9, 0.0), min_size=1, max_size=5), max_size=5))
def test_numbers_come_back_as_they_were_written(rows: list[list[float]]) -> None:
    assert read_log_probs([" ".join(map(repr, row)) for row in rows], 5).as_json() == {"token_log_probs": rows}


@pytest.mark.parametrize(
    ("cell", "code", "place"),
    [
        ("-1 x", "invalid-table", ()),
        ("-1 -2,5", "invalid-table", ()),
        ("", "log-prob-mismatch", ()),
        ("-1 -1 -1 -1", "log-prob-mismatch", ()),
        ("-1 nan", "log-prob-mismatch", (1,)),
        ("-inf", "log-prob-mismatch", (0,)),
        ("-1e10", "log-prob-mismatch", (0,)),
        ("-1 0.1", "log-prob-mismatch", (1,)),
    ],
)
def test_what_is_no_log_probability_is_named_with_its_place(cell: str, code: str, place: tuple[int, ...]) -> None:
    with pytest.raises(InputError) as caught:
        read_log_probs(["-1", cell], 3, first=10)
    assert caught.value.code == code
    assert caught.value.where == ("segments", 11, "token_log_probs", *place)
