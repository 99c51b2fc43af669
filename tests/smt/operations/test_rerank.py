"""Reranking by requests: orders by hand, features that are computed, votes, expected scores, jobs."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sacrebleu
from sacrebleu.significance import PairedTest

from app.engine import Engine
from app.errors import InputError
from app.metrics import metric_named
from app.operations.operation import Planning
from app.operations.parts.limits import RequestLimits
from app.running.journal import SILENT
from app.settings import Settings
from app.smt.operations.rerank import RerankRequest, operation
from app.text.feature_columns.sparse import SparseColumns
from app.text.n_best import NBestLists
from app.text.packed_texts import PackedTexts
from tests.features.hashed_reader import HashedReader

LISTS: list[list[dict[str, Any]]] = [
    [
        {"text": "the house is big", "score": -1.0, "features": {"lm": [-4.0], "tm": [-1.0, -2.0]}},
        {"text": "the house is large", "score": -1.5, "features": {"lm": [-5.0], "tm": [-0.5, -0.5]}},
        {"text": "the house is big", "score": -1.7, "features": {"lm": [-4.0], "tm": [-3.0, -2.0]}},
    ],
    [],
    [{"text": "he goes", "score": -2.0, "features": {"lm": [-3.0], "tm": [-1.0, -0.5]}}],
]
RO_EN = {"source_language": "ro", "target_language": "en"}
LIMITS = RequestLimits(1000, 1000, 10, 1000)


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


def test_a_profile_says_what_predicted_quality_asks(engine: Engine) -> None:
    fields = {"features": ["qe"], "sources": ["Casa este mare.", "", "El merge."], **RO_EN}
    assert answered(engine, **fields, profile="fast") == answered(engine, **fields)
    # What a network would add counts where it is asked, and only there.
    reading = Engine(replace(engine.resources, cross_encoder=HashedReader()), engine.registry)
    request = RerankRequest.model_validate({"n_best": LISTS, **fields})
    fast, others = request.model_copy(update={"profile": "fast"}), request.model_copy(update={"features": ["len"]})
    assert operation.cost(reading, request).work > operation.cost(reading, fast).work == operation.cost(engine, request).work
    assert operation.cost(reading, others).model_work == 0


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"features": ["none"]}, "invalid-weights"),
        ({"features": ["lm3"]}, "missing-resource"),
        ({"features": ["qe"], "source_language": "ro", "target_language": "en"}, "missing-evidence"),
        ({"features": ["qe"], "sources": ["a", "b", "c"]}, "invalid-request"),
        ({"features": ["qe"], "sources": ["a", "b", "c"], **RO_EN, "profile": "accurate"}, "missing-encoder"),
        (
            {"features": ["qe"], "sources": ["a", "b", "c"], **RO_EN, "target_language": "fr", "profile": "fast"},
            "unknown-language-pair",
        ),
        ({"weights": {"lm": [1.0]}}, "missing-weights"),
        ({"weights": {"lm": [1.0, 2.0], "tm": [1.0, 1.0]}}, "missing-weights"),
        ({"weights": {"lm": [1e308], "tm": [1e308, 1e308]}}, "invalid-table"),
        ({"weights": {"lm": [0.0], "tm": [0.0, -0.0]}}, "degenerate-weights"),
        ({"weights": {"lm": [1.0], "tm": [1.0, 1.0]}, "optima": [{"lm": [0.0], "tm": [0.0, 0.0]}]}, "degenerate-weights"),
        ({"mbr": "chrf"}, "missing-weights"),
        ({"weights": {"lm": [1.0]}, "mbr": "none"}, "unknown-metric"),
        ({"source_language": "ro"}, "invalid-request"),
        ({"sources": ["a"]}, "unequal-lengths"),
        ({"n_best": [[]]}, "empty-input"),
        ({"metric": "chrf"}, "missing-evidence"),
        ({"references": {"A": ["a"]}}, "unequal-lengths"),
        ({"references": {"A": ["a", "b", "c"]}, "metric": "none"}, "unknown-metric"),
    ],
)
def test_what_cannot_be_is_refused(engine: Engine, fields: dict[str, Any], code: str) -> None:
    with pytest.raises(InputError) as problem:
        answered(engine, **fields)
    assert problem.value.code == code


@pytest.mark.parametrize("count", [1, 5])
def test_lists_without_a_source_or_reference_have_a_cost(engine: Engine, count: int) -> None:
    """The cost is known before the request is checked."""
    fields = {"features": ["qe"], **RO_EN, "sources": ["a"] * count, "references": {"A": ["a"] * count}}
    reading = Engine(replace(engine.resources, cross_encoder=HashedReader()), engine.registry)
    assert operation.cost(reading, RerankRequest.model_validate({"n_best": LISTS, **fields})).work > 0


class _Steps:
    """A context without a queue."""

    def __init__(self, engine: Engine, params: Any) -> None:
        self.engine, self.params, self.job, self.artifacts = engine, params, "", None
        self.report = SILENT.report


def test_a_job_gives_what_a_call_gives(engine: Engine) -> None:
    fields = {"weights": {"lm": [0.5], "tm": [1.0, 1.0], "lenr": [1.0]}, "sources": ["das haus ist groß", "", "er"]}
    request = RerankRequest.model_validate({"n_best": LISTS, **fields})
    assert operation.steps is not None
    plan = operation.steps.split(Planning(engine, RequestLimits.of_jobs(Settings()), 1), request)
    context: Any = _Steps(engine, plan.params)
    outputs = [operation.steps.work(context, chunk) for _, chunk in plan.chunks]
    answer = answered(engine, **fields)
    assert [row for output in outputs for row in output["rows"]] == answer.pop("segments")
    assert operation.steps.finish(context, outputs) == answer


def test_a_job_measures_as_a_call_does(engine: Engine) -> None:
    fields = {"weights": {"lm": [0.5], "tm": [1.0, 1.0]}, "references": REFERENCES, "metric": "chrf", "changes": True}
    request = RerankRequest.model_validate({"n_best": LISTS, **fields})
    assert operation.steps is not None
    planning = Planning(engine, RequestLimits.of_jobs(Settings()), 1)
    plan = operation.steps.split(planning, request)
    context: Any = _Steps(engine, plan.params)
    outputs = [operation.steps.work(context, chunk) for _, chunk in plan.chunks]
    answer = answered(engine, **fields)
    assert [row for output in outputs for row in output["rows"]] == answer.pop("segments")
    assert operation.steps.finish(context, outputs) == answer and answer["measured"]["segments"] == 2
    with pytest.raises(InputError) as problem:
        operation.steps.split(planning, request.model_copy(update={"metric": "nist"}))
    assert problem.value.code == "invalid-job"
    with pytest.raises(InputError) as problem:
        operation.steps.split(planning, request.model_copy(update={"mbr": "nist"}))
    assert (problem.value.code, problem.value.where) == ("invalid-job", ("params", "mbr"))


def test_a_trained_metric_is_expected_like_any_other(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    fields = {"weights": {"lm": [0.5], "tm": [1.0, 1.0]}}
    with monkeypatch.context() as patched:
        patched.setattr(engine, "metrics", lambda names: {name: metric_named("chrf") for name in names})
        trained = answered(engine, **fields, mbr="trained:toy")
    assert trained == answered(engine, **fields, mbr="chrf")
    with pytest.raises(InputError) as problem:
        answered(engine, **fields, mbr="trained:toy")
    assert (problem.value.code, problem.value.where) == ("unknown-metric", ("mbr",))


REFERENCES = {"A": ["the house is large", "", "he goes"], "B": ["the house is quite large", "", "he went"]}


def test_what_was_gained_is_what_sacrebleu_measures(engine: Engine) -> None:
    """Corpus and sentence scores, and the p-value of its paired bootstrap on the same draws."""
    lists, references = _lists_of_words(np.random.default_rng(3), 40)
    lists[7] = []
    answer = answered(engine, n_best=lists, weights={"good": [1.0]}, references=references, changes=True)
    measured = answer["measured"]
    there = [row for row in answer["segments"] if row["hypotheses"]]
    assert len(there) == measured["segments"] == 39 and answer["segments"][7] == {"hypotheses": []}
    texts = [[text for i, text in enumerate(texts) if i != 7] for texts in references.values()]
    for side in ("first", "chosen"):
        outputs = [row[side] for row in there]
        assert measured[f"{side}_score"] == pytest.approx(sacrebleu.corpus_bleu(outputs, texts).score)
        alone = [sacrebleu.BLEU().corpus_score([text], [[one] for one in row["references"]]).score
                 for text, row in zip(outputs, there, strict=True)]  # fmt: skip
        assert [row[f"{side}_score"] for row in there] == pytest.approx(alone)
    assert measured["gain"] == pytest.approx(measured["chosen_score"] - measured["first_score"])
    assert [row["gain"] for row in there] == pytest.approx([row["chosen_score"] - row["first_score"] for row in there])
    gains = [row["gain"] for row in there]
    assert (measured["wins"], measured["losses"]) == (sum(gain > 0 for gain in gains), sum(gain < 0 for gain in gains))
    assert measured["gain_interval"][0] < measured["gain"] < measured["gain_interval"][1]
    systems = [(side, [row[side] for row in there]) for side in ("first", "chosen")]
    bleu = sacrebleu.BLEU(references=texts)
    paired = PairedTest(systems, {"BLEU": bleu}, references=None, test_type="bs", n_samples=1000)
    _, scores = paired()
    assert measured["p_value"] == pytest.approx(scores["BLEU"][1].p_value, abs=1e-9)


def test_error_rates_gain_by_falling(engine: Engine) -> None:
    answer = answered(engine, weights={"lm": [0.0], "tm": [1.0, 1.0]}, references=REFERENCES, metric="ter")
    measured, row = answer["measured"], answer["segments"][0]
    references = [[texts[0], texts[2]] for texts in REFERENCES.values()]
    for side, first in (("first", "the house is big"), ("chosen", "the house is large")):
        assert measured[f"{side}_score"] == pytest.approx(sacrebleu.corpus_ter([first, "he goes"], references).score)
        assert row[f"{side}_score"] == pytest.approx(sacrebleu.sentence_ter(first, [texts[0] for texts in references]).score)
    assert row["gain"] == row["first_score"] - row["chosen_score"] > 0 and measured["gain"] > 0
    assert "first" not in row and answer["segments"][1] == {"hypotheses": []}


def test_what_moved_a_hypothesis_sums_to_how_far_it_is_ahead(engine: Engine) -> None:
    """Dense features by hand; sparse ones too, of which those of both hypotheses cancel out."""
    answer = answered(engine, weights={"lm": [0.5], "tm": [1.0, 1.0]}, changes=True, sources=["das haus", "", "er geht"])
    assert answer["segments"][0] | {"hypotheses": []} == {
        "source": "das haus", "references": [], "first": "the house is big", "chosen": "the house is large", "place": 2,
        "moved": [{"feature": "tm", "contribution": 2.0}, {"feature": "lm", "contribution": -0.5}], "hypotheses": [],
    }  # fmt: skip
    assert answer["segments"][2]["place"] == 1 and answer["segments"][2]["moved"] == []
    sparse = NBestLists(
        np.array([0, 2]), PackedTexts.of(["a", "b"]), np.zeros(2), ("d",), np.array([[1.0], [2.0]]),
        sparse=SparseColumns.of_entries(
            ("both", "one", "other"), 2, np.array([0, 0, 1, 1]), np.array([0, 1, 0, 2]), np.array([1.0, 1.0, 1.0, 3.0])
        ),
    )  # fmt: skip
    weights = {"d": [-1.0], "both": [5.0], "one": [0.5], "other": [1.0]}
    row = answered(engine, n_best=sparse, weights=weights, changes=True)["segments"][0]
    moved = {entry["feature"]: entry["contribution"] for entry in row["moved"]}
    assert row["chosen"] == "b" and moved == {"other": 3.0, "d": -1.0, "one": -0.5}
    assert next(iter(moved)) == "other"


def test_files_of_weights_are_those_that_commands_take() -> None:
    """Moses' numbers are of the lists' columns in their order; further files vote."""
    assert operation.read_files is not None
    lists = b"0 ||| a ||| lm= -1 tm= -2 -3 ||| -1\n"
    one = {"n_best": lists, "weights": b"0.5 0.1 0.2\n", "reference:A": b"a\n"}
    fields = operation.read_files(one)
    assert fields["weights"] == {"lm": [0.5], "tm": [0.1, 0.2]} and fields["references"] == {"A": ["a"]} and "optima" not in fields
    document = b'{"format": "assay-weights", "version": 1, "weights": {"lm": [1.0], "tm": [0.0, 1.0]}}'
    fields = operation.read_files({"n_best": lists, "weights:1": b"F0 1\nF1 0\nF2 0\n", "weights:2": document})
    assert fields["weights"] == {"lm": [1.0], "tm": [0.0, 0.0]} and fields["optima"] == [{"lm": [1.0], "tm": [0.0, 1.0]}]
    with pytest.raises(InputError) as problem:
        operation.read_files({"n_best": lists, "weights": b"\x00\xff"})
    assert problem.value.code == "invalid-weights"


def _lists_of_words(rng: np.random.Generator, segments: int) -> tuple[list[list[dict[str, Any]]], dict[str, list[str]]]:
    """Lists of three with one good feature, and two references."""
    words = np.array(list("abcdef"))
    lists: list[list[dict[str, Any]]] = []
    references: dict[str, list[str]] = {"A": [], "B": []}
    for _ in range(segments):
        text = rng.choice(words, 9)
        references["A"].append(" ".join(text))
        references["B"].append(" ".join(text[:8]))
        row = []
        for number in range(3):
            other = np.where(rng.random(9) < 0.3, rng.choice(words, 9), text)
            good = float((other == text).sum() + 2 * rng.normal())
            row.append({"text": " ".join(other), "score": -1.0 * number, "features": {"good": [good]}})
        lists.append(row)
    return lists, references
