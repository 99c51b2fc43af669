"""Whole numbers, and what is none."""

import pytest

from app.text.reading.numbers import whole_number


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("007", 7), ("9" * 18, 10**18 - 1)])
def test_digits_are_a_number(text: str, number: int) -> None:
    assert whole_number(text) == number


@pytest.mark.parametrize("text", ["", " 1", "+1", "-1", "1_0", "1.0", "²", "٣", "9" * 19, "0" * 5000, "x"])
def test_all_else_is_none(text: str) -> None:
    assert whole_number(text) is None
