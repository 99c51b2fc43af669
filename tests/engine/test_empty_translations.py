"""Translations without a word have the worst label, and are never the best candidate."""

import pytest

from app.engine import Engine
from app.engine.segments import Segments
from app.text import LanguagePair

RO_EN = LanguagePair("ro", "en")
SOURCE, RIGHT = "Casa este mică și veche.", "The house is small and old."


@pytest.mark.parametrize(("label", "worst"), [("hter", 1.0), ("da", -3.0)])
def test_an_empty_translation_is_as_bad_as_can_be(engine: Engine, label: str, worst: float) -> None:
    answer = engine.quality(Segments(RO_EN, [SOURCE] * 3 + [""], [RIGHT, "", " \u00a0 ", ""]), label=label)
    alone = engine.quality(Segments(RO_EN, [SOURCE], [RIGHT]), label=label)
    mean, low, high = answer.prediction.mean, answer.prediction.low, answer.prediction.high
    expected = worst if label == "hter" else answer.model.label_centre + worst * answer.model.label_scale
    assert mean[[1, 2]] == pytest.approx([expected] * 2) and mean[0] == pytest.approx(alone.prediction.mean[0])
    assert (low <= mean).all() and (mean <= high).all() and (label != "hter" or high[1] == 1)
    # Nothing is a right translation of nothing.
    assert mean[3] != pytest.approx(expected)


def test_nobody_wins_with_nothing(engine: Engine) -> None:
    candidates = {"right": RIGHT, "nothing": "", "other": "I bought seven green bananas yesterday."}
    for label in ("hter", "da"):
        _, ranking = engine.rank(RO_EN, [SOURCE], [candidates], label=label)
        assert ranking.systems[-1].system == "nothing"
