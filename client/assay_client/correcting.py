"""Calls about corrections of a job's translations."""

from urllib.parse import quote

from assay_client.answers import CorrectionAnswer, CorrectionPage
from assay_client.requests import Call

__all__ = ["correct", "corrections_page", "take_back"]


def corrections_page(job: str, limit: int | None, after: int | None) -> Call[CorrectionPage]:
    """At most `limit` corrections in the order of segments, from behind that of the segment `after`."""
    return Call("GET", _of(job), params={"limit": limit, "after": after})


def correct(job: str, segment: int, text: str, revision: int = 0, author: str = "") -> Call[CorrectionAnswer]:
    """Put a text in place of the translation of a segment, counted from 1, or of the correction of this `revision`.

    AssayError `correction-conflict` where somebody else was there first.
    """
    body = {"text": text, "revision": revision, "author": author}
    return Call("PUT", f"{_of(job)}/{segment}", body, repeatable=False)


def take_back(job: str, segment: int, revision: int) -> Call[CorrectionAnswer]:
    """Take back the correction of this `revision`, so that the translation stands as it was."""
    return Call("DELETE", f"{_of(job)}/{segment}", params={"revision": revision}, repeatable=False)


def _of(job: str) -> str:
    return f"/v1/jobs/{quote(job, safe='')}/corrections"
