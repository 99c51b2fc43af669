"""Tags and spans of a word tagger against people's, over the words between blanks of a text."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final, Literal

import numpy as np
from typing_extensions import TypedDict

from app.arrays import Bools, Float64s, Int8s, Int64s
from app.engine.segments import TaggedWords
from app.metrics.meta_evaluation.spans import NO_SPANS, ErrorSpan, SpanCounts, count_spans
from app.operations.measures.gold import parsed_tags, spans_of
from app.operations.measures.spans import SpanScores
from app.operations.operation import Json
from app.predictors.word_tags.scores import accuracy_of_counts, tag_counts
from app.text.pieces import places_of_words

__all__ = ["SpanMeasures", "TagMeasures", "WordEvaluation", "measured_words", "word_evaluation"]

WORD: Final = re.compile(r"[^\x00-\x20]+")
# BAD from the threshold with the highest correlation on, or BAD as answers mark it.
TAGGINGS: Final = ("threshold", "marks")


class TagMeasures(TypedDict):
    """Matthews' correlation, F1 of both tags, their product (F1-multi), shares of BAD, and the number of tags."""

    part: Literal["words", "gaps", "source"]
    tagging: Literal["threshold", "marks"]
    mcc: float
    f1_ok: float
    f1_bad: float
    f1_multi: float
    bad: float
    predicted_bad: float
    tags: int


class SpanMeasures(SpanScores):
    """Accuracy of the spans of BAD words by a threshold, or by the marks of answers."""

    tagging: Literal["threshold", "marks"]


class WordEvaluation(TypedDict):
    """Measured tags and error spans of a word tagger."""

    model: str
    level: Literal["word"]
    segments: int
    tags: list[TagMeasures]
    spans: list[SpanMeasures]


def measured_words(answer: TaggedWords, chunk: Mapping[str, Any]) -> tuple[Json, list[str]]:
    """Counts of a chunk by part and tagging, and the tagger's tags of gaps and words in turn, by the threshold, per segment."""
    counts: dict[str, Any] = {"segments": len(answer.texts), "tags": {}, "spans": {}}
    rows: list[str] = []
    for tagging in TAGGINGS:
        masks = _masks(answer, tagging)
        for row, text in enumerate(answer.texts):
            words, gaps, spans = _of_segment(answer, masks, row)
            if tagging == "threshold":
                rows.append(_as_text(words, gaps))
            if "tags" in chunk:
                gold_words, gold_gaps = parsed_tags(chunk["tags"][row], text, ())
                _add(counts["tags"], "words", tagging, tag_counts(gold_words, words))
                if gold_gaps is not None:
                    _add(counts["tags"], "gaps", tagging, tag_counts(gold_gaps, gaps))
            if "source_tags" in chunk and answer.source is not None:
                gold_words, _ = parsed_tags(chunk["source_tags"][row], answer.source.texts[row], ())
                _add(counts["tags"], "source", tagging, tag_counts(gold_words, _source_words(answer, masks["source"], row)))
            if "spans" in chunk:
                sums = SpanCounts(*counts["spans"].get(tagging, vars(NO_SPANS).values()))
                counts["spans"][tagging] = list(vars(sums + count_spans(spans_of(chunk["spans"][row]), spans)).values())
    return counts, rows


def word_evaluation(model: str, parts: Iterable[Json]) -> WordEvaluation:
    """Measures of the counts of all chunks."""
    tags: dict[str, list[list[float]]] = {}
    spans: dict[str, SpanCounts] = {}
    segments = 0
    for part in parts:
        segments += part["segments"]
        for name, counts in part["tags"].items():
            tags[name] = (np.array(counts) + np.array(tags.get(name, np.zeros((2, 2))))).tolist()
        for name, values in part["spans"].items():
            spans[name] = spans.get(name, NO_SPANS) + SpanCounts(*values)
    return {
        "model": model,
        "level": "word",
        "segments": segments,
        "tags": [_tag_measures(name, np.array(counts)) for name, counts in tags.items()],
        "spans": [_span_measures(name, counts) for name, counts in spans.items()],
    }


def _tag_measures(name: str, counts: Float64s) -> TagMeasures:
    part, tagging = name.split()
    values = asdict(accuracy_of_counts(counts))
    measures: Any = {"part": part, "tagging": tagging, **values}
    measures["f1_multi"] = measures.pop("f1_product")
    return measures  # type: ignore[no-any-return]


def _span_measures(tagging: str, counts: SpanCounts) -> SpanMeasures:
    measures: Any = {"tagging": tagging, **asdict(counts.accuracy())}
    return measures  # type: ignore[no-any-return]


def _add(counts: dict[str, Any], part: str, tagging: str, addition: Float64s) -> None:
    name = f"{part} {tagging}"
    counts[name] = (addition + np.array(counts.get(name, np.zeros((2, 2))))).tolist()


def _masks(answer: TaggedWords, tagging: str) -> dict[str, Bools]:
    """Masks of all tokens and gaps that are BAD."""
    tags, source = answer.tags, answer.source
    if tagging == "marks":
        masks = {"words": tags.wrong_words, "gaps": tags.gap_marks.wrong_words(tags.gaps)}
        return masks if source is None else {**masks, "source": source.marks.wrong_words(source.bad)}
    masks = {"words": tags.words >= tags.word_threshold, "gaps": tags.gaps >= tags.gap_threshold}
    return masks if source is None else {**masks, "source": source.bad >= source.threshold}


def _of_segment(answer: TaggedWords, masks: Mapping[str, Bools], row: int) -> tuple[Int8s, Int8s, list[ErrorSpan]]:
    """Tags (1: BAD) of the n words of a translation between blanks and of its n + 1 gaps, and spans of BAD tokens."""
    text, tokens, tags = answer.texts[row], answer.words.tokens(row), answer.tags
    begin, first_gap = int(tags.word_offsets[row]), int(tags.gap_offsets[row])
    bad, bad_gaps = masks["words"][begin : begin + len(tokens)], masks["gaps"][first_gap : first_gap + len(tokens) + 1]
    places = places_of_words(text, tokens)
    owners, count = _owners(text, places)
    words, gaps = _bad_words(owners, bad, count), np.zeros(count + 1, np.int8)
    # A gap inside a word between blanks is none of the text's gaps.
    is_first = np.append(np.append(True, owners[1:] != owners[:-1]) if len(owners) else np.zeros(0, np.bool_), True)
    np.maximum.at(gaps, np.append(owners, count)[is_first], bad_gaps[is_first].astype(np.int8))
    return words, gaps, _spans(places, bad, tags.wrong_words[begin : begin + len(tokens)])


def _source_words(answer: TaggedWords, mask: Bools, row: int) -> Int8s:
    source = answer.source
    assert source is not None
    tokens, begin = source.words.tokens(row), int(source.words.offsets[row])
    owners, count = _owners(source.texts[row], places_of_words(source.texts[row], tokens))
    return _bad_words(owners, mask[begin : begin + len(tokens)], count)


def _owners(text: str, places: Sequence[tuple[int, int] | None]) -> tuple[Int64s, int]:
    """For each token the number of the word between blanks that holds it, and the number of words.

    A token that the text does not hold unchanged belongs to the word of the token before it.
    """
    starts = [match.start() for match in WORD.finditer(text)]
    owners: list[int] = []
    for place in places:
        owner = max(0, bisect_right(starts, place[0]) - 1) if place is not None else owners[-1] if owners else 0
        owners.append(owner)
    return np.array(owners, np.int64), len(starts)


def _bad_words(owners: Int64s, bad: Bools, count: int) -> Int8s:
    """Tags of the words: BAD if one of their tokens is."""
    words = np.zeros(count, np.int8)
    words[owners[bad]] = 1
    return words


def _spans(places: Sequence[tuple[int, int] | None], bad: Bools, wrong: Bools) -> list[ErrorSpan]:
    """Runs of BAD tokens; a run with a token that is marked as wrong is major, others are minor."""
    spans: list[ErrorSpan] = []
    follows_bad = False
    for place, is_bad, is_wrong in zip(places, bad.tolist(), wrong.tolist(), strict=True):
        if place is None or not is_bad:
            follows_bad = False
            continue
        run = spans.pop() if follows_bad else ErrorSpan(*place, "minor")
        spans.append(ErrorSpan(run.start, place[1], "major" if is_wrong else run.severity))
        follows_bad = True
    return spans


def _as_text(words: Int8s, gaps: Int8s) -> str:
    """WMT's form: tags of gaps and words in turn."""
    tags = np.empty(len(words) + len(gaps), np.int8)
    tags[::2], tags[1::2] = gaps, words
    return " ".join("BAD" if tag else "OK" for tag in tags.tolist())
