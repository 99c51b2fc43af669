"""From labels on a scale of their own to a model that is followed: trained, asked, corrected and given a next version in one house."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from app.engine import Engine
from app.engine.segments import Segments
from app.errors import InputError
from app.operations.evaluate import EvaluateRequest
from app.operations.evaluate import operation as evaluating
from app.operations.judgements.feedback import FeedbackItem, FeedbackRequest, give_feedback
from app.operations.judgements.records import CorrectionRequest, KeptJudgement, correction
from app.operations.models import list_models
from app.operations.operation import Judgement, Planning
from app.operations.parts.label_values import check_labels
from app.operations.parts.limits import RequestLimits
from app.operations.quality import operation as quality
from app.operations.train import TrainRequest
from app.operations.train import operation as training
from app.operations.train.scale import label_of
from app.registry.artifacts import LocalArtifacts
from app.settings import Settings
from app.shell.here import settings_here
from app.shell.local_jobs import run_here
from app.text import LanguagePair

WORDS = ["the", "old", "house", "on", "the", "hill", "is", "very", "big"]
SCALE = {"direction": "lower is better", "classes": [1, 2, 3], "unit": "grades"}
PAIR = {"source_language": "ro", "target_language": "en"}
LIMITS = RequestLimits.of_jobs(Settings())


def segment(row: int, label: float | None = None) -> dict[str, Any]:
    """One of the grades 1 (whole) to 3 (two thirds of the words are missing)."""
    text = " ".join(WORDS[: 9 - 3 * (row % 3)])
    made = {"source": f"Casa veche numărul {row} de pe deal este foarte mare.", "translation": text}
    return {**made, "label": float(row % 3 + 1) if label is None else label}


ROWS = [segment(row) for row in range(120)]


def asked(**fields: Any) -> TrainRequest:
    body = {**PAIR, "label": "effort", "feature_set": "quest-baseline-17", "learner": "ridge", "segments": ROWS, **fields}
    request = TrainRequest.model_validate_json(json.dumps({name: value for name, value in body.items() if value is not None}))
    training.check(request, LIMITS)
    return request


def planned(engine: Engine, request: TrainRequest, judgements: Sequence[Judgement] = ()) -> Any:
    class Feedback:
        def judgements(self, pair: str, label: str) -> Sequence[Judgement]:
            return judgements

    assert training.steps is not None
    return training.steps.split(Planning(engine, LIMITS, 500, Feedback()), request)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Engine, str]]:
    """An engine with what ships and one model of effort from 1 (best) to 3."""
    folder = tmp_path_factory.mktemp("scales")
    patch = pytest.MonkeyPatch()
    patch.setenv("ASSAY_DATA_DIR", str(folder))
    settings_here.cache_clear()
    settings = settings_here()
    engine = Engine.open(settings.resources_dir, settings.models_dir, settings.trained_models_dir)
    answer = run_here(training, engine, asked(scale=SCALE, name="grades"), LocalArtifacts(settings.trained_models_dir))
    yield engine, answer["model"]
    patch.undo()
    settings_here.cache_clear()


def test_answers_follow_the_declared_scale(house: tuple[Engine, str]) -> None:
    engine, name = house
    card = engine.models[name].card
    assert (card.unit, card.direction, card.accuracy["pearson"] > 0.9) == ("grades", "lower is better", True)
    # As good labels first make the highest DeltaAvg there is: about one grade better than the mean.
    assert card.accuracy["delta_avg"] > 0.5
    body = {**PAIR, "model": name, "segments": [{k: row[k] for k in ("source", "translation")} for row in ROWS[:3]]}
    request = quality.request.model_validate(body)
    assert quality.answer is not None
    answer = quality.answer(engine, request)
    assert (answer["label"], answer["unit"], answer["direction"]) == ("effort", "grades", "lower is better")
    whole, _, short = answer["segments"]
    assert whole["score"] < short["score"] and whole["confidence"] > 0.8 > 0.2 > short["confidence"]
    assert whole["confidence"] == pytest.approx((3 - whole["score"]) / 2, abs=1e-5)
    assert (whole["grade"], short["grade"]) == (1.0, 3.0)
    _, ranking = engine.rank(
        LanguagePair("ro", "en"),
        [row["source"] for row in ROWS[:3]],
        [{"short": " ".join(WORDS[:3]), "whole": " ".join(WORDS)}] * 3,
        name,
    )
    assert [row.system for row in ranking.systems] == ["whole", "short"]


def test_a_job_keeps_the_scale_with_the_label(house: tuple[Engine, str]) -> None:
    engine, name = house
    request = quality.request.model_validate({**PAIR, "model": name, "segments": [{"source": "Casa.", "translation": "House."}]})
    assert quality.steps is not None
    params = quality.steps.split(Planning(engine, LIMITS, 500), request).params
    assert json.loads(json.dumps(params["scale"])) == {
        "higher_is_better": False, "lowest": 1.0, "highest": 3.0, "classes": [1.0, 2.0, 3.0], "unit": "grades",
    }  # fmt: skip
    usual = quality.request.model_validate({**PAIR, "label": "da", "segments": [{"source": "Casa.", "translation": "House."}]})
    assert "scale" not in quality.steps.split(Planning(engine, LIMITS, 500), usual).params


def test_a_version_inherits_the_scale(house: tuple[Engine, str]) -> None:
    engine, name = house
    params = planned(engine, asked(base=name, learner=None, feature_set=None)).params
    assert params["scale"]["classes"] == (1.0, 2.0, 3.0)
    same = {"direction": "lower is better", "classes": [3, 2, 1]}
    assert planned(engine, asked(base=name, learner=None, feature_set=None, scale=same)).params["scale"] == params["scale"]
    for other in (
        {**SCALE, "direction": "higher is better"},
        {**SCALE, "classes": [1, 2, 3, 4]},
        {**SCALE, "unit": "points"},
        {"direction": "lower is better", "range": [1, 3]},
    ):
        with pytest.raises(InputError, match="scale: this is not the scale of the base, grades from 1 to 3, one of 1, 2, 3, lower"):
            planned(engine, asked(base=name, learner=None, feature_set=None, scale=other))
    with pytest.raises(InputError, match=r"segments.4.label: effort is one of 1, 2, 3"):
        planned(engine, asked(base=name, learner=None, feature_set=None, segments=[*ROWS[:4], segment(4, 1.5)]))
    artifacts = LocalArtifacts(settings_here().trained_models_dir)
    run_here(training, engine, asked(base=name, method="retrain", name="grades-2", learner=None, feature_set=None), artifacts)
    assert engine.models["grades-2"].card.scale == engine.models[name].card.scale
    run_here(training, engine, asked(base=name, method="adapt", name="grades-3", learner=None, feature_set=None), artifacts)
    assert engine.models["grades-3"].label == engine.models[name].label


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"scale": SCALE, "segments": [*ROWS[:7], segment(7, 2.5)]}, r"segments.7.label: effort is one of 1, 2, 3"),
        ({"scale": SCALE, "held_out": [segment(0, 0.0)]}, r"held_out.0.label: effort is from 1 to 3"),
        ({"scale": {"direction": "lower is better", "range": [None, 2.5]}}, r"segments.2.label: effort is from -1e\+09 to 2.5"),
        (
            {"label": "rank"},
            "label: labels are hter, da, effort, likert, time, origin; for another label give the better direction",
        ),
        ({"label": "rank", "scale": {"direction": "lower is better"}}, "scale: a scale needs classes, a range"),
        ({"label": "hter", "scale": SCALE}, "scale: hter is fraction of words"),
        ({"label": "origin", "scale": SCALE}, "scale: origin is probability of a person, higher is better, from 0 to 1"),
    ],
)
def test_labels_beside_their_scale_are_refused_by_their_row(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        asked(**fields)


def test_usual_labels_are_what_they_were() -> None:
    asked(scale={"direction": "higher is better", "range": [1, 5]})
    asked(label="rank", scale={"direction": "lower is better", "range": [1, None]})
    with pytest.raises(InputError, match=r"effort is from 1 to 5"):
        asked(segments=[segment(0, 6.0)])


def test_evaluation_refuses_labels_that_mean_something_else(house: tuple[Engine, str]) -> None:
    engine, name = house
    body = {**PAIR, "model": name, "segments": [*ROWS[:2], segment(2, 5.0)]}
    request = EvaluateRequest.model_validate(body)
    assert evaluating.steps is not None
    with pytest.raises(InputError, match=r"segments.2.label: effort is from 1 to 3"):
        evaluating.steps.split(Planning(engine, LIMITS, 500), request)


RAW = {"label": "da", "scale": None}


def test_ratings_out_of_a_hundred_are_no_z_scores(house: tuple[Engine, str]) -> None:
    # The extremes of MLQE-PE's training data are z-scores.
    asked(**RAW, segments=[segment(0, -7.542), segment(1, 3.178)])
    declared = "da is a z-score, so 58.8 is impossible.* subtract the mean .* without a base, .* --higher-is-better --range 0:100"
    with pytest.raises(InputError, match=f"segments.1.label: {declared}") as refused:
        asked(**RAW, segments=[segment(0, 0.5), segment(1, 58.8)])
    assert refused.value.code == "invalid-training-data"
    rated = {"direction": "higher is better", "range": [0, 100]}
    request = asked(label="da", scale=rated, segments=[segment(0, 58.8)])
    label = label_of(request.label, request.scale)
    assert (label.unit, label.lowest, label.highest) == ("points", 0, 100)
    engine, _ = house
    judged = FeedbackRequest.model_validate({"source": "Casa.", "translation": "House.", "score": 58.8, "label": "da", **PAIR})
    with pytest.raises(InputError, match=declared):
        give_feedback(engine, Keeper(), judged, LIMITS)
    run_here(training, engine, asked(**RAW, name="rated", segments=ROWS), LocalArtifacts(settings_here().trained_models_dir))
    request = EvaluateRequest.model_validate({**PAIR, "model": "rated", "segments": [segment(2, 58.8)]})
    assert evaluating.steps is not None
    with pytest.raises(InputError, match=declared):
        evaluating.steps.split(Planning(engine, LIMITS, 500), request)
    with pytest.raises(InputError, match=declared):
        planned(engine, asked(**RAW, base="rated", method="adapt", learner=None, feature_set=None, segments=[segment(0, 58.8)]))


def test_refusals_of_ratings_lead_to_a_training(house: tuple[Engine, str]) -> None:
    engine, _ = house
    rated: dict[str, Any] = {"label": "da", "scale": {"direction": "higher is better", "range": [0, 100]}}
    ratings = [segment(row, 30.0 * (row % 3)) for row in range(60)]
    with pytest.raises(InputError, match=r"leave base out, or leave scale out\. Send standardised ratings: subtract the mean"):
        planned(engine, asked(**rated, base="ro-en-da-gp-17", learner=None, feature_set=None, segments=ratings))
    artifacts = LocalArtifacts(settings_here().trained_models_dir)
    with pytest.raises(
        InputError, match=r"held_out_share: .* 12 rows; .*; hold out a share of 0\.34, or name a base: 20 rows are enough"
    ):
        run_here(training, engine, asked(**rated, segments=ratings, name="few"), artifacts)
    with pytest.raises(InputError, match=r"6 rows; .*; send 40 rows or more, or name a base"):
        run_here(training, engine, asked(**rated, segments=ratings[:30], name="fewer"), artifacts)
    assert (
        run_here(training, engine, asked(**rated, segments=ratings, held_out_share=0.34, name="few"), artifacts)["model"] == "few"
    )


class Keeper:
    def __init__(self) -> None:
        self.items: list[FeedbackItem] = []

    def add(self, items: Sequence[FeedbackItem]) -> list[str]:
        self.items += items
        return [str(place) for place, _ in enumerate(items)]


def test_feedback_is_held_to_the_scale_of_the_model_that_was_judged(house: tuple[Engine, str]) -> None:
    engine, name = house
    keeper = Keeper()

    def judge(score: float, **fields: Any) -> Any:
        request = FeedbackRequest.model_validate({"source": "Casa.", "translation": "House.", "score": score, **fields})
        return give_feedback(engine, keeper, request, LIMITS)

    (accepted,) = judge(3.0, model=name)["feedback"]
    assert (accepted["label"], accepted["unit"], accepted["direction"]) == ("effort", "grades", "lower is better")
    with pytest.raises(InputError, match="effort is from 1 to 3"):
        judge(5.0, model=name)
    # Models of the pair say what its effort means; of another pair it is as usual.
    with pytest.raises(InputError, match="effort is from 1 to 3"):
        judge(5.0, label="effort", **PAIR)
    assert judge(5.0, label="effort", source_language="et", target_language="en")["feedback"][0]["direction"] == "higher is better"
    with pytest.raises(InputError, match="labels are hter"):
        judge(1.0, label="rank", **PAIR)
    kept = KeptJudgement("1", 0.0, False, "", keeper.items[0])
    correct = correction(CorrectionRequest(score=4.0), 1000, lambda item: engine.registry.label(item.pair, item.label, item.model))
    with pytest.raises(InputError, match="effort is from 1 to 3"):
        correct(kept)


def test_a_version_learns_from_no_judgement_on_another_scale(house: tuple[Engine, str]) -> None:
    engine, name = house
    content = {"source": "Casa este mare.", "translation": "The house is big."}
    five = "ro-en-effort-usual"
    run_here(training, engine, asked(name=five), LocalArtifacts(settings_here().trained_models_dir))
    judgements = [
        Judgement("a", 2.0, False, content, name),
        Judgement("b", 2.0, False, content, five),
        Judgement("c", 5.0, False, content, None),
        Judgement("d", 2.5, False, content, None),
        Judgement("e", 3.0, False, content, None),
    ]
    plan = planned(engine, asked(base=name, feedback=True, learner=None, feature_set=None), judgements)
    left_out = {row["id"]: row["reason"] for row in plan.params["left_out_feedback"]["left_out"]}
    assert left_out == {
        "b": f"it was given on another scale, that of {five}",
        "c": "label: effort is from 1 to 3",
        "d": "label: effort is one of 1, 2, 3",
    }
    with pytest.raises(InputError, match="models of ro-en have effort on several scales; name the model of the judgement"):
        engine.registry.label("ro-en", "effort", None)
    check_labels(engine.registry.label("ro-en", "effort", five), [5.0])
    assert engine.quality(Segments(LanguagePair("ro", "en"), ["Casa."], ["House."]), five).model.card.scale is None


def test_what_is_kept_is_read_again(house: tuple[Engine, str], tmp_path: Path) -> None:
    engine, name = house
    entry = next(entry for entry in engine.registry.entries if entry.id == name)
    assert json.loads(json.dumps(entry.details["scale"]))["classes"] == [1.0, 2.0, 3.0]
    # As the card of `assay models list NAME` and GET /v1/models/NAME has it.
    models = {row["id"]: row for row in json.loads(json.dumps(list_models(engine)))["models"]}
    assert models[name]["scale"]["unit"] == "grades" and "scale" not in models["ro-en-hter-blend-95"]
    shipped = next(entry for entry in engine.registry.entries if entry.id == "ro-en-hter-blend-95")
    assert "scale" not in shipped.details
