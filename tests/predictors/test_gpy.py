"""What GPy serves: its kernels by name and its Student-t likelihood, held to GPy's own models."""

import inspect
import subprocess
import sys
import threading
from functools import cache
from pathlib import Path

import GPy
import numpy as np
import pytest
from scipy.stats import t as student_t

from app.errors import InputError
from app.predictors import Model, load_model, save_model
from app.predictors.learners import parse_learner
from app.predictors.learners.gp.evidence import TaskRows
from app.predictors.learners.gp.fitting import FitSettings
from app.predictors.learners.gp.gpy_kernels import GPY_KERNELS, OWN_KINDS, GpyKernel, build_kernel, parse_gpy_kernel, stored_kernel
from app.predictors.learners.gp.kernels import KINDS, Kernel
from app.predictors.learners.gp.peer import DEGREES_OF_FREEDOM, fit_with_gpy
from app.predictors.learners.gp.process import GaussianProcess
from app.predictors.training import TrainingSet, split_held_out, train_model
from app.settings import ROOT
from tests.predictors.test_export import X, Y

X, Y = X[:120], Y[:120]
NEW = np.random.default_rng(1).normal(size=(30, 4))
ROWS = TaskRows.single(X, Y)
# Of one or two dimensions, of integrals, of parts of other kernels, of a grid, or the same covariance again.
OTHERS = {
    "GridRBF", "Integral", "Integral_Limits", "Multidimensional_Integral_Limits", "ODE_st", "Spline",
    "sde_Bias", "sde_Exponential", "sde_Matern32", "sde_Matern52", "sde_RBF", "sde_RatQuad", "sde_StdPeriodic", "sde_White",
}  # fmt: skip


@cache
def trained(spec: str) -> Model:
    """Return a model of made-up labels; tests share it and change nothing in it."""
    train, held = split_held_out(TrainingSet(X, Y, "made up", "0" * 64), 0.3, 1)
    return train_model(train, held, "en-de", "da", "test", list("abcd"), spec)


def test_every_kernel_of_gpys_that_needs_no_more_than_features_has_its_name() -> None:
    makeable = set()
    for name in dir(GPy.kern):
        kind = getattr(GPy.kern, name)
        if inspect.isclass(kind) and issubclass(kind, GPy.kern.Kern):
            try:
                kind(4)
            except (TypeError, AssertionError):
                continue
            makeable.add(name)
    assert makeable - OTHERS == set(GPY_KERNELS)
    assert set(OWN_KINDS) == set(KINDS)
    assert set(OWN_KINDS.values()) <= set(GPY_KERNELS)


@pytest.mark.parametrize("ard", [True, False])
@pytest.mark.parametrize("name", [*GPY_KERNELS, "MLP+Bias", "RBF*Linear+White", "rbf*StdPeriodic", "rbf*rbf"])
def test_a_stored_kernel_is_the_one_it_was(name: str, ard: bool) -> None:
    peer = build_kernel(name, 4, ard)
    peer[:] = peer.param_array * np.random.default_rng(2).uniform(0.5, 2.0, len(peer.param_array))
    stored = GpyKernel(name, 4, ard, np.array(peer.param_array)).arrays()
    again = stored_kernel(stored)
    assert again.name == name
    assert np.array_equal(again.covariance(NEW, X), peer.K(NEW, X))
    assert np.array_equal(again.diagonal(NEW), peer.Kdiag(NEW))
    assert again.relevance().shape == (4,)
    found = again.hyper_parameters()
    flat = [number for value in found.values() for number in (value if isinstance(value, list) else [value])]
    assert flat == peer.param_array.tolist()


@pytest.mark.parametrize("name", ["MLP", "Poly", "Exponential", "RBF*Linear+Bias", "Matern32+White", "rbf+MLP"])
@pytest.mark.parametrize("inducing", [0, 20])
def test_predictions_are_gpys(name: str, inducing: int) -> None:
    settings = FitSettings(name, inducing=inducing)
    if inducing and name == "Poly":
        with pytest.raises(InputError, match="inducing:0"):
            fit_with_gpy(ROWS, settings, 1, iterations=5)
        return
    fitted, value = fit_with_gpy(ROWS, settings, 1, iterations=5)
    process = GaussianProcess.from_arrays(fitted.arrays())
    kernel = process.kernel
    assert isinstance(kernel, GpyKernel)
    peer = build_kernel(name, 4, True)
    peer[:] = kernel.values
    if inducing:
        model = GPy.models.SparseGPRegression(X, Y[:, None], peer, Z=process.inducing)
        model.likelihood.variance = process.noise_variance
    else:
        model = GPy.models.GPRegression(X, Y[:, None], peer, noise_var=process.noise_variance)
    mean, variance = model.predict(NEW)
    assert process.predict(NEW)[0] == pytest.approx(mean[:, 0], abs=1e-6)
    assert process.predict(NEW)[1] == pytest.approx(variance[:, 0], abs=1e-6)
    assert value == pytest.approx(float(np.squeeze(model.log_likelihood())), abs=1e-4)


def test_a_student_t_process_is_gpys_and_shrugs_at_wrong_labels() -> None:
    wrong = Y.copy()
    wrong[::10] += np.random.default_rng(4).choice([-6.0, 6.0], len(wrong[::10]))
    rows, settings = TaskRows.single(X, wrong), FitSettings(inducing=0)
    process, _ = fit_with_gpy(rows, settings, 1, "student-t", iterations=20)
    kernel = process.kernel
    assert isinstance(kernel, Kernel)
    term = kernel.terms[0]
    scale = process.noise_variance * (DEGREES_OF_FREEDOM - 2) / DEGREES_OF_FREEDOM
    assert process.noise_variance == pytest.approx(float(student_t(DEGREES_OF_FREEDOM, scale=np.sqrt(scale)).var()))
    noise = GPy.likelihoods.StudentT(deg_free=DEGREES_OF_FREEDOM, sigma2=scale)
    rbf = GPy.kern.RBF(4, variance=term.variance, lengthscale=term.lengths, ARD=True)
    peer = GPy.core.GP(X, wrong[:, None], rbf, noise, inference_method=GPy.inference.latent_function_inference.Laplace())
    mean, variance = peer.predict(NEW, include_likelihood=False)
    served = GaussianProcess.from_arrays(process.arrays()).predict(NEW)
    assert served[0] == pytest.approx(mean[:, 0], abs=1e-3)
    assert served[1] - process.noise_variance == pytest.approx(variance[:, 0], abs=1e-3)
    truth = np.sin(NEW[:, 0]) + 0.3 * NEW[:, 1]
    normal, _ = fit_with_gpy(rows, settings, 1)
    assert np.abs(served[0] - truth).mean() < np.abs(normal.means(NEW) - truth).mean()


@pytest.mark.parametrize(
    "spec",
    [
        "gp|kernel:MLP",
        "gp|kernel:Poly+Bias|inducing:0|ard:no",
        "gp|likelihood:student-t|inducing:0",
        "gp|kernel:rbf*Linear|warp:none",
    ],
)
def test_a_model_is_served_from_its_folder(tmp_path: Path, spec: str) -> None:
    model = trained(spec)
    assert model.card.hyper_parameters["optimiser"] == "gpy"
    save_model(model, tmp_path / "m")
    assert {path.suffix for path in (tmp_path / "m").iterdir()} == {".json", ".safetensors", ".md"}
    again = load_model(tmp_path / "m")
    assert np.array_equal(again.predict(NEW).mean, model.predict(NEW).mean)
    assert np.array_equal(again.predict(NEW).std, model.predict(NEW).std)
    assert again.card.accuracy["pearson"] > 0.5
    parts = again.contributions(NEW[:3])
    assert parts.sum(1) + again.baseline == pytest.approx(
        again.regressor.means(again.standardise(NEW[:3])) * again.label_scale + again.label_centre
    )
    for written, other in zip(sorted((tmp_path / "m").iterdir()), _twice(tmp_path / "n", spec), strict=True):
        assert written.read_bytes() == other.read_bytes()


def _twice(folder: Path, spec: str) -> list[Path]:
    save_model(trained.__wrapped__(spec), folder)
    return sorted(folder.iterdir())


def test_threads_do_not_mix_what_they_ask() -> None:
    kernel = stored_kernel(GpyKernel("MLP", 4, True, np.array(build_kernel("MLP", 4, True).param_array)).arrays())
    inputs = [np.random.default_rng(seed).normal(size=(7, 4)) for seed in range(8)]
    expected = [kernel.covariance(each, X) for each in inputs]
    wrong: list[int] = []

    def ask(place: int) -> None:
        wrong.extend(place for _ in range(50) if not np.array_equal(kernel.covariance(inputs[place], X), expected[place]))

    threads = [threading.Thread(target=ask, args=(place,)) for place in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize(
    "kernel", ["Nothing", "Brownian", "Add", "__class__", "rbf+", "RBF**RBF", "", "*".join(["RBF"] * 9), "RBF-Bias", "rbf+RBF"]
)
def test_other_names_are_refused(kernel: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        parse_gpy_kernel(kernel)
    with pytest.raises(InputError, match="option kernel of gp"):
        parse_learner(f"gp|kernel:{kernel}")


@pytest.mark.parametrize(
    ("settings", "likelihood", "reason"),
    [
        (FitSettings("MLP", warp=True), "gaussian", "warps"),
        (FitSettings(inducing=20), "student-t", "inducing:0"),
        # Of a distance in four dimensions, a cosine is no covariance.
        (FitSettings("Cosine", inducing=0), "gaussian", "positive definite"),
    ],
)
def test_what_gpy_cannot_do_is_said(settings: FitSettings, likelihood: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        fit_with_gpy(ROWS, settings, 1, likelihood)
    with pytest.raises(InputError, match="8000"):
        fit_with_gpy(TaskRows.single(np.zeros((8001, 1)), np.zeros(8001)), FitSettings("MLP", inducing=0), 1)


@pytest.mark.parametrize("count", [1, 5, 7])
def test_arrays_of_another_kernel_are_refused(count: int) -> None:
    """Of four features, a perceptron has six parameters."""
    with pytest.raises(ValueError, match="parameters"):
        GpyKernel.stored("MLP", np.ones(2 + count))
    assert len(GpyKernel.stored("MLP", np.array([4.0] + [1.0] * 7)).values) == 6


def test_without_gpy_its_models_say_what_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_model(trained("gp|kernel:MLP"), tmp_path / "m")
    monkeypatch.setitem(sys.modules, "GPy", None)
    with pytest.raises(InputError, match="pip install GPy"):
        load_model(tmp_path / "m")
    with pytest.raises(InputError, match="pip install GPy"):
        trained.__wrapped__("gp|kernel:MLP")


def test_nothing_that_starts_loads_gpy() -> None:
    script = (
        "import sys; import app.main, app.shell.program, app.engine; from pathlib import Path\n"
        "from app.predictors import load_model; from app.predictors.learners import parse_learner\n"
        "[load_model(card.parent) for card in Path('models').glob('ro-en-*/card.json')]; parse_learner('gp|kernel:MLP|optimiser:gpy')\n"
        "assert not {'GPy', 'paramz', 'kenlm'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)
