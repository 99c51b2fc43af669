"""Labels on scales that somebody declares: turned round, everything that follows from them is turned round and nothing else changes."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InputError
from app.planning.acceptance import bad_probability
from app.planning.bands import band_of, risk_bands
from app.planning.confidence import confidence_of
from app.planning.system_selection import rank_systems
from app.predictors import LABELS, Label, Model, Scale, load_model, save_model
from app.predictors.labels import CRITICAL, LARGEST_LABEL, label_named
from app.predictors.training import TrainingSet, split_held_out, train_model
from app.settings import Settings

NAMES = ["a", "b", "c"]
EFFORT = Scale(False, classes=(1.0, 2.0, 3.0))


def mirrored(scale: Scale, end: float) -> Scale:
    """The scale of `end` less the label."""
    low, high = (None if bound is None else end - bound for bound in (scale.highest, scale.lowest))
    return replace(scale, higher_is_better=not scale.higher_is_better, lowest=low, highest=high, classes=tuple(end - grade for grade in scale.classes))  # fmt: skip


@pytest.mark.parametrize("usual", LABELS.values(), ids=LABELS)
def test_what_is_usual_follows_from_range_and_direction(usual: Label) -> None:
    """A label of another name on the same scale has the same confidences; the same name declared as usual is the usual one."""
    scale = Scale(usual.higher_is_better, usual.lowest, usual.highest, usual.classes, usual.unit)
    assert label_named(usual.name, scale) is usual and usual.scale is None
    points = np.linspace(-6.0, 9.0, 61) if usual.lowest is None else np.linspace(usual.lowest, usual.highest or 40.0, 61)
    assert confidence_of(label_named("other", scale), points) == pytest.approx(confidence_of(usual, points), abs=1e-15)


@pytest.mark.parametrize("name", ["en-cs-critical-gp-9", "en-de-critical-gp-9"])
def test_shipped_critical_predictors_have_the_documented_label(name: str) -> None:
    label = load_model(Settings().models_dir / name).label
    assert replace(label, scale=None) == CRITICAL


bound = st.floats(-1000, 1000)


@given(bound, bound, st.booleans(), st.booleans(), st.booleans(), st.lists(bound, min_size=1, max_size=20), bound)
def test_confidences_stay_when_a_scale_is_turned_round(
    a: float, b: float, higher: bool, floor: bool, ceiling: bool, labels: list[float], end: float
) -> None:
    low, high = sorted((a, b))
    if high - low < 1e-3:
        high = low + 1.0
    scale = Scale(higher, low if floor else None, high if ceiling else None, unit="z-score")
    turned = mirrored(scale, end)
    points = np.array(labels)
    ours = confidence_of(label_named("mine", scale), points)
    if floor or ceiling:
        assert ours == pytest.approx(confidence_of(label_named("mine", turned), end - points), abs=1e-6)
    else:
        assert ours == pytest.approx(confidence_of(label_named("mine", turned), -points), abs=1e-12)
    # Whatever the scale: better is never less sure.
    order = np.argsort(points if higher else -points, kind="stable")
    assert (np.diff(ours[order]) >= -1e-12).all() and ((ours >= 0) & (ours <= 1)).all()


def test_grades_are_placed_between_the_best_and_the_worst() -> None:
    """One is best of three: full confidence, half of it, none; ranks from one on without an end fall off."""
    assert confidence_of(label_named("effort", EFFORT), np.array([1.0, 2.0, 3.0])).tolist() == [1.0, 0.5, 0.0]
    assert confidence_of(label_named("rank", Scale(False, 1.0)), np.array([1.0, 2.0, 5.0])) == pytest.approx([1.0, 0.5, 0.2])


# Grades on scales, and the worst of them that is no error.
GRADED = [
    (EFFORT, 2.0),
    (EFFORT, 1.0),
    (Scale(True, classes=(0.0, 1.0, 2.0, 7.0)), 2.0),
    (Scale(True, 0.0, 100.0, (10.0, 50.0, 90.0)), 50.0),
]


@pytest.mark.parametrize(("scale", "worst"), GRADED)
def test_predictions_between_grades_fall_into_the_band_of_the_nearer_one(scale: Scale, worst: float) -> None:
    """Whatever way the scale is told, and as `bad_probability` has it."""
    label, turned = label_named("mine", scale), label_named("mine", mirrored(scale, 100.0))
    ours, theirs = risk_bands(label, worst), risk_bands(turned, 100.0 - worst)
    assert ours == theirs
    sign = 1 if scale.higher_is_better else -1
    for point in np.linspace(min(scale.classes), max(scale.classes), 80).tolist():
        nearest = min(scale.classes, key=lambda grade: abs(grade - point))
        name = "light" if sign * nearest >= sign * worst else "full"
        for bands, of, score in ((ours, label, point), (theirs, turned, 100.0 - point)):
            confidence = round(float(confidence_of(of, np.array([score]))[0]), 6)
            assert band_of(bands, confidence, False).name == name, (point, confidence)


@pytest.mark.parametrize("label", [*LABELS.values(), label_named("effort", EFFORT), label_named("rank", Scale(True, None, 3.0))])
def test_where_nothing_can_be_an_error_there_is_no_last_band(label: Label) -> None:
    """Nor a division by zero, an overflow, or two bands from 0 on, whatever is stated."""
    sign = 1 if label.higher_is_better else -1
    with np.errstate(all="raise"):
        assert [band.name for band in risk_bands(label, -sign * LARGEST_LABEL)] == ["unseen", "light"]
        assert [band.at_least for band in risk_bands(label, sign * LARGEST_LABEL)] == [None, 1.0, 0.0]
        for worst in np.linspace(-6.0, 6.0, 49).tolist():
            points = [band.at_least for band in risk_bands(label, worst)][1:]
            assert points[-1] == 0 and points == sorted(set(points), reverse=True)


def rows(scale: Scale, end: float | None = None) -> TrainingSet:
    rng = np.random.default_rng(3)
    values = rng.standard_normal((90, 3))
    low, high = scale.bounds
    assert low is not None and high is not None
    labels = np.clip(np.round(2 + values[:, 0] + 0.3 * rng.standard_normal(90)), 1, 3)
    return TrainingSet(values, labels if end is None else end - labels, "toy", "")


def trained(scale: Scale, learner: str, end: float | None = None) -> Model:
    train, held = split_held_out(rows(scale, end), 0.3, 1)
    return train_model(train, held, "ro-en", label_named("effort", scale), "any", NAMES, learner, created="2026-01-01")


@pytest.mark.parametrize("learner", ["ridge", "lasso"])
def test_a_model_of_a_scale_turned_round_orders_segments_the_same(learner: str) -> None:
    """Labels mirrored and direction flipped: the same order, DeltaAvg, confidences, intervals, risk and ranks."""
    one, other = trained(EFFORT, learner), trained(mirrored(EFFORT, 4.0), learner, 4.0)
    assert one.card.direction == "lower is better" and other.card.direction == "higher is better"
    values = np.random.default_rng(5).standard_normal((40, 3))
    ours, theirs = one.predict(values), other.predict(values)
    assert theirs.mean == pytest.approx(4.0 - ours.mean, abs=1e-3)
    assert theirs.low == pytest.approx(4.0 - ours.high, abs=1e-2)
    assert np.argsort(ours.mean).tolist() == np.argsort(-theirs.mean).tolist()
    assert other.card.accuracy["delta_avg"] == pytest.approx(one.card.accuracy["delta_avg"], abs=1e-3)
    assert one.card.accuracy["delta_avg"] > 0.3 and one.card.accuracy["pearson"] > 0.5
    confidences = [confidence_of(model.label, p.mean) for model, p in ((one, ours), (other, theirs))]
    assert confidences[0] == pytest.approx(confidences[1], abs=1e-3)
    # Whoever was predicted to be less effort is better.
    assert confidences[0][np.argmin(ours.mean)] == confidences[0].max()
    risks = [bad_probability(model, p.mean, p.std, worst) for model, p, worst in ((one, ours, 1.0), (other, theirs, 3.0))]
    assert np.mean(np.abs(risks[0] - risks[1]) < 1e-9) > 0.9
    names = [["x", "y"]] * 20
    ranked = [rank_systems(names, p.mean, p.std, model.label.higher_is_better) for model, p in ((one, ours), (other, theirs))]
    assert [each.system for each in ranked[0].systems] == [each.system for each in ranked[1].systems]


def test_a_card_keeps_its_scale_and_says_nothing_of_the_usual_one(tmp_path: Path) -> None:
    save_model(trained(EFFORT, "ridge"), tmp_path / "effort")
    card = json.loads((tmp_path / "effort" / "card.json").read_text())
    assert card["scale"] == {"classes": [1.0, 2.0, 3.0], "higher_is_better": False, "highest": 3.0, "lowest": 1.0, "unit": "points"}
    loaded = load_model(tmp_path / "effort")
    assert loaded.label == label_named(
        "effort", replace(EFFORT, classes=(3.0, 1.0, 2.0), lowest=1.0, highest=3.0)
    ) and loaded.label.classes == (1.0, 2.0, 3.0)
    five = trained(Scale(True, 1.0, 5.0), "ridge")
    save_model(five, tmp_path / "five")
    assert "scale" not in json.loads((tmp_path / "five" / "card.json").read_text()) and five.card.scale is None
    for wrong in (
        {"higher_is_better": False},
        {"higher_is_better": False, "lowest": 3, "highest": 1},
        {},
        "lower",
        {**card["scale"], "more": 1},
    ):
        (tmp_path / "effort" / "card.json").write_text(json.dumps({**card, "scale": wrong}))
        with pytest.raises(InputError):
            load_model(tmp_path / "effort")


@pytest.mark.parametrize(
    ("name", "scale", "message"),
    [
        ("rank", None, "labels are hter, da, effort, likert, time, origin; for another label give the better direction"),
        ("rank", Scale(False), "a scale needs classes, a range"),
        ("rank", Scale(False, 3.0, 3.0), "the lowest value of a range is below the highest"),
        ("rank", Scale(False, 1.0, float("inf")), "grades and bounds are numbers"),
        ("rank", Scale(False, classes=(1.0, float("nan"))), "grades and bounds are numbers"),
        ("rank", Scale(False, classes=(1.0,)), "the lowest value of a range|classes are 2 to 100"),
        ("rank", Scale(False, classes=(1.0, 1.0, 2.0)), "classes are 2 to 100 different grades"),
        ("rank", Scale(False, 1.0, 2.0, (1.0, 3.0)), "classes lie within the range"),
        ("hter", Scale(True, 0.0, 1.0, unit="fraction of words"), "hter is fraction of words, lower is better"),
        ("hter", Scale(False, 0.0, 100.0, unit="percent"), "give a label on another scale another name"),
    ],
)
def test_what_says_nothing_is_refused(name: str, scale: Scale | None, message: str) -> None:
    with pytest.raises(InputError, match=message):
        label_named(name, scale)
