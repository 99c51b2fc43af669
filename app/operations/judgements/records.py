"""Judgements that are kept: listed, looked at, corrected and deleted, with the models that have learnt from each."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import Field, FiniteFloat
from typing_extensions import TypedDict

from app.errors import InputError
from app.operations.judgements.feedback import STORED_KINDS, FeedbackItem, check_score, edit_rate
from app.operations.operation import Body, with_example
from app.operations.parts.rounding import rounded

if TYPE_CHECKING:
    from app.predictors import Label

__all__ = [
    "PAGE_CHARACTERS",
    "Correct",
    "CorrectionRequest",
    "FeedbackFilter",
    "FeedbackPage",
    "FeedbackRecord",
    "KeptFeedback",
    "KeptJudgement",
    "characters_of",
    "correction",
    "evidence",
    "feedback_page",
    "feedback_record",
    "kept_feedback",
    "no_judgement",
]

# Characters after which a page ends early; its `next` goes on.
PAGE_CHARACTERS: Final = 1_000_000


@dataclass(frozen=True)
class KeptJudgement:
    """A judgement with its id, when it came (seconds since 1970), whether it is held back, and whose it is."""

    id: str
    created: float
    held_back: bool
    owner: str
    item: FeedbackItem


@dataclass(frozen=True)
class FeedbackFilter:
    """Filter of judgements; a field of None accepts all. `since` is seconds since 1970, `pairs` what the caller may see."""

    pair: str | None = None
    label: str | None = None
    model: str | None = None
    origin: str | None = None
    since: float | None = None
    pairs: frozenset[str] | None = None


Correct = Callable[[KeptJudgement], FeedbackItem]


class FeedbackRecord(TypedDict):
    """A judgement as it is kept; `value` is null where an older version kept what is no number."""

    id: str
    created: str
    pair: str
    label: str
    value: float | None
    held_back: bool
    model: str | None
    origin: str
    owner: str | None
    source: Annotated[str | None, Field(description="Null where what was kept cannot be read any more")]
    translation: str | None
    post_edit: str | None


class KeptFeedback(FeedbackRecord):
    """One judgement, with what came beside its texts and the models that have learnt from it."""

    evidence: Annotated[dict[str, Any], Field(description="Kinds of side information, as token_log_probs")]
    used_by: Annotated[list[str], Field(description="Models that have learnt from it, and versions that came from these")]


class FeedbackPage(TypedDict):
    """Judgements, the newest first."""

    feedback: list[FeedbackRecord]
    next: Annotated[str | None, Field(description="Value of `after` for the next page; null on the last")]


class CorrectionRequest(Body):
    """Correction of a judgement: `post_edit`, from which HTER is computed anew, or `score`, a value of its label."""

    model_config = with_example({"post_edit": "The house is big."}, deferred=False)

    post_edit: str | None = None
    score: FiniteFloat | None = None


def no_judgement() -> InputError:
    """The error about a judgement that is not there, or not for whoever asks."""
    return InputError("not-found", "no judgement has this id; GET /v1/feedback/items lists those there are", ("id",))


def feedback_record(judgement: KeptJudgement) -> FeedbackRecord:
    """A judgement as lists have it."""
    item = judgement.item
    return {
        "id": judgement.id,
        "created": datetime.fromtimestamp(judgement.created, UTC).isoformat(timespec="milliseconds"),
        "pair": item.pair,
        "label": item.label,
        "value": rounded(item.value) if isfinite(item.value) else None,
        "held_back": judgement.held_back,
        "model": item.model,
        "origin": item.origin,
        "owner": judgement.owner or None,
        "source": _text(item.content, "source"),
        "translation": _text(item.content, "translation"),
        "post_edit": _text(item.content, "post_edit"),
    }


def kept_feedback(judgement: KeptJudgement, models: Sequence[str]) -> KeptFeedback:
    """A judgement with all there is of it."""
    return {**feedback_record(judgement), "evidence": evidence(judgement), "used_by": list(models)}


def evidence(judgement: KeptJudgement) -> dict[str, Any]:
    """Side information of a judgement."""
    content = judgement.item.content
    values = {kind.request_field: content[kind.request_field] for kind in STORED_KINDS if kind.request_field in content}
    # Values that older versions accepted and no answer can hold are replaced.
    text = json.dumps(values, ensure_ascii=False).encode("utf-8", "replace")
    return json.loads(text, parse_constant=lambda name: None)  # type: ignore[no-any-return]


def characters_of(judgement: KeptJudgement) -> int:
    """Lengths of the texts of a judgement."""
    content = judgement.item.content
    return sum(len(str(content.get(name) or "")) for name in ("source", "translation", "post_edit"))


def feedback_page(judgements: Sequence[KeptJudgement], limit: int) -> FeedbackPage:
    """A page of at most `limit` judgements, and fewer where texts are long, out of `limit` and one more."""
    records: list[FeedbackRecord] = []
    characters = 0
    for judgement in judgements[:limit]:
        record = feedback_record(judgement)
        characters += characters_of(judgement)
        if records and characters > PAGE_CHARACTERS:
            break
        records.append(record)
    return {"feedback": records, "next": records[-1]["id"] if len(records) < len(judgements) else None}


def correction(request: CorrectionRequest, longest: int, label_of: "Callable[[FeedbackItem], Label]") -> Correct:
    """Change that a request makes to a judgement.

    InputError unless it has exactly one of both fields, with a text within the limit.

    `label_of` says what an item's values mean.
    """
    if (request.post_edit is None) == (request.score is None):
        raise InputError("invalid-request", "either post_edit or score is needed")

    def corrected(judgement: KeptJudgement) -> FeedbackItem:
        item = judgement.item
        content = {name: value for name, value in item.content.items() if name != "post_edit"}
        if request.score is not None:
            corrected_item = replace(item, value=float(request.score), content=content)
            check_score(corrected_item, label_of(corrected_item), ("score",))
            return corrected_item
        if item.label != "hter":
            raise InputError("invalid-request", f"this judgement is of {item.label}; correct its score", ("post_edit",))
        translation = _text(item.content, "translation")
        if translation is None:
            raise InputError("invalid-request", "the translation cannot be read any more; correct the score", ("post_edit",))
        value = edit_rate(translation, request.post_edit or "", longest)
        return replace(item, value=value, content={**content, "post_edit": request.post_edit})

    return corrected


def _text(content: Mapping[str, Any], name: str) -> str | None:
    """A text that was kept; half a surrogate pair, which older versions let in, becomes a question mark."""
    text = content.get(name)
    return text.encode("utf-8", "replace").decode() if isinstance(text, str) else None
