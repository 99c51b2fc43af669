"""Gaussian processes: evidence, gradients and predictions against GPy, finite differences and the textbook's formulas."""

import GPy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from scipy.stats import multivariate_normal, norm

from app.errors import InputError
from app.predictors.learners.gp.evidence import Prior, TaskRows, exact_evidence, sparse_evidence
from app.predictors.learners.gp.fitting import FitSettings, fit_process
from app.predictors.learners.gp.kernels import KINDS, Kernel, Term
from app.predictors.learners.gp.peer import fit_with_gpy
from app.predictors.learners.gp.process import GaussianProcess
from app.predictors.learners.gp.tasks import TASK_SHARING, TaskCovariance
from app.predictors.regressor import Regressor
from app.predictors.warping import TanhWarp, WarpedRegressor, fixed_warp, stored_warp

RNG = np.random.default_rng(3)
N, K, M, TASKS = 36, 3, 6, 3
X = RNG.normal(size=(N, K))
Y = np.sin(X[:, 0]) + 0.3 * RNG.normal(size=N)
TASK = RNG.integers(0, TASKS, N)
Z, Z_TASK = RNG.normal(size=(M, K)), RNG.integers(0, TASKS, M)
NEW = RNG.normal(size=(9, K))
KERNELS = [*KINDS, "rbf+linear", "matern52+rq"]


def a_prior(name: str, sharing: str | None, tied: bool = False) -> Prior:
    kernel = Kernel.initial(name, K)
    shared = TaskCovariance.initial(sharing, TASKS, 2) if sharing else None
    prior = Prior(kernel if tied else kernel.untied(), shared, np.full(TASKS if sharing else 1, np.log(0.3)))
    start = prior.parameters()
    return prior.with_parameters(start + 0.2 * np.random.default_rng(1).normal(size=len(start)))


# A covariance between tasks is multiplied by that of any kernel.
GRADIENTS = [
    *((name, None, tied) for name in KERNELS for tied in (True, False)),
    *((name, sharing, False) for name in ("rbf", "matern52+rq") for sharing in TASK_SHARING),
]


@pytest.mark.parametrize(("name", "sharing", "tied"), GRADIENTS)
def test_gradients_are_finite_differences(name: str, sharing: str | None, tied: bool) -> None:
    prior = a_prior(name, sharing, tied)
    rows = TaskRows(X, Y, TASK if sharing else 0 * TASK)
    z_task = Z_TASK if sharing else 0 * Z_TASK
    at = prior.parameters()
    exact = exact_evidence(prior, rows)
    assert exact.by_parameters == pytest.approx(
        approx_fprime(at, lambda v: exact_evidence(prior.with_parameters(v), rows).value, 1e-6), abs=2e-3, rel=1e-4
    )
    sparse = sparse_evidence(prior, rows, Z, z_task, learn_inducing=True)
    assert sparse.by_parameters == pytest.approx(
        approx_fprime(at, lambda v: sparse_evidence(prior.with_parameters(v), rows, Z, z_task).value, 1e-6), abs=2e-3, rel=1e-3
    )
    assert sparse.by_inducing is not None
    assert sparse.by_inducing.ravel() == pytest.approx(
        approx_fprime(Z.ravel(), lambda v: sparse_evidence(prior, rows, v.reshape(M, K), z_task).value, 1e-6), abs=2e-3, rel=1e-3
    )
    for found, evidence in (
        (exact, lambda v: exact_evidence(prior, TaskRows(X, v, rows.task)).value),
        (sparse, lambda v: sparse_evidence(prior, TaskRows(X, v, rows.task), Z, z_task).value),
    ):
        assert found.by_labels == pytest.approx(approx_fprime(Y, evidence, 1e-6), abs=1e-4)


def gpys(term: Term) -> object:
    if term.kind == "linear":
        return GPy.kern.Linear(K, variances=1 / term.lengths**2, ARD=True)
    kinds = {"rbf": GPy.kern.RBF, "matern32": GPy.kern.Matern32, "matern52": GPy.kern.Matern52, "rq": GPy.kern.RatQuad}
    more = {"power": term.power} if term.kind == "rq" else {}
    # GPy's rational quadratic leaves the power out of the denominator.
    stretch = np.sqrt(term.power) if term.kind == "rq" else 1.0
    return kinds[term.kind](K, variance=term.variance, lengthscale=term.lengths * stretch, ARD=True, **more)


@pytest.mark.parametrize("name", KERNELS)
def test_evidence_and_predictions_are_gpys(name: str) -> None:
    prior = a_prior(name, None)
    parts = [gpys(term) for term in prior.kernel.terms]
    kernel = parts[0] if len(parts) == 1 else GPy.kern.Add(parts)
    noise = float(np.exp(prior.log_noise[0]))
    peer = GPy.models.GPRegression(X, Y[:, None], kernel, noise_var=noise)
    found = exact_evidence(prior, TaskRows.single(X, Y))
    # GPy adds 1e-8 to the diagonal.
    assert found.value == pytest.approx(float(peer.log_likelihood()), abs=1e-4)
    ours = GaussianProcess(prior.kernel, X, found.weights, found.precision, noise)
    mean, variance = GaussianProcess.from_arrays(ours.arrays()).predict(NEW)
    their_mean, their_variance = peer.predict(NEW)
    assert mean == pytest.approx(their_mean[:, 0], abs=1e-6)
    assert variance == pytest.approx(their_variance[:, 0], abs=1e-6)
    assert ours.means(NEW) == pytest.approx(mean, abs=1e-12)
    if name != "linear":
        sparse = GPy.models.SparseGPRegression(X, Y[:, None], kernel.copy(), Z=Z.copy())
        sparse.likelihood.variance = noise
        assert sparse_evidence(prior, TaskRows.single(X, Y), Z, 0 * Z_TASK).value == pytest.approx(
            float(np.squeeze(sparse.log_likelihood())), abs=2e-2
        )


def test_all_rows_as_inducing_inputs_are_the_exact_process() -> None:
    prior = a_prior("rbf", "combined+")
    rows = TaskRows(X, Y, TASK)
    exact, sparse = exact_evidence(prior, rows), sparse_evidence(prior, rows, X, TASK)
    assert sparse.value == pytest.approx(exact.value, abs=1e-2)
    assert sparse.value <= exact.value + 1e-6


@pytest.mark.parametrize("sharing", TASK_SHARING)
def test_evidence_of_tasks_is_that_of_one_gaussian(sharing: str) -> None:
    prior = a_prior("matern32", sharing)
    assert prior.tasks is not None
    covariance = prior.kernel.covariance(X, X) * prior.tasks.matrix()[np.ix_(TASK, TASK)]
    covariance += np.diag(np.exp(prior.log_noise)[TASK])
    expected = multivariate_normal(np.zeros(N), covariance).logpdf(Y)
    assert exact_evidence(prior, TaskRows(X, Y, TASK)).value == pytest.approx(float(expected), abs=1e-6)


def test_task_covariances_are_those_of_the_paper() -> None:
    def matrix(sharing: str) -> np.ndarray:
        return TaskCovariance.initial(sharing, 3).matrix()

    assert (matrix("independent") == np.eye(3)).all()
    assert (matrix("pooled") == 1).all()
    assert matrix("combined") == pytest.approx(1 + 0.5 * np.eye(3))
    assert matrix("combined+") == pytest.approx(1 + 0.5 * np.eye(3))
    ranked = TaskCovariance.initial("rank", 3, 1)
    assert ranked.matrix() == pytest.approx(ranked.weights @ ranked.weights.T + 0.5 * np.eye(3))
    with pytest.raises(InputError, match="pooled"):
        TaskCovariance.initial("all", 3)


def test_independent_tasks_are_as_if_alone_and_pooled_ones_as_if_one() -> None:
    alone = a_prior("rbf", None)
    for sharing, expected in (
        ("independent", sum(exact_evidence(alone, TaskRows.single(X[t == TASK], Y[t == TASK])).value for t in range(TASKS))),
        ("pooled", exact_evidence(alone, TaskRows.single(X, Y)).value),
    ):
        together = Prior(alone.kernel, TaskCovariance.initial(sharing, TASKS), np.repeat(alone.log_noise, TASKS))
        assert exact_evidence(together, TaskRows(X, Y, TASK)).value == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("inducing", [0, 12])
@pytest.mark.parametrize("kernel", ["rbf", "rbf+linear"])
def test_the_process_of_one_task_is_that_of_the_whole(inducing: int, kernel: str) -> None:
    fitted = fit_process(
        TaskRows(X, Y, TASK), FitSettings(kernel, inducing=inducing, sharing="combined", iterations=(5, 5)), 1, TASKS
    )
    assert fitted.prior.tasks is not None
    matrix = fitted.prior.tasks.matrix()
    for task in range(TASKS):
        k = fitted.prior.kernel.covariance(NEW, fitted.inducing) * matrix[task, fitted.inducing_task]
        own = fitted.prior.kernel.diagonal(NEW) * matrix[task, task]
        expected = own - ((k @ fitted.evidence.precision) * k).sum(1) + np.exp(fitted.prior.log_noise[task])
        mean, variance = fitted.process(task).predict(NEW)
        assert mean == pytest.approx(k @ fitted.evidence.weights, abs=1e-8)
        assert variance == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("kernel", ["rbf", "matern52"])
@pytest.mark.parametrize("inducing", [0, 30])
def test_fitting_finds_what_gpys_optimiser_finds(kernel: str, inducing: int) -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(240, 4))
    rows = TaskRows.single(x, np.sin(2 * x[:, 0]) + 0.5 * x[:, 1] + 0.3 * rng.normal(size=240))
    settings = FitSettings(kernel, inducing=inducing)
    ours, (peer, likelihood) = fit_process(rows, settings, 12345), fit_with_gpy(rows, settings, 12345)
    # Length scales end at ten thousand here, where a feature counts for nothing any more; GPy goes on.
    assert ours.value > likelihood - 2.0
    shape = ours.process().predict(x[:20])[0], peer.predict(x[:20])[0]
    assert np.corrcoef(*shape)[0, 1] > 0.99


def test_learned_inducing_inputs_explain_more() -> None:
    rows = TaskRows.single(X, Y)
    fixed = fit_process(rows, FitSettings(inducing=5), 1)
    assert fit_process(rows, FitSettings(inducing=5, learn_inducing=True), 1).value > fixed.value


def test_too_many_rows_for_an_exact_process_are_refused() -> None:
    with pytest.raises(InputError, match="8000"):
        fit_process(TaskRows.single(np.zeros((8001, 1)), np.zeros(8001)), FitSettings(inducing=0), 1)


WARP = TanhWarp(0.2, np.array([[-0.5, 0.3], [0.1, -0.2], [0.5, -1.0]]))


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=20))
def test_a_learned_warp_is_undone(labels: list[float]) -> None:
    y = np.array(labels)
    z = WARP.forward(y)
    assert WARP.inverse(z) == pytest.approx(y, abs=1e-8)
    order = np.argsort(y, kind="stable")
    assert (np.diff(z[order]) >= 0).all()


def test_slopes_of_a_learned_warp_are_finite_differences() -> None:
    weight = RNG.normal(size=N)

    def target(values: np.ndarray) -> float:
        warp = WARP.with_parameters(values)
        return float(np.log(warp.slope(Y)).sum() + weight @ warp.forward(Y))

    step = 1e-6
    assert WARP.slope(Y) == pytest.approx((WARP.forward(Y + step) - WARP.forward(Y - step)) / (2 * step), abs=1e-6)
    value, slopes = WARP.log_slopes(Y, weight)
    assert value == pytest.approx(float(np.log(WARP.slope(Y)).sum()))
    assert slopes == pytest.approx(approx_fprime(WARP.parameters(), target, 1e-7), abs=1e-4)


def test_a_logarithm_gives_the_mean_of_a_log_normal() -> None:
    labels = np.exp(RNG.normal(size=400))
    warp = fixed_warp("log", labels, 0.0, None)

    class Constant(Regressor):
        def predict(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            return np.array([0.3]), np.array([0.25])

        def arrays(self) -> dict[str, np.ndarray]:
            return {}

    mean, variance = WarpedRegressor(Constant(), warp).predict(np.zeros((1, 1)))
    mu, sigma = 0.3 * warp.scale + warp.centre, 0.5 * warp.scale
    expected = np.exp(mu + sigma**2 / 2)
    assert mean[0] * warp.label_scale + warp.label_centre + warp.edge == pytest.approx(expected, rel=1e-6)
    assert variance[0] * warp.label_scale**2 == pytest.approx(expected**2 * (np.exp(sigma**2) - 1), rel=1e-4)


@pytest.mark.parametrize("kind", ["log", "logit"])
def test_fixed_warps_are_undone_and_stored(kind: str) -> None:
    labels = RNG.uniform(0.02, 0.98, 50)
    warp = fixed_warp(kind, labels, 0.0, 1.0)
    y = (labels - warp.label_centre) / warp.label_scale
    z = warp.forward(y)
    assert (float(z.mean()), float(z.std())) == pytest.approx((0, 1), abs=1e-9)
    assert stored_warp(warp.arrays()).inverse(z) == pytest.approx(y, abs=1e-9)  # type: ignore[union-attr]
    ends = warp.inverse(np.array([-60.0, 60.0])) * warp.label_scale + warp.label_centre
    assert ends[0] >= -warp.edge
    assert np.isfinite(ends).all()


def test_a_warp_needs_the_bounds_of_its_label() -> None:
    with pytest.raises(InputError, match="bound"):
        fixed_warp("log", Y, None, None)
    with pytest.raises(InputError, match="bounds"):
        fixed_warp("logit", np.abs(Y), 0.0, None)


def test_a_warped_process_explains_skewed_labels_better() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=(200, 2))
    y = np.exp(x[:, 0] + 0.3 * rng.normal(size=200))
    rows = TaskRows.single(x, (y - y.mean()) / y.std())
    plain = fit_process(rows, FitSettings(inducing=0), 1)
    warped = fit_process(rows, FitSettings(inducing=0, warp=True), 1)
    assert warped.value > plain.value + 50
    assert warped.warp is not None
    # The density of a label is that of its warped value times the slope.
    process = warped.process()
    mean, variance = process.predict(x[:1])
    label = rows.y[:1]
    density = norm(mean, np.sqrt(variance)).pdf(warped.warp.forward(label)) * warped.warp.slope(label)
    assert density > 0
