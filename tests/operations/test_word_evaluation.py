"""Tags of tokens as tags of words between blanks, of gaps, of source words, and as spans."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app.engine import Engine
from app.engine.segments import SourceTags, TaggedWords
from app.operations.measures.words import measured_words, word_evaluation
from app.predictors.word_tags import WordTags
from app.predictors.word_tags.marks import Mark, Marks
from app.text.batch import pack_lines

# "don't." is three tokens, and the tokeniser wrote the entity as a quotation mark.
TEXT, TOKENS = "We don't. &quot;so be it", "We don 't . \" so be it"
SOURCE, SOURCE_TOKENS = "nu, așa", "nu , așa"
BAD = [0.1, 0.1, 0.6, 0.1, 0.1, 0.9, 0.6, 0.1]
GAPS = [0.9, 0.1, 0.9, 0.1, 0.1, 0.1, 0.1, 0.1, 0.9]
MARKS = Marks(Mark(0.8, 1, 1, 1))


@pytest.fixture
def tagged(engine: Engine) -> TaggedWords:
    tags = WordTags(np.array(BAD), np.array([0, 8]), np.array(GAPS), np.array([0, 9]), 0.5, 0.5, MARKS, MARKS)
    source = SourceTags(np.array([0.1, 0.9, 0.1]), MARKS, pack_lines([SOURCE_TOKENS]), [SOURCE], 0.5)
    return TaggedWords(engine.registry.word_taggers["ro-en-words"], 0.5, tags, pack_lines([TOKENS]), [TEXT], source=source)


def measured(tagged: TaggedWords, **gold: Any) -> tuple[dict[tuple[str, str], dict[str, Any]], list[Any], list[str]]:
    counts, rows = measured_words(tagged, {name: [value] for name, value in gold.items()})
    answer: Any = word_evaluation("m", [counts, counts])
    assert answer["segments"] == 2
    return {(row["part"], row["tagging"]): row for row in answer["tags"]}, answer["spans"], rows


def test_a_word_is_bad_if_one_of_its_tokens_is(tagged: TaggedWords) -> None:
    tags, spans, rows = measured(tagged, tags="OK BAD OK BAD OK", source_tags="BAD OK", spans=[])
    # Gaps inside "don't." are no gaps of the text; the first and the last one are.
    gaps, words = rows[0].split()[::2], rows[0].split()[1::2]
    assert words == ["OK", "BAD", "BAD", "BAD", "OK"] and gaps == ["BAD", "OK", "OK", "OK", "OK", "BAD"]
    assert tags["words", "threshold"]["f1_bad"] == pytest.approx(0.8) and tags["words", "marks"]["predicted_bad"] == 0.2
    assert tags["source", "threshold"]["mcc"] == 1 and tags["source", "threshold"]["tags"] == 4
    assert ("gaps", "threshold") not in tags
    assert [row["predicted_spans"] for row in spans] == [4, 2]


def test_gaps_come_with_words_in_turn(tagged: TaggedWords) -> None:
    tags, _, _ = measured(tagged, tags="BAD OK OK BAD OK OK OK BAD OK OK BAD")
    assert tags["gaps", "threshold"]["mcc"] == 1 and tags["gaps", "threshold"]["tags"] == 12


def test_spans_are_runs_of_bad_tokens(tagged: TaggedWords) -> None:
    """Tokens "'t", and "so be" with one of them marked as wrong: minor, and major."""
    gold = [{"start": 6, "end": 8, "severity": "minor"}, {"start": 16, "end": 21, "severity": "critical"}]
    _, (threshold, marks), _ = measured(tagged, spans=gold)
    assert (threshold["f1"], threshold["mpp_f1"]) == (1, 1)
    # "so" alone: two characters of seven, and two of the five of one span of two.
    assert (marks["recall"], marks["mpp_recall"], marks["mpp_precision"]) == pytest.approx((2 / 7, 0.2, 1))


def test_a_truncated_text_has_ok_words_at_its_end(tagged: TaggedWords) -> None:
    longer = replace(tagged, texts=[f"{TEXT} and more"], source=None)
    tags, _, rows = measured(longer, tags="OK OK OK OK OK OK BAD", source_tags="BAD OK")
    assert rows[0].split()[1::2][-2:] == ["OK", "OK"] and tags["words", "threshold"]["tags"] == 14
    assert not any(part == "source" for part, _ in tags)
