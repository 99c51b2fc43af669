"""Translation selection in one house: models of systems, rankings by them, and the accuracy of their selections."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from app.engine import Engine
from app.errors import InputError
from app.operations.evaluate import operation as evaluating
from app.operations.operation import Planning
from app.operations.parts.limits import RequestLimits
from app.operations.quality import operation as quality
from app.operations.rank import operation as ranking
from app.operations.train import TrainRequest
from app.operations.train import operation as training
from app.registry.artifacts import LocalArtifacts
from app.settings import Settings
from app.shell.here import settings_here
from app.shell.local_jobs import run_here

WORDS = ["the", "old", "house", "on", "the", "hill", "is", "very", "big"]
PAIR = {"source_language": "ro", "target_language": "en"}
LIMITS = RequestLimits.of_jobs(Settings())
ROWS = 100


def translation(row: int, system: str) -> tuple[str, float]:
    """A translation that lacks words, and its label; `b` is better for every third source."""
    lacking = row % 4 if system == "a" else (0 if row % 3 == 0 else 3)
    return " ".join(WORDS[: 9 - 2 * lacking]), lacking / 4


def segment(row: int, system: str) -> dict[str, Any]:
    text, label = translation(row, system)
    source = f"Casa veche numărul {row} de pe deal este foarte mare."
    return {"source": source, "translation": text, "label": label, "task": system}


LABELLED = [segment(row, system) for system in "ab" for row in range(ROWS)]


def train(engine: Engine, artifacts: LocalArtifacts, **fields: Any) -> Any:
    body = {**PAIR, "label": "hter", "feature_set": "quest-baseline-17", "segments": LABELLED, **fields}
    request = TrainRequest.model_validate_json(json.dumps(body))
    training.check(request, LIMITS)
    return run_here(training, engine, request, artifacts)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Engine, dict[str, str]]]:
    """An engine with a model of each system (`a`, `b`), a pooled one, one of `a` alone, and one of origins, by these names."""
    folder = tmp_path_factory.mktemp("selection")
    patch = pytest.MonkeyPatch()
    patch.setenv("ASSAY_DATA_DIR", str(folder))
    settings_here.cache_clear()
    settings = settings_here()
    engine = Engine.open(settings.resources_dir, settings.models_dir, settings.trained_models_dir)
    artifacts = LocalArtifacts(settings.trained_models_dir)
    apart = train(engine, artifacts, learner="svr", sharing="independent")
    models = {row["task"]: row["model"] for row in apart["models"]}
    plain = [{name: value for name, value in row.items() if name != "task"} for row in LABELLED]
    models["pooled"] = train(engine, artifacts, learner="svr", segments=plain, name="pooled")["model"]
    models["a alone"] = train(engine, artifacts, learner="svr", segments=plain[:ROWS], name="a-alone")["model"]
    origins = [{**row, "label": float(row["translation"] == " ".join(WORDS))} for row in plain]
    models["origin"] = train(engine, artifacts, learner="svc", label="origin", segments=origins, name="origins")["model"]
    yield engine, models
    patch.undo()
    settings_here.cache_clear()


def ranked(engine: Engine, rows: int = 6, **fields: Any) -> Any:
    segments = [
        {
            "source": segment(row, "a")["source"],
            "translations": [{"system": system, "text": segment(row, system)["translation"]} for system in "ab"],
        }
        for row in range(rows)
    ]
    request = ranking.request.model_validate({**PAIR, "segments": segments, **fields})
    ranking.check(request, LIMITS)
    assert ranking.answer is not None
    return json.loads(json.dumps(ranking.answer(engine, request), allow_nan=False))


def scored(engine: Engine, model: str, system: str, rows: int = 6) -> list[tuple[float, float]]:
    segments = [{k: segment(row, system)[k] for k in ("source", "translation")} for row in range(rows)]
    assert quality.answer is not None
    answer = quality.answer(engine, quality.request.model_validate({**PAIR, "model": model, "segments": segments}))
    return [(row["score"], row["std"]) for row in answer["segments"]]


def scores_in(answer: Any, system: str, name: str = "score") -> list[Any]:
    return [next(row[name] for row in segment["order"] if row["system"] == system) for segment in answer["segments"]]


def test_a_model_of_a_system_is_the_model_of_its_rows_alone(house: tuple[Engine, dict[str, str]]) -> None:
    engine, models = house
    assert models["a"] == "ro-en-hter-svr-17-of-2-a"
    of_task, alone = engine.models[models["a"]], engine.models[models["a alone"]]
    for name, array in of_task.regressor.arrays().items():
        assert np.array_equal(array, alone.regressor.arrays()[name]), name
    assert of_task.card.accuracy["pearson"] == alone.card.accuracy["pearson"]


def test_with_known_systems_each_candidate_has_its_model(house: tuple[Engine, dict[str, str]]) -> None:
    engine, models = house
    answer = ranked(engine, models={"a": models["a"], "b": models["b"]})
    assert answer["model"] == f"{models['a']}+{models['b']}"
    assert (answer["label"], answer["unit"], answer["direction"]) == ("hter", "fraction of words", "lower is better")
    for system in "ab":
        expected = scored(engine, models[system], system)
        assert scores_in(answer, system) == pytest.approx([mean for mean, _ in expected], abs=1e-6)
        assert scores_in(answer, system, "std") == pytest.approx([std for _, std in expected], abs=1e-6)
        assert [list(row) for row in scores_in(answer, system, "scores")] == [[models[system]]] * 6
    assert all(segment["order"] == sorted(segment["order"], key=lambda row: row["score"]) for segment in answer["segments"])
    assert all("warnings" in row for segment in answer["segments"] for row in segment["order"])


def test_with_unknown_systems_the_mean_of_all_models_counts(house: tuple[Engine, dict[str, str]]) -> None:
    engine, models = house
    answer = ranked(engine, models=[models["a"], models["b"]])
    for system in "ab":
        first, second = (np.array(scored(engine, models[name], system)) for name in "ab")
        assert scores_in(answer, system) == pytest.approx((first[:, 0] + second[:, 0]) / 2, abs=2e-6)
        variance = (first[:, 1] ** 2 + second[:, 1] ** 2) / 2 + (first[:, 0] - second[:, 0]) ** 2 / 4
        assert scores_in(answer, system, "std") == pytest.approx(np.sqrt(variance), abs=2e-6)
        assert [row[models["b"]] for row in scores_in(answer, system, "scores")] == pytest.approx(second[:, 0], abs=1e-6)
    # `b` is unknown here: the mean of all models, of which there is one.
    half_known = ranked(engine, models={"a": models["a"]})
    assert scores_in(half_known, "b") == pytest.approx([mean for mean, _ in scored(engine, models["a"], "b")], abs=1e-6)


def test_one_model_in_a_list_is_this_model(house: tuple[Engine, dict[str, str]]) -> None:
    engine, models = house
    alone, listed = ranked(engine, model=models["pooled"]), ranked(engine, models=[models["pooled"]])
    for one, other in zip(alone["segments"], listed["segments"], strict=True):
        assert one["order"] == [{k: v for k, v in row.items() if k != "scores"} for row in other["order"]]
    assert alone["systems"] == listed["systems"] and alone["model"] == listed["model"]


def test_a_job_of_several_models_is_the_call(house: tuple[Engine, dict[str, str]]) -> None:
    engine, models = house
    fields = {"models": {"a": models["a"], "b": models["b"]}}
    direct = ranked(engine, **fields)
    segments = [
        {
            "source": segment(row, "a")["source"],
            "translations": [{"system": system, "text": segment(row, system)["translation"]} for system in "ab"],
        }
        for row in range(6)
    ]
    request = ranking.request.model_validate({**PAIR, **fields, "segments": segments})
    assert ranking.steps is not None
    plan = ranking.steps.split(Planning(engine, LIMITS, 4), request)
    assert len(list(plan.chunks)) == 2 and plan.params["model"] == direct["model"]
    summary = run_here(ranking, engine, request, LocalArtifacts(settings_here().trained_models_dir))
    assert summary["systems"] == direct["systems"]


def refused(operation: Any, body: dict[str, Any], engine: Engine | None = None) -> str:
    with pytest.raises(InputError) as error:
        request = operation.request.model_validate({**PAIR, **body})
        operation.check(request, LIMITS)
        operation.steps.split(Planning(engine, LIMITS, 500), request)
    return f"{'.'.join(map(str, error.value.where))}: {error.value.detail}"


def test_models_that_cannot_rank_are_refused_by_name(house: tuple[Engine, dict[str, str]]) -> None:
    engine, models = house
    segments = [{"source": "Casa.", "translations": [{"system": "a", "text": "House."}, {"system": "b", "text": "Home."}]}]

    def of(**fields: Any) -> str:
        return refused(ranking, {"segments": segments, **fields}, engine)

    assert of(models=["ro-en-da-gp-17", models["a"]]).startswith("models: models that select together predict one label")
    assert of(models={"c": models["a"]}) == "models: no translation is of the system c"
    assert of(model=models["a"], models=[models["b"]]) == "models: give model or models"
    assert of(models=["nobody"]).startswith("model: models for ro-en are ")


def evaluated(engine: Engine, segments: list[dict[str, Any]] = LABELLED, **fields: Any) -> Any:
    request = evaluating.request.model_validate({**PAIR, "segments": segments, **fields})
    evaluating.check(request, LIMITS)
    answer = run_here(evaluating, engine, request, LocalArtifacts(settings_here().trained_models_dir))
    return json.loads(json.dumps(answer, allow_nan=False))


def test_selections_are_measured_beside_their_bounds(house: tuple[Engine, dict[str, str]]) -> None:
    engine, models = house
    referenced = [{**row, "reference": " ".join(WORDS)} for row in LABELLED]
    answer = evaluated(engine, referenced, models={"a": models["a"], "b": models["b"]})
    assert [row["model"] for row in answer["models"]] == [models["a"], models["b"]]
    selection = answer["selection"]
    labels = np.array([[translation(row, system)[1] for system in "ab"] for row in range(ROWS)])
    own = np.array([[mean for mean, _ in scored(engine, models[system], system, ROWS)] for system in "ab"]).T
    both = np.array(
        [[[mean for mean, _ in scored(engine, models[name], system, ROWS)] for system in "ab"] for name in "ab"]
    ).mean(0).T  # fmt: skip
    best = labels == labels.min(1, keepdims=True)
    for scores, chooser in ((own, selection["non_blind"]), (both, selection["blind"])):
        ties = np.abs(scores - scores.min(1, keepdims=True)) < 2e-6
        weights = ties / ties.sum(1, keepdims=True)
        assert chooser["accuracy"] == pytest.approx((weights * best).sum() / ROWS, abs=1e-6)
        assert chooser["label"] == pytest.approx((weights * labels).sum() / ROWS, abs=1e-6)
    assert (selection["sources"], selection["left_out"]) == (ROWS, 0)
    assert selection["oracle"]["label"] == pytest.approx(labels.min(1).mean())
    assert selection["chance"]["label"] == pytest.approx(labels.mean())
    assert selection["best_system"] == "ab"[int(labels.mean(0).argmin())]
    assert selection["systems"]["b"]["accuracy"] == pytest.approx(best[:, 1].mean())
    choosers = [*selection["models"].values(), *selection["systems"].values(), selection["blind"], selection["non_blind"]]
    assert all(chooser["label"] >= selection["oracle"]["label"] for chooser in choosers)
    assert all(0 <= chooser[name] <= 100 for chooser in [*choosers, selection["chance"]] for name in ("bleu", "chrf"))
    assert selection["oracle"]["chrf"] > selection["chance"]["chrf"]


def test_a_pooled_model_selects_alone(house: tuple[Engine, dict[str, str]]) -> None:
    engine, models = house
    answer = evaluated(engine, model=models["pooled"])
    assert answer["selection"]["models"].keys() == {"pooled"}
    assert "blind" not in answer["selection"] and "bleu" not in answer["selection"]["oracle"]
    assert answer["selection"]["models"]["pooled"]["accuracy"] > answer["selection"]["chance"]["accuracy"]


def test_documents_and_systems_are_measured_together(house: tuple[Engine, dict[str, str]]) -> None:
    engine, models = house
    rows = [{**row, "document": str(k % 3)} for k, row in enumerate(LABELLED)]
    answer = evaluated(engine, rows, model=models["pooled"])
    assert answer["selection"] == evaluated(engine, LABELLED, model=models["pooled"])["selection"]
    assert "documents" in answer


def test_one_system_is_no_selection_and_no_system_no_question(house: tuple[Engine, dict[str, str]]) -> None:
    engine, models = house
    assert evaluated(engine, LABELLED[:ROWS], model=models["pooled"])["selection"] is None
    plain = [{name: value for name, value in row.items() if name != "task"} for row in LABELLED]
    assert "selection" not in evaluated(engine, plain, model=models["pooled"])


def test_incomplete_evidence_is_refused_by_its_place(house: tuple[Engine, dict[str, str]]) -> None:
    engine, models = house
    plain = {name: value for name, value in LABELLED[1].items() if name != "task"}
    assert refused(evaluating, {"segments": [LABELLED[0], plain]}) == (
        "segments.1.task: task is given for some segments but not for this one"
    )
    half = [{**LABELLED[0], "reference": "a"}, LABELLED[1]]
    assert refused(evaluating, {"segments": half}).startswith("segments.1.reference: reference is given for some")
    half = [{**LABELLED[0], "document": "a"}, LABELLED[1]]
    assert refused(evaluating, {"segments": half}).startswith("segments.1.document: document is given for some")
    assert refused(evaluating, {"segments": [{**plain, "reference": "a"}]}).startswith("segments.0.task: a reference is for")
    assert refused(evaluating, {"segments": LABELLED, "models": {"c": "x"}}) == "models: no segment has the task c"
    mixed = {"segments": LABELLED, "models": [models["a"], "ro-en-da-gp-17"]}
    assert refused(evaluating, mixed, engine).startswith("models: models that select together predict one label")
    several = [{**row, "task": str(k)} for k, row in enumerate(LABELLED)]
    assert "at most" in refused(evaluating, {"segments": several})


def test_other_learners_share_nothing_between_tasks() -> None:
    body = {"label": "hter", "learner": "svr", "segments": LABELLED}
    assert refused(training, body).startswith("learner: tasks share what gp learns")


def test_an_origin_is_answered_with_its_unit_and_measured_by_class(house: tuple[Engine, dict[str, str]]) -> None:
    engine, models = house
    segments = [{k: row[k] for k in ("source", "translation")} for row in (LABELLED[0], LABELLED[3])]
    assert quality.answer is not None
    answer = quality.answer(engine, quality.request.model_validate({**PAIR, "model": models["origin"], "segments": segments}))
    assert (answer["label"], answer["unit"], answer["direction"]) == ("origin", "probability of a person", "higher is better")
    whole, short = answer["segments"]
    assert (whole["grade"], short["grade"]) == (1.0, 0.0)
    for row in answer["segments"]:
        assert row["grade_probabilities"] == pytest.approx([1 - row["score"], row["score"]])
        assert row["confidence"] <= row["score"] + 1e-9
    origins = [{**row, "label": float(row["translation"] == " ".join(WORDS))} for row in LABELLED]
    plain = [{name: value for name, value in row.items() if name != "task"} for row in origins]
    measured = evaluated(engine, plain, model=models["origin"])
    assert [row["segments"] for row in measured["grades"]] == [sum(row["label"] == k for row in plain) for k in (0, 1)]
    assert all(row["f1"] > 0.9 for row in measured["grades"])
    assert refused(evaluating, {"segments": LABELLED, "model": models["origin"]}, engine).startswith(
        "segments.1.label: origin is one of"
    )
    # A question that names no label is never about origins.
    usual = quality.answer(engine, quality.request.model_validate({**PAIR, "segments": segments}))
    assert usual["label"] == "hter"
