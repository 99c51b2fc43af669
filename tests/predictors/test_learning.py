"""Explanations, selection of features, tasks, corrections, versions, drift and rows that are kept."""

from dataclasses import replace
from functools import cache
from itertools import permutations
from math import factorial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, norm, spearmanr
from sklearn.kernel_ridge import KernelRidge

from app.errors import InputError
from app.predictors import Model, Prediction, load_model, save_model
from app.predictors.distribution import DRIFT_LIMIT, Distribution, stability
from app.predictors.explanation import shapley_values
from app.predictors.hter import human_edit_rates
from app.predictors.labels import LABELS
from app.predictors.learners import LEARNER_NAMES, parse_learner, regressor_of
from app.predictors.learners.adapted import serve
from app.predictors.learners.adapted.training import fit_correction
from app.predictors.prediction import grade_probabilities
from app.predictors.training import TrainingSet, split_held_out, train_model
from app.predictors.training.adaptation import adapt_model
from app.predictors.training.multi_task import LearningTask, train_together
from app.predictors.training.selection import METHODS, select_features
from app.registry.drift import WINDOW, DriftMonitor
from app.registry.promotions import Promotions
from app.registry.rows import TrainingRows, read_rows, write_rows
from scripts.mlqe_pe.everything import LABEL_COLUMNS, language_pairs, split_of

RNG = np.random.default_rng(11)
X = RNG.normal(size=(400, 12)).astype(np.float32).astype(np.float64)
# Only the first three of twelve features say something.
Y = np.clip(0.4 + 0.15 * np.sin(X[:, 0]) + 0.1 * X[:, 1] + 0.05 * X[:, 2] ** 2 + RNG.normal(scale=0.03, size=400), 0, 1)
NAMES = [f"f{k}" for k in range(12)]
WHOLE = TrainingSet(X, Y, "made up", "0" * 64)
TRAIN, HELD = split_held_out(WHOLE, 0.3, 1)


@cache
def trained(learner: str) -> Model:
    """Return a model of made-up labels; tests share it and change nothing in it."""
    if learner == "svc":
        classes = [replace(part, labels=(part.labels > 0.4).astype(float)) for part in (TRAIN, HELD)]
        return train_model(*classes, "ro-en", "origin", "any", NAMES, learner, created="2026-01-01")
    return train_model(TRAIN, HELD, "ro-en", "hter", "any", NAMES, learner, created="2026-01-01")


def by_definition(mean, x: np.ndarray) -> np.ndarray:  # type: ignore[no-untyped-def]
    """Shapley's mean over all orders."""
    k = len(x)
    out = np.zeros(k)
    for order in permutations(range(k)):
        now = np.zeros(k)
        before = mean(now[None])[0]
        for feature in order:
            now[feature] = x[feature]
            after = mean(now[None])[0]
            out[feature] += (after - before) / factorial(k)
            before = after
    return out


def test_shapley_values_of_few_features_are_their_definition() -> None:
    few = TrainingSet(X[:, :4], Y, "few", "0" * 64)
    model = train_model(*split_held_out(few, 0.3, 1), "ro-en", "hter", "any", NAMES[:4], "gp", created="2026-01-01")
    for x in X[:3, :4]:
        assert shapley_values(model.regressor, x[None])[0] == pytest.approx(by_definition(model.regressor.means, x), abs=1e-10)


@pytest.mark.parametrize("learner", LEARNER_NAMES)
def test_contributions_add_up_to_the_prediction(learner: str) -> None:
    model = trained(learner)
    mean = model.regressor.means(model.standardise(X[:20])) * model.label_scale + model.label_centre
    assert model.baseline + model.contributions(X[:20]).sum(1) == pytest.approx(mean, abs=1e-9)
    again = np.vstack([model.contributions(row[None]) for row in X[:20]])
    assert model.contributions(X[:20]) == pytest.approx(again, abs=1e-9)


def test_sampled_contributions_are_near_those_of_all_orders() -> None:
    model = trained("gp")
    exact = np.zeros(12)
    rng = np.random.default_rng(0)
    x = model.standardise(X[5:6])
    for _ in range(600):
        order = rng.permutation(12)
        rows = np.zeros((13, 12))
        for step, feature in enumerate(order):
            rows[step + 1 :, feature] = x[0, feature]
        exact[order] += np.diff(model.regressor.means(rows)) / 600
    assert shapley_values(model.regressor, x)[0] == pytest.approx(exact, abs=0.12 * np.abs(exact).max())


def test_a_feature_that_is_not_looked_at_contributes_nothing() -> None:
    model = trained("lasso")
    unused = model.regressor.weights == 0  # type: ignore[attr-defined]
    assert unused.any()
    assert (model.contributions(X[:5])[:, unused] == 0).all()


@pytest.mark.parametrize("method", METHODS)
def test_selection_finds_the_features_that_say_something(method: str) -> None:
    curve = select_features(TRAIN, HELD, "ro-en", "hter", NAMES, method, learner="gp|inducing:30")
    # A squared feature has no linear part, which the two linear methods cannot see.
    wanted = {"f0", "f1"} if method in ("randomised-lasso", "elimination") else {"f0", "f1", "f2"}
    assert wanted <= set(curve.ranking[: len(wanted) + 1])
    assert sorted(curve.ranking) == sorted(NAMES)
    assert (np.diff(curve.worth) <= 0).all()
    assert {1, 2, 3, 5, 8, 12} <= {point.features for point in curve.points}
    assert curve.points[2].test_pearson > curve.points[0].test_pearson
    assert curve.chosen <= 12


def test_relevance_adds_up_to_one_and_names_the_relevant() -> None:
    for learner in ("gp", "blend", "ridge"):
        relevance = trained(learner).relevance
        assert relevance is not None
        assert relevance.sum() == pytest.approx(1)
        assert set(np.argsort(-relevance)[:2]) <= {0, 1, 2}
    assert trained("svr").relevance is None


@pytest.mark.parametrize(
    "spec",
    [
        "gp|kernel:matern52+linear", "gp|kernel:rq|ard:no", "gp|inducing:0", "gp|learn:yes|inducing:20", "gp|warp:tanh|inducing:0",
        "gp|optimiser:gpy", "gp|warp:logit", "svr|kernel:linear", "svr|search:halving", "svr|search:seeds", "trees|warp:logit", "blend|warp:log",
    ],
)  # fmt: skip
def test_every_kind_of_model_is_served_from_its_folder(tmp_path: Path, spec: str) -> None:
    model = trained(spec)
    save_model(model, tmp_path / "m")
    again = load_model(tmp_path / "m")
    for served, expected in zip(vars(again.predict(X)).values(), vars(model.predict(X)).values(), strict=True):
        assert np.array_equal(served, expected)
    assert again.residuals == pytest.approx(model.residuals, abs=1e-6) and np.array_equal(again.calibration, model.calibration)
    assert again.card.accuracy["pearson"] > 0.8
    p = again.predict(X)
    assert ((p.low <= p.mean) & (p.mean <= p.high)).all()
    assert (p.std > 0).all()


@pytest.mark.parametrize(
    "spec", ["", "gp|", "gp|kernel", "gp|kernel:", "gp|kernel:rbf+rbf", "gp|inducing:-1", "gp|a:b", "svr|ard:no"]
)
def test_learners_that_do_not_exist_are_refused(spec: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_learner(spec)
    assert caught.value.code == "invalid-training-data"


def test_times_are_learned_as_logarithms_and_stay_positive() -> None:
    times = np.exp(2 * Y + RNG.normal(scale=0.1, size=400))
    train, held = split_held_out(TrainingSet(X, times, "made up", "0" * 64), 0.3, 1)
    model = train_model(train, held, "ro-en", "time", "any", NAMES, "gp", created="2026-01-01")
    assert model.card.hyper_parameters["warp"] == "log"
    p = model.predict(10 * X)
    assert (p.low >= 0).all()
    assert (p.mean > 0).all()


def test_grades_have_the_shares_of_the_gaussian() -> None:
    p = Prediction(np.array([2.2]), np.array([0.7]), np.zeros(1), np.zeros(1), 0.9)
    shares = grade_probabilities(p, LABELS["likert"].classes)[0]
    assert shares.sum() == pytest.approx(1)
    assert shares[1] == pytest.approx(norm(2.2, 0.7).cdf(2.5) - norm(2.2, 0.7).cdf(1.5))
    assert shares[4] == pytest.approx(norm(2.2, 0.7).sf(4.5))


def test_tasks_help_each_other() -> None:
    rows = np.arange(400)
    much = TrainingSet(X[rows < 300], Y[rows < 300], "much", "0" * 64)
    little, rest = TrainingSet(X[300:325], Y[300:325], "little", "0" * 64), TrainingSet(X[325:], 1 - Y[325:], "rest", "0" * 64)
    # The second task is the first one turned round: a rank-one covariance can say so, B = 1 + αI cannot.
    turned = TrainingSet(little.values, 1 - little.labels, "turned", "0" * 64)
    tasks = [LearningTask("much", "ro-en", *split_held_out(much, 0.2, 1)), LearningTask("turned", "ro-en", turned, rest)]
    found = {
        sharing: train_together(tasks, "hter", "any", NAMES, sharing, inducing=120, created="2026-01-01")
        for sharing in ("independent", "rank")
    }
    alone, together = (found[name]["turned"].card.accuracy["pearson"] for name in ("independent", "rank"))
    assert 1 - together < 0.6 * (1 - alone)
    covariance = np.array(found["rank"]["turned"].card.hyper_parameters["task_covariance"])
    assert covariance[0, 1] < 0
    assert {model.card.id for model in found["rank"].values()} == {"ro-en-hter-gp-12-of-2-much", "ro-en-hter-gp-12-of-2-turned"}


def test_learning_together_needs_tasks() -> None:
    task = LearningTask("one", "ro-en", TRAIN, HELD)
    for tasks in ([], [task], [task, task]):
        with pytest.raises(InputError, match="two tasks"):
            train_together(tasks, "hter", "any", NAMES)


def test_a_correction_learns_what_the_base_does_not_know(tmp_path: Path) -> None:
    base = trained("blend")
    shifted = TrainingSet(X[:60], np.clip(Y[:60] + 0.2 * (X[:60, 5] > 0), 0, 1), "domain", "0" * 64)
    adapted = adapt_model(base, shifted, "private", created="2026-01-01")
    new = slice(100, 400)
    truth = np.clip(Y[new] + 0.2 * (X[new, 5] > 0), 0, 1)
    before, after = (np.abs(model.predict(X[new]).mean - truth).mean() for model in (base, adapted))
    assert after < 0.85 * before
    save_model(adapted, tmp_path / "m")
    again = load_model(tmp_path / "m")
    assert np.array_equal(again.predict(X).mean, adapted.predict(X).mean)
    assert (again.card.parent, again.card.version) == (base.card.id, 2)
    with pytest.raises(InputError, match="20"):
        adapt_model(base, shifted.select(np.arange(10)), "private")


def test_a_correction_is_kernel_ridge_regression_with_the_likeliest_noise() -> None:
    base, x = trained("ridge"), X[:40]
    y = (Y[:40] + 0.2 * (x[:, 5] > 0) - base.label_centre) / base.label_scale
    fitted = fit_correction("ridge", base.regressor, x, y, 0.7, 1)
    left = y - base.regressor.means(x)
    assert fitted.shift == pytest.approx(left.sum() / 45)

    def covariance(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        squares = ((a[:, None] - b[None]) ** 2).sum(2)
        return np.asarray(0.6 * np.exp(-squares / 24) + 0.1 * (a @ b.T) / 12)

    known = KernelRidge(alpha=1.0, kernel="precomputed").fit(covariance(x, x), left - fitted.shift)
    new = X[100:110]
    expected = base.regressor.means(new) + fitted.shift + known.predict(covariance(new, x))
    assert fitted.means(new) == pytest.approx(expected, abs=1e-6)
    total, noise = covariance(x, x) + np.eye(40), fitted.correction.noise_variance
    worth = [multivariate_normal.logpdf(left - fitted.shift, cov=total * noise * factor) for factor in (0.95, 1.0, 1.05)]
    assert max(worth) == worth[1]
    inner = covariance(new, x) @ np.linalg.solve(total, covariance(x, new))
    assert fitted.predict(new)[1] == pytest.approx(noise * (np.diag(covariance(new, new) - inner) + 1), rel=1e-5)


def test_a_base_that_is_trusted_is_moved_by_its_mean_alone() -> None:
    base = trained("ridge")
    moved = fit_correction("ridge", base.regressor, X[:30], Y[:30], 1e-6, 1)
    assert moved.means(X) - base.regressor.means(X) == pytest.approx(np.full(400, moved.shift), abs=1e-3)


def order(model: Model, rows: slice, truth: np.ndarray) -> float:
    """Spearman's correlation of predictions with the truth."""
    return float(spearmanr(model.predict(X[rows]).mean, truth[rows]).statistic)


@pytest.mark.parametrize("scale", [0.3, 1.0])
@pytest.mark.parametrize("labels", [20, 50, 100, 200])
def test_labels_of_noise_do_not_change_the_order_of_a_good_base(labels: int, scale: float) -> None:
    # The base knows the truth, in another scale. Labels are this truth and much noise.
    base, new = trained("blend"), slice(200, 400)
    truth = base.predict(X).mean
    losses = []
    for seed in range(5):
        noise = np.random.default_rng(seed).normal(scale=2 * truth.std(), size=labels)
        rows = TrainingSet(X[:labels], scale * truth[:labels] + noise, "noise", "0" * 64)
        losses.append(1.0 - order(adapt_model(base, rows, "private", created="2026-01-01"), new, truth))
    assert np.mean(losses) < 0.015


@pytest.mark.parametrize("labels", [50, 100, 200])
def test_labels_that_disagree_with_the_base_change_its_order(labels: int) -> None:
    base, new = trained("blend"), slice(200, 400)
    truth = Y + 0.2 * (X[:, 5] > 0)
    rows = TrainingSet(X[:labels], truth[:labels], "another domain", "0" * 64)
    adapted = adapt_model(base, rows, "private", created="2026-01-01")
    assert order(adapted, new, truth) > order(base, new, truth) + 0.02
    # Labels in another direction never turn the order of the base.
    reversed_rows = TrainingSet(X[:labels], 1 - Y[:labels], "reversed", "0" * 64)
    turned = adapt_model(base, reversed_rows, "private", created="2026-01-01")
    assert order(turned, new, Y) > 0.9


def test_a_new_scale_is_learned_with_few_labels() -> None:
    base, new = trained("blend"), slice(200, 400)
    truth = 0.1 + 0.3 * Y
    adapted = adapt_model(base, TrainingSet(X[:50], truth[:50], "narrow", "0" * 64), "private", created="2026-01-01")
    assert adapted.card.hyper_parameters["scale"] == pytest.approx(0.3, abs=0.1)
    before, after = (np.abs(model.predict(X[new]).mean - truth[new]).mean() for model in (base, adapted))
    assert after < 0.2 * before


def test_corrections_of_older_versions_have_scale_and_weight_one() -> None:
    base = trained("ridge")
    fitted = fit_correction("ridge", base.regressor, X[:40], Y[:40], 0.35, 1)
    arrays = {name: value for name, value in fitted.arrays().items() if name not in ("scale", "weight")}
    assert serve(arrays, regressor_of).means(X) == pytest.approx(fitted.means(X))


def test_twenty_labels_that_say_nothing_new_change_little() -> None:
    base, new = trained("blend"), slice(100, 400)
    before = np.abs(base.predict(X[new]).mean - Y[new]).mean()
    for begin in (0, 20, 40):
        few = TrainingSet(X[begin : begin + 20], Y[begin : begin + 20], "few", "0" * 64)
        adapted = adapt_model(base, few, "private", created="2026-01-01")
        assert np.abs(adapted.predict(X[new]).mean - Y[new]).mean() < 1.15 * before


def test_measured_coverage_is_what_was_promised() -> None:
    for learner in ("gp", "svr"):
        for row in trained(learner).card.accuracy["intervals"]:
            assert row["measured"] == pytest.approx(row["coverage"], abs=0.04)
            assert row["width"] > 0


@given(st.integers(1, 400))
def test_stability_of_the_training_rows_themselves_is_small(rows: int) -> None:
    seen = Distribution.of(X)
    whole = seen.counts(X)
    assert (whole.sum(1) == 400).all()
    assert stability(seen, whole) == pytest.approx(np.zeros(12), abs=1e-12)
    some = stability(seen, seen.counts(X[:rows]))
    assert (some >= 0).all()
    assert np.isfinite(some).all()


def test_stability_is_its_formula() -> None:
    # Ten bins of a tenth each, ten times as many rows; everything now in the last bin.
    seen = Distribution.of(np.arange(1000.0)[:, None])
    counts = np.zeros((1, 10), np.int64)
    counts[0, 9] = 1000
    p, q = np.full(10, 100.5 / 1005), np.r_[np.full(9, 0.5), 1000.5] / 1005
    assert stability(seen, counts)[0] == pytest.approx(float(((q - p) * np.log(q / p)).sum()), rel=1e-6)


def test_rows_that_were_kept_in_half_precision_do_not_look_like_drift(tmp_path: Path) -> None:
    # Counts of something rare: mostly 0, which is nearly 0 once kept, and differently so in the rows of two pairs.
    rare = np.random.default_rng(3).poisson([[0.1, 0.3, 1.0, 3.0]], (800, 4)) * 0.7
    kept = []
    for number, part in enumerate((rare[:500], rare[500:])):
        path = tmp_path / f"{number}.npz"
        write_rows(path, TrainingRows(("a", "b", "c", "d"), part, {}))
        kept.append(read_rows(path).values)
    rows = np.concatenate(kept)
    model = replace(trained("ridge"), centre=rows.mean(0), scale=rows.std(0), seen=Distribution.of(rows))
    assert not (rows == rare).all()
    assert stability(model.seen, model.seen.counts(rare)).mean() > DRIFT_LIMIT
    assert stability(model.usual, model.usual.counts(rare)).mean() < DRIFT_LIMIT / 5
    assert stability(model.usual, model.usual.counts(rare + 0.7)).mean() > DRIFT_LIMIT


def test_drift_looks_at_the_last_segments() -> None:
    model, monitor = trained("ridge"), DriftMonitor()
    assert monitor.report(model).drifted is None
    assert monitor.count(model, X + 10).drifted
    assert monitor.report(model).drifted
    assert monitor.count(model, X).drifted is False and monitor.count(model, X[:99]).drifted is None
    for _ in range(2 * WINDOW // 400 + 2):
        monitor.count(model, X)
    report = monitor.report(model)
    assert not report.drifted
    assert WINDOW <= report.segments <= 2 * WINDOW + 400


def test_rows_are_kept_and_read(tmp_path: Path) -> None:
    kept = TrainingRows(tuple(NAMES), X, {"hter": Y})
    write_rows(tmp_path / "a" / "rows.npz", kept)
    write_rows(tmp_path / "b" / "rows.npz", kept)
    assert (tmp_path / "a" / "rows.npz").read_bytes() == (tmp_path / "b" / "rows.npz").read_bytes()
    values, labels = read_rows(tmp_path / "a" / "rows.npz").of(["f3", "f1"], "hter")
    assert values == pytest.approx(X[:, [3, 1]], abs=5e-3)
    assert labels == pytest.approx(Y, abs=1e-6)
    for features, label in ((["f1", "none"], "hter"), (["f1"], "da")):
        with pytest.raises(InputError):
            read_rows(tmp_path / "a" / "rows.npz").of(features, label)
    (tmp_path / "a" / "rows.npz").write_bytes(b"PK\x03\x04 not really")
    with pytest.raises(InputError, match="readable"):
        read_rows(tmp_path / "a" / "rows.npz")
    np.savez(tmp_path / "b" / "rows.npz", features=np.array([object()], dtype=object))
    with pytest.raises(InputError, match="readable"):
        read_rows(tmp_path / "b" / "rows.npz")


def test_promotions_are_a_stack(tmp_path: Path) -> None:
    one, other = Promotions(tmp_path), Promotions(tmp_path)
    assert one.current("ro-en", "da") is None
    for model in ("a", "b", "c"):
        one.promote("ro-en", "da", model, "by hand")
    one.promote("ro-en", "hter", "x", "by hand")
    assert other.current("ro-en", "da") == "c"
    assert [other.roll_back("ro-en", "da", "").model for _ in range(4)] == ["b", "a", None, None]
    one.promote("ro-en", "da", "d", "by hand")
    assert other.roll_back("ro-en", "da", "worse").model is None
    assert other.current("ro-en", "hter") == "x"
    assert len(one.entries()) == 10


def test_edit_rates_are_those_that_people_published(shared: Path) -> None:
    data, pairs = language_pairs(shared / "data")
    for pair, least in (("ro-en", 0.99), ("en-de", 0.98), ("en-zh", 0.95)):
        split = split_of(data, next(each for each in pairs if str(each) == pair), "dev")
        assert "hter" in LABEL_COLUMNS
        rates = human_edit_rates(split.column("translation"), split.column("post_edit"))
        assert np.corrcoef(rates, split.labels("hter"))[0, 1] > least


@pytest.mark.parametrize("harm", ["nan label", "infinite feature", "one row", "no rows", "constant", "too few rows"])
def test_rows_that_cannot_be_learned_from_are_refused_with_their_place(harm: str) -> None:
    values, labels = X.copy(), Y.copy()
    if harm == "nan label":
        labels[7] = np.nan
    elif harm == "infinite feature":
        values[7, 3] = np.inf
    elif harm == "constant":
        labels[:] = 0.5
    rows = {"one row": 1, "no rows": 0, "too few rows": 13}.get(harm, 400)
    with pytest.raises(InputError) as caught:
        train_model(TrainingSet(values[:rows], labels[:rows], "t", ""), HELD, "ro-en", "hter", "any", NAMES, "gp")
    assert caught.value.code == "invalid-training-data"
    if harm in ("nan label", "infinite feature"):
        assert "row 7" in str(caught.value)


def test_rows_that_repeat_and_features_that_never_differ_are_no_obstacle() -> None:
    values = np.hstack([np.repeat(X[:100], 4, axis=0), np.ones((400, 1))])
    whole = TrainingSet(values, np.repeat(Y[:100], 4), "repeated", "")
    classes = replace(whole, labels=(whole.labels > 0.4).astype(float))
    for learner in LEARNER_NAMES:
        label, rows = ("origin", classes) if learner == "svc" else ("hter", whole)
        model = train_model(*split_held_out(rows, 0.3, 1), "ro-en", label, "any", [*NAMES, "constant"], learner)
        assert np.isfinite(model.predict(values).std).all()
        assert (model.contributions(values[:3])[:, 12] == 0).all()
