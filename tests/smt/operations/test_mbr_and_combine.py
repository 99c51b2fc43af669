"""`mbr` and `combine` asked at once, as a job and from files: the same answers; and what they refuse."""

import gzip
import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from app.engine import Engine
from app.errors import InputError
from app.metrics import metric_named
from app.operations.operation import Operation, Planning
from app.operations.parts.limits import RequestLimits
from app.running.journal import SILENT
from app.settings import Settings
from app.smt.operations.combine import CombineRequest
from app.smt.operations.combine import operation as combine_operation
from app.smt.operations.mbr import MbrRequest
from app.smt.operations.mbr import operation as mbr_operation

LIMITS = RequestLimits(1000, 1000, 8, 200)
LISTS = [
    [{"text": "a b c d", "score": -1.0}, {"text": "a b c e", "score": -1.5}, {"text": "a b c e f", "score": -1.6}],
    [],
    [{"text": "שלום", "score": 0.0}],
    [{"text": "", "score": -2.0}, {"text": "𝔵 x", "score": -2.0}],
]
SAMPLES = [[{"text": "a b c e"}] * 2, [], [{"text": "x"}], [{"text": "x"}, {"text": "y x"}]]
SYSTEMS = {
    "one": ["The big house stands here.", "he goes away", ""],
    "two": ["The large house stands here.", "he go away now", "x"],
    "three": ["A big house stand here.", "he goes now", ""],
}
DEVELOPMENT = {
    "systems": {name: texts[::-1] for name, texts in SYSTEMS.items()},
    "references": {"A": ["x", "he goes away now", "The big house."]},
}


@dataclass
class Context:
    """What the steps of a job use, in this process."""

    engine: Engine
    params: dict[str, Any]
    job: str = ""

    report = staticmethod(SILENT.report)
    recall = staticmethod(SILENT.recall)


def at_once(operation: Operation[Any, Any], engine: Engine, fields: dict[str, Any]) -> Any:
    request = operation.request.model_validate(fields)
    operation.check(request, LIMITS)
    assert operation.answer is not None and operation.cost(engine, request).work > 0
    return json.loads(json.dumps(operation.answer(engine, request), allow_nan=False))


def as_job(operation: Operation[Any, Any], engine: Engine, fields: dict[str, Any]) -> Any:
    """The answer of a job of small chunks, everything of which went through JSON."""
    steps = operation.steps
    assert steps is not None
    plan = steps.split(Planning(engine, LIMITS, 2), operation.request.model_validate(fields))
    context: Any = Context(engine, json.loads(json.dumps(plan.params)))
    outputs = [json.loads(json.dumps(steps.work(context, json.loads(json.dumps(chunk))))) for _, chunk in plan.chunks]
    summary = json.loads(json.dumps(steps.finish(context, outputs), allow_nan=False))
    return summary if steps.rows_in_summary else {**summary, "segments": [row for output in outputs for row in output["rows"]]}


@pytest.mark.parametrize(
    "fields",
    [
        {"n_best": LISTS},
        {"n_best": LISTS, "metric": "ter", "probabilities": "model", "scale": 0.5, "scores": True},
        {"n_best": LISTS, "own": False},
        {"n_best": LISTS, "samples": SAMPLES, "metric": "bleu", "way": "coarse|keep:1", "scores": True},
        {"n_best": LISTS, "metric": "beer", "way": "pruned"},
        {"systems": SYSTEMS, "metric": "rose:reg", "scores": True},
        {"systems": SYSTEMS, "way": "counts"},
    ],
)
def test_decisions_at_once_and_as_a_job(engine: Engine, fields: dict[str, Any]) -> None:
    answer = at_once(mbr_operation, engine, fields)
    assert as_job(mbr_operation, engine, fields) == answer
    for number, row in enumerate(answer["segments"]):
        texts = [entry["text"] for entry in LISTS[number]] if "n_best" in fields else [texts[number] for texts in SYSTEMS.values()]
        assert (row["chosen"] is None) == (not texts)
        assert not texts or row["text"] == texts[row["chosen"]]
        if "scores" in row:
            there = [score for score in row["scores"] if score is not None]
            assert row["expected"] == (min(there) if "lower" in answer["direction"] else max(there))


@pytest.mark.parametrize(
    ("fields", "is_call"), [({}, False), ({"way": "coarse"}, True), ({"metric": "chrf"}, True), ({"metric": "wer"}, True)]
)
def test_two_thousand_hypotheses_are_too_much_work_for_shifts_of_words(
    engine: Engine, fields: dict[str, str], is_call: bool
) -> None:
    hypotheses = [{"text": f"{number:04} " + "a house " * 12} for number in range(2000)]
    request = MbrRequest.model_validate({"metric": "ter", "n_best": [hypotheses], **fields})
    assert (mbr_operation.cost(engine, request).work <= Settings().max_call_work) is is_call


def test_an_expected_score_is_what_the_metric_says(engine: Engine) -> None:
    answer = at_once(mbr_operation, engine, {"n_best": LISTS[:1], "metric": "chrf", "scores": True})
    chrf, texts = metric_named("chrf"), [entry["text"] for entry in LISTS[0]]
    table = [chrf.segment_scores(chrf.prepare([texts]).statistics([text] * 3, np.arange(3))).mean() for text in texts]
    assert answer["segments"][0]["scores"] == pytest.approx(table, abs=1e-5)
    assert answer["segments"][0]["chosen"] == int(np.argmax(table)) and answer["pairs"] == 9


def test_combination_at_once_and_as_a_job(engine: Engine) -> None:
    fields = {
        "systems": SYSTEMS, "development": DEVELOPMENT, "method": "mert|restarts:1|directions:2", "paths": 10, "words": True,
        "references": {"A": ["The large house stands here.", "he goes away now", "x"]},
    }  # fmt: skip
    answer = at_once(combine_operation, engine, fields)
    assert as_job(combine_operation, engine, fields) == answer
    assert {len(row) for row in answer["weights"].values()} == {1, 3} and len(answer["rounds"]) == 4
    assert [row["name"] for row in answer["scores"]] == [*SYSTEMS, "(mbr)", "(combined)", "(oracle)"]
    for row in answer["segments"]:
        assert all(word["systems"] and set(word["systems"]) <= SYSTEMS.keys() for word in row["words"])
    again = at_once(combine_operation, engine, {"systems": SYSTEMS, "weights": answer["weights"], "paths": 10, "words": True})
    assert again["segments"] == answer["segments"]


def test_files_say_the_same_as_fields() -> None:
    lines = "".join(
        f"{number} ||| {entry['text']} ||| ||| {entry['score']}\n" for number, row in enumerate(LISTS[:3]) for entry in row
    )
    packed = gzip.compress(lines.encode())
    assert mbr_operation.read_files is not None and combine_operation.read_files is not None
    read = MbrRequest.model_validate(mbr_operation.read_files({"n_best": packed, "samples": lines.encode()}))
    assert read.n_best is not None and read.samples is not None
    assert [[entry["text"] for entry in row] for row in read.n_best.as_json()] == [
        [entry["text"] for entry in row] for row in LISTS[:3]
    ]
    raw = {f"system:{name}": "".join(f"{text}\n" for text in texts).encode() for name, texts in SYSTEMS.items()}
    assert MbrRequest.model_validate(mbr_operation.read_files(raw)).systems == dict(sorted(SYSTEMS.items()))
    assert CombineRequest.model_validate(combine_operation.read_files(raw)).systems == SYSTEMS
    dev = {f"dev_{role}": content for role, content in raw.items()} | {"dev_reference:A": b"x\ny\nz\n", "reference:B": b"1\n2\n3\n"}
    request = CombineRequest.model_validate(combine_operation.read_files({**raw, **dev}))
    assert request.development is not None and request.development.references == {"A": ["x", "y", "z"]}
    assert request.references == {"B": ["1", "2", "3"]}
    for operation in (mbr_operation, combine_operation):
        with pytest.raises(InputError, match="files are called"):
            operation.read_files({"other": b"x\n"})  # type: ignore[misc]


@pytest.mark.parametrize(
    ("operation", "fields", "code"),
    [
        (mbr_operation, {}, "invalid-request"),
        (mbr_operation, {"n_best": LISTS, "systems": SYSTEMS}, "invalid-request"),
        (mbr_operation, {"n_best": [[], []]}, "empty-input"),
        (mbr_operation, {"n_best": LISTS, "samples": SAMPLES[:2]}, "unequal-lengths"),
        (mbr_operation, {"systems": SYSTEMS, "probabilities": "model"}, "invalid-request"),
        (mbr_operation, {"systems": {"a": ["x"], "b": ["x", "y"]}}, "unequal-lengths"),
        (mbr_operation, {"systems": {"a": []}}, "empty-input"),
        (mbr_operation, {"n_best": LISTS, "way": "guess"}, "invalid-request"),
        (mbr_operation, {"n_best": LISTS, "metric": "nothing"}, "unknown-metric"),
        (mbr_operation, {"n_best": LISTS, "metric": "ter", "way": "counts"}, "unknown-metric"),
        (mbr_operation, {"n_best": [[{"text": "x" * 201}]]}, "segment-too-long"),
        (mbr_operation, {"n_best": [[{"text": "x"}] * 1001]}, "too-many-segments"),
        (combine_operation, {"systems": {"a": ["x"], "b": ["x", "y"]}}, "unequal-lengths"),
        (combine_operation, {"systems": {"a": [], "b": []}}, "empty-input"),
        (combine_operation, {"systems": SYSTEMS, "references": {"A": ["x"]}}, "unequal-lengths"),
        (combine_operation, {"systems": SYSTEMS, "method": "guess"}, "invalid-tuning"),
        (combine_operation, {"systems": SYSTEMS, "weights": {"votes": [1.0]}}, "missing-weights"),
        (combine_operation, {"systems": SYSTEMS, "weights": {"votes": [0.0] * 3}}, "degenerate-weights"),
        (combine_operation, {"systems": SYSTEMS, "development": {**DEVELOPMENT, "references": {"A": ["x"]}}}, "unequal-lengths"),
        (combine_operation, {"systems": {"x": ["a"], "y": ["b"]}, "development": DEVELOPMENT}, "invalid-request"),
        (combine_operation, {"systems": SYSTEMS, "consensus": "nothing"}, "unknown-metric"),
    ],
)
def test_what_cannot_be_asked(engine: Engine, operation: Operation[Any, Any], fields: dict[str, Any], code: str) -> None:
    with pytest.raises(InputError) as refused:
        at_once(operation, engine, fields)
    assert refused.value.code == code


def test_lists_of_other_lengths_are_named(engine: Engine) -> None:
    for fields, where in (
        ({"systems": SYSTEMS, "references": {"A": ["x"] * 3, "B": ["x"]}}, ("references", 1)),
        ({"systems": {**SYSTEMS, "four": ["x"]}}, ("systems", 3)),
        ({"systems": SYSTEMS, "development": {**DEVELOPMENT, "references": {"A": ["x"]}}}, ("development", "references", 0)),
    ):
        with pytest.raises(InputError, match="has 1 segments, and the first system 3") as refused:
            at_once(combine_operation, engine, fields)
        assert refused.value.where == where


def test_a_metric_of_all_references_is_refused_in_a_job(engine: Engine) -> None:
    at_once(mbr_operation, engine, {"n_best": LISTS, "metric": "nist"})
    with pytest.raises(InputError, match="by all references at once"):
        as_job(mbr_operation, engine, {"n_best": LISTS, "metric": "nist"})
