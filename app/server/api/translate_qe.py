"""GET /translate/qe: the call by which CAT tools ask an engine for the quality of one translation, as MateCat does."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, Response
from pydantic import Field
from typing_extensions import TypedDict

from app.operations import quality
from app.operations.documents.quality import DocumentSegment
from app.operations.parts.names import Language
from app.server.api.problems import PROBLEM_RESPONSES
from app.server.api.rate_limits import rate_limit_fields
from app.server.service.access import RequestAccess
from app.server.service.watching import watched
from app.text.reading.checking import check_segments

__all__ = ["router"]

router = APIRouter(tags=["tools"], responses=PROBLEM_RESPONSES)
Tag = Annotated[Language, Query(description="Language, as en or en-GB", examples=["ro"])]
Text = Annotated[str, Query(max_length=5000, description="Longer segments go to POST /v1/quality")]


class ToolScore(TypedDict):
    """Quality from 0 (worst) to 1 (best)."""

    score: Annotated[float, Field(ge=0, le=1)]


@router.get("/translate/qe", response_model=ToolScore)
async def get_translation_quality(source: Tag, target: Tag, sentence: Text, translation: Text, access: RequestAccess) -> Response:
    """The confidence in one translation, for tools that ask per segment."""
    for text, name in ((sentence, "sentence"), (translation, "translation")):
        check_segments([text], access.limits.characters, (), name)
    segments = [DocumentSegment(source=sentence, translation=translation)]
    request = quality.QualityRequest(source_language=source, target_language=target, segments=segments)
    with watched(quality.operation, request):
        answer = await access.answer(quality.operation, request)
    return JSONResponse({"score": answer["segments"][0]["confidence"]}, headers=rate_limit_fields(access.standing))
