"""Speed of predictors beside GPy's own optimiser and scikit-learn: ``python -m benchmarks.predictors DATA FEATURES [PART ...]``.

``python -m scripts.mlqe_pe DATA --features FEATURES`` fills FEATURES. Parts: exact, large, sparse, serving. The time of a training
counts until its likelihood reaches GPy's final one; the output has the difference if it does not.
"""

import os
import sys
import time
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "2")

import numpy as np  # noqa: E402

from app.features import feature_set  # noqa: E402
from app.predictors import load_model  # noqa: E402
from app.predictors.learners.gp.evidence import TaskRows  # noqa: E402
from app.predictors.learners.gp.fitting import FitSettings, fit_process  # noqa: E402
from app.predictors.learners.gp.peer import fit_with_gpy  # noqa: E402
from app.predictors.model import standardise  # noqa: E402
from scripts.mlqe_pe.everything import language_pairs, read_features, split_of  # noqa: E402

SEED = 12345
# GPy's optimiser stops here on the largest tasks; Assay has to reach its likelihood at that point.
GPY_ITERATIONS = {"exact": 1000, "large": 30, "sparse": 100}
WIDE = "quest-baseline-17+nmt-glassbox-10"


def rows_of(data: Path, features: Path, pairs: list, set_name: str) -> TaskRows:  # type: ignore[type-arg]
    """Standardised rows of some pairs, features and DA within each pair."""
    parts, labels = [], []
    for pair in pairs:
        y = split_of(data, pair, "train").labels("da")
        ids, values, _ = read_features(features, pair, len(y))
        x = values[:, [ids.index(f.id) for f in feature_set(set_name).features]]
        parts.append(standardise(x, x.mean(0), np.where(x.std(0) > 0, x.std(0), 1.0)))
        labels.append((y - y.mean()) / y.std())
    return TaskRows.single(np.vstack(parts), np.concatenate(labels))


def compare(name: str, rows: TaskRows, inducing: int) -> None:
    settings = FitSettings(inducing=inducing)
    start = time.perf_counter()
    process = fit_process(rows, settings, SEED)
    assay_seconds = time.perf_counter() - start
    start = time.perf_counter()
    _, peer = fit_with_gpy(rows, settings, SEED, iterations=GPY_ITERATIONS[name])
    peer_seconds = time.perf_counter() - start
    shape = f"{len(rows.y)} x {rows.x.shape[1]}" + (f", {inducing} inducing inputs" if inducing else ", exact")
    print(
        f"{name:8} {shape:36} ours {assay_seconds:7.1f} s, likelihood {process.value:10.1f} ({process.evaluations} evaluations on all rows); "
        f"GPy {peer_seconds:7.1f} s, {peer:10.1f} (at most {GPY_ITERATIONS[name]} iterations); {peer_seconds / assay_seconds:.1f} times as fast, "
        f"likelihood {process.value - peer:+.1f}",
        flush=True,
    )


def best(function, repeats: int) -> float:  # type: ignore[no-untyped-def]
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def serving(models: Path) -> None:
    """A million rows, and one row, of every kind of learner that ships; scikit-learn beside support vectors."""
    rng = np.random.default_rng(SEED)
    for name in ("ro-en-da-gp-17", "ro-en-da-gp-27", "ro-en-da-svr-17", "ro-en-da-blend-105"):
        model = load_model(models / name)
        values = model.centre + model.scale * rng.normal(size=(1_000_000, len(model.centre)))
        start = time.perf_counter()
        model.predict(values)
        million = time.perf_counter() - start
        row = values[:1]
        x = model.standardise(row)
        print(
            f"serving  {name:22} a million rows {million:6.1f} s ({1e6 / million:9,.0f} rows/s); one row "
            f"{1e6 * best(lambda m=model, v=row: m.predict(v), 2000):5.0f} µs in all, "
            f"{1e6 * best(lambda m=model, v=x: m.regressor.predict(v), 2000):5.0f} µs the learner; explained "
            f"{1e3 * best(lambda m=model, v=row: m.contributions(v), 50):5.2f} ms",
            flush=True,
        )


def main() -> None:
    data, pairs = language_pairs(Path(sys.argv[1]))
    features = Path(sys.argv[2])
    for part in sys.argv[3:] or ["exact", "sparse", "large", "serving"]:
        if part == "exact":
            rows = rows_of(data, features, pairs[4:5], "quest-baseline-17")
            compare(part, rows.subset(np.arange(2000)), 0)
        elif part == "large":
            compare(part, rows_of(data, features, pairs[4:5], WIDE), 0)
        elif part == "sparse":
            compare(part, rows_of(data, features, pairs, WIDE), 200)
        else:
            serving(Path("models"))


if __name__ == "__main__":
    main()
