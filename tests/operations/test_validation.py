"""What is wrong with a request is said in bounded time and memory, at its place."""

import time
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from app.errors import InputError
from app.operations.catalogue import OPERATIONS
from app.operations.operation import Body
from app.operations.validation import SLICE, check_size
from app.predictors.labels import LARGEST_LABEL

PAIR = {"source_language": "ro", "target_language": "en"}
GOOD = {"source": "a", "translation": "b"}


def faults(name: str, **fields: Any) -> list[tuple[str | int, ...]]:
    begun = time.process_time()
    with pytest.raises(ValidationError) as refused:
        OPERATIONS[name].request.model_validate(fields)
    assert time.process_time() - begun < 5
    return [fault["loc"] for fault in refused.value.errors(include_url=False, include_input=False)]


def test_a_list_is_explained_up_to_its_first_wrong_entry() -> None:
    assert faults("quality", **PAIR, segments=[0] * 500_000) == [("segments", 0)]
    assert faults("quality", **PAIR, segments=[{**GOOD, "token_log_probs": ["x"] * 500_000}]) == [
        ("segments", 0, "token_log_probs", 0)
    ]
    assert faults("score", metrics=["bleu"], systems={"a": [0] * 500_000}, references={"r": []}) == [("systems", "a", 0)]
    entries = [{"system": "a"}] * 100_000
    assert faults("rank", **PAIR, segments=[{"source": "a", "translations": entries}]) == [
        ("segments", 0, "translations", 0, "text")
    ]


@pytest.mark.parametrize("name", ["a\0b", "\x1b[2J", "a\tb", "a\u202eb", " ", "", "a" * 101])
def test_names_of_systems_are_visible_text(name: str) -> None:
    score = {"metrics": ["bleu"], "systems": {"a": ["x"]}, "references": {"r": ["x"]}}
    assert faults("score", **{**score, "systems": {name: ["x"]}}) == [("systems", name, "[key]")]
    assert faults("score", **{**score, "references": {name: ["x"]}}) == [("references", name, "[key]")]
    assert faults("score", **score, store=name) == [("store",)]
    for more in ({"baseline": name}, {"runs": {name: ["a"]}}, {"runs": {"all": [name]}}):
        assert faults("score", **score, significance=more)[0][0] == "significance"
    assert faults("compare", baseline=["x"], system=["x"], references={name: ["x"]}) == [("references", name, "[key]")]
    assert faults("correlate", human=[1.0, 2.0], metrics={name: [1.0, 2.0]}) == [("metrics", name, "[key]")]
    candidates = [{"source": "a", "translations": [{"system": name, "text": "b"}]}]
    assert faults("rank", **PAIR, segments=candidates) == [("segments", 0, "translations", 0, "system")]


@pytest.mark.parametrize("worst", [1e308, -1e308, 1_000_000_001, "100000000001%"])
def test_an_error_is_stated_within_what_labels_can_be(worst: object) -> None:
    with_it = [name for name, operation in OPERATIONS.items() if "accept" in operation.request.model_fields]
    assert "quality" in with_it
    for name in with_it:
        assert faults(name, **PAIR, segments=[], accept={"at_worst": worst}) == [("accept", "at_worst")]
    TypeAdapter(OPERATIONS["quality"].request).validate_python({**PAIR, "segments": [], "accept": {"at_worst": LARGEST_LABEL}})


@pytest.mark.parametrize("at", [0, 1, SLICE - 1, SLICE, SLICE + 1, 3 * SLICE - 1])
def test_the_place_is_that_in_the_whole_list(at: int) -> None:
    segments: list[object] = [GOOD] * 3 * SLICE
    segments[at] = {"source": 1, "x": 2}
    assert faults("quality", **PAIR, segments=segments) == [
        ("segments", at, "source"), ("segments", at, "translation"), ("segments", at, "x")
    ]  # fmt: skip


def test_slices_are_the_list() -> None:
    segments = [{"source": str(k), "translation": "b"} for k in range(2 * SLICE + 1)]
    request: Any = OPERATIONS["quality"].request.model_validate({**PAIR, "segments": segments})
    assert [segment.source for segment in request.segments] == [str(k) for k in range(2 * SLICE + 1)]
    with pytest.raises(ValidationError):
        OPERATIONS["train"].request.model_validate({**PAIR, "label": "da", "held_out": []})


def test_every_list_of_every_request_stops_early() -> None:
    def lists(schema: Any) -> Any:
        if isinstance(schema, dict):
            if schema.get("type") == "list":
                yield schema
            for part in schema.values():
                yield from lists(part)
        elif isinstance(schema, list):
            for part in schema:
                yield from lists(part)

    requests: list[type[Body]] = [operation.request for operation in OPERATIONS.values()]
    for request in requests:
        for schema in lists(TypeAdapter(request).core_schema):
            assert schema.get("fail_fast") is True, request


def test_what_no_check_would_let_pass_is_refused_before_it_is_validated() -> None:
    check_size({"segments": [0] * 10, "systems": {"a": [0] * 5, "b": [0] * 5}}, 10)
    check_size([0] * 100, 10)
    check_size({"glossary": [0] * 100}, 10)
    for content in ({"segments": [0] * 11}, {"systems": {"a": [0] * 6, "b": [0] * 5}}, {"not a name": [0] * 11}):
        with pytest.raises(InputError) as refused:
            check_size(content, 10)
        assert refused.value.code == "too-many-segments"
    assert refused.value.where == ()
