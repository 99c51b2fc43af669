"""The judge of encoded sentences against scikit-learn; what it has not seen; files."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.linear_model import Ridge

from app.errors import InputError
from app.predictors.sentences import Judge, JudgeCard, load_judge, save_judge
from app.predictors.sentences.kernel import Inputs, Projection, covariance
from app.predictors.sentences.model import CARD
from app.registry.models import ModelRegistry
from scripts.mlqe_pe.judge_fitting import JITTER, NOISE, JudgeFitting, JudgeRows
from tests.features.hashed_words import HashedWords

D, A, N = 6, 15, 240


def rows_of(seed: int) -> JudgeRows:
    rng = np.random.default_rng(seed)
    u, v = (side / np.linalg.norm(side, axis=1, keepdims=True) for side in rng.normal(size=(2, N, D)))
    numbers = rng.normal(size=(N, A))
    good = (u * v).sum(1) + numbers[:, 1]
    labels = np.stack([good, -good], axis=1) + 0.1 * rng.normal(size=(N, 2))
    return JudgeRows(Inputs(u.astype(np.float32), v.astype(np.float32), numbers), labels, rng.integers(0, 3, N))


ROWS = [rows_of(1), rows_of(2)]


@pytest.fixture(scope="module")
def fitting() -> JudgeFitting:
    return JudgeFitting(ROWS, 1, dimensions=4, inducing=60)


def shuffled(rows: JudgeRows, places: np.ndarray) -> JudgeRows:
    """The labels of some rows dealt out anew among them, which changes neither their mean nor their spread."""
    labels = rows.labels.copy()
    labels[places] = labels[np.roll(places, 1)]
    return replace(rows, labels=labels)


def test_axes_are_principal_components() -> None:
    block = np.random.default_rng(3).normal(size=(80, 10)) * np.arange(1, 11)
    found, expected = Projection.of(block, 3), PCA(3).fit(block)
    mine, theirs = found.rows(block), expected.transform(block)
    scale = np.sqrt(2 * (theirs**2).sum(1).mean())
    assert np.abs(mine) == pytest.approx(np.abs(theirs) / scale, abs=2e-3)
    # The mean squared distance of two rows is 1.
    assert 2 * ((mine - mine.mean(0)) ** 2).sum(1).mean() == pytest.approx(1, abs=1e-2)


def test_weights_are_those_of_ridge_regression_in_the_space_of_inducing_rows(fitting: JudgeFitting) -> None:
    k = np.concatenate(
        [covariance(points, np.full(N, pair), fitting.inducing, fitting.pairs) for pair, points in enumerate(fitting.points)]
    )
    labels = np.concatenate([(rows.labels - rows.labels.mean(0)) / rows.labels.std(0) for rows in ROWS])
    lower = np.linalg.cholesky(fitting.between + JITTER * np.eye(len(fitting.between)))
    ridge = Ridge(alpha=NOISE, fit_intercept=False).fit(np.linalg.solve(lower, k.T).T, labels)
    expected = np.linalg.solve(lower.T, ridge.coef_.T)
    assert fitting.weights(lambda pair, fold: True) == pytest.approx(expected, abs=1e-6)


def test_pairs_that_are_none_of_those_seen_are_as_far_as_other_pairs(fitting: JudgeFitting) -> None:
    points = fitting.points[0][:5]
    own, other, none = (covariance(points, np.full(5, pair), fitting.inducing, fitting.pairs) for pair in (0, 1, -1))
    of_first = fitting.pairs == 0
    assert own[:, of_first] == pytest.approx(4 * none[:, of_first]) and own[:, ~of_first] == pytest.approx(none[:, ~of_first])
    assert other[:, of_first] == pytest.approx(none[:, of_first])


def test_no_row_is_judged_by_one_that_has_seen_its_label(fitting: JudgeFitting) -> None:
    places = np.flatnonzero(ROWS[0].fold == 1)
    changed = JudgeFitting([shuffled(ROWS[0], places), ROWS[1]], 1, dimensions=4, inducing=60)
    before, after = fitting.cross_fitted()[0], changed.cross_fitted()[0]
    assert after[places] == pytest.approx(before[places], abs=1e-9)
    assert np.abs(after - before).max() > 1e-3


def test_no_pair_that_is_left_out_was_seen(fitting: JudgeFitting) -> None:
    changed = JudgeFitting([shuffled(ROWS[0], np.arange(N)), ROWS[1]], 1, dimensions=4, inducing=60)
    assert changed.without_pair()[0] == pytest.approx(fitting.without_pair()[0], abs=1e-9)
    assert np.abs(changed.without_pair()[1] - fitting.without_pair()[1]).max() > 1e-3


def test_what_can_be_learned_is_learned(fitting: JudgeFitting) -> None:
    for rows, judged, left_out in zip(ROWS, fitting.cross_fitted(), fitting.without_pair(), strict=True):
        for label in (0, 1):
            assert np.corrcoef(judged[:, label], rows.labels[:, label])[0, 1] > 0.4
            assert np.corrcoef(left_out[:, label], rows.labels[:, label])[0, 1] > 0.3


@pytest.fixture
def judge(fitting: JudgeFitting) -> Judge:
    by_pair = {label: {"aa-bb": 0.5, "cc-dd": 0.5} for label in ("da", "hter")}
    card = JudgeCard(
        1,
        "sentences-test",
        "two",
        "0" * 64,
        ("aa-bb", "cc-dd"),
        {"inducing": 40},
        {},
        {"pearson": {"cross-fitted": by_pair}},
        "",
        "CC0",
    )
    inducing, weights = fitting.inducing.astype(np.float64), fitting.weights(lambda pair, fold: True)
    return Judge(card, np.zeros(D, np.float32), fitting.kernel, inducing, fitting.pairs, weights)


def test_a_judge_on_disk_says_the_same(judge: Judge, tmp_path: Path) -> None:
    save_judge(judge, tmp_path / "one")
    save_judge(load_judge(tmp_path / "one"), tmp_path / "two")
    for name in ("sentence-judge.json", "arrays.safetensors", "README.md"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    for pair in ("aa-bb", "cc-dd", "ee-ff"):
        expected = judge.judge_inputs(pair, ROWS[1].inputs)
        assert load_judge(tmp_path / "one").judge_inputs(pair, ROWS[1].inputs) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", [CARD, "arrays.safetensors"])
def test_damaged_judges_are_refused_by_name(judge: Judge, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "models" / judge.card.id
    save_judge(judge, folder)
    path = folder / name
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(InputError, match="models/sentences-test has no readable"):
        load_judge(folder)
    registry = ModelRegistry(tmp_path / "models")
    registry.load(encoder=HashedWords(name=judge.card.encoder, checksum=judge.card.encoder_sha256))
    assert judge.card.id in registry.broken
