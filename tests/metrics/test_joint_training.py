"""Training at both levels: margins of systems are Expected Wins, and unjudged pairs change the weights."""

from typing import Any

import numpy as np
import pytest

from app.errors import InputError
from app.metrics import metric_named
from app.metrics.learnt.artifact import TrainedMetric
from app.metrics.learnt.templates import feature_template
from app.metrics.learnt.training import JudgedTranslations, _corpus_pairs, train_linear_metric

REFERENCES = ["the cat sat on the mat", "a dog ran over the road", "we met in the old town", "rain falls on the green hill"]
# System a is the reference, b lacks a word, c is in another order and lacks two.
SYSTEMS = {
    "a": REFERENCES,
    "b": [" ".join(text.split()[:-1]) for text in REFERENCES],
    "c": [" ".join(text.split()[:3:-1] + text.split()[:2]) for text in REFERENCES],
}
ROWS = [(system, k) for k in range(len(REFERENCES)) for system in SYSTEMS]
# In every segment a is better than b, and b than c, but in the last, where c beats b.
LABELS = {"a": [5.0, 5, 5, 5], "b": [4.0, 3, 4, 1], "c": [1.0, 1, 1, 2]}
JUDGEMENTS = JudgedTranslations(
    [SYSTEMS[system][k] for system, k in ROWS],
    [REFERENCES[k] for _, k in ROWS],
    np.array([LABELS[system][k] for system, k in ROWS]),
    np.array([k for _, k in ROWS]),
    [system for system, _ in ROWS],
)
UNJUDGED = [("green hill the on", "the rain falls on a hill", REFERENCES[3]), ("we met", "met we in a town", REFERENCES[2])] * 20


def trained(objective: str, **options: Any) -> TrainedMetric:
    template = feature_template("rose")
    return train_linear_metric("toy", "rose", "en", template, JUDGEMENTS, objective, {}, metric_named, **options)


def test_margins_of_systems_are_expected_wins() -> None:
    pairs = _corpus_pairs(np.zeros((len(ROWS), 1)), JUDGEMENTS)
    # Against its two opponents a wins all, b 0 and 3/4, c 0 and 1/4.
    assert [pair.margin for pair in pairs] == pytest.approx([1 - 3 / 8, 1 - 1 / 8, 3 / 8 - 1 / 8])


@pytest.mark.parametrize("objective", ["ranking", "logistic", "joint"])
def test_unjudged_pairs_change_the_weights(objective: str) -> None:
    plain, more = trained(objective), trained(objective, unjudged_pairs=UNJUDGED)
    assert np.abs(np.array(plain.weights) - np.array(more.weights)).max() > 1e-3


@pytest.mark.parametrize("objective", ["regression", "corpus"])
def test_unjudged_pairs_are_refused_where_nothing_learns_from_them(objective: str) -> None:
    with pytest.raises(InputError, match="objectives with unjudged pairs are ranking, logistic, joint"):
        trained(objective, unjudged_pairs=UNJUDGED)


def test_a_system_without_a_rival_is_named() -> None:
    alone = JudgedTranslations(
        JUDGEMENTS.translations, JUDGEMENTS.references, JUDGEMENTS.labels, np.arange(len(ROWS)), JUDGEMENTS.systems
    )
    with pytest.raises(InputError, match="compares a with another system"):
        _corpus_pairs(np.zeros((len(ROWS), 1)), alone)
