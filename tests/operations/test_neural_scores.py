"""POST /v1/score by imported checkpoints: segment scores and their mean, what is missing, licences, texts that are cut, jobs."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.engine import Engine
from app.engine.neural_metric import NeuralMetric
from app.errors import InputError
from app.operations.operation import Planning
from app.operations.parts.limits import RequestLimits
from app.operations.resources import list_metrics
from app.operations.score import ScoreRequest, operation
from app.resources.checkpoints import Checkpoints

DATA = Path(__file__).parents[1] / "resources" / "checkpoints" / "data"
ROWS: list[list[Any]] = json.loads((DATA / "expected.json").read_text("utf-8"))["comet-estimator"]
SOURCES, OUTPUTS, REFERENCES, SCORES = ([row[place] for row in ROWS] for place in range(4))


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    empty = tmp_path_factory.mktemp("nothing")
    yield Engine.open(empty, empty, checkpoints=DATA)


def asked(engine: Engine, metrics: list[str], **members: Any) -> Any:
    request = ScoreRequest.model_validate(
        {"metrics": metrics, "systems": {"a": OUTPUTS}, "references": {"r": REFERENCES}, **members}
    )
    operation.check(request, RequestLimits(10**6, 10**6, 64, 20_000))
    assert operation.answer is not None
    return operation.answer(engine, request)


def test_segments_and_their_mean(engine: Engine) -> None:
    answer = asked(engine, ["neural:comet-estimator", "bleu"], sources=SOURCES, segments=True)
    neural, bleu = answer["metrics"]
    assert np.allclose(neural["segments"], SCORES, atol=1e-5) and np.isclose(neural["score"], np.mean(SCORES), atol=1e-5)
    assert neural["range"] == [None, None] and "comet-estimator" in neural["signature"] and bleu["metric"] == "bleu"
    assert answer["cautions"] == ["neural:comet-estimator reads at most 62 tokens: it cut 2 segments"]


def test_several_systems_references_and_tests(engine: Engine) -> None:
    systems = {"a": OUTPUTS, "b": [text.upper() for text in OUTPUTS]}
    members = {"systems": systems, "references": {"r": REFERENCES, "s": OUTPUTS}, "sources": SOURCES}
    answer = asked(engine, ["neural:comet-estimator"], segments=True, significance=True, **members)
    one, other = answer["metrics"]
    (alone,) = asked(engine, ["neural:comet-estimator"], segments=True, systems={"b": systems["b"]}, references={"r": REFERENCES}, sources=SOURCES)["metrics"]  # fmt: skip
    (second,) = asked(engine, ["neural:comet-estimator"], segments=True, systems={"b": systems["b"]}, references={"s": OUTPUTS}, sources=SOURCES)["metrics"]  # fmt: skip
    assert np.allclose(other["segments"], np.mean([alone["segments"], second["segments"]], 0))
    assert np.isclose(other["difference"], other["score"] - one["score"]) and 0 <= other["p_value"] <= 1


def test_without_references_and_with_them(engine: Engine) -> None:
    answer = asked(engine, ["neural:comet-referenceless"], references={}, sources=SOURCES)
    assert len(answer["metrics"]) == 1 and "nrefs:0" in answer["metrics"][0]["signature"]
    alone, both = (
        asked(engine, ["neural:comet-unified"], references=given, sources=SOURCES, segments=True)
        for given in ({}, {"r": REFERENCES})
    )
    assert alone["metrics"][0]["segments"] != both["metrics"][0]["segments"]
    for each in (alone, both):
        assert each["cautions"][0] == "neural:comet-unified: the licence CC-BY-NC-SA-4.0 forbids commercial use"


@pytest.mark.parametrize(
    "metric, members, where, words",
    [
        ("neural:comet-estimator", {}, "sources", "compares translation, source, reference: sources are missing"),
        ("neural:comet-estimator", {"references": {}, "sources": SOURCES}, "references", "at least one is needed"),
        ("bleu", {"references": {}, "sources": SOURCES}, "references", "bleu compares with references"),
        ("neural:comet-estimator", {"sources": SOURCES[:-1]}, "sources", "this list has 11 segments"),
        ("neural:other", {"sources": SOURCES}, "metrics", "checkpoints here are"),
        ("neural:comet-estimator|tok:13a", {"sources": SOURCES}, "metrics", "option"),
        ("neural:comet-estimator", {"sources": ["x" * 20_001] * 12}, "sources", "20000"),
        ("neural:comet-estimator", {"sources": ["", *SOURCES[1:]], "empty": "error"}, "sources", "empty"),
        ("neural:comet-estimator", {"sources": SOURCES, "store": "a"}, "metrics", "not stored"),
    ],
)
def test_what_is_missing_is_said(engine: Engine, metric: str, members: dict[str, Any], where: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as error:
        asked(engine, [metric], **members)
    assert error.value.where[0] == where


def test_empty_sources_are_skipped_with_their_segments(engine: Engine) -> None:
    answer = asked(engine, ["neural:comet-estimator"], sources=["", *SOURCES[1:]], empty="skip", segments=True)
    kept = [score for place, score in enumerate(SCORES) if place and OUTPUTS[place].strip()]
    assert answer["empty"] == {"policy": "skip", "segments": 2} and np.allclose(answer["metrics"][0]["segments"], kept, atol=1e-5)


def test_twenty_thousand_characters_are_scored_and_cut(engine: Engine) -> None:
    long = "the house " * 2000
    answer = asked(engine, ["neural:comet-estimator"], systems={"a": [long]}, references={"r": ["a"]}, sources=["b"])
    assert "it cut 1 segment" in answer["cautions"][0]


def test_a_job_gives_what_the_call_gives(engine: Engine) -> None:
    request = ScoreRequest.model_validate(
        {"metrics": ["neural:comet-estimator"], "systems": {"a": OUTPUTS}, "references": {"r": REFERENCES}, "sources": SOURCES}
    )
    assert operation.steps is not None
    plan = operation.steps.split(Planning(engine, RequestLimits(10**6, 10**6, 64, 20_000), 5), request)

    class Here:
        def __init__(self) -> None:
            self.engine, self.params = engine, {**plan.params, "segments": True}

    context: Any = Here()
    outputs = [operation.steps.work(context, chunk) for _, chunk in plan.chunks]
    assert len(outputs) == 3 and outputs[0]["rows"][0]["source"] == SOURCES[0]
    assert operation.steps.finish(context, outputs) == asked(engine, ["neural:comet-estimator"], sources=SOURCES, segments=True)


def test_other_operations_refuse_them(engine: Engine) -> None:
    with pytest.raises(InputError, match="neural metrics work in score, mbr, oracle and tune on lists"):
        engine.metrics(["neural:comet-estimator"])


def test_the_catalogue_names_them_only_where_there_are_some(engine: Engine, tmp_path: Path) -> None:
    listed = list_metrics(engine)
    assert "neural:comet-unified" in {row["name"] for row in listed["neural"]}
    (row,) = (row for row in listed["neural"] if row["name"] == "neural:comet-unified")
    assert (
        row["non_commercial"]
        and row["licence"] == "CC-BY-NC-SA-4.0"
        and row["compares"] == "translation, source, reference where given"
    )
    assert "neural" not in list_metrics(Engine.open(tmp_path, tmp_path))
    shutil.copytree(DATA / "comet-estimator", tmp_path / "checkpoints" / "damaged")
    broken = list_metrics(Engine.open(tmp_path, tmp_path, checkpoints=tmp_path / "checkpoints"))["broken"]
    assert "damaged" in json.dumps(broken)


def test_work_grows_with_texts(engine: Engine) -> None:
    def work(metrics: list[str], length: int) -> int:
        texts = ["x" * length]
        return operation.cost(engine, ScoreRequest.model_validate({"metrics": metrics, "systems": {"a": texts}, "references": {"r": texts}, "sources": texts})).work  # fmt: skip

    assert work(["neural:a"], 100) > 100 * work(["bleu"], 100)
    assert work(["neural:a"], 4096) > work(["neural:a"], 20_000) - work(["bleu"], 20_000) > work(["neural:a"], 4000)


def test_statistics_that_are_none_are_not_possible() -> None:
    metric = NeuralMetric(Checkpoints(DATA).checkpoint("comet-estimator"), ())
    rows = np.array([[1.5, 1, 0], [1.5, 2, 0], [1.5, 1, 0.5], [np.nan, 1, 0]])
    assert metric.plausible_rows(rows, 1).tolist() == [True, False, False, False]
