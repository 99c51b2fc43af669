"""Fitting of a Gaussian process: first on few rows with tied length scales, then on all rows with one scale per feature.

Two steps avoid bad optima (Shah et al. 2013, SHEF-Lite, section 3.2). Length scales are tied first, then free from there. An
optimum with almost no noise, or nothing but noise, gives way to another start, unless all starts end like it. Most steps use a
subset of the rows, where they are cheap, so that all rows need few steps.
"""

import warnings
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from scipy.linalg import LinAlgError

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.predictors.learners.gp.evidence import Evidence, Prior, TaskRows, exact_evidence, sparse_evidence
from app.predictors.learners.gp.kernels import Kernel
from app.predictors.learners.gp.process import GaussianProcess
from app.predictors.learners.gp.tasks import TaskCovariance
from app.predictors.warping import TanhWarp
from app.running.journal import SILENT, Journal

__all__ = ["MOST_EXACT_ROWS", "FitResult", "FitSettings", "draw_inputs", "fit_process"]

# A feature that does not matter would otherwise push its length scale to infinity, and the sums with it.
LENGTH_SCALES: Final = (0.3, 1e4)
SCALES: Final = (1e-4, 1e4)
STRENGTHS: Final = (1e-6, 1e2)
# An optimum at these bounds is a failed one.
NOISE: Final = (1e-4, 10.0)
# Length scales from which on a feature hardly counts.
LENGTH_LIMIT: Final = 20.0
# Rows of the first part.
FEWEST_EXACT: Final = 500
FEWEST_SPARSE: Final = 3000
# Two matrices of this many rows squared fit into a gigabyte.
MOST_EXACT_ROWS: Final = 8000
STARTS: Final = 3
WARP_TERMS: Final = 3
# Steps in the memory of L-BFGS if inducing inputs are learned; otherwise the whole curvature is stored.
MEMORY: Final = 20
# An optimum is where a step gains less than this share.
TOLERANCE: Final = 1e-6


@dataclass(frozen=True)
class FitSettings:
    """Settings of a fit: kernel, one length scale per feature or one for all, inducing inputs (0: exact), warp, tasks.

    `iterations` are the most steps with tied length scales, and with one per feature on each part of the rows.
    """

    kernel: str = "rbf"
    ard: bool = True
    inducing: int = 200
    learn_inducing: bool = False
    warp: bool = False
    sharing: str | None = None
    rank: int = 1
    iterations: tuple[int, int] = (30, 80)


@dataclass(frozen=True)
class FitResult:
    """An optimum: the prior, its conditioning rows, and the evidence. `evaluations` counts evaluations on all rows."""

    prior: Prior
    inducing: Float64s
    inducing_task: Int64s
    warp: TanhWarp | None
    evidence: Evidence
    value: float
    evaluations: int

    def process(self, task: int = 0) -> GaussianProcess:
        """The process that serves a task: the covariance between tasks is folded into the weights."""
        noise = float(np.exp(self.prior.log_noise[task]))
        # Exactly symmetric, since only a triangle is stored.
        precision = (self.evidence.precision + self.evidence.precision.T) / 2
        if self.prior.tasks is None:
            return GaussianProcess(self.prior.kernel, self.inducing, self.evidence.weights, precision, noise)
        matrix = self.prior.tasks.matrix()
        task_variance = float(matrix[task, task])
        share = matrix[task, self.inducing_task] / task_variance
        terms = tuple(
            replace(term, lengths=term.lengths / np.sqrt(task_variance))
            if term.kind == "linear"
            else replace(term, variance=term.variance * task_variance)
            for term in self.prior.kernel.terms
        )
        input_mask = share != 0
        precision = (precision * np.outer(share, share))[np.ix_(input_mask, input_mask)]
        return GaussianProcess(
            Kernel(terms), self.inducing[input_mask], (self.evidence.weights * share)[input_mask], precision, noise
        )


def fit_process(rows: TaskRows, settings: FitSettings, seed: int, tasks: int = 1, journal: Journal = SILENT) -> FitResult:
    """Maximise the evidence. Deterministic for one seed and one number of threads; the journal keeps each evidence on the way.

    InputError for too many rows of an exact process.
    """
    if settings.inducing == 0 and len(rows.y) > MOST_EXACT_ROWS:
        detail = f"an exact Gaussian process takes at most {MOST_EXACT_ROWS} rows; there are {len(rows.y)}"
        raise InputError("invalid-training-data", detail, ("learner",))
    best: FitResult | None = None
    for start in range(STARTS):
        optimum = _Search(rows, settings, seed + start, tasks, journal).run(start)
        noise = np.exp(optimum.prior.log_noise)
        if ((noise > 1.01 * NOISE[0]) & (noise < 0.99 * NOISE[1])).all():
            return optimum
        best = optimum if best is None or optimum.value > best.value else best
    # Every start ends here: the labels follow from the features without noise, or are pure noise.
    assert best is not None
    return best


def draw_inputs(rows: TaskRows, inducing: int, seed: int) -> tuple[Int64s, tuple[Float64s, Int64s]]:
    """A random order of the rows, and inducing inputs with their tasks: different rows, so that every task has its share."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(rows.y))
    indices = rng.permutation(len(rows.y))[:inducing]
    task_inputs = np.unique(np.column_stack([rows.task[indices].astype(np.float64), rows.x[indices]]), axis=0)
    return order, (np.ascontiguousarray(task_inputs[:, 1:]), task_inputs[:, 0].astype(np.int64))


def _growing_parts(rows: TaskRows, order: Int64s, size: int) -> list[TaskRows]:
    """Parts of the rows, each four times as large as the previous one; the last has all rows."""
    parts = []
    while size * 1.5 < len(order):
        parts.append(rows.subset(np.sort(order[:size])))
        size *= 4
    return [*parts, rows]


class _Search:
    """One start: its inducing inputs, its growing parts of the rows, and its steps."""

    def __init__(self, rows: TaskRows, settings: FitSettings, seed: int, tasks: int, journal: Journal) -> None:
        self.settings, self.rows, self.tasks = settings, rows, tasks
        self.seed, self.journal, self.share = seed, journal, 0.0
        order, (self.inducing, self.inducing_task) = draw_inputs(rows, settings.inducing, seed)
        self.parts = _growing_parts(rows, order, FEWEST_SPARSE if settings.inducing else FEWEST_EXACT)
        self.evaluations = 0
        # Inverse curvature of the last optimum, and the number of its rows.
        self.curvature: tuple[Float64s, int] | None = None

    def run(self, start: int) -> FitResult:
        settings = self.settings
        kernel = Kernel.initial(settings.kernel, self.rows.x.shape[1])
        shared = TaskCovariance.initial(settings.sharing, self.tasks, settings.rank, self.seed) if settings.sharing else None
        prior = Prior(kernel, shared, np.full(self.tasks, np.log(0.5 / 4**start)))
        warp = TanhWarp.initial(WARP_TERMS, self.seed) if settings.warp else None
        prior, warp = self._climb(prior, warp, self.parts[0], settings.iterations[0])
        if settings.ard:
            prior = replace(prior, kernel=prior.kernel.untied())
        for place, part in enumerate(self.parts):
            # Each part is about four times the work of the one before.
            self.share = 4.0 ** (place - len(self.parts))
            self.evaluations = 0
            prior = self._reconsider(prior) if part is not self.parts[0] else prior
            learn = settings.learn_inducing and part is self.rows
            prior, warp = self._climb(prior, warp, part, settings.iterations[1], learn)
        if not settings.inducing:
            self.inducing, self.inducing_task = self.rows.x, self.rows.task
        evidence, value, _ = self._evidence(prior, warp, self.rows)
        return FitResult(prior, self.inducing, self.inducing_task, warp, evidence, value, self.evaluations)

    def _reconsider(self, prior: Prior) -> Prior:
        """Shorten the length scales of features that few rows made irrelevant: a very long scale has no slope to return by."""
        values, limit = prior.parameters(), np.log(LENGTH_LIMIT)
        lengths = np.zeros(len(values), np.bool_)
        flags = prior.kernel.lengths_among_parameters()
        lengths[: len(flags)] = flags
        irrelevant = np.flatnonzero(lengths & (values > limit))
        if self.curvature is not None and 0 < len(irrelevant) < len(values):
            matrix, rows = self.curvature
            typical = float(np.median(np.delete(np.diag(matrix), irrelevant)))
            matrix = matrix.copy()
            matrix[irrelevant], matrix[:, irrelevant] = 0.0, 0.0
            matrix[irrelevant, irrelevant] = typical
            self.curvature = (matrix, rows)
        values[irrelevant] = limit
        return prior.with_parameters(values)

    def _report(self) -> None:
        self.journal.report("optimising", self.share)

    def _evidence(
        self, prior: Prior, warp: TanhWarp | None, rows: TaskRows, learn: bool = False
    ) -> tuple[Evidence, float, Float64s]:
        warped_rows = rows if warp is None else replace(rows, y=warp.forward(rows.y))
        if self.settings.inducing:
            evidence = sparse_evidence(prior, warped_rows, self.inducing, self.inducing_task, learn)
        else:
            evidence = exact_evidence(prior, warped_rows, self._report)
        value, gradient = evidence.value, evidence.by_parameters
        if warp is not None:
            log_slope, by_warp = warp.log_slopes(rows.y, evidence.by_labels)
            value, gradient = value + log_slope, np.concatenate([gradient, by_warp])
        if learn and evidence.by_inducing is not None:
            gradient = np.concatenate([gradient, evidence.by_inducing.ravel()])
        return evidence, value, gradient

    def _climb(
        self, prior: Prior, warp: TanhWarp | None, rows: TaskRows, iterations: int, learn: bool = False
    ) -> tuple[Prior, TanhWarp | None]:
        # Serving needs no optimiser.
        from scipy.optimize import OptimizeResult, minimize

        cut = len(prior.parameters())
        mark = cut + (len(warp.parameters()) if warp else 0)
        low, high = _bounds(prior, mark - cut)
        start = np.concatenate([prior.parameters()] + ([warp.parameters()] if warp else []))

        def shaped(values: Float64s) -> tuple[Prior, TanhWarp | None]:
            inside = np.clip(values, low, high)
            return prior.with_parameters(inside[:cut]), warp.with_parameters(inside[cut:mark]) if warp else None

        def loss(values: Float64s) -> tuple[float, Float64s]:
            self.evaluations += 1
            if learn:
                self.inducing = values[mark:].reshape(self.inducing.shape)
            self._report()
            record = self.journal.recall(lambda: evaluate(values))
            return float(record[0]), record[1:].copy()

        def evaluate(values: Float64s) -> Float64s:
            """The loss, and its derivatives."""
            try:
                _, value, gradient = self._evidence(*shaped(values[:mark]), rows, learn)
            except (LinAlgError, np.linalg.LinAlgError):
                return np.concatenate([[1e25], np.zeros(len(values))])
            # Beyond a bound the evidence is that of the bound.
            gradient[:mark] *= (values[:mark] >= low) & (values[:mark] <= high)
            return np.concatenate([[-value], -gradient])

        if learn:
            options = {"maxiter": iterations, "maxcor": MEMORY, "ftol": TOLERANCE}
            first = np.concatenate([start, self.inducing.ravel()])
            optimum = minimize(loss, first, jac=True, method="L-BFGS-B", options=options).x
            self.inducing = optimum[mark:].reshape(self.inducing.shape)
            return shaped(optimum[:mark])
        # The effect of a step on the evidence grows with the rows, and fewer rows give it.
        curvature = None
        if self.curvature is not None and len(self.curvature[0]) == mark:
            curvature = self.curvature[0] * (self.curvature[1] / len(rows.y))
        best = [np.inf]

        def stop_when_flat(intermediate_result: OptimizeResult) -> None:
            if best[0] - intermediate_result.fun < TOLERANCE * abs(intermediate_result.fun):
                raise StopIteration
            best[0] = intermediate_result.fun

        with warnings.catch_warnings():
            # A last step without any gain is the goal, but the optimiser warns of it.
            warnings.simplefilter("ignore")
            result = minimize(
                loss, start, jac=True, method="BFGS", callback=stop_when_flat,
                options={"maxiter": iterations, "gtol": 1e-3, "hess_inv0": curvature},
            )  # fmt: skip
        inverse = (result.hess_inv + result.hess_inv.T) / 2
        self.curvature = (inverse, len(rows.y)) if np.linalg.eigvalsh(inverse)[0] > 0 else None
        return shaped(result.x)


def _bounds(prior: Prior, warp: int) -> tuple[Float64s, Float64s]:
    """Lower and upper bounds of the parameters of prior and warp."""
    kernel = [LENGTH_SCALES if is_length else SCALES for is_length in prior.kernel.lengths_among_parameters()]
    shared = 0 if prior.tasks is None else len(prior.tasks.logarithms)
    bounds = np.log([*kernel, *([STRENGTHS] * shared)])
    free = np.array([(-10.0, 10.0)] * (prior.tasks.weights.size if prior.tasks else 0)).reshape(-1, 2)
    noise = np.log([NOISE] * len(prior.log_noise))
    low, high = np.concatenate([bounds, free, noise, np.array([(-5.0, 3.0)] * warp).reshape(-1, 2)]).T
    return low, high
