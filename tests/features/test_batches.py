"""What is said of a segment does not depend on the segments that come with it."""

import numpy as np
import pytest

from app.engine import Engine
from app.engine.segments import Options, Segments
from app.text import LanguagePair

TEXTS = {
    "ro-en": [
        ("Casa este mare.", "The house is big."),
        ("", "Nothing."),
        ("Guvernul numește un prefect în fiecare județ, în 1991.", "The Government appoints a prefect to each county."),
        ("Bună ziua!", ""),
        ("Nu.", "Casa"),
        ("Casa este mare.", "House big is, is it?"),
    ],
    "en-zh": [("The house is big.", "房子很大。"), ("Good day.", "你好"), ("He never came in 1999.", "他1999年没来过。")],
}


@pytest.mark.parametrize("pair", TEXTS)
@pytest.mark.parametrize("feature_set", ["text-only+words", "all-blackbox"])
def test_features_of_a_segment_are_its_own(engine: Engine, pair: str, feature_set: str) -> None:
    sources, translations = zip(*TEXTS[pair], strict=True)
    languages = LanguagePair.parse(pair)
    together = engine.features(Segments(languages, sources, translations), feature_set).values
    alone = np.vstack([engine.features(Segments(languages, [s], [t]), feature_set).values for s, t in TEXTS[pair]])
    backwards = engine.features(Segments(languages, sources[::-1], translations[::-1]), feature_set).values[::-1]
    np.testing.assert_allclose(together, alone, atol=1e-9)
    np.testing.assert_allclose(together, backwards, atol=1e-9)


def test_words_and_scores_too(engine: Engine) -> None:
    sources, translations = zip(*TEXTS["ro-en"], strict=True)
    pair = LanguagePair("ro", "en")
    together = engine.quality(Segments(pair, sources, translations), options=Options(words=True))
    assert together.words is not None
    at = 0
    for k, (source, translation) in enumerate(TEXTS["ro-en"]):
        one = engine.quality(Segments(pair, [source], [translation]), options=Options(words=True))
        assert one.words is not None
        assert one.prediction.mean[0] == pytest.approx(together.prediction.mean[k], abs=1e-9)
        n = len(one.words.tags.words)
        np.testing.assert_allclose(one.words.tags.words, together.words.tags.words[at : at + n], atol=1e-9)
        at += n
