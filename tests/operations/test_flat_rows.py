"""Rows of answers as rows of a table."""

from app.operations.parts.flat_rows import columns_of_rows, flat_row


def test_parts_become_columns_or_text() -> None:
    row = {
        "interval": [0.0, 0.5],
        "explanation": [{"feature": "a", "contribution": 1.5}],
        "warnings": [{"code": "x"}],
        "segments": [1, 2],
    }
    assert dict(flat_row(row)) == {"low": 0.0, "high": 0.5, "explanation": "a=1.5", "warnings": "x", "segments": "1 2"}


def test_every_row_counts_for_the_columns() -> None:
    assert columns_of_rows([{"a": 1, "b": 2}, {"a": 1, "c": 3, "b": 2}]) == ["a", "b", "c"]
    assert columns_of_rows([]) == []
