"""POST /v1/features, /v1/quality and /v1/rank."""

from typing import Any, Final

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response
from starlette.concurrency import run_in_threadpool

from app.answers import (
    features_answer,
    model_summary,
    quality_rows,
    rank_rows,
    standing_rows,
    word_rows,
    word_tagger_summary,
)
from app.api.access import ServiceHere
from app.api.checking import check_candidates, check_pairs
from app.api.problems import PROBLEM_RESPONSES
from app.api.quality_schemas import (
    FeaturesAnswer,
    FeaturesRequest,
    QualityAnswerBody,
    QualityOptions,
    QualityRequest,
    RankAnswer,
    RankRequest,
    WordQualityAnswer,
)
from app.engine.segments import Options, QualityAnswer, Segments
from app.features import exact_set
from app.model_answers import explanation_answer
from app.planning.totals import accepted, document_answer
from app.service import Service
from app.text import LanguagePair

__all__ = ["router"]

OPTIONS: Final = frozenset(QualityOptions.model_fields)
# Requests of more segments are batches themselves.
LARGEST_TOGETHER: Final = 32
router = APIRouter(prefix="/v1", tags=["quality"], responses=PROBLEM_RESPONSES)


@router.post("/features", response_model=FeaturesAnswer)
def features(body: FeaturesRequest, service: ServiceHere) -> Response:
    """Feature values of every segment."""
    pair = LanguagePair(body.source_language, body.target_language)
    sent = check_pairs(pair, body.segments, service.settings, service.settings.max_segments)
    wanted = body.feature_set if body.features is None else exact_set("asked", body.features)
    return JSONResponse(features_answer(service.engine.features(sent, wanted)))


@router.post("/quality", response_model=QualityAnswerBody | WordQualityAnswer, response_model_exclude_none=True)
async def quality(body: QualityRequest, service: ServiceHere) -> Response:
    """Predicted quality of every segment and of the document, or of every word and gap, without a reference."""
    if len(body.segments) > LARGEST_TOGETHER or body.explain or body.level == "word":
        return await run_in_threadpool(_large, body, service)
    sent = _sent(body, service)
    answer, rows = await service.quality(sent, body.model, body.label, _options(body))
    return JSONResponse(_content(answer, rows))


def _options(body: QualityRequest) -> Options:
    return Options.of(body.model_dump(include=set(OPTIONS)))


def _sent(body: QualityRequest, service: Service) -> Segments:
    pair = LanguagePair(body.source_language, body.target_language)
    return check_pairs(pair, body.segments, service.settings, service.settings.max_segments)


def _large(body: QualityRequest, service: Service) -> Response:
    sent = _sent(body, service)
    if body.level == "word":
        tagged = service.engine.word_tags(sent, body.model)
        return JSONResponse({**word_tagger_summary(tagged.tagger), "segments": word_rows(tagged)})
    answer = service.engine.quality(sent, body.model, body.label, _options(body))
    return JSONResponse(_content(answer, quality_rows(answer)))


def _content(answer: QualityAnswer, rows: list[dict[str, Any]]) -> dict[str, Any]:
    options = answer.options
    document = document_answer(rows, options.bands, options.warnings, options.at_worst, options.error_rate)
    return {
        **model_summary(answer.model),
        "interval": options.interval,
        **({"explanation": explanation_answer(answer.model)} if options.explain else {}),
        **({"word_model": answer.words.tagger.card.id} if answer.words else {}),
        "segments": [{**row, **accepted(row, document)} for row in rows],
        "document": document,
    }


@router.post("/rank", response_model=RankAnswer)
def rank(body: RankRequest, service: ServiceHere) -> Response:
    """Translations of each source from best to worst, and the standing of their systems."""
    pair = LanguagePair(body.source_language, body.target_language)
    sources, candidates = check_candidates(body.segments, service.settings, service.settings.max_segments)
    model, ranking = service.engine.rank(pair, sources, candidates, body.model, body.label)
    return JSONResponse({**model_summary(model), "segments": rank_rows(ranking.segments), "systems": standing_rows(ranking)})
