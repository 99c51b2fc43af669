"""What learners declare, what serving loads, and what models say of themselves."""

import json
import subprocess
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

from app.predictors import Model, load_model, save_model
from app.predictors.learners import CORRECTION, LEARNER_NAMES, LEARNERS, learner_named, parse_learner, regressor_of
from app.predictors.regressor import Regressor
from app.predictors.training import TrainingSet, split_held_out, train_model
from app.text.side_information.kinds import TOKEN_LOG_PROBS

RNG = np.random.default_rng(3)
X = RNG.normal(size=(120, 3))
Y = X[:, 0] - 0.5 * X[:, 1] + RNG.normal(scale=0.2, size=120)


@cache
def trained(spec: str, features: tuple[str, ...] = ("a", "b", "c")) -> Model:
    """Return a model of made-up labels; tests share it and change nothing in it."""
    is_classifier = spec.startswith("svc")
    labels = (Y > 0).astype(float) if is_classifier else Y
    train, held_out = split_held_out(TrainingSet(X, labels, "made up", "0" * 64), 0.3, 1)
    return train_model(
        train, held_out, "ro-en", "origin" if is_classifier else "da", "any", list(features), spec, created="2026-01-01"
    )


def test_names_are_unique_and_lead_to_their_learner() -> None:
    assert len(set(LEARNER_NAMES)) == len(LEARNERS)
    assert CORRECTION not in LEARNER_NAMES
    for learner in LEARNERS:
        assert learner_named(learner.name) is learner
        name, options = parse_learner(learner.name)
        assert (name, set(options)) == (learner.name, set(learner.options))
        # Classes have no distances that a warp could change.
        assert ("warp" in options) == (learner.name != "svc")


@pytest.mark.parametrize("spec", ["gp", "svr", "svr|kernel:linear", "ridge", "lasso", "trees", "blend", "svc", "gp|warp:tanh"])
def test_what_a_regressor_stores_its_learner_serves(spec: str) -> None:
    regressor = trained(spec).regressor
    served = regressor_of(spec.split("|")[0], regressor.arrays())
    assert type(served) is type(regressor)
    for one, other in zip(served.predict(X), regressor.predict(X), strict=True):
        assert one == pytest.approx(other, rel=1e-12)
    relevance = served.relevance()
    assert (relevance is None) == (spec in ("svr", "svc", "trees"))
    assert relevance is None or relevance.shape == (3,)


@pytest.mark.parametrize("spec", ["svr|kernel:linear", "ridge", "lasso"])
def test_slopes_are_differences_of_means(spec: str) -> None:
    regressor = trained(spec).regressor
    slopes = regressor.slopes()
    assert slopes is not None
    assert regressor.means(X[:3] + np.eye(3)) - regressor.means(X[:3]) == pytest.approx(slopes)


def test_a_regressor_needs_to_predict_and_to_be_stored_only() -> None:
    class Constant(Regressor):
        def predict(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            return np.full(len(x), 2.0), np.ones(len(x))

        def arrays(self) -> dict[str, np.ndarray]:
            return {}

    constant = Constant()
    assert constant.means(X).tolist() == [2.0] * len(X)
    assert constant.relevance() is None
    assert constant.slopes() is None


@pytest.mark.parametrize("harm", [{"shares": np.ones(2)}, {"shift": np.ones(1)}])
def test_arrays_of_another_learner_are_refused(harm: dict[str, np.ndarray]) -> None:
    arrays = trained("blend").regressor.arrays() | harm
    with pytest.raises((ValueError, KeyError)):
        regressor_of(CORRECTION if "shift" in harm else "blend", arrays)


def test_a_base_that_is_no_learner_is_refused() -> None:
    arrays = {"base.os.weights": np.ones(3), "shift": np.ones(1)}
    with pytest.raises((ValueError, KeyError)):
        regressor_of(CORRECTION, arrays)


def test_serving_loads_no_library_that_trains(tmp_path: Path) -> None:
    for name in ("gp|optimiser:gpy", "svr", "svc", "blend"):
        save_model(trained(name), tmp_path / name.replace("|", "-").replace(":", "-"))
    code = (
        "import sys; from pathlib import Path; from app.predictors import load_model\n"
        f"assert len([load_model(folder) for folder in Path({str(tmp_path)!r}).iterdir()]) == 4\n"
        "print(sorted({'sklearn', 'GPy', 'paramz', 'matplotlib'} & set(sys.modules)))"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert answer.stdout.strip() == "[]"


def test_a_card_states_the_versions_of_what_took_part() -> None:
    assert "GPy" not in trained("gp").card.software
    assert trained("gp|optimiser:gpy").card.software["GPy"] == version("GPy")
    assert trained("ridge").card.software == {
        **{name: version(name) for name in ("numpy", "scipy", "scikit-learn")},
        "blas_threads": "1",
    }


def test_a_readme_says_what_the_held_out_rows_chose(tmp_path: Path) -> None:
    for learner in LEARNERS:
        save_model(trained(learner.name), tmp_path / learner.name)
        text = (tmp_path / learner.name / "README.md").read_text()
        assert ("chose the hyper-parameters" in text) == learner.tunes_on_held_out == (learner.name in ("svr", "svc"))


@pytest.mark.parametrize("name", ["ro-en-hter-gp-17", "ro-en-hter-gp-27", "ro-en-hter-blend-105"])
def test_a_model_says_what_it_needs(name: str) -> None:
    folder = Path(__file__).parents[2] / "models" / name
    card = json.loads((folder / "card.json").read_text())
    model = load_model(folder)
    assert model.needs_log_probs == ("glassbox" in card["feature_set"])
    assert (TOKEN_LOG_PROBS in model.needs) == model.needs_log_probs


def test_nothing_is_needed_for_features_that_are_gone() -> None:
    assert trained("ridge", ("gone.a", "gone.b", "gone.c")).needs == ()
