"""Predicted quality of segments and of the document they make, without a reference."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Annotated, Any, Final, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from app.engine import Engine
from app.engine.evidence import evidence_kinds
from app.engine.segments import Assessment, Options, Segments
from app.errors import InputError
from app.features import Evidence
from app.operations.documents.quality import DocumentsAnswer, answer_documents, finish_documents, plan_documents, work_documents
from app.operations.glossary import cautions_of_glossary, requested_glossary
from app.operations.operation import Batching, Context, Json, Operation, Output, Plan, Planning, Steps, cut
from app.operations.parts.about_models import (
    Cautioned,
    DriftOf,
    ModelSummary,
    cautioned,
    drift_of,
    drift_of_parts,
    model_summary,
    scale_kept,
    summary_of,
)
from app.operations.parts.costs.cost import Cost, amount_of_texts
from app.operations.parts.costs.network_work import work_of_networks, work_of_reading
from app.operations.parts.costs.work import work_of_explanations, work_of_pairs
from app.operations.parts.explanation import Explanation, explanation_of
from app.operations.parts.fields import pair_of
from app.operations.parts.names import AnsweringPair
from app.operations.parts.quality_rows import SegmentQuality, quality_rows
from app.operations.parts.segments import (
    chunk_with_evidence,
    columns_of,
    evidence_needs,
    segments_of,
    text_pairs,
    with_evidence,
    work_of_evidence,
)
from app.operations.parts.terms import Acceptance, BandRow, BandTotal, TermsAnswer, kept_terms, terms_of
from app.operations.parts.word_rows import WordMarks, word_marks
from app.operations.quality.request import TRANSLATING, QualityRequest, check_quality, paired, translated
from app.operations.translating import AnsweringService, columns_of_sources, with_translations
from app.operations.words import WordsAnswer, WordsRequest, finish_words, tag_words, work_words
from app.operations.words import operation as words
from app.planning.terms import Terms
from app.planning.totals import document_answer, placing
from app.predictors import Model
from app.predictors.word_tags import WordTagger
from app.text import LanguagePair
from app.text.languages import ANY_PAIR

__all__ = ["PredictedAnswer", "QualityRequest", "operation", "predict_quality"]

# Requests of more segments are batches themselves.
LARGEST_TOGETHER: Final = 32


IGNORED_EVIDENCE: Final = "what was sent beside the texts (log-probabilities, tokens, lists) is not looked at for these languages"
NO_WORDS: Final = "there are no tags of words for these languages: no word tagger was trained for them"


class DocumentQuality(TypedDict):
    """Quality of all segments together: the plain mean, and the mean weighted by translation length."""

    score: float | None
    weighted_score: float | None
    confidence: float | None
    segments: int
    source_tokens: int
    translation_tokens: int
    source_words: int
    bands: NotRequired[list[BandRow]]
    total: NotRequired[BandTotal]
    terms: NotRequired[TermsAnswer]
    warnings: NotRequired[Annotated[dict[str, int], Field(description="Segments per check")]]
    acceptance: NotRequired[Acceptance]


class PredictedAnswer(ModelSummary):
    """Answer of POST /v1/quality."""

    pair: AnsweringPair
    interval: float
    explanation: NotRequired[Explanation]
    word_model: NotRequired[str]
    marks: NotRequired[WordMarks]
    translation_service: NotRequired[AnsweringService]
    segments: list[SegmentQuality]
    document: DocumentQuality


def predict_quality(engine: Engine, request: QualityRequest) -> PredictedAnswer | WordsAnswer | DocumentsAnswer:
    """Predict the quality of a request's segments."""
    if request.level == "document":
        segments, names = segments_of(pair_of(request), request.segments), [segment.document for segment in request.segments]
        return answer_documents(engine.at(request.profile), segments, names, request.model, request.label, request.interval)
    if request.level == "word":
        return tag_words(engine, _as_words(request))
    answer = _answer_batch(engine, [request])[0]
    if request.translate:
        answer["translation_service"] = request.translate
        for row, segment in zip(answer["segments"], request.segments, strict=True):
            row["translation"] = segment.translation
    return answer


def _answer_batch(engine: Engine, requests: Sequence[QualityRequest]) -> list[PredictedAnswer]:
    """Answer requests that differ in nothing but their segments as one batch."""
    first, pair = requests[0], pair_of(requests[0])
    parts = [with_evidence(engine, request, segments_of(pair, request.segments)) for request in requests]
    answer = engine.at(first.profile).quality(Segments.joined(parts), first.model, first.label, _options(first))
    rows, ends = quality_rows(answer), accumulate(map(len, parts))
    # Drift over segments of several callers describes none of them.
    drift = drift_of(answer.drift) if len(requests) == 1 else None
    cautions = cautioned(engine.at(first.profile), answer.model, answer.words.tagger if answer.words else None, drift=drift)
    details = cautions_of_glossary(answer.options.glossary, pair)
    if first.words and answer.words is None:
        details.append(NO_WORDS)
    if answer.model.card.pair == ANY_PAIR and parts[0].evidence:
        details.append(IGNORED_EVIDENCE)
    cautions = _with_unused_evidence(_with_cautions(cautions, details), answer.model, first.from_systems)
    marks = _marks(engine.at(first.profile), pair, answer.words.tagger) if answer.words else {}
    return [_content(answer, pair, rows[end - len(part) : end], cautions, marks) for end, part in zip(ends, parts, strict=True)]


def _marks(engine: Engine, pair: LanguagePair, tagger: WordTagger) -> Json:
    """The word tagger of an answer, and the accuracy of its marks."""
    return {"word_model": tagger.card.id, "marks": word_marks(engine, tagger, pair)}


def _with_unused_evidence(cautions: Cautioned, model: Model | None, fields_from_systems: Sequence[str] | None) -> Cautioned:
    """Cautions, with a word about what systems translated and the model does not look at."""
    if model is None or not fields_from_systems:
        return cautions
    unused_kinds = sorted(str(kind) for kind in evidence_kinds(fields_from_systems) if kind not in model.needs)
    if not unused_kinds:
        return cautions
    detail = f"{model.card.id} looks at no {' and no '.join(unused_kinds)}: what systems translated changes nothing in its scores"
    return _with_cautions(cautions, [detail])


def _with_cautions(cautions: Cautioned, details: Sequence[str]) -> Cautioned:
    """Cautions with further ones, if there are any."""
    return {**cautions, "cautions": [*cautions.get("cautions", []), *details]} if details else cautions


def _content(
    answer: Assessment, pair: LanguagePair, rows: list[SegmentQuality], cautions: Cautioned, marks: Json
) -> PredictedAnswer:
    options = answer.options
    document = _document(rows, options)
    place = placing(document)
    content: Any = {
        **model_summary(answer.model),
        **cautions,
        "pair": str(pair),
        "interval": options.interval,
        **({"explanation": explanation_of(answer.model)} if options.explain else {}),
        **marks,
        "segments": [{**row, **place(row)} for row in rows],
        "document": document,
    }
    return content  # type: ignore[no-any-return]


def _document(rows: Iterable[Mapping[str, Any]], options: Options) -> DocumentQuality:
    document: Any = document_answer(rows, options.terms, options.warnings)
    return document  # type: ignore[no-any-return]


def _options(request: QualityRequest, terms: Terms | None = None) -> Options:
    glossary = requested_glossary(request.glossary, request.source_language)
    return Options(request.interval, request.explain, request.words, request.warnings, terms or terms_of(request), glossary)


FIELDS: Final = frozenset(QualityRequest.model_fields) - TRANSLATING


def _request_of(params: Mapping[str, Any]) -> QualityRequest:
    """The request that a job's parameters came from, without its segments."""
    return QualityRequest.model_validate({**{name: params[name] for name in FIELDS & params.keys()}, "segments": []})


def _job_options(params: Mapping[str, Any]) -> Options:
    request = _request_of(params)
    return _options(request, kept_terms(params, request))


def _as_words(request: QualityRequest) -> WordsRequest:
    return WordsRequest.model_construct(
        source_language=request.source_language,
        target_language=request.target_language,
        model=request.model,
        profile=request.profile,
        segments=[*request.segments],
    )


def _key(request: QualityRequest) -> Hashable | None:
    """Key of small requests that can be answered together."""
    if len(request.segments) > LARGEST_TOGETHER or request.level != "sentence":
        return None
    if request.explain or request.from_systems or request.translate or request.glossary:
        return None
    side_fields = frozenset(name for name, value in request.segments[0] if value is not None) if request.segments else frozenset()
    return (pair_of(request), request.model, request.label, request.profile, _options(request), side_fields)


def _cost(engine: Engine, request: QualityRequest) -> Cost:
    if request.sources is not None:
        # Translations are about as long as their sources.
        request = paired(request, request.sources, request.sources)
    text_work = work_of_pairs(text_pairs(request.segments))
    if request.explain:
        text_work += work_of_explanations(len(request.segments))
    work_of_models = work_of_reading if request.level == "word" else work_of_networks
    model_work = work_of_evidence(engine, request) + work_of_models(engine, request, text_pairs(request.segments))
    return Cost(amount_of_texts(segment.source for segment in request.segments), text_work, model_work)


def _stream(engine: Engine, request: QualityRequest, evidence: Evidence) -> Json:
    if request.level == "document":
        raise InputError("invalid-job", "files have no documents; send segments with their documents", ("level",))
    evidence, systems = evidence_needs(engine, request, evidence)
    params = {**request.parameters(), **systems}
    if request.level == "word":
        assert words.steps is not None and words.steps.stream is not None
        return {**params, **words.steps.stream(engine, _as_words(request), evidence)}
    profile_engine, pair = engine.at(request.profile), pair_of(request)
    model = profile_engine.model_for(pair, request.model, request.label, evidence)
    tagger = profile_engine.registry.best_word_tagger(profile_engine.pair_resources(pair), evidence) if request.words else None
    return {
        **params,
        **model_summary(model),
        **scale_kept(model.label),
        **({} if tagger is None else _marks(profile_engine, pair, tagger)),
        "terms": terms_of(request).of_label(model.label).as_json(),
    }


def _split(planning: Planning, request: QualityRequest) -> Plan:
    if request.sources is not None and request.translate is not None:
        planning.translators.check(request.translate)
        params = _stream(planning.engine, request, frozenset())
        return Plan("quality", params, cut(columns_of_sources(request.sources), planning.chunk_rows))
    segments = segments_of(pair_of(request), request.segments)
    if request.level == "document":
        names = [segment.document for segment in request.segments]
        return plan_documents(planning, segments, names, request.parameters())
    return Plan("quality", _stream(planning.engine, request, segments.evidence), cut(columns_of(segments), planning.chunk_rows))


def _work(context: Context, chunk: Json) -> Output:
    if context.params.get("level") == "word":
        return work_words(context, chunk)
    if context.params.get("level") == "document":
        return work_documents(context, chunk)
    options = _job_options(context.params)
    engine = context.engine.at(context.params.get("profile"))
    chunk = with_translations(context.translators, context.params, chunk)
    segments = chunk_with_evidence(context.engine, context.params, chunk)
    answer = engine.quality(segments, context.params["model"], options=options)
    texts = zip(chunk["sources"], chunk["translations"], quality_rows(answer), strict=True)
    rows: list[Json] = [{"source": source, "translation": translation, **row} for source, translation, row in texts]
    drift = drift_of(answer.drift)
    return {"rows": rows} if drift is None else {"rows": rows, "carry": drift}


def _finish(context: Context, outputs: Iterable[Output]) -> Any:
    params = context.params
    if params.get("level") == "word":
        return finish_words(context, outputs)
    if params.get("level") == "document":
        return finish_documents(context, outputs)
    parts: list[DriftOf | None] = []
    options = _job_options(params)
    document = _document(_rows_and_parts(outputs, parts), options)
    model = context.engine.models.get(params["model"])
    cautions = cautioned(context.engine, model, drift=drift_of_parts(parts))
    cautions = _with_cautions(cautions, cautions_of_glossary(options.glossary, pair_of(_request_of(params))))
    return {
        **summary_of(params),
        **_with_unused_evidence(cautions, model, params.get("from_systems")),
        "source_language": params["source_language"],
        "target_language": params["target_language"],
        # Of a job whose segments came in a file.
        **({"languages": params["languages"]} if "languages" in params else {}),
        **({"reading": params["file"]["reading"]} if "reading" in params.get("file", {}) else {}),
        "interval": params["interval"],
        **({"translation_service": params["translate"]} if "translate" in params else {}),
        **({"explanation": explanation_of(context.engine.models[params["model"]])} if params.get("explain") else {}),
        **{name: params[name] for name in ("word_model", "marks") if name in params},
        "document": document,
    }


def _rows_and_parts(outputs: Iterable[Output], parts: list[DriftOf | None]) -> Iterator[Json]:
    """Rows of all parts, which are read once; `parts` gets what each carried."""
    for output in outputs:
        parts.append(output.get("carry"))
        yield from output["rows"]


def _amend(summary: Mapping[str, Any]) -> Callable[[Json], Json]:
    """A row of the result, with its band and whether it is accepted where that was asked for."""
    place = placing(summary.get("document", {}))
    return lambda row: {**row, **place(row)}


operation = Operation[QualityRequest, PredictedAnswer | WordsAnswer | DocumentsAnswer](
    name="quality",
    id="predictQuality",
    summary="Predicted quality of every segment and of the document, or of every word and gap, without a reference.",
    request=QualityRequest,
    answer_type=PredictedAnswer | WordsAnswer | DocumentsAnswer,
    check=check_quality,
    answer=predict_quality,
    together=Batching(_key, _answer_batch),
    steps=Steps(_split, _work, _finish, amend=_amend, stream=_stream, parallel=True),
    cost=_cost,
    profiled=True,
    translation=translated,
)
