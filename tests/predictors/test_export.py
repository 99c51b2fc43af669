"""What is exported predicts as GPy and scikit-learn do, within 1e-8."""

from functools import cache
from pathlib import Path

import GPy
import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import BayesianRidge
from sklearn.svm import SVR

from app.errors import InputError
from app.predictors import Model, load_model, save_model
from app.predictors.learners import LEARNER_NAMES
from app.predictors.learners.gp.kernels import Kernel, Term
from app.predictors.learners.gp.process import GaussianProcess
from app.predictors.learners.svr.support_vectors import SupportVectors
from app.predictors.learners.trees.boosted_trees import BoostedTrees
from app.predictors.learners.trees.training import export_trees
from app.predictors.linear import LinearPredictor
from app.predictors.training import TrainingSet, split_held_out, train_model

RNG = np.random.default_rng(7)
X = RNG.normal(size=(300, 4)).astype(np.float32).astype(np.float64)
Y = np.sin(X[:, 0]) + 0.3 * X[:, 1] + RNG.normal(scale=0.2, size=300)
NEW = RNG.normal(size=(50, 4))


def test_sparse_gaussian_process_is_gpys() -> None:
    kernel = GPy.kern.RBF(4, ARD=True, lengthscale=[1.0, 2.0, 3.0, 4.0])
    peer = GPy.models.SparseGPRegression(X, Y[:, None], kernel, Z=X[:40].copy())
    peer.optimize("lbfgs", max_iters=20)
    ours = GaussianProcess(
        Kernel((Term("rbf", float(kernel.variance[0]), np.array(kernel.lengthscale), False),)),
        np.array(peer.Z),
        np.array(peer.posterior.woodbury_vector)[:, 0],
        np.array(peer.posterior.woodbury_inv),
        float(peer.likelihood.variance[0]),
    )
    mean, variance = GaussianProcess.from_arrays(ours.arrays()).predict(NEW)
    their_mean, their_variance = peer.predict(NEW)
    assert mean == pytest.approx(their_mean[:, 0], abs=1e-8)
    assert variance == pytest.approx(their_variance[:, 0], abs=1e-8)


def test_support_vectors_are_scikit_learns() -> None:
    peer = SVR(C=2.0, gamma=0.1, epsilon=0.1).fit(X, Y)
    ours = SupportVectors(peer.support_vectors_, peer.dual_coef_[0], float(peer.intercept_[0]), 0.1, 1.0)
    assert SupportVectors.from_arrays(ours.arrays()).predict(NEW)[0] == pytest.approx(peer.predict(NEW), abs=1e-8)


def test_linear_predictors_are_scikit_learns() -> None:
    peer = BayesianRidge().fit(X, Y)
    ours = LinearPredictor(peer.coef_, float(peer.intercept_), X.mean(0), peer.sigma_, float(1 / peer.alpha_))
    mean, variance = LinearPredictor.from_arrays(ours.arrays()).predict(NEW)
    their_mean, their_std = peer.predict(NEW, return_std=True)
    assert mean == pytest.approx(their_mean, abs=1e-8)
    assert np.sqrt(variance) == pytest.approx(their_std, abs=1e-8)


def test_ridge_weights_are_their_closed_form() -> None:
    model = trained("ridge")
    found = model.card.hyper_parameters
    whole = TrainingSet(X, Y, "made up", "0" * 64)
    train, _ = split_held_out(whole, 0.3, 1)
    x, y = model.standardise(train.values), (train.labels - model.label_centre) / model.label_scale
    x, y = x - x.mean(0), y - y.mean()
    ratio = float(found["weight_precision"]) / float(found["noise_precision"])
    expected = np.linalg.solve(x.T @ x + ratio * np.eye(4), x.T @ y)
    assert model.regressor.weights == pytest.approx(expected, abs=1e-3)


def test_contributions_of_a_linear_model_are_exact() -> None:
    model = trained("ridge")
    values = NEW[:5]
    parts = model.contributions(values)
    assert parts == pytest.approx(model.standardise(values) * model.regressor.weights * model.label_scale, abs=1e-9)
    base = float(model.regressor.intercept) * model.label_scale + model.label_centre
    assert parts.sum(1) + base == pytest.approx(model.predict(values).mean, abs=1e-9)


def test_boosted_trees_are_scikit_learns() -> None:
    peer = HistGradientBoostingRegressor(max_iter=30, early_stopping=False, min_samples_leaf=5).fit(X, Y)
    nodes = [stage[0].nodes for stage in peer._predictors]
    ours = BoostedTrees.from_arrays(export_trees(nodes, float(peer._baseline_prediction.item()), 1.0).arrays())
    assert ours.predict(NEW)[0] == pytest.approx(peer.predict(NEW), abs=1e-8)
    assert ours.predict(X)[0] == pytest.approx(peer.predict(X), abs=1e-8)


def test_trees_that_lead_in_circles_are_refused() -> None:
    arrays = trained("trees").regressor.arrays()
    with pytest.raises(ValueError, match="forward"):
        BoostedTrees.from_arrays({**arrays, "left": np.zeros_like(arrays["left"])})
    with pytest.raises(ValueError, match="not there"):
        BoostedTrees.from_arrays({**arrays, "feature": np.where(arrays["feature"] < 0, -1, 50)}).predict(NEW)
    # A kernel would read beyond these.
    for name, values in (("threshold", arrays["threshold"][:-1]), ("value", arrays["value"][:1]), ("left", arrays["left"][1:])):
        with pytest.raises(ValueError, match="per node"):
            BoostedTrees.from_arrays({**arrays, name: values})
    with pytest.raises(ValueError, match="no node"):
        BoostedTrees.from_arrays({**arrays, "roots": np.append(arrays["roots"], len(arrays["feature"]))})


def test_a_blend_is_the_mean_of_its_parts() -> None:
    blend, process, trees, line = (trained(name).regressor for name in ("blend", "gp", "trees", "ridge"))
    mean, variance = blend.predict(NEW)
    parts = [each.predict(NEW)[0] for each in (process, trees, line)]
    assert mean == pytest.approx(0.4 * parts[0] + 0.4 * parts[1] + 0.2 * parts[2])
    assert variance == pytest.approx(process.predict(NEW)[1])


@cache
def trained(learner: str) -> Model:
    """Return a model of made-up labels; tests share it and change nothing in it."""
    label, labels = ("origin", (Y > 0).astype(float)) if learner == "svc" else ("da", Y)
    whole = TrainingSet(X, labels, "made up", "0" * 64)
    train, held = split_held_out(whole, 0.3, 1)
    return train_model(train, held, "ro-en", label, "any", ["a", "b", "c", "d"], learner, created="2026-01-01")


@pytest.mark.parametrize("learner", LEARNER_NAMES)
def test_a_model_survives_its_folder_and_training_repeats(tmp_path: Path, learner: str) -> None:
    save_model(trained(learner), tmp_path / "one")
    save_model(trained.__wrapped__(learner), tmp_path / "two")
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()
    model, again = trained(learner), load_model(tmp_path / "one")
    assert np.array_equal(model.predict(NEW).mean, again.predict(NEW).mean)
    assert again.card.accuracy["pearson"] > (0.7 if learner == "svc" else 0.8)
    assert sorted(path.name for path in (tmp_path / "one").iterdir()) == [
        "README.md",
        "arrays.safetensors",
        "card.json",
        "residuals.safetensors",
    ]


def test_contributions_of_a_feature_at_its_mean_are_nothing() -> None:
    model = trained("gp")
    at_mean = model.centre[None, :].copy()
    assert model.contributions(at_mean) == pytest.approx(np.zeros((1, 4)), abs=1e-9)


def test_intervals_grow_with_their_coverage() -> None:
    model = trained("gp")
    widths = [(p.high - p.low).mean() for p in (model.predict(NEW, c) for c in (0.5, 0.8, 0.9, 0.95, 0.99))]
    assert widths == sorted(widths)


@pytest.mark.parametrize("harm", ["no card", "not json", "schema", "nan", "shape", "pickle", "learner"])
def test_a_damaged_folder_is_refused(tmp_path: Path, harm: str) -> None:
    import json

    from safetensors.numpy import load_file, save_file

    folder = tmp_path / "m"
    save_model(trained("svr"), folder)
    card, arrays = folder / "card.json", folder / "arrays.safetensors"
    if harm == "no card":
        card.unlink()
    elif harm == "not json":
        card.write_text("{")
    elif harm in ("schema", "learner"):
        fields = json.loads(card.read_text())
        fields.update({"schema_version": 99} if harm == "schema" else {"learner": "os.system"})
        card.write_text(json.dumps(fields))
    elif harm == "pickle":
        arrays.write_bytes(b"cos\nsystem\n(S'true'\ntR.")
    else:
        held = dict(load_file(arrays))
        held["centre"] = np.full(4, np.nan) if harm == "nan" else np.zeros(3)
        save_file(held, arrays)
    with pytest.raises(InputError) as caught:
        load_model(folder)
    assert caught.value.code == "unknown-model"


@pytest.mark.parametrize("rows", [0, 5])
def test_too_few_rows_are_refused(rows: int) -> None:
    few = TrainingSet(X[:rows], Y[:rows], "few", "")
    with pytest.raises(InputError) as caught:
        train_model(few, few, "ro-en", "da", "any", ["a", "b", "c", "d"], "gp")
    assert caught.value.code == "invalid-training-data"


def test_equal_labels_are_refused() -> None:
    same = TrainingSet(X, np.ones(300), "same", "")
    with pytest.raises(InputError, match="equal"):
        train_model(same, same, "ro-en", "da", "any", ["a", "b", "c", "d"], "svr")
