"""Places in the training distribution against numpy and SciPy on the raw rows, and against brute force on deciles."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import percentileofscore

from app.engine import Engine
from app.errors import InputError
from app.predictors import Model
from app.predictors.distribution import Distribution
from app.registry.rows import TrainingRows, write_rows
from app.registry.standing import TrainingDistribution, TrainingDistributions
from app.settings import ROOT

MODEL = "ro-en-hter-gp-17"


Raw = dict[str, np.ndarray]


@pytest.fixture(scope="module")
def stored() -> Raw:
    """Arrays of the shipped rows, by numpy alone."""
    with np.load(ROOT / "models" / "ro-en-rows" / "rows.npz", allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


@pytest.fixture(scope="module")
def raw(stored: Raw) -> Raw:
    """Columns of the shipped rows, in half precision and cut at eight deviations."""
    values = stored["values"].astype(np.float64) * stored["scale"][:, None] + stored["centre"][:, None]
    return dict(zip(map(str, stored["features"]), values, strict=True))


@pytest.fixture(scope="module")
def moments(stored: Raw) -> dict[str, tuple[float, float]]:
    """Mean and deviation of the rows before the cut."""
    return dict(zip(map(str, stored["features"]), zip(stored["centre"], stored["scale"], strict=True), strict=True))


@pytest.fixture(scope="module")
def model(engine: Engine) -> Model:
    return engine.models[MODEL]


def test_percentiles_are_those_of_the_raw_rows(
    engine: Engine, model: Model, raw: Raw, moments: dict[str, tuple[float, float]]
) -> None:
    training = engine.registry.distribution(model)
    rng = np.random.default_rng(1)
    for feature in model.card.features:
        column, (mean, deviation) = raw[feature], moments[feature]
        # Values between rows and far from all of them.
        values = np.concatenate([rng.uniform(column.min() - 1, column.max() + 1, 50), [column.min() - 1e6, column.max() + 1e6]])
        mask = np.abs(values[:, None] - column).min(1) > 0.002 * (deviation + np.abs(values - mean))
        expected = [percentileofscore(column, value, kind="mean") for value in values[mask]]
        np.testing.assert_allclose(training.percentiles(feature, values)[mask], expected)
        np.testing.assert_allclose(training.deviations(feature, values), (values - mean) / deviation, rtol=1e-6)


def test_equal_rows_count_half_though_their_storage_is_rounded(engine: Engine, model: Model, raw: Raw) -> None:
    feature, training = "1001", engine.registry.distribution(model)
    tokens = np.round(raw[feature])
    for value in (8, 15, 16, 17, 30):
        assert training.percentiles(feature, np.array([float(value)]))[0] == pytest.approx(
            percentileofscore(tokens, value, kind="mean")
        )


def test_histograms_are_those_of_the_raw_rows(
    engine: Engine, model: Model, raw: Raw, moments: dict[str, tuple[float, float]]
) -> None:
    training = engine.registry.distribution(model)
    for feature in model.card.features:
        shape, column = training.shape(feature), raw[feature]
        assert shape.basis == "rows" and (np.diff(shape.edges) > 0).all()
        assert shape.shares.sum() == pytest.approx(1)
        assert (shape.mean, shape.deviation) == pytest.approx(moments[feature])
        low, high = np.quantile(column, [0.01, 0.99])
        inside = (column > shape.edges[0]) & (column <= shape.edges[-1])
        counts, _ = np.histogram(-column[inside], -shape.edges[::-1])
        np.testing.assert_allclose(shape.shares[1:-1], counts[::-1] / len(column))
        assert shape.shares[0] == pytest.approx((column <= shape.edges[0]).mean())
        if not np.allclose(column, np.round(column), atol=0.05):
            np.testing.assert_allclose([shape.edges[0], shape.edges[-1]], [low, high])
    assert set(np.diff(training.shape("1001").edges)) == {1.0} and training.shape("1001").edges[0] % 1 == 0.5


def test_deciles_place_a_value_in_the_middle_of_its_tenth(model: Model) -> None:
    rng = np.random.default_rng(2)
    values = np.column_stack([rng.normal(size=1000), rng.integers(0, 3, 1000).astype(float)])
    card = replace(model.card, features=("a", "b"))
    stored = replace(model, card=card, centre=values.mean(0), scale=values.std(0), seen=Distribution.of(values), checksum="x")
    training = TrainingDistribution(stored, None)
    shape = training.shape("a")
    assert shape.basis == "deciles"
    np.testing.assert_allclose(shape.edges, np.quantile(values[:, 0], np.arange(1, 10) / 10, method="inverted_cdf"))
    live = np.array([-9.0, 0.0, 9.0])
    exact = np.array([percentileofscore(values[:, 0], value, kind="mean") for value in live])
    assert np.abs(training.percentiles("a", live) - exact).max() <= 5.0001
    # Of three numbers, half of the equal rows count.
    expected = [percentileofscore(values[:, 1], value, kind="mean") for value in (0, 1, 2)]
    np.testing.assert_allclose(training.percentiles("b", np.array([0.0, 1.0, 2.0])), expected, atol=1e-4)


def test_a_constant_feature_has_a_histogram(model: Model) -> None:
    rows = TrainingRows(model.card.features, np.full((20, len(model.card.features)), 0.25), {"hter": np.zeros(20)})
    shape = TrainingDistribution(model, rows).shape("1001")
    assert shape.shares.sum() == pytest.approx(1) and shape.edges[0] < 0.25 < shape.edges[-1]


def test_distributions_are_read_again_when_rows_change(model: Model, tmp_path: Path) -> None:
    path, distributions = tmp_path / "rows.npz", TrainingDistributions()
    features = model.card.features
    write_rows(path, TrainingRows(features, np.random.default_rng(0).normal(size=(50, len(features))), {"hter": np.zeros(50)}))
    first = distributions.of(model, path)
    assert distributions.of(model, path) is first
    path.write_bytes(b"damaged")
    with pytest.raises(InputError, match="readable training rows"):
        distributions.of(model, path)
