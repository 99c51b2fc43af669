"""A quality job as a page to be printed or kept: the summary, words per band, what to look at, and the segments."""

from collections.abc import Iterable, Mapping
from functools import partial
from itertools import islice
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import Response

from app.errors import InputError
from app.service import Access
from app.service.caller import AccessHere
from app.text import language_name
from app.web.rendering import page

__all__ = ["marked_pieces", "router"]

router = APIRouter(include_in_schema=False)
# More would be a book; all segments are in the downloads.
MOST: Final = 3000


def marked_pieces(text: str, words: Iterable[Mapping[str, Any]]) -> list[tuple[str, bool]]:
    """The text in pieces, each with whether it looks wrong."""
    pieces: list[tuple[str, bool]] = []
    at = 0
    for word in words:
        if word["tag"] != "BAD" or word["start"] is None or word["start"] < at:
            continue
        pieces += [(text[at : word["start"]], False), (text[word["start"] : word["end"]], True)]
        at = word["end"]
    return [piece for piece in [*pieces, (text[at:], False)] if piece[0]]


@router.get("/jobs/{id}/report")
async def report(id: str, request: Request, access: AccessHere) -> Response:
    """The report of a quality job that succeeded."""
    return await access.in_turn(partial(_report, id, request, access))


def _report(id: str, request: Request, access: Access) -> Response:
    job = access.job(id)
    job.check_kept()
    if job.summary is None or "document" not in job.summary:
        raise InputError("job-not-finished", "only a quality job that succeeded has a report", ("id",))
    segments = [
        {**row, "number": number, "pieces": marked_pieces(row["translation"], row.get("words", ()))}
        for number, row in enumerate(islice(access.rows(id), MOST), 1)
    ]
    summary = job.summary
    return page(
        request,
        "report.html",
        job=job,
        summary=summary,
        document=summary["document"],
        segments=segments,
        total=job.total,
        pair=f"{language_name(summary['source_language'])} → {language_name(summary['target_language'])}",
    )
