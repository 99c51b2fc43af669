"""The trained metrics that ship are what their command makes of the data."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.optimize

from app.arrays import Float64s
from app.metrics import TrainedMetric, metric_named
from app.metrics.learnt.artifact import read_trained_metric
from app.settings import ROOT
from app.text import LanguagePair
from app.text.reading.tables import read_column
from scripts.mlqe_pe.everything import language_pairs
from scripts.mlqe_pe.metrics import build_function_words, build_metrics, import_beer
from scripts.mqm.metrics import build_metrics as build_judged_metrics

SHIPPED = ROOT / "models" / "metrics"
GERMAN = LanguagePair("en", "de")
NAMES = ("beer-mlqe-de", "rose-reg-de", "rose-rank-de", "beer-mqm-de")
# How far what ships may be from what is made: as a share of the least loss, in standard deviations of scores, in a correlation with
# people. Weights say nothing. Precision, recall and their means nearly say one another, so the loss of BEER has a valley so flat that
# the solver, which ends where a step gains no ten-thousand-millionth, ends here or there in it by the last digits of sums, and so by
# the processor.
LOSS, SCORE, CORRELATION = 5e-5, 0.15, 2e-3


def test_german_metrics_are_rebuilt(shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, _ = language_pairs(shared / "data")
    minimised: list[Callable[[Float64s], tuple[float, Float64s]]] = []
    losses = {}
    minimize = scipy.optimize.minimize

    def watched(loss: Callable[[Float64s], tuple[float, Float64s]], start: Float64s, **options: Any) -> Any:
        minimised.append(loss)
        return minimize(loss, start, **options)

    monkeypatch.setattr(scipy.optimize, "minimize", watched)

    # The last that was minimised when a metric is told of is the loss on all of its training data.
    def report(told: str) -> None:
        losses[told] = minimised[-1]

    build_metrics(data, [GERMAN], ROOT / "resources", tmp_path, report)
    recipes = [name.removesuffix("-de") for name in NAMES[1:]]
    build_judged_metrics(data, [GERMAN], shared / "data", ROOT / "resources", tmp_path, report, recipes)
    assert list(losses) == [f"models/metrics/{name}" for name in NAMES]
    for name in NAMES:
        made, shipped = (read_trained_metric(folder / f"{name}.json") for folder in (tmp_path / "metrics", SHIPPED))
        least, reached = (losses[f"models/metrics/{name}"](np.append(each.weights, each.bias))[0] for each in (made, shipped))
        assert reached == pytest.approx(least, rel=LOSS)
        ours, theirs = (dev_scores(each, data) for each in (made, shipped))
        assert np.abs(ours - theirs).max() <= SCORE * theirs.std() and np.corrcoef(ours, theirs)[0, 1] > 0.999
        assert told_of(tmp_path / "metrics" / f"{name}.json") == nearly(told_of(SHIPPED / f"{name}.json"))


def dev_scores(metric: TrainedMetric, data: Path) -> Float64s:
    dev = data / str(GERMAN) / "dev.tsv.gz"
    translations, references = (read_column(f"{dev}:{column}") for column in ("translation", "post_edit"))
    scorer = metric_named(f"trained:{metric.id}", {metric.id: metric})
    return scorer.segment_scores(scorer.prepare([references]).statistics(translations))


def told_of(path: Path) -> dict[str, Any]:
    """Everything but the weights, bias, slope and intercept, which scores are made of."""
    told: dict[str, Any] = json.loads(path.read_text())
    return {name: value for name, value in told.items() if name not in ("weights", "bias", "slope", "intercept")}


def nearly(told: dict[str, Any]) -> dict[str, Any]:
    """The same, with numbers that may be off a little: sums by their last digits, accuracies as far as scores are."""
    low, high = (pytest.approx(told[end], rel=1e-9) for end in ("low", "high"))
    accuracies = told["card"]["accuracy"]
    near = {name: pytest.approx(value, abs=CORRELATION) for name, value in accuracies.items()}
    return {**told, "low": low, "high": high, "card": {**told["card"], "accuracy": near}}


def test_beer_and_function_words_are_rebuilt_byte_for_byte(shared: Path, tmp_path: Path) -> None:
    import_beer(shared / "reference" / "beer", tmp_path)
    assert (tmp_path / "metrics" / "beer-2.0.json").read_bytes() == (SHIPPED / "beer-2.0.json").read_bytes()
    build_function_words(shared / "data" / "ud", tmp_path)
    assert (tmp_path / "function_words.json").read_bytes() == (ROOT / "resources" / "function_words.json").read_bytes()
