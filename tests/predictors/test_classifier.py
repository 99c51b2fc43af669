"""The classifier of two classes against scikit-learn, and the label `origin`."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import precision_recall_fscore_support
from sklearn.svm import SVC

from app.errors import InputError
from app.predictors import LABELS, Model, load_model, save_model
from app.predictors.evaluation import evaluate_grades
from app.predictors.labels import label_named
from app.predictors.learners.svc.classifier import SupportVectorClassifier
from app.predictors.learners.svc.training import fit_sigmoid
from app.predictors.prediction import Prediction, grade_probabilities, grades_of
from app.predictors.training import TrainingSet, split_held_out, train_model

RNG = np.random.default_rng(5)
X = RNG.normal(size=(420, 4))
ORIGIN = ((X[:, 0] ** 2 + X[:, 1] + RNG.normal(scale=0.6, size=420)) > 1.6).astype(float)
ROWS = TrainingSet(X, ORIGIN, "made up", "0" * 64)
TRAIN, HELD_OUT = split_held_out(ROWS, 0.3, 1)


def trained(spec: str = "svc", label: str = "origin", train: TrainingSet = TRAIN, held_out: TrainingSet = HELD_OUT) -> Model:
    return train_model(train, held_out, "ro-en", label, "any", list("abcd"), spec, created="2026-01-01")


@pytest.mark.parametrize(("spec", "weight"), [("svc", None), ("svc|weight:balanced", "balanced")])
def test_decisions_and_probabilities_are_those_of_scikit_learn(spec: str, weight: str | None) -> None:
    model = trained(spec)
    classifier, chosen = model.regressor, model.card.hyper_parameters
    assert isinstance(classifier, SupportVectorClassifier)
    x, held_x = model.standardise(TRAIN.values), model.standardise(HELD_OUT.values)
    peer = SVC(C=chosen["C"], gamma=chosen["gamma"], class_weight=weight).fit(x, TRAIN.labels)
    assert classifier.decision.means(held_x) == pytest.approx(peer.decision_function(held_x), abs=1e-9)
    assert ((classifier.decision.means(held_x) > 0) == (peer.predict(held_x) == 1)).all()
    weights = np.ones(len(held_x)) if weight is None else np.where(
        HELD_OUT.labels == 1, 0.5 / HELD_OUT.labels.mean(), 0.5 / (1 - HELD_OUT.labels.mean())
    )  # fmt: skip
    platt = CalibratedClassifierCV(FrozenEstimator(peer), method="sigmoid", ensemble=False, cv=5)
    if weight is None:
        platt.fit(held_x, HELD_OUT.labels)
        assert model.predict(HELD_OUT.values).mean == pytest.approx(platt.predict_proba(held_x)[:, 1], abs=1e-4)
    # Any shift of the fitted sigmoid makes the weighted likelihood of Platt's targets worse.
    positive = HELD_OUT.labels == 1
    targets = np.where(positive, (positive.sum() + 1) / (positive.sum() + 2), 1 / ((~positive).sum() + 2))

    def loss(slope: float, offset: float) -> float:
        p = 1 / (1 + np.exp(slope * classifier.decision.means(held_x) + offset))
        return float(-weights @ (targets * np.log(p) + (1 - targets) * np.log(1 - p)))

    best = loss(classifier.slope, classifier.offset)
    assert all(loss(classifier.slope + a, classifier.offset + b) > best for a in (-0.01, 0.01) for b in (-0.01, 0, 0.01))


def test_the_grid_point_is_the_best_on_held_out_rows() -> None:
    model = trained("svc|search:seeds")
    chosen = model.card.hyper_parameters
    assert chosen["C"] in np.linspace(1, 10, 10) and chosen["gamma"] in np.linspace(0.0001, 0.1, 10)
    x, held_x = model.standardise(TRAIN.values), model.standardise(HELD_OUT.values)

    def correlation(c: float, gamma: float) -> float:
        peer = SVC(C=c, gamma=gamma).fit(x, TRAIN.labels)
        slope, offset = fit_sigmoid(peer.decision_function(held_x), HELD_OUT.labels == 1, False)
        return float(np.corrcoef(1 / (1 + np.exp(slope * peer.decision_function(held_x) + offset)), HELD_OUT.labels)[0, 1])

    best = correlation(chosen["C"], chosen["gamma"])
    assert all(correlation(c, g) <= best + 1e-9 for c in np.linspace(1, 10, 4) for g in np.linspace(0.0001, 0.1, 4))


def test_a_prediction_is_a_probability_with_the_variance_of_a_class(tmp_path: Path) -> None:
    model = trained()
    save_model(model, tmp_path / "m")
    served = load_model(tmp_path / "m")
    first, second = model.predict(X), served.predict(X)
    assert first.mean.tolist() == second.mean.tolist() and first.low.tolist() == second.low.tolist()
    assert ((first.mean > 0) & (first.mean < 1) & (first.low >= 0) & (first.high <= 1)).all()
    assert first.std == pytest.approx(np.sqrt(first.mean * (1 - first.mean)))
    assert model.regressor.means(model.standardise(X)) == pytest.approx(model.regressor.predict(model.standardise(X))[0])
    assert {path.name for path in (tmp_path / "m").iterdir()} == {
        "card.json", "arrays.safetensors", "residuals.safetensors", "README.md",
    }  # fmt: skip


def test_a_card_has_label_direction_and_f1_of_each_class() -> None:
    model = trained()
    card = json.loads(json.dumps(model.card.as_json(), allow_nan=False))
    assert (card["label"], card["unit"], card["direction"]) == ("origin", "probability of a person", "higher is better")
    predicted = (model.predict(HELD_OUT.values).mean > 0.5).astype(float)
    precision, recall, f1, support = precision_recall_fscore_support(HELD_OUT.labels, predicted, labels=[0, 1])
    rows = card["accuracy"]["grades"]
    assert [row["grade"] for row in rows] == [0, 1]
    for name, values in (("precision", precision), ("recall", recall), ("f1", f1), ("segments", support)):
        assert [row[name] for row in rows] == pytest.approx(list(values))
    assert "grades" not in trained("ridge", "da").card.accuracy


@given(
    arrays(np.float64, st.integers(1, 40), elements=st.sampled_from([1.0, 2.0, 3.0])), st.lists(st.sampled_from([1.0, 2.0, 3.0]))
)
def test_grades_are_counted_as_scikit_learn_counts_them(gold: np.ndarray, more: list[float]) -> None:
    predicted = np.resize([*more, 2.0], len(gold))
    rows = evaluate_grades(gold, predicted, (1.0, 2.0, 3.0))
    *shares, support = precision_recall_fscore_support(gold, predicted, labels=[1, 2, 3], zero_division=np.nan)
    assert [row.segments for row in rows] == support.tolist()
    for k, row in enumerate(rows):
        for value, peer in zip((row.precision, row.recall, row.f1), (share[k] for share in shares), strict=True):
            assert (value is None) == np.isnan(peer) and (value is None or value == pytest.approx(peer))


def test_labels_between_grades_have_no_accuracy_of_grades() -> None:
    assert evaluate_grades(np.array([1.0, 2.5]), np.array([1.0, 2.0]), (1.0, 2.0, 3.0)) == ()


@given(st.floats(0, 1), st.floats(0.01, 1))
def test_of_two_grades_the_mean_is_the_probability(mean: float, std: float) -> None:
    prediction = Prediction(np.array([mean]), np.array([std]), np.zeros(1), np.ones(1), 0.9)
    assert grade_probabilities(prediction, (0.0, 1.0)) == pytest.approx(np.array([[1 - mean, mean]]))
    # A mean between the grades 2 and 4 is 2 (1 - p) + 4 p.
    shifted = Prediction(2 + 2 * prediction.mean, prediction.std, np.zeros(1), np.ones(1), 0.9)
    assert grade_probabilities(shifted, (2.0, 4.0))[0, 1] == pytest.approx(mean)
    assert grades_of(shifted, (2.0, 4.0))[0] == (4.0 if grade_probabilities(shifted, (2.0, 4.0))[0, 1] > 0.5 else 2.0)


def test_an_origin_is_a_person_or_a_machine() -> None:
    label = LABELS["origin"]
    assert label.misfit(0.0) is None and label.misfit(1.0) is None
    assert label.misfit(0.5) == "origin is one of 0, 1"
    assert label.misfit(2.0) == "origin is from 0 to 1"
    # A grade is often the mean of several people.
    assert LABELS["likert"].misfit(2.5) is None
    assert label_named("origin") is label


@pytest.mark.parametrize(
    ("train", "held_out", "message"),
    [
        (TrainingSet(X, np.ones(420), "one class", "0" * 64), HELD_OUT, "all labels are equal"),
        (TRAIN, TrainingSet(X, np.ones(420), "one class", "0" * 64), "all labels are equal"),
        (TrainingSet(X, np.arange(420) % 3 / 2, "three", "0" * 64), HELD_OUT, "those to learn from have 3, the held-out ones 2"),
    ],
)
def test_classes_that_cannot_be_learned_are_named(train: TrainingSet, held_out: TrainingSet, message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        trained("svc", "origin", train, held_out)
    assert error.value.code == "invalid-training-data"


def test_every_learner_learns_an_origin() -> None:
    for spec in ("gp|inducing:20", "ridge", "lasso", "trees", "svr"):
        model = trained(spec)
        p = model.predict(X).mean
        assert ((p >= 0) & (p <= 1)).all() and model.card.accuracy["grades"][1]["f1"] is not None


def test_classes_of_a_stored_classifier_ascend() -> None:
    arrays = {
        "vectors": np.zeros((1, 1)), "coefficients": np.zeros(1), "parameters": np.array([0.0, 1.0, 1.0]),
        "sigmoid": np.array([-1.0, 0.0]),
    }  # fmt: skip
    for classes in ([0.0, 0.0], [1.0, 0.0], [np.nan, 1.0]):
        with pytest.raises(ValueError, match="ascending"):
            SupportVectorClassifier.from_arrays({**arrays, "classes": np.array(classes)})
