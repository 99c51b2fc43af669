"""Corrections of a job's translations: one text in place of a segment's, kept with the job, numbered by revisions."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Final

from pydantic import AfterValidator, Field
from typing_extensions import TypedDict

from app.errors import InputError
from app.operations.judgements.feedback import FeedbackItem
from app.operations.operation import Body, Json, with_example
from app.operations.parts.names import plain

__all__ = [
    "Change",
    "Correction",
    "CorrectionAnswer",
    "CorrectionConflictError",
    "CorrectionPage",
    "CorrectionText",
    "checked_text",
    "correction_answer",
    "corrections_page",
    "no_segment",
    "not_correctable",
]

LONGEST_AUTHOR: Final = 100
# Characters that some formats cannot hold: control characters other than blanks, surrogates, and code points outside Unicode.
REFUSED_CHARACTERS: Final = re.compile("[\0-\x08\x0e-\x1b\x7f\ud800-\udfff\ufffe\uffff]")
# Reason and remedy for a job without a result.
NO_RESULT: Final = {
    "queued": "the job waits still; its translations can be corrected once it has succeeded",
    "running": "the job runs still; its translations can be corrected once it has succeeded",
    "failed": "the job failed, so there is no result to correct; try it again",
    "cancelled": "the job was cancelled, so there is no result to correct; try it again",
}


def _plain_or_none(author: str) -> str:
    return plain(author) if author.strip() else ""


class CorrectionText(Body):
    """Text in place of a translation, and the revision that it replaces: 0 without an earlier correction."""

    model_config = with_example({"text": "The house is big.", "revision": 0}, deferred=False)

    text: Annotated[str, Field(description="One line: line ends become blanks")]
    revision: Annotated[int, Field(ge=0, description="Revision of the correction that the caller saw last; 0 without one")] = 0
    author: Annotated[
        str,
        Field(max_length=LONGEST_AUTHOR, description="A name for people; where keys are needed, the key's name is taken"),
        AfterValidator(_plain_or_none),
    ] = ""


@dataclass(frozen=True)
class Correction:
    """A correction as it is kept: `segment` counts from 1; `text` is None where it was taken back. Times are seconds since 1970.

    `assessment` has the parts of a result's row that changed with the text.
    """

    segment: int
    text: str | None
    revision: int
    author: str
    created: float
    changed: float
    feedback: str | None
    assessment: Json | None = None


@dataclass(frozen=True)
class Change:
    """Text for a segment, based on a revision; `judgement` is its feedback on the translation, `assessment` the job's
    findings about the text.

    `text` None takes the correction back. `author` is who changes it, under a key of `author_owner`.
    """

    segment: int
    text: str | None
    revision: int
    author: str = ""
    author_owner: str = ""
    judgement: FeedbackItem | None = None
    assessment: Json | None = None


class CorrectionAnswer(TypedDict):
    """A correction of one segment."""

    segment: Annotated[int, Field(description="Number of the segment in the result, from 1")]
    text: Annotated[str | None, Field(description="Null where the correction was taken back")]
    revision: Annotated[int, Field(description="Counts every change, from 1")]
    author: str | None
    created: str
    changed: str
    feedback: Annotated[str | None, Field(description="Id of the judgement that it became")]
    assessment: Annotated[
        dict[str, Any] | None,
        Field(description="Score, checks and tags of the text, in the fields of a segment; null if the job's model failed"),
    ]


class CorrectionPage(TypedDict):
    """Corrections of a job in the order of its segments."""

    corrections: list[CorrectionAnswer]
    next: Annotated[int | None, Field(description="Value of `after` for the next page; null on the last")]


class CorrectionConflictError(InputError):
    """Somebody changed the correction after the revision that a change is based on; `current` is how it stands."""

    def __init__(self, current: Correction) -> None:
        detail = f"this correction is at revision {current.revision} now; look at it, and send that revision to replace it"
        super().__init__("correction-conflict", detail, ("revision",))
        self.current = current


def correction_answer(correction: Correction) -> CorrectionAnswer:
    """A correction as it is answered."""
    return {
        "segment": correction.segment,
        "text": correction.text,
        "revision": correction.revision,
        "author": correction.author or None,
        "created": _time_of(correction.created),
        "changed": _time_of(correction.changed),
        "feedback": correction.feedback,
        "assessment": correction.assessment,
    }


def corrections_page(corrections: Sequence[Correction], limit: int) -> CorrectionPage:
    """A page of at most `limit` out of `limit` and one more."""
    page = [correction_answer(correction) for correction in corrections[:limit]]
    return {"corrections": page, "next": page[-1]["segment"] if len(corrections) > limit else None}


def checked_text(text: str, longest: int) -> str:
    """A correction as it is kept: in one line, composed (NFC); InputError where it is empty, too long, or no file could hold it."""
    match = REFUSED_CHARACTERS.search(text)
    if match:
        kind = f"U+{ord(match[0]):04X}"
        raise InputError("invalid-character", f"character {match.start() + 1} is {kind}, which files cannot hold", ("text",))
    if len(text) > longest:
        raise InputError("segment-too-long", f"this text has {len(text)} characters; at most {longest} are accepted", ("text",))
    normalised_text = unicodedata.normalize("NFC", " ".join(text.split()))
    if not normalised_text:
        raise InputError("empty-input", "a correction needs a text; DELETE takes one back", ("text",))
    return normalised_text


def no_segment(total: int) -> InputError:
    """The error about a segment that a job does not have."""
    return InputError("not-found", f"this job has segments 1 to {total}", ("segment",))


def not_correctable(state: str) -> InputError | None:
    """The error about a job in this state; None where its result is there."""
    detail = NO_RESULT.get(state)
    return None if detail is None else InputError("job-not-finished", detail, ("id",))


def _time_of(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
