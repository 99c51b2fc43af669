"""Tags of every word and every gap of translations: OK or BAD."""

from collections.abc import Iterable
from typing import Any

from app.engine import Engine
from app.engine.word_tags import words_mcc
from app.features import Evidence
from app.operations.operation import Context, Json, Operation, Output, Plan, Planning, Steps, cut, with_example
from app.operations.parts.about_models import WordTaggerSummary, cautioned, word_tagger_summary
from app.operations.parts.costs.cost import Cost, amount_of_texts
from app.operations.parts.costs.network_work import work_of_reading
from app.operations.parts.costs.work import work_of_pairs
from app.operations.parts.fields import EXAMPLE_PAIR, PairRequest, Segment, check_present, pair_of
from app.operations.parts.limits import RequestLimits
from app.operations.parts.names import AnsweringPair, ModelId, ProfileName
from app.operations.parts.segments import check_pairs, columns_of, segments_of, segments_of_chunk, text_pairs
from app.operations.parts.word_rows import SegmentWords, WordMarks, word_marks, word_rows

__all__ = ["WordsAnswer", "WordsRequest", "finish_words", "operation", "tag_words", "work_words"]


class WordsRequest(PairRequest):
    """POST /v1/words: tags by the word tagger called `model`, or the best one for the pair and what is sent."""

    model_config = with_example({"source_language": "ro", "target_language": "en", "segments": [EXAMPLE_PAIR]})

    model: ModelId | None = None
    profile: ProfileName | None = None
    segments: list[Segment]


class WordsAnswer(WordTaggerSummary):
    """Tags of all segments; `mcc` is measured on the card's data, from the threshold of the highest correlation on."""

    pair: AnsweringPair
    marks: WordMarks
    segments: list[SegmentWords]


def tag_words(engine: Engine, request: WordsRequest) -> WordsAnswer:
    """Tag the words of a request that was checked."""
    profile_engine, pair = engine.at(request.profile), pair_of(request)
    tagged_words = profile_engine.word_tags(segments_of(pair, request.segments), request.model)
    tagger = tagged_words.tagger
    return {
        **word_tagger_summary(tagger, tagged_words.mcc),
        **cautioned(profile_engine, tagger),
        "pair": tagger.card.pair,
        "marks": word_marks(profile_engine, tagger, pair),
        "segments": word_rows(tagged_words),
    }


def _check(request: WordsRequest, limits: RequestLimits) -> None:
    check_present(len(request.segments))
    check_pairs(pair_of(request), request.segments, limits)


def _stream(engine: Engine, request: WordsRequest, evidence: Evidence) -> Json:
    profile_engine, pair = engine.at(request.profile), pair_of(request)
    tagger = profile_engine.word_tagger_for(pair, request.model, evidence)
    mcc = words_mcc(tagger, profile_engine.pair_resources(pair), profile_engine.profile != "fast")
    marks = word_marks(profile_engine, tagger, pair)
    return {**request.model_dump(exclude={"segments"}), **word_tagger_summary(tagger, mcc), "marks": marks}


def _split(planning: Planning, request: WordsRequest) -> Plan:
    segments = segments_of(pair_of(request), request.segments)
    return Plan("words", _stream(planning.engine, request, segments.evidence), cut(columns_of(segments), planning.chunk_rows))


def work_words(context: Context, chunk: Json) -> Output:
    """Tags of a chunk's words."""
    engine = context.engine.at(context.params.get("profile"))
    tagged_rows = word_rows(engine.word_tags(segments_of_chunk(context.params, chunk), context.params["model"]))
    texts = zip(chunk["sources"], chunk["translations"], tagged_rows, strict=True)
    return {"rows": [{"source": source, "translation": translation, **row} for source, translation, row in texts]}


def finish_words(context: Context, outputs: Iterable[Output]) -> Any:
    """Tags by the word tagger alone."""
    tagger = context.engine.registry.word_taggers.get(context.params["model"])
    names = ("model", "level", "mcc", "gap_mcc", "marks")
    # Jobs of earlier versions have no marks.
    return {**{name: context.params[name] for name in names if name in context.params}, **cautioned(context.engine, tagger)}


operation = Operation(
    name="words",
    id="tagWords",
    summary="Say of every word and every gap whether it is OK, without a reference.",
    request=WordsRequest,
    answer_type=WordsAnswer,
    check=_check,
    answer=tag_words,
    steps=Steps(_split, work_words, finish_words, stream=_stream, parallel=True),
    cost=lambda engine, request: Cost(
        amount_of_texts(segment.source for segment in request.segments),
        work_of_pairs(text_pairs(request.segments)),
        work_of_reading(engine, request, text_pairs(request.segments)),
    ),
)
