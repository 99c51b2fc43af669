"""Results by what an operation says of its rows."""

import csv
import io
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from app.errors import InputError
from app.operations.operation import Json, Operation, Steps
from app.server.jobs import FORMATS, blocks_of, result_stream
from tests.server.jobs.fake_operations import FAKES, Numbers, double, refuse, split

OUTPUTS: list[Any] = [
    {"rows": [{"n": 1, "text": "a\tb\r\nc"}, {"n": 2, "text": "ă"}]},
    {"rows": [], "carry": 1},
    {"rows": [{"n": 3, "text": ""}]},
]


def made(**given: Any) -> Operation[Any, Any]:
    steps = Steps(split, double, refuse, **given)
    return Operation("number", "", Numbers, dict, lambda *_: None, lambda *_: {}, id="sendNumbers", steps=steps)


def test_rows_stand_behind_the_summary_under_their_name() -> None:
    raw = "".join(result_stream(made(rows="numbers"), {"sum": 6}, OUTPUTS, "json"))
    assert json.loads(raw) == {"kind": "number", "sum": 6, "numbers": [row for output in OUTPUTS for row in output["rows"]]}
    assert list(json.loads(raw)) == ["kind", "sum", "numbers"]
    lines = "".join(result_stream(made(), {"sum": 6}, OUTPUTS, "jsonl")).splitlines()
    assert [json.loads(line)["n"] for line in lines] == [1, 2, 3]


def test_texts_stand_behind_rows_that_only_the_summary_has() -> None:
    scored, worked = [{"score": 1.5}], [row for output in OUTPUTS for row in output["rows"]]
    summed = made(rows="metrics", rows_in_summary=True)
    result = json.loads("".join(result_stream(summed, {"metrics": scored, "sum": 6}, OUTPUTS, "json")))
    assert result == {"kind": "number", "sum": 6, "metrics": scored, "texts": worked}
    without = json.loads("".join(result_stream(summed, {"metrics": scored, "sum": 6}, [{"rows": []}], "json")))
    assert without == {"kind": "number", "sum": 6, "metrics": scored}
    assert "".join(result_stream(summed, {"metrics": scored}, OUTPUTS, "tsv")) == "score\n1.5\n"


def test_a_table_has_a_line_for_each_row() -> None:
    raw = "".join(result_stream(made(), {}, OUTPUTS, "tsv"))
    assert list(csv.reader(io.StringIO(raw), delimiter="\t")) == [["n", "text"], ["1", "a b  c"], ["2", "ă"], ["3", ""]]


def test_blocks_are_the_pieces_in_few_parts() -> None:
    pieces = [f"{k} ă\ud800\n" for k in range(20_000)]
    blocks = list(blocks_of(iter(pieces)))
    assert b"".join(blocks) == "".join(pieces).encode("utf-8", "replace") and 1 < len(blocks) < 10
    assert list(blocks_of([])) == [] and list(blocks_of(["a"])) == [b"a"]


RUN_BY_SPREADSHEETS = [
    "=1+1",
    '"=1+1"',
    '" "=HYPERLINK(1)',
    "+1+A1",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(A1)",
    "\t=1+1",
    "\r=1+1",
    " \n =1",
    "＝1+1",
    "-",
    "- Hello",
    "=",
    "-1 =2",
]
NUMBERS = [-0.5, 3, -1e-05, "-0.5", "+3", "-1.5e+20", "-0.5 -0.25 3", [-0.5, -0.25]]
PLAIN = ["a=1", "1-2", "", "'", "x@y", "a\tb"]


def test_a_table_holds_nothing_that_a_spreadsheet_runs() -> None:
    rows = [{"text": value} for value in [*RUN_BY_SPREADSHEETS, *NUMBERS, *PLAIN]]
    kept = "".join(result_stream(made(), {}, [{"rows": rows}], "tsv", "keep")).split("\n")[1:-1]
    inert = "".join(result_stream(made(), {}, [{"rows": rows}], "tsv")).split("\n")[1:-1]
    count = len(RUN_BY_SPREADSHEETS)
    assert inert == [f"'{cell}" for cell in kept[:count]] + kept[count:]
    assert "".join(result_stream(made(), {}, [{"rows": [{"=1": 2}]}], "tsv")) == "'=1\n2\n"


def test_rows_that_differ_have_the_columns_of_all_in_the_order_in_which_they_come() -> None:
    rows: list[Any] = [{"system": "old", "score": 1}, {"system": "new", "score": 2, "p_value": 0.5}]
    expected = ["system\tscore\tp_value", "old\t1\t", "new\t2\t0.5"]
    # The first rows of a stream are of several chunks, however they were cut.
    assert "".join(result_stream(made(), {}, [{"rows": rows[:1]}, {"rows": rows[1:]}], "tsv")).splitlines() == expected
    # A list that is in memory counts to its end.
    long = [rows[0]] * 1000 + [rows[1]]
    at_the_end = "".join(result_stream(made(rows_in_summary=True), {"segments": long}, [], "tsv")).splitlines()
    assert at_the_end[0] == expected[0] and at_the_end[-1] == expected[-1]


def test_a_table_of_many_chunks_is_not_held() -> None:
    taken = 0

    def outputs() -> Iterator[Any]:
        nonlocal taken
        for taken in range(10_000):
            yield {"rows": [{"n": taken}]}

    lines = result_stream(made(), {}, outputs(), "tsv")
    assert [next(lines) for _ in range(3)] == ["n\n", "0\n", "1\n"]
    assert taken < 1000


@pytest.mark.parametrize("form", FORMATS)
def test_rows_known_at_the_end_stand_in_the_summary(form: str) -> None:
    rows = [row for output in OUTPUTS for row in output["rows"]]
    at_the_end = result_stream(made(rows="numbers", rows_in_summary=True), {"numbers": rows, "sum": 6}, [{"rows": []}], form)
    assert "".join(at_the_end) == "".join(result_stream(made(rows="numbers"), {"sum": 6}, OUTPUTS, form))


def test_rows_are_amended_by_the_summary() -> None:
    def amend(summary: Any) -> Callable[[Json], Json]:
        return lambda row: {**row, "share": row["n"] / summary["sum"]}

    for rows in (made(amend=amend), made(amend=amend, rows_in_summary=True)):
        summary = {"sum": 6, **({"segments": [{"n": 3}]} if rows.steps and rows.steps.rows_in_summary else {})}
        document = json.loads("".join(result_stream(rows, summary, OUTPUTS[2:], "json")))
        assert document["segments"][0]["share"] == 0.5


def test_an_operation_without_steps_has_no_result() -> None:
    with pytest.raises(InputError, match="no jobs"):
        result_stream(FAKES["never"], {}, [], "json")


def test_a_name_that_other_operations_use_may_be_anything() -> None:
    rows: list[Any] = [
        {
            "words": 3,
            "order": [2, 1],
            "features": ["a", "b"],
            "interval": 0.9,
            "texts": "x",
            "warnings": [{"at": 1}],
            "more": {"a": 1},
        },
        {"words": [{"text": "a", "tag": "OK"}, {"text": "b", "tag": "BAD"}], "gaps": [{"tag": "OK"}], "interval": [0, 1]},
    ]
    tables = ["".join(result_stream(made(), {}, [{"rows": [row]}], "tsv")).splitlines() for row in rows]
    assert tables[0][0].split("\t") == ["words", "order", "features", "interval", "texts", "warnings", "more"]
    assert tables[0][1].split("\t") == ["3", "2 1", "a b", "0.9", "x", '[{"at": 1}]', '{"a": 1}']
    assert tables[1] == ["words\tword_tags\tgap_tags\tlow\thigh", "a b\tOK BAD\tOK\t0\t1"]
