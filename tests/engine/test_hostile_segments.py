"""One segment of the most characters that are allowed takes a second or two at most, whatever is in it."""

import time

import numpy as np
import pytest

from app.engine import Engine
from app.engine.bounding import bounded
from app.engine.segments import Options, Segments
from app.operations.parts.quality_rows import quality_rows
from app.operations.parts.word_rows import word_rows
from app.text import LanguagePair, tokeniser_for
from app.text.side_information import SideInformation
from app.text.tokenisation import MOST_TOKENS
from tests.hostile import LONGEST, TEXTS

RO, ZH, NE = LanguagePair("ro", "en"), LanguagePair("en", "zh"), LanguagePair("ne", "en")
EVERYTHING = Options(explain=True, words=True, warnings=True)
SECONDS = 2.0


@pytest.fixture(scope="module", autouse=True)
def warm(engine: Engine) -> None:
    for pair in (RO, ZH, NE):
        few = Segments(pair, ["Casa."], ["House."])
        engine.quality(few, options=EVERYTHING)
        engine.features(few, "all-blackbox")


OTHER_SCRIPTS = [(ZH, "Han, distinct"), (ZH, "full stops, then blanks"), (ZH, "emoji"), (NE, "conjuncts"), (NE, "combining marks")]


@pytest.mark.parametrize(("pair", "name"), [(RO, name) for name in TEXTS] + OTHER_SCRIPTS)
def test_no_text_takes_long(engine: Engine, pair: LanguagePair, name: str) -> None:
    segments = Segments(pair, [TEXTS[name]], [TEXTS[name]])
    begun = time.process_time()
    rows = quality_rows(engine.quality(segments, options=EVERYTHING))
    spent = time.process_time() - begun
    assert len(rows) == 1 and spent < SECONDS


@pytest.mark.parametrize("name", ["combining marks", "distinct words", "names", "one-letter words", "Han, distinct"])
def test_every_feature_of_the_black_box_does_not_either(engine: Engine, name: str) -> None:
    begun = time.process_time()
    matrix = engine.features(Segments(RO, [TEXTS[name]], [TEXTS[name]]), "all-blackbox")
    assert time.process_time() - begun < SECONDS and matrix.truncated == {0}


def test_what_is_cut_is_marked_and_counted_whole(engine: Engine) -> None:
    long, short = "casa mare " * 1000, "Casa este mare."
    segments = Segments(RO, [short, long, short], [short, short, long])
    rows = quality_rows(engine.quality(segments, options=EVERYTHING))
    assert [row.get("truncated") for row in rows] == [None, True, True]
    assert [row["source_tokens"] for row in rows] == [4, 2000, 4]
    assert [row["translation_tokens"] for row in rows] == [4, 4, 2000]
    assert rows[1]["source_words"] == 2000 and len(rows[2]["words"]) == MOST_TOKENS and len(rows[2]["gaps"]) == MOST_TOKENS + 1
    tagged = word_rows(engine.word_tags(segments))
    assert [row.get("truncated") for row in tagged] == [None, True, True]
    assert tagged[2]["words"][-1]["end"] == len(("casa mare " * 500).strip())
    assert engine.features(segments, "quest-baseline-17").truncated == {1, 2}


def test_up_to_the_budget_nothing_is_touched(engine: Engine) -> None:
    most = " ".join(["casa"] * MOST_TOKENS)
    letters = "a" * LONGEST
    segments = Segments(RO, [most, letters], [letters, most], SideInformation(back_translations=[most, letters]))
    looked_at = bounded(segments)
    assert looked_at.segments is segments and not looked_at.truncated
    assert not engine.features(segments, "quest-baseline-17").truncated


def test_a_long_neighbour_changes_no_other_row(engine: Engine) -> None:
    alone = Segments(RO, ["Casa este mare."], ["The house is big."])
    together = Segments(RO, ["Casa este mare.", "casa " * 3000], ["The house is big.", "house " * 3000])
    one, two = quality_rows(engine.quality(alone, options=EVERYTHING)), quality_rows(engine.quality(together, options=EVERYTHING))
    assert one[0] == two[0]


def test_a_long_text_is_judged_as_its_beginning(engine: Engine) -> None:
    beginning = " ".join(["casa", "mare"] * (MOST_TOKENS // 2))
    cut, whole = (Segments(RO, [text], ["The house is big."]) for text in (beginning, beginning + " nu" * 500))
    assert np.array_equal(engine.features(cut, "text-only").values, engine.features(whole, "text-only").values)


def test_texts_beside_the_segments_are_cut_too() -> None:
    long = "house " * 2000
    beside = SideInformation(
        samples=[["a", "b"], ["a", long]],
        pseudo_references=[[long], ["a"]],
        n_best=[[{"text": long, "score": -1.0}], [{"text": "a", "score": -1.0}]],
        back_translations=["a", long],
        token_log_probs=[[-0.1], [-0.1]],
    )
    looked_at = bounded(Segments(RO, ["a", "a"], ["b", "b"], beside))
    assert looked_at.truncated == {0, 1} and not looked_at.source_tokens and not looked_at.translation_tokens
    columns = looked_at.segments.side_information.as_json()
    cut = " ".join(["house"] * MOST_TOKENS)
    assert columns["samples"] == [["a", "b"], ["a", cut]] and columns["pseudo_references"] == [[cut], ["a"]]
    assert [row[0]["text"] for row in columns["n_best"]] == [cut, "a"] and columns["back_translations"] == ["a", cut]
    assert columns["token_log_probs"] == [[-0.1], [-0.1]]


@pytest.mark.parametrize("language", ["en", "fr", "zh", "ne"])
def test_tokenisers_take_time_in_proportion(language: str) -> None:
    tokenise = tokeniser_for(language)
    for name, text in TEXTS.items():
        begun = time.process_time()
        tokens = tokenise(text)
        assert time.process_time() - begun < SECONDS / 4, name
        assert len(tokens) <= len(text)
