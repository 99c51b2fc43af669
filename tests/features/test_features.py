"""Features by hand, and what holds for all input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine import Engine
from app.engine.segments import Segments
from app.errors import InputError
from app.features import CATALOGUE, feature_set, feature_sets
from app.text import LanguagePair
from app.text.side_information import SideInformation

BOTH = "quest-baseline-17+nmt-glassbox-10"
RO = LanguagePair("ro", "en")


def values(engine: Engine, source: str, translation: str, name: str = "quest-baseline-17") -> dict[str, float]:
    matrix = engine.features(Segments(RO, [source], [translation], SideInformation(token_log_probs=[[-0.5, -1.5]])), name)
    return {feature.id: float(value) for feature, value in zip(matrix.features, matrix.values[0], strict=True)}


def test_countable_features_by_hand(engine: Engine) -> None:
    found = values(engine, "Bună ziua, lume!", "the the, cat!")
    assert found["1001"] == 5  # bună ziua , lume !
    assert found["1002"] == 5  # the the , cat !
    assert found["1006"] == pytest.approx((4 + 4 + 1 + 4 + 1) / 5)
    assert found["1015"] == pytest.approx(5 / 4)
    assert found["1074"] == 2
    assert found["1075"] == 2


@pytest.mark.parametrize(
    ("source", "marks"), [("Ce? Da. Nu!", 3), ("¿Qué: no; sí!", 4), ('A (b) [c] "d"', 0), ("नमस्ते।", 1), ("你好。", 1)]
)
def test_punctuation_is_counted_as_described(engine: Engine, source: str, marks: int) -> None:
    assert values(engine, source, "x")["1074"] == marks


def test_an_empty_pair_is_all_zero_but_for_the_language_models(engine: Engine) -> None:
    found = values(engine, "", "")
    assert {name for name, value in found.items() if value} <= {"1009", "1012"}


def test_glass_box_statistics_are_numpys(engine: Engine) -> None:
    rng = np.random.default_rng(5)
    rows = [(-rng.exponential(1, n)).tolist() for n in (1, 2, 7, 40)]
    matrix = engine.features(Segments(RO, ["a"] * 4, ["b"] * 4, SideInformation(token_log_probs=rows)), "nmt-glassbox-10")
    for row, found in zip(rows, matrix.values, strict=True):
        x = np.array(row)
        expected = [
            x.mean(), x.sum(), x.min(), x.max(), x.std(), (x < -1).mean(), (x < -2).mean(), x[-1],
            np.percentile(x, 10), np.percentile(x, 25),
        ]  # fmt: skip
        assert found == pytest.approx(expected, abs=1e-12)


def test_a_batch_is_its_segments_one_by_one(engine: Engine) -> None:
    rows = [("Bună ziua.", "Good day."), ("", ""), ("Unu doi trei", "One two three"), ("x", "")]
    together = engine.features(Segments(RO, [s for s, _ in rows], [t for _, t in rows]), "quest-baseline-17").values
    for row, (source, translation) in zip(together, rows, strict=True):
        assert list(row) == list(values(engine, source, translation).values())


def test_no_segments_give_no_rows(engine: Engine) -> None:
    assert engine.features(Segments(RO, [], [], SideInformation(token_log_probs=[])), BOTH).values.shape == (0, 27)


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=80), st.text(max_size=80), st.lists(st.floats(-50, 0), min_size=1, max_size=20))
def test_features_of_anything_are_finite(engine: Engine, source: str, translation: str, log_probs: list[float]) -> None:
    matrix = engine.features(Segments(RO, [source], [translation], SideInformation(token_log_probs=[log_probs])), BOTH)
    assert np.isfinite(matrix.values).all()


def test_sets_are_made_of_catalogued_features() -> None:
    sizes = {each.name: len(each.features) for each in feature_sets().values()}
    assert [sizes[name] for name in ("quest-baseline-17", "nmt-glassbox-10", BOTH, "blackbox-79", "blackbox-67")] == [
        17,
        10,
        27,
        79,
        67,
    ]
    assert sizes["information-retrieval"] == 35
    assert all(feature.id in CATALOGUE for each in feature_sets().values() for feature in each.features)


def test_unknown_sets_and_missing_log_probs_are_refused(engine: Engine) -> None:
    with pytest.raises(InputError, match="quest-baseline-17"):
        feature_set("nope")
    with pytest.raises(InputError) as caught:
        engine.features(Segments(RO, ["a"], ["b"]), BOTH)
    assert caught.value.code == "log-prob-mismatch"
