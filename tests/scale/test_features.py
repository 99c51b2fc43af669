"""Columns of features and tags, against the engine's answers."""

import numpy as np
import pytest

from app.engine.segments import Segments
from app.errors import InputError
from app.scale import Features, Scorer, Words
from app.text import LanguagePair

PAIR = LanguagePair("ro", "en")
SOURCES = ["Casa este mare.", None, "Ana are mere.", "Copiii au mers ieri la piață."]
TRANSLATIONS = ["The house is big.", "x", "Ana apples apples has.", "Children went market."]
GOOD = [0, 2, 3]
BATCH = {"src": np.array(SOURCES, object), "mt": np.array(TRANSLATIONS, object)}
SEGMENTS = Segments(PAIR, [text for text in SOURCES if text is not None], [TRANSLATIONS[k] for k in GOOD])


def test_a_column_for_each_feature() -> None:
    work = Features(pair="ro-en")
    matrix = work.engine.features(SEGMENTS, "quest-baseline-17")
    scored = work(BATCH)
    for k, feature in enumerate(matrix.features):
        column = scored[f"assay.{feature.id}"]
        assert column[GOOD].tolist() == matrix.values[:, k].tolist() and np.isnan(column[1])
    assert scored["assay_error"].tolist() == [None, "invalid-table: src is null", None, None]


def test_features_of_a_predictor() -> None:
    work = Features(model="ro-en-hter-gp-17")
    values = work.engine.model_features(SEGMENTS, "ro-en-hter-gp-17")
    scored = work(BATCH)
    names = [name for name in scored if name.startswith("assay.")]
    assert np.array([scored[name][GOOD] for name in names]).T.tolist() == values.tolist()


def test_words_with_tags_and_marks() -> None:
    work = Words(pair="ro-en", profile="fast")
    tagged = work.engine.word_tags(SEGMENTS)
    scored = work(BATCH)
    assert scored["assay_words"][1] is None and scored["assay_error"][1]
    for place, row in enumerate(GOOD):
        words = scored["assay_words"][row].split(" ")
        part = slice(*tagged.tags.word_offsets[place : place + 2])
        expected = ["BAD" if bad >= tagged.tags.word_threshold else "OK" for bad in tagged.tags.words[part]]
        assert words == list(tagged.words.tokens(place)) and scored["assay_tags"][row].split(" ") == expected
        assert len(scored["assay_marks"][row].split(" ")) == len(words)


@pytest.mark.parametrize("work", [Features(pair="xx-yy"), Words(pair="en-fr"), Words(model="none"), Scorer(pair="xx-yy")])
def test_what_cannot_be_computed_is_refused_before_any_row(work: Scorer) -> None:
    with pytest.raises(InputError):
        work.cards()
