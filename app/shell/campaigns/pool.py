"""The pool of a campaign: segments of several systems, their predicted quality, and words that look wrong."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from app.arrays import Float64s
from app.documents.campaigns import ErrorSpan
from app.errors import InputError
from app.operations.operation import Json
from app.operations.rank import RankRequest
from app.operations.rank import operation as rank_operation
from app.operations.words import WordsRequest
from app.operations.words import operation as words_operation
from app.planning.campaign_choice import pool_of
from app.shell.inputs import named_lists, read_lines
from app.shell.requests import make_request
from app.shell.running import answer_to

__all__ = ["Pool", "Prediction", "Segment", "marks_of", "predict", "read_pool"]

# Codes of errors for languages without a word tagger.
WITHOUT_TAGGER: Final = frozenset({"unknown-model", "unknown-language-pair", "missing-resource"})


@dataclass(frozen=True)
class Segment:
    """A source and its translations by system; `line` counts from 1."""

    line: int
    source: str
    translations: Mapping[str, str]


@dataclass(frozen=True)
class Pool:
    """Segments to choose from; `lines` is the number of lines of a file, and `empty` of them lack a text."""

    segments: Sequence[Segment]
    systems: Sequence[str]
    lines: int
    empty: int

    @property
    def columns(self) -> dict[str, list[str]]:
        """Sources, and translations of the first system, for a guess of languages."""
        translations = [segment.translations[self.systems[0]] for segment in self.segments]
        return {"source": [segment.source for segment in self.segments], "translation": translations}


@dataclass(frozen=True)
class Prediction:
    """Predicted quality, where higher is better, and its standard deviations; shapes (segments, systems)."""

    scores: Float64s
    stds: Float64s
    model: str
    label: str


def read_pool(source: str, systems: Sequence[str], size: int, seed: int) -> Pool:
    """At most `size` segments that have all texts, evenly drawn. InputError for unequal lengths, or without such segments."""
    sources, lists = read_lines(source), named_lists(systems)
    for name, lines in lists.items():
        if len(lines) != len(sources):
            raise InputError("unequal-lengths", f"{name} has {len(lines)} lines, {source} has {len(sources)}")
    rows = [row for row, texts in enumerate(zip(sources, *lists.values(), strict=True)) if all(map(str.strip, texts))]
    if not rows:
        raise InputError("empty-input", "no line has a source and a translation of every system", (source,))
    segments = []
    for place in pool_of(len(rows), size, seed).tolist():
        row = rows[place]
        segments.append(Segment(row + 1, sources[row], {name: lines[row] for name, lines in lists.items()}))
    return Pool(segments, list(lists), len(sources), len(sources) - len(rows))


def predict(pool: Pool, languages: Json, choice: Json, server: str | None) -> Prediction:
    """Predicted quality of all translations, by the model, label and profile of `choice`."""
    rows = [
        {"source": segment.source, "translations": [{"system": name, "text": text} for name, text in segment.translations.items()]}
        for segment in pool.segments
    ]
    request = make_request(RankRequest, **languages, **choice, segments=rows, warnings=False)
    answer = answer_to(rank_operation, request, server)
    scores, stds = np.zeros((2, len(rows), len(pool.systems)))
    column = {name: k for k, name in enumerate(pool.systems)}
    for row, segment in enumerate(answer["segments"]):
        for candidate in segment["order"]:
            scores[row, column[candidate["system"]]] = candidate["score"]
            stds[row, column[candidate["system"]]] = candidate["std"]
    sign = 1.0 if answer["direction"] == "higher is better" else -1.0
    return Prediction(sign * scores, stds, answer["model"], answer["label"])


def marks_of(
    segments: Sequence[Segment], languages: Json, profile: str | None, server: str | None
) -> list[dict[str, list[ErrorSpan]]] | None:
    """By segment and system, runs of words that look wrong. None for languages without a word tagger."""
    rows = [{"source": segment.source, "translation": text} for segment in segments for text in segment.translations.values()]
    try:
        answer = answer_to(words_operation, make_request(WordsRequest, **languages, profile=profile, segments=rows), server)
    except InputError as error:
        if error.code in WITHOUT_TAGGER:
            return None
        raise
    word_rows = iter(answer["segments"])
    return [{name: _runs(text, next(word_rows)["words"]) for name, text in segment.translations.items()} for segment in segments]


def _runs(text: str, words: Sequence[Mapping[str, Any]]) -> list[ErrorSpan]:
    """Spans of wrong words; words with nothing but blanks between them are one span, with an open severity."""
    spans: list[ErrorSpan] = []
    for word in words:
        start, end = word["start"], word["end"]
        if word["tag"] != "BAD" or start is None or end is None or start >= end:
            continue
        if spans and start >= spans[-1].end and not text[spans[-1].end : start].strip():
            spans[-1] = ErrorSpan(spans[-1].start, end)
        elif not spans or start >= spans[-1].end:
            spans.append(ErrorSpan(start, end))
    return spans
