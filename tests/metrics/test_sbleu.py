"""sBLEU against the thesis' printed values and the formula's own."""

import numpy as np
import pytest

from app.errors import InputError
from app.metrics import metric_named

REFERENCE = "is this not a case of double standards ?"
# Srivastava's thesis, Fig. 3.3, to more digits than are printed there.
FIGURE = {
    "is there not here two weights , two measures ?": 0.01875,
    "is there not here double standards ?": 0.1474786533,
    "are there not here two weights , two measures ?": 0.0125,
    "is there not double here ?": 0.0252721108,
    "is there not here double ?": 0.0252721108,
    "is it not here two sets of standards ?": 0.0676626145,
    "is there not a case of double standards here ?": 0.5625219528,
    "is there not here two weights and two yardsticks ?": 0.01875,
    "is there no double here ?": 0.0189540831,
    "is there not here a case of double standards ?": 0.5625219528,
    REFERENCE: 0.9375,
}


def test_the_figure_of_the_thesis() -> None:
    metric = metric_named("sbleu|tok:none")
    statistics = metric.prepare([[REFERENCE]]).statistics(list(FIGURE), np.zeros(len(FIGURE), np.int64))
    assert metric.segment_scores(statistics).tolist() == pytest.approx(list(FIGURE.values()), abs=1e-9)


def test_short_and_empty_segments() -> None:
    metric = metric_named("sbleu|tok:none")
    texts = ["a b", "", "x", "a b c"]
    statistics = metric.prepare([["a b"]]).statistics(texts, np.zeros(4, np.int64))
    # A perfect segment of two words has orders 1 and 2 only.
    assert metric.segment_scores(statistics).tolist() == pytest.approx([1 / 16 + 1 / 8, 0, 0, 2 / 3 / 16 + np.sqrt(1 / 3) / 8])


def test_one_added_to_each_order() -> None:
    """Digest 4.15 of Stanojević's thesis: precisions 1, .8, .75, .6667 with a penalty of .818731; and without 4-grams."""
    reference, hypotheses = "the cat sat on the mat", ["the cat sat on mat", "on the mat the cat sat"]
    metric = metric_named("sbleu:add-one|tok:none")
    statistics = metric.prepare([[reference]]).statistics(hypotheses, np.zeros(2, np.int64))
    assert metric.segment_scores(statistics).tolist() == pytest.approx([0.651113, 0.594604], abs=1e-6)
    simplified = metric_named("simpbleu:PGBC4|tok:none|bp:plain")
    simplified_statistics = simplified.prepare([[reference]]).statistics(hypotheses, np.zeros(2, np.int64))
    assert simplified.segment_scores(simplified_statistics).tolist() == pytest.approx([65.1113, 59.4604], abs=1e-4)


def test_other_variants_are_refused() -> None:
    with pytest.raises(InputError, match="add-one"):
        metric_named("sbleu:add-two")
