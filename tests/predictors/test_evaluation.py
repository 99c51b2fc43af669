"""Measures against closed forms and hand-worked cases."""

import numpy as np
import pytest

from app.predictors import evaluate_predictions
from app.predictors.evaluation import delta_avg
from app.text import InputError


def test_delta_avg_by_hand() -> None:
    # Six segments, predicted in the right order. n = 2: head of 3 = 5. n = 3: heads of 2 and 4 = 5.5, 4.5.
    # Overall 3.5, so (5 - 3.5 + (5.5 + 4.5) / 2 - 3.5) / 2 = 1.5.
    gold = np.array([6.0, 5.0, 4.0, 3.0, 2.0, 1.0])
    assert delta_avg(gold, gold) == pytest.approx(1.5)
    assert delta_avg(gold, -gold) == pytest.approx(-1.5)


def test_perfect_and_constant_predictions() -> None:
    gold = np.array([0.1, 0.5, 0.3, 0.9])
    perfect = evaluate_predictions(gold, gold, False)
    assert (perfect.pearson, perfect.spearman, perfect.mae, perfect.rmse) == pytest.approx((1, 1, 0, 0))
    flat = evaluate_predictions(gold, np.full(4, 0.4), False)
    assert (flat.pearson, flat.spearman) == (0, 0)
    assert flat.mae == pytest.approx(0.25)
    assert flat.rmse == pytest.approx(np.sqrt((0.09 + 0.01 + 0.01 + 0.25) / 4))


def test_direction_turns_delta_avg() -> None:
    gold, predicted = np.arange(8.0), np.arange(8.0)
    assert evaluate_predictions(gold, predicted, True).delta_avg == pytest.approx(
        evaluate_predictions(gold, predicted, False).delta_avg
    )


def test_unequal_and_empty_inputs_are_refused() -> None:
    with pytest.raises(InputError):
        evaluate_predictions(np.zeros(3), np.zeros(2), True)
    with pytest.raises(InputError):
        evaluate_predictions(np.zeros(1), np.zeros(1), True)
