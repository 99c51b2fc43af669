"""What imported checkpoints say as features, and predictors that learned from it: scores, intervals, cards, licences, refusals."""

import json
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.engine import Engine
from app.engine.segments import Segments
from app.errors import InputError
from app.operations.features import FeaturesRequest
from app.operations.features import operation as features
from app.operations.models import describe_model
from app.operations.parts.limits import RequestLimits
from app.operations.quality import QualityRequest, predict_quality
from app.operations.quality import operation as quality
from app.operations.resources import features_catalogue, list_metrics
from app.operations.score import ScoreRequest
from app.operations.score import operation as scoring
from app.operations.train import TrainRequest
from app.operations.train import operation as training
from app.registry.artifacts import LocalArtifacts
from app.resources.checkpoints import Checkpoints
from app.settings import Settings
from app.shell.here import settings_here
from app.shell.local_jobs import run_here
from app.text import LanguagePair

DATA = Path(__file__).parents[1] / "resources" / "checkpoints" / "data"
PAIR = {"source_language": "ro", "target_language": "en"}
RO_EN = LanguagePair("ro", "en")
# Its licence forbids commercial use.
ASKED = "neural.comet-unified"
WORDS = ("the", "old", "house", "stands", "on", "a", "hill", "and", "nobody", "lives", "there", "any", "more")


def segments(count: int, seed: int) -> tuple[list[str], list[str]]:
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(WORDS, rng.integers(4, 9))) for _ in range(count)]
    return [f"Casa veche numărul {row % 7} de pe deal." for row in range(count)], texts


def scores(name: str, sources: list[str], translations: list[str]) -> np.ndarray[Any, np.dtype[np.float64]]:
    rows = zip(sources, translations, [None] * len(sources), strict=True)
    return np.array([one.score for one in Checkpoints(DATA).checkpoint(name).scores(rows)])


@cache
def labelled(count: int, seed: int) -> list[dict[str, Any]]:
    """Labels that are the score of the checkpoint, and noise that is a third of what it varies by."""
    sources, texts = segments(count, seed)
    values = scores("comet-unified", sources, texts)
    labels = values / values.std() + np.random.default_rng(seed + 1).normal(0, 1 / 3, count)
    rows = zip(sources, texts, labels.tolist(), strict=True)
    return [{"source": source, "translation": text, "label": label} for source, text, label in rows]


def opened(checkpoints: Path | None) -> Engine:
    settings = settings_here()
    return Engine.open(settings.resources_dir, settings.models_dir, settings.trained_models_dir, checkpoints=checkpoints)


def trained(engine: Engine, name: str, feature_set: str) -> Any:
    request = TrainRequest.model_validate(
        {**PAIR, "label": "da", "feature_set": feature_set, "learner": "gp", "segments": labelled(240, 1), "name": name}
    )
    training.check(request, RequestLimits.of_jobs(Settings()))
    return run_here(training, engine, request, LocalArtifacts(settings_here().trained_models_dir))


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Engine, dict[str, Any]]]:
    """An engine with what ships, checkpoints, and predictors with and without the score of one."""
    patch = pytest.MonkeyPatch()
    patch.setenv("ASSAY_DATA_DIR", str(tmp_path_factory.mktemp("neural")))
    settings_here.cache_clear()
    engine = opened(DATA)
    without = trained(engine, "without", "quest-baseline-17")
    yield engine, {"without": without, "with": trained(engine, "with", f"quest-baseline-17+{ASKED}")}
    patch.undo()
    settings_here.cache_clear()


def quality_of(engine: Engine, **more: Any) -> Any:
    rows = [{"source": "Casa veche.", "translation": text} for text in ("the old house", "nobody lives there any more")]
    return predict_quality(engine, QualityRequest.model_validate({**PAIR, "segments": rows, **more}))


@pytest.mark.parametrize("name", ["comet-referenceless", "comet-unified", "transquest-mono", "metricx-24"])
def test_a_feature_is_the_score_of_the_metric(house: tuple[Engine, Any], name: str) -> None:
    sources, texts = segments(5, 0)
    request = {"metrics": [f"neural:{name}"], "systems": {"a": texts}, "references": {}, "sources": sources, "segments": True}
    assert scoring.answer is not None
    (row,) = scoring.answer(house[0], ScoreRequest.model_validate(request))["metrics"]
    matrix = house[0].features(Segments(RO_EN, sources, texts), f"neural.{name}")
    assert matrix.values.tolist() == [[score] for score in row["segments"]] and np.ptp(matrix.values) > 0
    # As of any other feature, a set may have it beside others, and ids may name it.
    together = house[0].features(Segments(RO_EN, sources, texts), f"quest-baseline-17+neural.{name}")
    assert together.values.shape == (5, 18) and (together.values[:, -1:] == matrix.values).all()


def test_answers_name_the_feature_and_its_licence(house: tuple[Engine, Any]) -> None:
    rows = [{"source": "Casa veche.", "translation": "the old house"}]
    assert features.answer is not None
    answer = features.answer(house[0], FeaturesRequest.model_validate({**PAIR, "features": ["1001", ASKED], "segments": rows}))
    assert [row["id"] for row in answer["features"]] == ["1001", ASKED]
    assert answer["cautions"] == ["a feature uses the checkpoint comet-unified; its licence CC-BY-NC-SA-4.0 forbids commercial use"]
    usual = features.answer(house[0], FeaturesRequest.model_validate({**PAIR, "segments": rows}))
    assert "cautions" not in usual
    listed = {row["id"]: row for row in features_catalogue(house[0].resources.checkpoints)["features"]}
    assert listed[ASKED]["needs"] == ["checkpoint comet-unified"] and "neural.bleurt" not in listed
    assert {row.get("feature") for row in list_metrics(house[0])["neural"]} >= {ASKED, None}
    assert ASKED not in json.dumps(features_catalogue(Checkpoints()))


def test_a_process_over_the_score_is_better_and_its_intervals_hold(house: tuple[Engine, dict[str, Any]]) -> None:
    """Labels that follow the score are predicted as well as their noise lets them be: correlation 3/sqrt(10), which is .95."""
    engine, answers = house
    ours, usual = (answers[name]["accuracy"]["pearson"] for name in ("with", "without"))
    assert ours > 0.85 and ours > usual + 0.2
    new = labelled(200, 5)
    texts = Segments(RO_EN, [row["source"] for row in new], [row["translation"] for row in new])
    prediction = engine.quality(texts, "with").prediction
    labels = np.array([row["label"] for row in new])
    # 90 % of 200 have a standard deviation of 2 %, the calibration on 48 rows one of 4 %.
    assert 0.75 <= np.mean((prediction.low <= labels) & (labels <= prediction.high)) <= 0.99
    widths = [np.mean(answer.high - answer.low) for answer in (prediction, engine.quality(texts, "without").prediction)]
    assert widths[0] < widths[1] * 0.7


def test_cards_and_answers_say_which_checkpoint_and_whose(house: tuple[Engine, dict[str, Any]]) -> None:
    engine, answers = house
    card = engine.models["with"].card
    stored = json.loads((DATA / "comet-unified" / "card.json").read_text("utf-8"))
    assert card.features[-1] == ASKED and card.licences == {"comet-unified": "CC-BY-NC-SA-4.0"}
    kept = {name: digest for name, digest in card.resources.items() if name.startswith("checkpoints/")}
    assert kept == {f"checkpoints/comet-unified/{name}": digest for name, digest in stored["files"].items()}
    caution = "with uses the checkpoint comet-unified; its licence CC-BY-NC-SA-4.0 forbids commercial use"
    described = describe_model(engine, "with", [])
    for answer in (answers["with"], quality_of(engine, model="with"), described):
        assert answer["cautions"] == [caution]
    assert "cautions" not in quality_of(engine, model="without") and "licences" not in engine.models["without"].card.as_json()
    explained = quality_of(engine, model="with", explain=True)
    assert ASKED in {row["feature"] for row in explained["segments"][0]["contributions"]}


def test_texts_that_a_checkpoint_cuts_are_named(house: tuple[Engine, Any]) -> None:
    rows = [{"source": "Casa.", "translation": text} for text in ("the house", "the house " * 100)]
    answer: Any = predict_quality(house[0], QualityRequest.model_validate({**PAIR, "segments": rows, "model": "with"}))
    assert ["truncated" in row for row in answer["segments"]] == [False, True]


@pytest.mark.parametrize(
    "damage, words",
    [
        (None, "the checkpoint comet-unified is not loaded"),
        ("missing", "'comet-unified' of ASSAY_CHECKPOINTS cannot be used: there is no head.safetensors"),
        ("other", "'comet-unified' of ASSAY_CHECKPOINTS cannot be used: head.safetensors is damaged"),
    ],
)
def test_an_absent_or_damaged_checkpoint_is_refused_by_name(
    house: tuple[Engine, Any], tmp_path: Path, damage: str | None, words: str
) -> None:
    if damage is not None:
        shutil.copytree(DATA / "comet-unified", tmp_path / "comet-unified")
        file = tmp_path / "comet-unified" / "head.safetensors"
        file.unlink()
        if damage == "other":
            file.write_bytes(b"other")
    engine = opened(tmp_path)
    rows = [{"source": "Casa.", "translation": "the house"}]
    for ask in (
        lambda: quality_of(engine, model="with"),
        lambda: engine.features(Segments(RO_EN, ["Casa."], ["the house"]), f"quest-baseline-17+{ASKED}"),
        lambda: features.answer(engine, FeaturesRequest.model_validate({**PAIR, "features": [ASKED], "segments": rows})),  # type: ignore[misc]
        lambda: trained(engine, "another", f"quest-baseline-17+{ASKED}"),
    ):
        with pytest.raises(InputError, match=words) as refused:
            ask()
        assert refused.value.code == "missing-checkpoint"
    # Where nothing else is asked for, what can be computed answers.
    assert quality_of(engine)["model"] != "with"


def test_fast_asks_no_checkpoint(house: tuple[Engine, Any]) -> None:
    assert quality_of(house[0], profile="fast")["model"] not in ("with", "without")
    with pytest.raises(InputError, match="profile fast") as refused:
        quality_of(house[0], profile="fast", model="with")
    assert refused.value.code == "missing-checkpoint"


def test_another_checkpoint_of_the_name_is_cautioned_of(house: tuple[Engine, Any], tmp_path: Path) -> None:
    other = shutil.copytree(DATA / "comet-referenceless", tmp_path / "comet-unified")
    card = json.loads((other / "card.json").read_text("utf-8"))
    (other / "card.json").write_text(json.dumps({**card, "name": "comet-unified"}), "utf-8")
    cautions = quality_of(opened(tmp_path), model="with")["cautions"]
    assert any("was trained with (checkpoints/comet-unified/" in caution for caution in cautions)


def test_a_bare_metric_is_no_predictor_and_it_is_said_what_makes_one(house: tuple[Engine, Any]) -> None:
    with pytest.raises(InputError, match=r"--pair ro-en --label LABEL --feature-set neural\.comet-unified") as refused:
        quality_of(house[0], model="neural:comet-unified")
    assert (refused.value.code, refused.value.where) == ("unknown-model", ("model",))
    for name, words in (("bleurt", "compares translation, reference"), ("none", "the checkpoint none is not loaded")):
        with pytest.raises(InputError, match=words) as refused:
            quality_of(house[0], model=f"neural:{name}")
        assert refused.value.code == "missing-checkpoint"


@pytest.mark.parametrize("name", ["neural.", "neural.a b", "neural..a", "quest-baseline-17+neural.", "other+neural.comet-unified"])
def test_names_of_another_form_are_no_features(house: tuple[Engine, Any], name: str) -> None:
    with pytest.raises(InputError) as refused:
        house[0].features(Segments(RO_EN, ["Casa."], ["the house"]), name)
    assert refused.value.code == "unknown-feature-set"


def test_work_is_that_of_networks(house: tuple[Engine, Any]) -> None:
    rows = [{"source": "Casa veche." * 50, "translation": "the old house" * 50}]
    one, two = (
        features.cost(house[0], FeaturesRequest.model_validate({**PAIR, "segments": rows, "feature_set": name})).work
        for name in ("quest-baseline-17", f"quest-baseline-17+{ASKED}")
    )
    assert two > 5 * one
    usual, heavy = (
        quality.cost(house[0], QualityRequest.model_validate({**PAIR, "segments": rows, "model": name})).work
        for name in ("without", "with")
    )
    assert heavy > 5 * usual
    assert house[0].checkpoints_asked(RO_EN, "with", None) == 1 and opened(None).checkpoints_asked(RO_EN, "with", None) == 0


def test_scores_are_remembered(house: tuple[Engine, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    engine = opened(DATA)
    texts = Segments(RO_EN, *segments(20, 9))
    first = engine.features(texts, ASKED).values
    from app.resources.checkpoints import checkpoint as module

    def none(_: object) -> None:
        raise AssertionError("nothing is to be computed again")

    monkeypatch.setattr(module, "scorer_of", none)
    assert (engine.features(texts, ASKED).values == first).all()
