"""Training the learners and exporting what they learned.

scikit-learn and GPy are imported here, inside the functions, so that a server that only serves never
loads them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import product
from typing import Final

import numpy as np
from scipy.stats import pearsonr
from threadpoolctl import threadpool_limits

from app.predictors.artifact import SCHEMA_VERSION, Card, Model, standardise
from app.predictors.blend import Blend
from app.predictors.evaluation import evaluate_predictions
from app.predictors.labels import label_named
from app.predictors.learners import LEARNER_NAMES
from app.predictors.linear import LinearPredictor
from app.predictors.rbf import GaussianProcess, Regressor, SupportVectors
from app.predictors.trees import BoostedTrees
from app.text.arrays import Float64s, Int64s
from app.text.errors import InputError

__all__ = ["TrainingSet", "split_held_out", "train_model"]

# Within the seeds' ranges (Specia et al. 2013: C 1-10, gamma 0.0001-0.1, epsilon 0.1-0.2), thinned, and C below 1.
SVR_GRID: Final = {"C": (0.5, 1.0, 4.0), "gamma": (0.001, 0.005, 0.02, 0.05), "epsilon": (0.1, 0.2)}
# The grid is searched on this many rows; the winner is refitted on all.
SVR_SEARCH_ROWS: Final = 2000
INDUCING: Final = 200
# L-BFGS iterations with tied length scales, then with one per feature.
GP_ITERATIONS: Final = (30, 60)
BOOSTING: Final[Mapping[str, int | float]] = {
    "max_iter": 200, "learning_rate": 0.05, "max_leaf_nodes": 15, "min_samples_leaf": 40, "l2_regularization": 1.0,
}  # fmt: skip
TREES_SHARE: Final = 0.5
# A feature that does not matter would otherwise push its length scale to infinity, and the sums with it.
LENGTH_SCALES: Final = (0.3, 100.0)


@dataclass(frozen=True)
class TrainingSet:
    """Feature values (n, k) and labels (n,), with where they came from."""

    values: Float64s
    labels: Float64s
    name: str
    checksum: str
    note: str = "features from the loaded resources"

    def check(self, k: int, rows: int) -> None:
        """InputError unless there are enough finite rows and labels that differ."""
        if self.values.ndim != 2 or self.values.shape[1] != k or len(self.values) != len(self.labels):
            raise InputError("invalid-training-data", f"{self.name}: expected rows of {k} features, each with a label")
        if len(self.labels) < rows:
            raise InputError("invalid-training-data", f"{self.name}: {len(self.labels)} rows; at least {rows} are needed")
        if not (np.isfinite(self.values).all() and np.isfinite(self.labels).all()):
            raise InputError("invalid-training-data", f"{self.name}: features and labels must be finite numbers")
        if float(np.ptp(self.labels)) == 0:
            raise InputError("invalid-training-data", f"{self.name}: all labels are equal; nothing can be learned")


def split_held_out(whole: TrainingSet, share: float, seed: int) -> tuple[TrainingSet, TrainingSet]:
    """Cut off a random `share` of the rows (at least one each side) to choose and calibrate on."""
    n = len(whole.labels)
    order = np.random.default_rng(seed).permutation(n)
    cut = min(max(1, round(n * share)), max(1, n - 1))
    held, kept = np.sort(order[:cut]), np.sort(order[cut:])

    def part(rows: Int64s, name: str) -> TrainingSet:
        return TrainingSet(whole.values[rows], whole.labels[rows], name, whole.checksum, whole.note)

    return part(kept, f"{whole.name}, training part"), part(held, f"{whole.name}, held-out part")


@dataclass(frozen=True)
class _Standardised:
    x: Float64s
    y: Float64s
    held_x: Float64s
    held_y: Float64s


def train_model(
    train: TrainingSet,
    held_out: TrainingSet,
    pair: str,
    label: str,
    feature_set: str,
    features: Sequence[str],
    learner: str,
    licence: str = "unknown",
    seed: int = 12345,
    created: str | None = None,
    model_id: str | None = None,
) -> Model:
    """Train on `train`; choose and calibrate on `held_out`. Deterministic for one seed and one thread count."""
    kind = label_named(label)
    train.check(len(features), max(20, len(features) + 2))
    held_out.check(len(features), 20)
    centre, scale = train.values.mean(0), train.values.std(0)
    scale = np.where(scale > 0, scale, 1.0)
    label_centre, label_scale = float(train.labels.mean()), float(train.labels.std())

    data = _Standardised(
        standardise(train.values, centre, scale),
        (train.labels - label_centre) / label_scale,
        standardise(held_out.values, centre, scale),
        (held_out.labels - label_centre) / label_scale,
    )
    if learner not in LEARNER_NAMES:
        raise InputError("invalid-training-data", f"learners are {', '.join(LEARNER_NAMES)}", ("learner",))
    # One thread: sums in another order would give another file.
    with threadpool_limits(limits=1):
        regressor, found = TRAINERS[learner](data, seed)
    mean, variance = regressor.predict(data.held_x)
    calibration = np.sort(np.abs(data.held_y - mean) / np.sqrt(variance))
    card = Card(
        SCHEMA_VERSION,
        model_id or f"{pair}-{label}-{learner}-{len(features)}",
        pair,
        label,
        kind.unit,
        kind.direction,
        feature_set,
        tuple(features),
        learner,
        found,
        {"name": train.name, "segments": len(train.labels), "sha256": train.checksum, "features": train.note},
        {},
        created or datetime.now(UTC).date().isoformat(),
        {name: version(name) for name in ("numpy", "scipy", "scikit-learn", "GPy")},
        licence,
    )
    model = Model(card, regressor, centre, scale, label_centre, label_scale, calibration)
    accuracy = evaluate_predictions(held_out.labels, model.predict(held_out.values).mean, kind.higher_is_better)
    measured: dict[str, float | int | str] = {"data": held_out.name, "sha256": held_out.checksum, **asdict(accuracy)}
    return Model(_with_accuracy(card, measured), regressor, centre, scale, label_centre, label_scale, calibration)


def _with_accuracy(card: Card, measured: Mapping[str, float | int | str]) -> Card:
    return Card(**{**card.__dict__, "accuracy": dict(measured)})


def _correlation(regressor: Regressor, data: _Standardised) -> float:
    mean, _ = regressor.predict(data.held_x)
    return float(pearsonr(mean, data.held_y).statistic) if float(np.ptp(mean)) > 0 else -1.0


def _train_support_vectors(data: _Standardised, seed: int) -> tuple[Regressor, dict[str, float | list[float]]]:
    from sklearn.svm import SVR

    rng = np.random.default_rng(seed)
    rows = np.sort(rng.permutation(len(data.y))[:SVR_SEARCH_ROWS])

    def fit(which: Int64s, c: float, gamma: float, epsilon: float) -> SupportVectors:
        learned = SVR(C=c, gamma=gamma, epsilon=epsilon, cache_size=500).fit(data.x[which], data.y[which])
        vectors = SupportVectors(learned.support_vectors_, learned.dual_coef_[0], float(learned.intercept_[0]), gamma, 1.0)
        residual = data.held_y - vectors.predict(data.held_x)[0]
        return SupportVectors(
            vectors.vectors, vectors.coefficients, vectors.intercept, gamma, float(max((residual**2).mean(), 1e-12))
        )

    grid = list(product(*SVR_GRID.values()))
    scores = [_correlation(fit(rows, *point), data) for point in grid]
    c, gamma, epsilon = grid[int(np.argmax(scores))]
    return fit(np.arange(len(data.y)), c, gamma, epsilon), {"C": c, "gamma": gamma, "epsilon": epsilon}


def _train_gaussian_process(data: _Standardised, seed: int) -> tuple[Regressor, dict[str, float | list[float]]]:
    """Two steps against bad optima (Shah et al. 2013): tied length scales first, then ARD from there."""
    import GPy

    rng = np.random.default_rng(seed)
    inducing = data.x[np.sort(rng.permutation(len(data.x))[:INDUCING])]
    inducing = np.unique(inducing, axis=0)
    k = data.x.shape[1]
    isotropic = GPy.kern.RBF(k, lengthscale=np.sqrt(k))
    isotropic.lengthscale.constrain_bounded(*LENGTH_SCALES, warning=False)
    first = GPy.models.SparseGPRegression(data.x, data.y[:, None], isotropic, Z=inducing)
    first.inducing_inputs.fix()
    first.optimize("lbfgs", max_iters=GP_ITERATIONS[0])
    kernel = GPy.kern.RBF(
        k, variance=float(isotropic.variance[0]), lengthscale=np.full(k, float(isotropic.lengthscale[0])), ARD=True
    )
    kernel.lengthscale.constrain_bounded(*LENGTH_SCALES, warning=False)
    second = GPy.models.SparseGPRegression(data.x, data.y[:, None], kernel, Z=inducing)
    second.likelihood.variance = float(first.likelihood.variance[0])
    second.inducing_inputs.fix()
    second.optimize("lbfgs", max_iters=GP_ITERATIONS[1])
    lengths = np.array(kernel.lengthscale, np.float64)
    regressor = GaussianProcess(
        inducing,
        lengths,
        np.array(second.posterior.woodbury_vector, np.float64)[:, 0],
        np.array(second.posterior.woodbury_inv, np.float64),
        float(kernel.variance[0]),
        float(second.likelihood.variance[0]),
    )
    if not 1e-4 < regressor.noise_variance < 10.0:
        raise InputError("invalid-training-data", "the Gaussian process found no sensible noise level on these rows")
    return regressor, {
        "inducing_inputs": len(inducing),
        "signal_variance": regressor.signal_variance,
        "noise_variance": regressor.noise_variance,
        "length_scales": [float(value) for value in lengths],
        "log_marginal_likelihood_bound": float(np.squeeze(second.log_likelihood())),
        "seed": seed,
    }


def _train_ridge(data: _Standardised, seed: int) -> tuple[Regressor, dict[str, float | list[float]]]:
    """Ridge regression whose penalty and noise are found by their evidence; nothing is chosen on held-out rows."""
    from sklearn.linear_model import BayesianRidge

    learned = BayesianRidge().fit(data.x, data.y)
    regressor = LinearPredictor(learned.coef_, float(learned.intercept_), data.x.mean(0), learned.sigma_, float(1 / learned.alpha_))
    return regressor, {"noise_precision": float(learned.alpha_), "weight_precision": float(learned.lambda_)}


def _train_lasso(data: _Standardised, seed: int) -> tuple[Regressor, dict[str, float | list[float]]]:
    """Lasso with its penalty from five-fold cross-validation of the training rows; the variance is that of held-out residuals."""
    from sklearn.linear_model import LassoCV
    from sklearn.model_selection import KFold

    learned = LassoCV(eps=0.01, max_iter=20_000, cv=KFold(5, shuffle=True, random_state=seed), n_jobs=1).fit(data.x, data.y)
    residual = data.held_y - learned.predict(data.held_x)
    k = data.x.shape[1]
    regressor = LinearPredictor(
        learned.coef_, float(learned.intercept_), np.zeros(k), np.zeros((k, k)), float(max((residual**2).mean(), 1e-12))
    )
    return regressor, {"alpha": float(learned.alpha_), "features_used": float((learned.coef_ != 0).sum())}


def _train_trees(data: _Standardised, seed: int) -> tuple[Regressor, dict[str, float | list[float]]]:
    """Histogram gradient boosting with few leaves and small steps; the variance is that of held-out residuals."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    learned = HistGradientBoostingRegressor(**BOOSTING, early_stopping=False, random_state=seed).fit(data.x, data.y)
    nodes = [stage[0].nodes for stage in learned._predictors]
    trees = _trees_of(nodes, float(np.squeeze(learned._baseline_prediction)), 1.0)
    residual = data.held_y - trees.predict(data.held_x)[0]
    found = {name: float(value) for name, value in BOOSTING.items()}
    return replace(trees, residual_variance=float(max((residual**2).mean(), 1e-12))), dict(found)


def _trees_of(nodes: Sequence[np.ndarray], baseline: float, variance: float) -> BoostedTrees:
    sizes = np.array([len(each) for each in nodes])
    flat = np.concatenate(nodes)
    leaf = flat["is_leaf"].astype(bool)
    return BoostedTrees(
        (np.cumsum(sizes) - sizes).astype(np.int32),
        np.where(leaf, -1, flat["feature_idx"]).astype(np.int32),
        np.where(leaf, 0.0, flat["num_threshold"]),
        flat["left"].astype(np.int32),
        flat["right"].astype(np.int32),
        np.where(leaf, flat["value"], 0.0),
        baseline,
        variance,
    )


def _train_blend(data: _Standardised, seed: int) -> tuple[Regressor, dict[str, float | list[float]]]:
    """Half Gaussian process, half trees, which err differently; the share is fixed, not chosen on held-out rows."""
    process, found = _train_gaussian_process(data, seed)
    trees, more = _train_trees(data, seed)
    assert isinstance(process, GaussianProcess)
    assert isinstance(trees, BoostedTrees)
    return Blend(process, trees, TREES_SHARE), {**found, **more, "trees_share": TREES_SHARE}


TRAINERS: Final[Mapping[str, Callable[[_Standardised, int], tuple[Regressor, dict[str, float | list[float]]]]]] = {
    "gp": _train_gaussian_process,
    "svr": _train_support_vectors,
    "ridge": _train_ridge,
    "lasso": _train_lasso,
    "trees": _train_trees,
    "blend": _train_blend,
}
