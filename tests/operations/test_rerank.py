"""Reranking by requests: orders by hand, features that are computed, votes, expected scores, jobs."""

from typing import Any

import pytest

from app.engine import Engine
from app.errors import InputError
from app.operations.operation import Planning
from app.operations.parts.limits import Limits
from app.operations.rerank import RerankRequest, operation
from app.settings import Settings

LISTS: list[list[dict[str, Any]]] = [
    [
        {"text": "the house is big", "score": -1.0, "features": {"lm": [-4.0], "tm": [-1.0, -2.0]}},
        {"text": "the house is large", "score": -1.5, "features": {"lm": [-5.0], "tm": [-0.5, -0.5]}},
        {"text": "the house is big", "score": -1.7, "features": {"lm": [-4.0], "tm": [-3.0, -2.0]}},
    ],
    [],
    [{"text": "he goes", "score": -2.0, "features": {"lm": [-3.0], "tm": [-1.0, -0.5]}}],
]
LIMITS = Limits(1000, 1000, 10, 1000)


def answered(engine: Engine, **fields: Any) -> Any:
    request = RerankRequest.model_validate({"n_best": LISTS, **fields})
    operation.check(request, LIMITS)
    assert operation.answer is not None
    return operation.answer(engine, request)


def test_an_order_by_hand(engine: Engine) -> None:
    answer = answered(engine, weights={"lm": [0.5], "tm": [1.0, 1.0]}, top=3)
    first, empty, last = answer["segments"]
    assert [entry["rank"] for entry in first["hypotheses"]] == [1, 0, 2]
    assert first["hypotheses"][0] == {
        "rank": 1,
        "text": "the house is large",
        "score": -3.5,
        "contributions": {"lm": -2.5, "tm": -1.0},
    }
    assert empty["hypotheses"] == []
    assert last["hypotheses"][0]["rank"] == 0
    assert (answer["lists"], answer["changed"], answer["mean_rank"]) == (3, 1, 0.5)


def test_features_are_computed_where_they_have_weights_or_are_asked_for(engine: Engine) -> None:
    answer = answered(
        engine, weights={"words": [1.0], "lm": [0.0], "tm": [0.0, 0.0], "gone": [1.0]}, features=["len"], distinct=True
    )
    assert answer["computed"] == ["len", "words"]
    assert answer["unused"] == ["gone"]
    assert answer["segments"][0]["hypotheses"][0]["features"] == {"len": 0.0, "words": 4.0}
    without = answered(engine, features=["lenr"], sources=["das haus ist groß", "", "er"], top=1000)
    assert [entry["rank"] for entry in without["segments"][0]["hypotheses"]] == [0, 1, 2]
    assert without["segments"][2]["hypotheses"][0]["features"] == {"lenr": 2.0}


def test_optima_vote(engine: Engine) -> None:
    likes_second = {"lm": [0.0], "tm": [1.0, 1.0]}
    likes_first = {"lm": [1.0], "tm": [0.0, 0.0]}
    answer = answered(engine, weights=likes_first, optima=[likes_second, likes_second])
    assert answer["segments"][0]["hypotheses"][0]["rank"] == 1
    assert answer["segments"][0]["hypotheses"][0]["score"] == 2
    assert answered(engine, weights=likes_first, optima=[likes_second])["segments"][0]["hypotheses"][0]["rank"] == 0


def test_expected_scores_choose(engine: Engine) -> None:
    """Two copies of one text outvote the hypothesis that the weights like a little more."""
    answer = answered(engine, weights={"lm": [0.0], "tm": [0.1, 0.1]}, mbr="sbleu", top=3)
    assert [entry["rank"] for entry in answer["segments"][0]["hypotheses"]] == [0, 2, 1]
    assert answer["segments"][0]["hypotheses"][0]["expected"] > answer["segments"][0]["hypotheses"][2]["expected"]


def test_loaded_resources_and_predictors_are_features(engine: Engine) -> None:
    lists = [[{"text": "The house is big.", "score": 0.0}, {"text": "House house 5 of of", "score": -1.0}]]
    fields = {"n_best": lists, "sources": ["Casa este mare."], "source_language": "ro", "target_language": "en", "top": 2}
    answer = answered(engine, **fields, features=["lm3", "ibm", "ibm-1", "plm3", "quality"])
    good, bad = (entry["features"] for entry in answer["segments"][0]["hypotheses"])
    assert list(good) == ["lm3", "ibm", "ibm-1", "plm3", "qe", "qe-std", "qe-words", "qe-gaps", "qe-warnings"]
    assert good["qe-words"] < bad["qe-words"]
    assert good["lm3"] > bad["lm3"]
    assert bad["qe-warnings"] > good["qe-warnings"]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"features": ["none"]}, "invalid-weights"),
        ({"features": ["lm3"]}, "missing-resource"),
        ({"features": ["qe"], "source_language": "ro", "target_language": "en"}, "missing-evidence"),
        ({"features": ["qe"], "sources": ["a", "b", "c"]}, "invalid-request"),
        ({"weights": {"lm": [1.0]}}, "missing-weights"),
        ({"weights": {"lm": [1.0, 2.0], "tm": [1.0, 1.0]}}, "missing-weights"),
        ({"weights": {"lm": [1e308], "tm": [1e308, 1e308]}}, "invalid-table"),
        ({"mbr": "chrf"}, "missing-weights"),
        ({"weights": {"lm": [1.0]}, "mbr": "none"}, "unknown-metric"),
        ({"source_language": "ro"}, "invalid-request"),
        ({"sources": ["a"]}, "unequal-lengths"),
        ({"n_best": [[]]}, "empty-input"),
    ],
)
def test_what_cannot_be_is_refused(engine: Engine, fields: dict[str, Any], code: str) -> None:
    with pytest.raises(InputError) as problem:
        answered(engine, **fields)
    assert problem.value.code == code


class _Steps:
    """A context without a queue."""

    def __init__(self, engine: Engine, params: Any) -> None:
        self.engine, self.params, self.job, self.artifacts = engine, params, "", None


def test_a_job_gives_what_a_call_gives(engine: Engine) -> None:
    fields = {"weights": {"lm": [0.5], "tm": [1.0, 1.0], "lenr": [1.0]}, "sources": ["das haus ist groß", "", "er"]}
    request = RerankRequest.model_validate({"n_best": LISTS, **fields})
    assert operation.steps is not None
    plan = operation.steps.split(Planning(engine, Limits.of_jobs(Settings()), 1), request)
    context: Any = _Steps(engine, plan.params)
    outputs = [operation.steps.work(context, chunk) for _, chunk in plan.chunks]
    answer = answered(engine, **fields)
    assert [row for output in outputs for row in output["rows"]] == answer.pop("segments")
    assert operation.steps.finish(context, outputs) == answer
