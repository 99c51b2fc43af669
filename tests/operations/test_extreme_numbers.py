"""Numbers at the ends of what a float or an integer can be: refused with their place, or answered with numbers."""

import json
import warnings
from typing import Any

import pytest
from pydantic import ValidationError
from starlette.requests import Request

from app.engine import Engine
from app.errors import InputError
from app.metrics.meta_evaluation.correlation import AGREEMENTS
from app.operations.analysis.correlate import LARGEST as LARGEST_SCORE
from app.operations.catalogue import OPERATIONS
from app.operations.evaluate import EvaluateRequest
from app.operations.parts.limits import RequestLimits
from app.predictors.labels import LARGEST_LABEL
from app.server.api.bodies.json_bodies import REPEATED_MEMBER, read_json
from app.server.web.plots import BucketsPlot, CurvePlot, ScoresPlot, buckets, curve, scores
from app.settings import Settings

HUGE, TINY = 1e308, 5e-324
LIMITS = RequestLimits.of_calls(Settings())
PAIR = {"source_language": "ro", "target_language": "en"}
CASA = {"source": "Casa este mare.", "translation": "The house is big."}
LISTED = [{"text": "The house is big.", "score": -1.0, "features": {"d": [1.0]}}]
SEARCHED = dict.fromkeys(("hypotheses", "nodes", "phrases", "unknown_words"), TINY)


def answered(engine: Engine, verb: str, body: dict[str, Any]) -> Any:
    """What a call answers, as JSON that holds numbers alone."""
    operation = OPERATIONS[verb]
    request = operation.request.model_validate_json(json.dumps(body))
    operation.check(request, LIMITS)
    assert operation.answer is not None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return json.loads(json.dumps(operation.answer(engine, request), allow_nan=False))


@pytest.mark.parametrize("tests", [False, True])
@pytest.mark.parametrize(
    ("human", "metric"),
    [
        ([LARGEST_SCORE, -LARGEST_SCORE, 0.0, 1.0], [-LARGEST_SCORE, LARGEST_SCORE, 1.0, 2.0]),
        ([TINY, 0.0, TINY, 1.0], [TINY, TINY, 0.0, TINY]),
        ([1e-170, 0.0, 2e-170, 1.0], [1e50, 1e-50, 0.0, -1e50]),
        ([1.0, 1.0, 1.0, 1.0], [2.0, 2.0, 2.0, 2.0]),
    ],
)
def test_agreements_are_numbers(engine: Engine, human: list[float], metric: list[float], tests: bool) -> None:
    body = {"human": human, "metrics": {"a": metric, "b": [1.0, 3.0, 2.0, 4.0]}, "agreements": list(AGREEMENTS), "tests": tests}
    rows = answered(engine, "correlate", body)["metrics"]
    assert all(-1 <= row[name] <= 1 for row in rows for name in AGREEMENTS)


@pytest.mark.parametrize(
    ("verb", "body", "place"),
    [
        ("correlate", {"human": [1.0, HUGE], "metrics": {"a": [1.0, 2.0]}}, ("human", 1)),
        ("correlate", {"human": [1.0, 2.0], "metrics": {"a": [1.0, 2.0], "b": [-HUGE, 2.0]}}, ("metrics", 1, 0)),
        ("word-order", {"segments": [{"alignment": "", "hypothesis_words": 1, "reference_words": 2**63}]}, ("segments", 0, "reference_words")),
        ("quality", {**PAIR, "segments": [{**CASA, "token_log_probs": [-0.1, -HUGE]}]}, ("segments", 0, "token_log_probs", 1)),
        ("features", {**PAIR, "segments": [{**CASA, "token_entropies": [HUGE]}]}, ("segments", 0, "token_entropies")),
        ("features", {**PAIR, "segments": [{**CASA, "passes": [[-HUGE]]}]}, ("segments", 0, "passes", 0, "token_log_probs", 0)),
        ("features", {**PAIR, "segments": [{**CASA, "search": {"nodes": HUGE}}]}, ("segments", 0, "search")),
        ("features", {**PAIR, "segments": [{**CASA, "n_best": [*LISTED, {"text": "", "score": -HUGE}]}]}, ("segments", 0, "n_best", 1)),
        ("features", {**PAIR, "segments": [{**CASA, "n_best": [{"text": "", "score": 0.0, "features": {"d": [HUGE]}}]}]}, ("segments", 0, "n_best", 0)),
    ],
)  # fmt: skip
def test_what_is_no_measurement_is_refused_with_its_place(
    engine: Engine, verb: str, body: dict[str, Any], place: tuple[str | int, ...]
) -> None:
    with pytest.raises(InputError) as refused:
        answered(engine, verb, body)
    assert refused.value.where == place


@pytest.mark.parametrize("score", [1e12, -1e12, 0.0, TINY])
@pytest.mark.parametrize("named", ["glassbox-smt", "glassbox-nmt"])
def test_features_of_the_largest_numbers_are_numbers(engine: Engine, named: str, score: float) -> None:
    least = -min(abs(score), 1e9)
    beside = {
        "n_best": [{"text": "The house.", "score": score, "features": {"d": [score] * 7, "lm": [score]}}] * 3,
        "search": {**SEARCHED, "hypotheses": abs(score)},
        "token_log_probs": [least] * 5,
        "token_entropies": [abs(score)] * 5,
        "passes": [[least], [-TINY]],
    }
    answer = answered(engine, "features", {**PAIR, "feature_set": named, "segments": [{**CASA, **beside}]})
    assert answer["values"]
    assert answered(engine, "quality", {**PAIR, "explain": True, "segments": [{**CASA, "token_log_probs": [least] * 5}]})[
        "segments"
    ]


@pytest.mark.parametrize("worst", [TINY, -0.0, 1.0])
def test_acceptance_and_bands_take_any_number_of_the_label(engine: Engine, worst: float) -> None:
    bands = [{"name": "a", "at_least": TINY, "rate": TINY}, {"name": "b", "at_least": -0.0, "rate": 10}]
    body = {**PAIR, "segments": [CASA], "bands": bands, "accept": {"at_worst": worst, "error_rate": 1e-300}}
    assert answered(engine, "quality", body)["document"]["acceptance"]["at_worst"] == worst


@pytest.mark.parametrize("worst", [LARGEST_LABEL, -LARGEST_LABEL, 1.0 + 1e-9, -TINY])
def test_no_error_lies_outside_its_label(engine: Engine, worst: float) -> None:
    with pytest.raises(InputError) as refused:
        answered(engine, "quality", {**PAIR, "segments": [CASA], "accept": {"at_worst": worst}})
    assert refused.value.where[:2] == ("accept", "at_worst")


def test_labels_are_measurements() -> None:
    request = EvaluateRequest.model_validate({**PAIR, "segments": [{**CASA, "label": 0.5}, {**CASA, "label": -HUGE}]})
    with pytest.raises(InputError) as refused:
        OPERATIONS["evaluate"].check(request, LIMITS)
    assert refused.value.where == ("segments", 1, "label")


def test_plots_draw_what_an_axis_can_hold() -> None:
    request = Request({"type": "http", "query_string": b"", "headers": []})
    least, most = -1e12, 1e12
    systems = [{"system": "a", "score": most, "low": least, "high": most}, {"system": "b", "score": 0.0, "low": TINY, "high": TINY}]
    assert b"<svg" in scores(ScoresPlot.model_validate({"title": "t", "systems": systems}), request).body
    points = [{"series": "s", "bucket": "b", "value": most, "low": least, "high": TINY}]
    assert b"<svg" in buckets(BucketsPlot.model_validate({"title": "t", "axis": "a", "points": points}), request).body
    rows = [{"rows": 1, "pearson": least, "mae": 0.0}, {"rows": 10**12, "pearson": most, "mae": TINY}]
    assert b"<svg" in curve(CurvePlot.model_validate({"points": rows}), request).body


@pytest.mark.parametrize(
    "point", [{"rows": 10**400}, {"rows": 10**12 + 1}, {"rows": 5, "pearson": HUGE}, {"rows": 5, "mae": -HUGE}]
)
def test_plots_refuse_the_rest(point: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        CurvePlot.model_validate({"points": [{"pearson": 0.5, "mae": 0.1, **point}]})


@pytest.mark.parametrize(
    ("raw", "place"),
    [
        (b'{"params": {"systems": {"a": ["x"], "a": ["y"]}}}', ("params", "systems")),
        (b'{"a": 1, "a": 2}', ()),
        (b'{"params": {"segments": [{"x": 1}, {"x": {"y": 1, "y": 2}}]}}', ("params", "segments", 1, "x")),
    ],
)
def test_a_system_that_is_named_twice_does_not_vanish(raw: bytes, place: tuple[str | int, ...]) -> None:
    with pytest.raises(InputError, match=REPEATED_MEMBER) as refused:
        read_json(raw)
    assert refused.value.code == "invalid-json" and refused.value.where == place


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_thresholds_and_weights_of_lists_are_finite(number: float) -> None:
    oracle = {"n_best": [[{"text": "a", "score": 1.0}]], "references": {"A": ["a"]}}
    combine = {"systems": {"a": ["x"], "b": ["y"]}, "weights": {"votes": [number, 1.0]}}
    for verb, body in (
        ("oracle", {**oracle, "difference": number}),
        ("oracle", {**oracle, "diversity": number}),
        ("combine", combine),
    ):
        with pytest.raises(ValidationError, match="finite number"):
            OPERATIONS[verb].request.model_validate(body)
