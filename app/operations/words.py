"""Tags of every word and every gap of translations: OK or BAD."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import Field
from typing_extensions import TypedDict

from app.engine import Engine
from app.engine.segments import TaggedWords
from app.features import Need
from app.operations.about_models import WordTaggerSummary, rounded, word_tagger_summary
from app.operations.fields import (
    EXAMPLE_PAIR,
    PairRequest,
    Segment,
    check_pairs,
    check_present,
    columns_of,
    pair_of,
    segments_of,
    segments_of_chunk,
)
from app.operations.limits import Limits
from app.operations.names import ModelId
from app.operations.operation import Context, Json, Operation, Output, Plan, Planning, Steps, cut, with_example
from app.text.pieces import places_of_words

__all__ = [
    "GapTag",
    "SegmentWords",
    "WordTag",
    "WordsAnswer",
    "WordsRequest",
    "finish_words",
    "operation",
    "tag_words",
    "word_rows",
    "work_words",
]


class WordsRequest(PairRequest):
    """POST /v1/words: tags by the word tagger called `model`, or the best one for the pair and what is sent."""

    model_config = with_example({"source_language": "ro", "target_language": "en", "segments": [EXAMPLE_PAIR]})

    model: ModelId | None = None
    segments: list[Segment]


class WordTag(TypedDict):
    """A word, where it stands in the translation (in characters, null if it is not there as it is), and its tag."""

    text: str
    start: int | None
    end: int | None
    tag: Literal["OK", "BAD"]
    bad: Annotated[float, Field(description="Probability of BAD")]


class GapTag(TypedDict):
    """A gap: BAD where words are missing."""

    tag: Literal["OK", "BAD"]
    bad: Annotated[float, Field(description="Probability of BAD")]


class SegmentWords(TypedDict):
    """The words of a segment and the gaps around them, one more than words."""

    words: list[WordTag]
    gaps: list[GapTag]


class WordsAnswer(WordTaggerSummary):
    """Tags of all segments; `mcc` is measured on the card's data."""

    segments: list[SegmentWords]


def tag_words(engine: Engine, request: WordsRequest) -> WordsAnswer:
    """Tag the words of a request that was checked."""
    tagged = engine.word_tags(segments_of(pair_of(request), request.segments), request.model)
    return {**word_tagger_summary(tagged.tagger), "segments": word_rows(tagged)}


def word_rows(answer: TaggedWords) -> list[SegmentWords]:
    """Per segment its words, with their places in the text as it was sent, and the gaps around them."""
    tags = answer.tags
    rows: list[SegmentWords] = []
    for i, text in enumerate(answer.texts):
        words = answer.words.tokens(i)
        begin, first_gap = int(tags.word_offsets[i]), int(tags.gap_offsets[i])
        bad = tags.words[begin : begin + len(words)].tolist()
        gaps = tags.gaps[first_gap : first_gap + len(words) + 1].tolist()
        rows.append(
            {
                "words": [
                    {"text": word, "start": place and place[0], "end": place and place[1], **_tag(p, tags.word_threshold)}
                    for word, place, p in zip(words, places_of_words(text, words), bad, strict=True)
                ],
                "gaps": [_tag(p, tags.gap_threshold) for p in gaps],
            }
        )
    return rows


def _tag(bad: float, threshold: float) -> GapTag:
    return {"tag": "BAD" if bad >= threshold else "OK", "bad": rounded(bad)}


def _check(request: WordsRequest, limits: Limits) -> None:
    check_pairs(pair_of(request), request.segments, limits)


def _stream(engine: Engine, request: WordsRequest, given: frozenset[Need]) -> Json:
    tagger = engine.word_tagger_for(pair_of(request), request.model, given)
    return {**request.model_dump(exclude={"segments"}), **word_tagger_summary(tagger)}


def _split(planning: Planning, request: WordsRequest) -> Plan:
    check_present(len(request.segments))
    segments = segments_of(pair_of(request), request.segments)
    return Plan("words", _stream(planning.engine, request, segments.given), cut(columns_of(segments), planning.chunk_rows))


def work_words(context: Context, chunk: Json) -> Output:
    """Tags of a chunk's words."""
    tagged = word_rows(context.engine.word_tags(segments_of_chunk(context.params, chunk), context.params["model"]))
    texts = zip(chunk["sources"], chunk["translations"], tagged, strict=True)
    return {"rows": [{"source": source, "translation": translation, **row} for source, translation, row in texts]}


def finish_words(context: Context, outputs: Iterable[Output]) -> Any:
    """Nothing but the tagger."""
    return {name: context.params[name] for name in ("model", "level", "mcc", "gap_mcc")}


operation = Operation(
    name="words",
    summary="Say of every word and every gap whether it is OK, without a reference.",
    request=WordsRequest,
    answer_type=WordsAnswer,
    check=_check,
    answer=tag_words,
    steps=Steps(_split, work_words, finish_words, stream=_stream),
)
