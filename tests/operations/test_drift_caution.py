"""Answers about many segments say whether these are other texts than the predictor learned from."""

from types import SimpleNamespace
from typing import Any

import pytest

from app.engine import Engine
from app.operations.operation import Output
from app.operations.parts.about_models import drift_of_parts
from app.operations.quality import QualityRequest, operation, predict_quality

PAIR = {"source_language": "ro", "target_language": "en"}
SEGMENT = {"source": "Casa!", "translation": "House!"}
MODEL = "ro-en-hter-gp-17"


def ask(engine: Engine, segments: int) -> Any:
    return predict_quality(engine, QualityRequest.model_validate({**PAIR, "model": MODEL, "segments": [SEGMENT] * segments}))


def test_enough_segments_of_another_kind_come_with_a_caution(engine: Engine) -> None:
    (caution,) = ask(engine, 100)["cautions"]
    assert caution.startswith("These 100 segments differ from the training texts (drift ")
    assert "cautions" not in ask(engine, 99)


def test_small_requests_that_were_answered_together_say_nothing_of_one_another(engine: Engine) -> None:
    assert operation.together is not None
    request = QualityRequest.model_validate({**PAIR, "model": MODEL, "segments": [SEGMENT] * 25})
    assert not any("cautions" in answer for answer in operation.together.answer(engine, [request] * 4))


def test_jobs_say_it_of_all_their_parts(engine: Engine) -> None:
    assert operation.steps is not None
    request = QualityRequest.model_validate({**PAIR, "model": MODEL, "segments": [SEGMENT]})
    assert operation.steps.stream is not None
    context: Any = SimpleNamespace(engine=engine, translators=None, params=operation.steps.stream(engine, request, frozenset()))
    outputs: list[Output] = [
        operation.steps.work(context, {"sources": [SEGMENT["source"]] * n, "translations": [SEGMENT["translation"]] * n})
        for n in (120, 20)
    ]
    assert ["carry" in output for output in outputs] == [True, False]
    assert "These 120 segments differ" in operation.steps.finish(context, outputs)["cautions"][0]
    assert "cautions" not in operation.steps.finish(context, outputs[1:])


def test_parts_count_by_their_segments() -> None:
    assert drift_of_parts([{"segments": 300, "index": 0.1}, None, {"segments": 100, "index": 0.5}]) == {
        "segments": 400,
        "index": pytest.approx(0.2),
    }
    assert drift_of_parts([None]) is None
