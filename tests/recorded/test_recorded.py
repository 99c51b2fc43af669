"""Every answer is what version 0.1 gave, but where somebody meant otherwise."""

import warnings
from pathlib import Path

import pytest

from tests.recorded.arithmetic import TOLERANCE, arithmetic_here
from tests.recorded.comparing import Allowed, differences, read_allowed, unexpected
from tests.recorded.playing import play, read_recording
from tests.recorded.requests import RecordedRequest, filled, sent
from tests.servers import Server

MOST_SHOWN = 40


@pytest.mark.slow
def test_every_answer_is_the_recorded_one(tmp_path: Path) -> None:
    # What 0.1 answered it answered by UDPipe's tags, and a chunk of the long job took longer then than the next call.
    server = Server(tmp_path, {"ASSAY_LINEAR_TAGGERS": "none", "ASSAY_CHUNK_SEGMENTS": "5000"})
    try:
        server.start()
        with server.client() as client:
            answers = play(client).answers
    finally:
        server.stop()
    recorded = read_recording()
    same = recorded.arithmetic == arithmetic_here()
    if not same:
        warnings.warn(f"answers were recorded on {recorded.arithmetic}: numbers may be {TOLERANCE} off here", stacklevel=1)
    left = unexpected(differences(recorded.answers, answers), read_allowed(), 0.0 if same else TOLERANCE)
    shown = "\n".join(map(str, left[:MOST_SHOWN]))
    assert not left, f"{len(left)} differences in {len({each.request for each in left})} answers\n{shown}"


def answer(body: object, kind: str = "application/json") -> dict[str, object]:
    return {"status": 200, "headers": {"content-type": kind}, "body": body}


@pytest.mark.parametrize(
    ("before", "after", "kind", "found"),
    [
        ('{"a":[1,2.5]}', '{"a":[1,2.75]}', "application/json", {"body.a.1": 0.25}),
        ('{"a":1}', '{"a":1.0}', "application/json", {"body.a": 0.0}),
        ('{"a":1e-05}', '{"a":0.00001}', "application/json", {"body.a": 0.0}),
        ('{"a":1,"b":2}', '{"b":2,"a":1}', "application/json", {"body.order": None}),
        ('{"a":1,"b":2}', '{"a": 1, "b": 2}', "application/json", {"body.form": None}),
        ('{"a":"\u00e9"}', '{"a":"\\u00e9"}', "application/json", {"body.form": None}),
        ('{"a":1}', '{"a":1,"b":2}', "application/json", {"body.b": None}),
        ('{"a": 1}\n{"a": 2}\n', '{"a": 1}\n{"a": 4}\n', "application/x-ndjson", {"body.line.2.a": 2.0}),
        ("a\t0.5\nb", "a\t0.25\nb", "text/tab-separated-values; charset=utf-8", {"body.line.1": 0.25}),
        ("a", "b\n", "text/html", {"body.lines": 1.0, "body.line.1": None}),
        ({"members": [{"name": "a"}]}, {"members": [{"name": "b"}]}, "application/zip", {"body.members.0.name": None}),
    ],
)
def test_every_kind_of_difference_is_found(before: object, after: object, kind: str, found: dict[str, float | None]) -> None:
    seen = differences({"x": answer(before, kind)}, {"x": answer(after, kind)})
    assert {each.path: each.distance for each in seen} == found
    assert differences({"x": answer(before, kind)}, {"x": answer(before, kind)}) == []


def test_what_is_missing_and_what_is_allowed() -> None:
    seen = differences({"one": answer("{}"), "two": answer('{"a":1}')}, {"two": answer('{"a":2}')})
    assert [(each.request, each.path) for each in seen] == [("one", ""), ("two", "body.a")]
    assert [each.request for each in unexpected(seen, [Allowed("*", "body.*", "a test")])] == ["one"]
    assert unexpected(seen, [Allowed("o*", "", "a test"), Allowed("two", "body.a", "a test")]) == []
    assert unexpected(seen[1:], [Allowed("two", "body.a", "a test", within=1.0)]) == []
    assert unexpected(seen, [Allowed("*", "*", "a test", within=0.5)]) == seen
    assert unexpected(seen[1:], [], 1.5) == [] and unexpected(seen, [], 0.5) == seen
    assert all(rule.why for rule in read_allowed())


def test_requests_are_filled_with_rows_repetitions_and_what_earlier_answers_said() -> None:
    assert filled({"$repeat": [[{"a": "{job}"}], 2]}, {"job": "7"}) == [{"a": "7"}, {"a": "7"}]
    assert filled("{job} {other}", {"job": "7"}) == "7 {other}"
    row = filled({"$segments": ["ro-en", 0, 1, "label=hter"]}, {})[0]
    assert list(row) == ["source", "translation", "label"]
    assert filled({"$column": ["ro-en", 0, 1, "source"]}, {}) == [row["source"]]
    request = RecordedRequest("x", "GET", "/v1/jobs/{job}", headers={"If-None-Match": "{x:etag}"})
    assert sent(request, {"job": "7", "x:etag": '"8"'})["url"] == "/v1/jobs/7"
