"""GET /translate/qe: the call by which CAT tools ask an engine for the quality of one translation, as MateCat does."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field

from app.api.access import ServiceHere
from app.api.problems import PROBLEM_RESPONSES
from app.documents import language_of
from app.engine.segments import Options, Segments
from app.errors import InputError
from app.text import LanguagePair
from app.text.checking import check_segments

__all__ = ["router"]

router = APIRouter(tags=["tools"], responses=PROBLEM_RESPONSES)
Tag = Annotated[str, Query(min_length=2, max_length=20, description="Language, as en or en-GB", examples=["ro"])]
Text = Annotated[str, Query(max_length=5000, description="Longer segments go to POST /v1/quality")]


class ToolScore(BaseModel):
    """Quality from 0 (worst) to 1 (best)."""

    score: Annotated[float, Field(ge=0, le=1)]


@router.get("/translate/qe", response_model=ToolScore)
async def translate_qe(source: Tag, target: Tag, sentence: Text, translation: Text, service: ServiceHere) -> Response:
    """The confidence in one translation, for tools that ask per segment."""
    languages = language_of(source), language_of(target)
    if languages[0] is None or languages[1] is None:
        raise InputError("unknown-language-pair", "source and target are languages such as en or en-GB", ("source",))
    longest = service.settings.max_segment_characters
    check_segments([sentence], longest, (), "sentence")
    check_segments([translation], longest, (), "translation")
    sent = Segments(LanguagePair(languages[0], languages[1]), [sentence], [translation])
    _, rows = await service.quality(sent, None, None, Options())
    return JSONResponse({"score": rows[0]["confidence"]})
