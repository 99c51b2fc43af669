"""Tags of source words: features of links made by hand, the regression against scikit-learn's."""

import numpy as np
import pytest
from scipy.special import logit
from sklearn.linear_model import LogisticRegression

from app.arrays import Float64s
from app.features.lexical_links import LexicalLinks
from app.predictors.cross_encoder.source_words import FEATURES, SourceRevision, source_features


def links(place: list[int], total: list[float] | None = None) -> LexicalLinks:
    totals = np.array(total if total is not None else [0.0] * len(place))
    return LexicalLinks(np.array(place, np.int32), np.zeros(len(place), np.float32), totals)


def test_features_of_links_and_readings_made_by_hand() -> None:
    # Segments of 3 and 1 source words, of 2 and 0 words of the translation, and one without any between them.
    offsets, target_offsets, bad = np.array([0, 3, 3, 4]), np.array([0, 2, 2, 2]), np.array([0.1, 0.8])
    # Word 0 explains itself by word 0; word 1 of the translation says that it comes from word 0 too; word 2 is linked by nothing.
    both = links([0, 1, -1, -1], [1.0, 0.1, 0.0, 0.0]), links([-1, 0])
    found = source_features(offsets, target_offsets, bad, both, np.array([0.5, 0.9, np.nan, 0.3]))
    nan = np.nan
    expected = [
        [logit(0.5), nan, logit(0.9), logit(0.8), 0, 0],
        [logit(0.9), logit(0.5), nan, logit(0.8), 0, -1],
        [nan, logit(0.9), nan, nan, 1, -6],
        [logit(0.3), nan, nan, nan, 1, -6],
    ]
    assert found.shape == (4, len(FEATURES)) and found == pytest.approx(np.array(expected), abs=1e-4, nan_ok=True)


def revision_of(features: Float64s, fitted: LogisticRegression) -> SourceRevision:
    # Middles move what is added, and nothing else.
    middle = features.mean(0)
    weights = fitted.coef_[0]
    return SourceRevision(float(fitted.intercept_[0] + middle @ weights), 0.4, middle, weights)


def test_probabilities_are_those_of_logistic_regression() -> None:
    features = np.random.default_rng(1).normal(2, 3, size=(300, len(FEATURES)))
    fitted = LogisticRegression().fit(features, features @ np.arange(6) > 30)
    revision = revision_of(features, fitted)
    again = SourceRevision.from_array(revision.as_array())
    assert again.probabilities(features) == pytest.approx(fitted.predict_proba(features)[:, 1])
    # What is missing counts as the mean.
    missing, means = features.copy(), features.copy()
    missing[:, 3], means[:, 3] = np.nan, features[:, 3].mean()
    assert again.probabilities(missing) == pytest.approx(fitted.predict_proba(means)[:, 1])


@pytest.mark.parametrize("array", [np.zeros(13), np.zeros((2, 7)), np.full(14, np.inf)])
def test_numbers_that_are_none_of_a_revision_are_refused(array: Float64s) -> None:
    with pytest.raises(ValueError, match="revision of source words"):
        SourceRevision.from_array(array)
