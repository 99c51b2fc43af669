"""POST /v1/features, /v1/quality and /v1/rank."""

from typing import Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

from app.answers import (
    document_answer,
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
from app.api.schemas import (
    FeaturesAnswer,
    FeaturesRequest,
    QualityAnswerBody,
    QualityRequest,
    RankAnswer,
    RankRequest,
    WordQualityAnswer,
)
from app.features import exact_set
from app.model_answers import explanation_answer
from app.text import LanguagePair

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["quality"], responses=PROBLEM_RESPONSES)


@router.post("/features", response_model=FeaturesAnswer)
def features(body: FeaturesRequest, service: ServiceHere) -> Response:
    """Feature values of every segment."""
    pair = LanguagePair(body.source_language, body.target_language)
    sent = check_pairs(pair, body.segments, service.settings, service.settings.max_segments)
    wanted = body.feature_set if body.features is None else exact_set("asked", body.features)
    return JSONResponse(features_answer(service.engine.features(sent, wanted)))


@router.post("/quality", response_model=QualityAnswerBody | WordQualityAnswer, response_model_exclude_none=True)
def quality(body: QualityRequest, service: ServiceHere) -> Response:
    """Predicted quality of every segment and of the document, or of every word and gap, without a reference."""
    pair = LanguagePair(body.source_language, body.target_language)
    sent = check_pairs(pair, body.segments, service.settings, service.settings.max_segments)
    if body.level == "word":
        tagged = service.engine.word_tags(sent, body.model)
        return JSONResponse({**word_tagger_summary(tagged.tagger), "segments": word_rows(tagged)})
    answer = service.engine.quality(sent, body.model, body.label, body.interval, body.explain)
    rows = quality_rows(answer)
    content: dict[str, Any] = {
        **model_summary(answer.model),
        "interval": body.interval,
        **({"explanation": explanation_answer(answer.model)} if body.explain else {}),
        "segments": rows,
        "document": document_answer(rows),
    }
    return JSONResponse(content)


@router.post("/rank", response_model=RankAnswer)
def rank(body: RankRequest, service: ServiceHere) -> Response:
    """Translations of each source from best to worst, and the standing of their systems."""
    pair = LanguagePair(body.source_language, body.target_language)
    sources, candidates = check_candidates(body.segments, service.settings, service.settings.max_segments)
    model, ranking = service.engine.rank(pair, sources, candidates, body.model, body.label)
    return JSONResponse({**model_summary(model), "segments": rank_rows(ranking.segments), "systems": standing_rows(ranking)})
