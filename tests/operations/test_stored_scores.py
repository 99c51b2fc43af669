"""Stored scores as somebody might have written them: another comparison's, damaged, or what no metric counts."""

import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest

from app.engine import Engine
from app.errors import InputError
from app.metrics import METRICS
from app.operations.operation import Planning
from app.operations.parts.limits import RequestLimits
from app.operations.parts.scoring.stored_scores import read_stored
from app.operations.score import ScoreRequest, operation
from app.settings import Settings

REFERENCES = {"a": ["the cat sat on the mat", "a dog ran", ""], "b": ["a cat was on the mat", "dogs run fast", "q"]}
OUTPUT = ["the cat is on a mat", "the dog", "w w"]
# chrF+ and chrF++ count as chrF does, and a trained metric needs an id.
NAMES = [
    {"simpbleu": "simpbleu:PABC4", "order": "order:kendall", "rose": "rose:rank"}.get(name, name)
    for name in METRICS
    if name not in ("chrf+", "chrf++", "trained")
]


def ask(engine: Engine, **fields: Any) -> dict[str, Any]:
    body = {"metrics": NAMES, "systems": {"mine": OUTPUT}, "references": REFERENCES, **fields}
    request = ScoreRequest.model_validate_json(json.dumps(body))
    operation.check(request, RequestLimits.of_calls(Settings()))
    assert operation.answer is not None
    return dict(operation.answer(engine, request))


@pytest.fixture(scope="module")
def stored(engine: Engine) -> dict[str, Any]:
    kept: dict[str, Any] = json.loads(json.dumps(ask(engine, store="mine")["stored"], allow_nan=False))
    return kept


def refusal(engine: Engine, stored: Any, **fields: Any) -> str:
    with pytest.raises(InputError) as error:
        ask(engine, significance={"stored": json.loads(read_stored(json.dumps(stored).encode()).model_dump_json())}, **fields)
    return str(error.value)


def test_what_every_metric_counts_is_possible(engine: Engine, stored: dict[str, Any]) -> None:
    """No metric refuses its own statistics, of empty segments and several references among others."""
    rows = ask(engine, significance={"stored": stored})["metrics"]
    assert [row["difference"] for row in rows if "difference" in row] == [0.0] * len(NAMES)
    assert [row["system"] for row in rows][:2] == ["mine (stored)", "mine"]


@pytest.mark.parametrize("metric", [0, 3])
def test_runs_that_are_stored_are_systems(engine: Engine, stored: dict[str, Any], metric: int) -> None:
    """As many as may stand beside the others, whichever metric has them: each costs what a system does."""
    most = Settings().max_systems
    several = {**stored, "metrics": [{**entry, "statistics": entry["statistics"] * 3} for entry in stored["metrics"][:2]]}
    names = {row["system"] for row in ask(engine, metrics=NAMES[:2], significance={"stored": several, "letters": True})["metrics"]}
    assert names == {"mine", *(f"mine (stored) {run}" for run in (1, 2, 3))}
    many = deepcopy(stored)
    many["metrics"][metric]["statistics"] *= most - 1
    assert "metrics have different numbers of runs" in refusal(engine, many)
    many["metrics"][metric]["statistics"] *= 300
    detail = f"{300 * (most - 1)} runs are stored beside 1 systems; at most {most} are accepted together"
    assert refusal(engine, many) == f"significance.stored.metrics: {detail}"


def test_segments_of_stored_runs_are_scored_segments(stored: dict[str, Any]) -> None:
    several = {**stored, "metrics": [{**entry, "statistics": entry["statistics"] * 4} for entry in stored["metrics"][:2]]}
    body = {"metrics": NAMES[:2], "systems": {"mine": OUTPUT}, "references": REFERENCES, "significance": {"stored": several}}
    request = ScoreRequest.model_validate(body)
    # A system, two references and four runs of three segments.
    operation.check(request, replace(RequestLimits.of_calls(Settings()), scored=21))
    with pytest.raises(InputError) as refused:
        operation.check(request, replace(RequestLimits.of_calls(Settings()), scored=20))
    assert refused.value.code == "too-many-segments"


@pytest.mark.parametrize("field", ["system", "metric", "signature"])
@pytest.mark.parametrize("name", ["a\0", "a\x1b[2J", "a\nb", "a\u202eb", " "])
def test_names_that_are_stored_are_visible_text(stored: dict[str, Any], field: str, name: str) -> None:
    changed = deepcopy(stored)
    (changed if field == "system" else changed["metrics"][0])[field] = name
    with pytest.raises(InputError, match="a name is visible text on one line"):
        read_stored(json.dumps(changed).encode())


# A change of what was stored, and what the refusal says.
Change = Callable[[dict[str, Any]], Any]


def number(metric: int, column: int, value: Any, row: int = 0) -> Change:
    return lambda stored: stored["metrics"][metric]["statistics"][0][row].__setitem__(column, value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        *((number(metric, 0, -1), "cannot have counted") for metric in range(9)),
        *((number(metric, 0, 0.5), "cannot have counted") for metric in (0, 1, 2, 3, 4, 5, 6)),
        *((number(metric, 0, 1e12), "statistics.0.0.0: Input should be less than") for metric in range(len(NAMES)) ),
        (number(0, 2, 7), "statistics.0.0: bleu cannot have counted"),
        (number(0, 9, 1, row=1), "statistics.0.1: bleu cannot have counted"),
        (number(1, 2, 99), "chrf cannot have counted"),
        (number(2, 1, 5.3), "ter cannot have counted"),
        (number(5, 3, 1000.0), "nist cannot have counted"),
        (number(6, 2, 50), "simpbleu:PABC4 cannot have counted"),
        (number(7, 0, 99), "order:kendall cannot have counted"),
        (number(8, 1, 2), "cannot have counted"),
        (lambda s: s.__setitem__("segments", 4), "scores of 4 segments are stored, and here are 3"),
        (lambda s: s["references"].__setitem__("count", 1), "against other references"),
        (lambda s: s["references"].__setitem__("sha256", "0" * 64), "against other references"),
        (lambda s: s["metrics"].append(s["metrics"][0]), "metrics.13: this metric is stored twice"),
        (lambda s: s["metrics"].pop(0), "bleu is not stored; stored are chrf"),
        (lambda s: s["metrics"][0].__setitem__("signature", "nrefs:2|case:lc"), "another signature, nrefs:2|case:lc; here it is nrefs:2|case:mixed"),
        (lambda s: s["metrics"][0]["statistics"].append([]), "different numbers of runs"),
        (lambda s: s["metrics"][0]["statistics"][0].pop(), "there are 2 rows for 3 segments"),
        (lambda s: s["metrics"][0]["statistics"][0][2].pop(), "statistics.0.2: this row has not 10 numbers"),
        (lambda s: s["metrics"][0]["statistics"][0].__setitem__(2, []), "statistics.0.2: this row has not 10 numbers"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_refused(engine: Engine, stored: dict[str, Any], change: Change, message: str) -> None:
    changed = deepcopy(stored)
    change(changed)
    assert message in refusal(engine, changed)


@pytest.mark.parametrize(
    ("metric", "numbers"),
    [
        # More matches of four words than of one; the reference has 6 words, and 17 letters.
        *((0, {column: value}) for column, value in ((2, 0), (1, 0), (1, 7), (1, 1e9))),
        *((1, {column: value}) for column, value in ((1, 18), (1, 1e6), (16, 13))),
        *((metric, {1: value}) for metric in (2, 3, 4) for value in (0, 5, 1e8)),
    ],
)
def test_what_was_counted_of_one_reference_is_held_to_it(engine: Engine, metric: int, numbers: dict[int, float]) -> None:
    alone: dict[str, Any] = {"references": {"a": REFERENCES["a"]}, "metrics": NAMES[:5]}
    kept = json.loads(json.dumps(ask(engine, systems={"old": ["the cat sat on mats", "", "w"]}, store="old", **alone)["stored"]))
    assert ask(engine, significance={"stored": kept}, **alone)["metrics"][0]["system"] == "old"
    kept["metrics"][metric]["statistics"][0][0] = [
        numbers.get(place, value) for place, value in enumerate(kept["metrics"][metric]["statistics"][0][0])
    ]
    assert f"{metric}.statistics.0.0: {NAMES[metric]} cannot have counted these numbers" in refusal(engine, kept, **alone)


def test_other_options_and_other_references_are_refused(engine: Engine, stored: dict[str, Any]) -> None:
    assert "bleu|case:lc is stored with another signature" in refusal(engine, stored, metrics=["bleu|case:lc"])
    assert "against other references" in refusal(engine, stored, references={"b": REFERENCES["b"], "a": REFERENCES["a"]})
    assert "against other references" in refusal(engine, stored, references={"a": REFERENCES["a"]})
    # Names of references are files' names, and no part of what was scored; an option that is the usual one is none.
    assert ask(
        engine,
        metrics=["bleu|tok:13a"],
        references=dict(zip("xy", REFERENCES.values(), strict=True)),
        significance={"stored": stored},
    )
    with pytest.raises(InputError, match="not both"):
        ask(engine, significance={"stored": stored, "baseline": "mine"})
    with pytest.raises(InputError, match="what is stored is one of the systems: mine"):
        ask(engine, store="another")


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "not JSON"),
        (b'{"format": "assay-sc', "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'{"metrics":' * 10_000 + b"1" + b"}" * 10_000, "not JSON"),
        (b"[]", "must be an object"),
        (b"\xff\xfe{}", "not JSON"),
        (b"\x1f\x8b\x08", "not JSON"),
        (b'{"format": "other"}', "stored.format: "),
    ],
)
def test_what_is_no_document_is_refused(raw: bytes, message: str) -> None:
    with pytest.raises(InputError) as error:
        read_stored(raw)
    assert message in str(error.value)


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "1e308", "1e999", "9" * 400, "true", '"1"', "null", "[1]"])
def test_what_is_no_count_is_refused(stored: dict[str, Any], value: str) -> None:
    raw = json.dumps({**stored, "metrics": [{**stored["metrics"][0], "statistics": [[["?"]]]}]}).replace('"?"', value)
    with pytest.raises(InputError) as error:
        read_stored(raw.encode())
    assert str(error.value).startswith(("stored.metrics.0.statistics.0.0.0: ", "stored: these are no stored scores"))


def test_another_version_and_what_is_too_large_are_refused(stored: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="version"):
        read_stored(json.dumps({**stored, "version": 2}).encode())
    monkeypatch.setattr("app.operations.parts.scoring.stored_scores.LARGEST_FILE", 100)
    with pytest.raises(InputError, match="at most 100 bytes"):
        read_stored(json.dumps(stored).encode())


@pytest.mark.parametrize("field", ["store", "stored"])
def test_jobs_neither_keep_nor_compare(engine: Engine, stored: dict[str, Any], field: str) -> None:
    more: dict[str, Any] = {"store": "mine"} if field == "store" else {"significance": {"stored": stored}}
    request = ScoreRequest.model_validate({"metrics": ["bleu"], "systems": {"mine": OUTPUT}, "references": REFERENCES, **more})
    assert operation.steps is not None
    with pytest.raises(InputError, match="by POST /v1/score"):
        operation.steps.split(Planning(engine, RequestLimits.of_jobs(Settings()), 500), request)
