"""Feedback as rows to learn from. Older versions kept anything: what cannot be learnt from is left out by name."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import ValidationError
from typing_extensions import TypedDict

from app.errors import InputError
from app.features import exact_set
from app.operations.judgements.feedback import JudgedSegment
from app.operations.operation import Json, Judgement, Planning
from app.operations.parts.fields import pair_of
from app.operations.parts.label_values import check_labels
from app.operations.parts.limits import RequestLimits, check_count
from app.operations.parts.segments import check_pairs
from app.operations.train.request import TrainRequest
from app.operations.validation import explain_fault
from app.predictors import Model
from app.predictors.labels import Label
from app.text import LanguagePair
from app.text.side_information import KINDS, Kind

__all__ = ["FEEDBACK_IDS", "OF_FEEDBACK", "LearntFeedback", "OmittedFeedback", "feedback_answer", "with_feedback"]

# The column of judgements' ids.
FEEDBACK_IDS: Final = "feedback"
# Columns that feedback adds, and their values in rows that are none.
OF_FEEDBACK: Final[Mapping[str, Any]] = {"held_back": False, FEEDBACK_IDS: None}
# More ids than this are counted and not named.
NAMES_LIMIT: Final = 1000


class LeftOutJudgement(TypedDict):
    """A judgement that was not learnt from, and why."""

    id: str
    reason: str


class LearntFeedback(TypedDict):
    """Judgements of a training: those that it learned from, held back for comparisons, and left out.

    `incomplete` lack what the model needs beside the texts; `bad` cannot be used at all, and `left_out` names the first thousand.
    """

    used: int
    held_back: int
    incomplete: int
    bad: int
    left_out: list[LeftOutJudgement]


@dataclass
class OmittedFeedback:
    """Judgements that are not learnt from."""

    incomplete: int = 0
    bad: int = 0
    examples: list[LeftOutJudgement] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.incomplete or self.bad)

    def leave_out(self, id: str, reason: str) -> None:
        """Count a bad row, and name it while there is room."""
        self.bad += 1
        if len(self.examples) < NAMES_LIMIT:
            self.examples.append({"id": id, "reason": reason})

    def explain(self) -> str:
        """Use of the feedback, in a sentence."""
        first = f" ({self.examples[0]['reason']})" if self.examples else ""
        return f"of the feedback {self.bad} cannot be used{first}, and {self.incomplete} lack what comes beside the texts"

    def as_json(self) -> Json:
        """Parameters of a job about its feedback."""
        return {"incomplete": self.incomplete, "bad": self.bad, "left_out": self.examples}


def feedback_answer(count: int, held_back: int, params: Mapping[str, Any]) -> LearntFeedback:
    """Feedback of a training, in its answer."""
    omissions = params.get("left_out_feedback") or OmittedFeedback().as_json()
    return {"used": count, "held_back": held_back, **omissions}  # type: ignore[typeddict-item]


def with_feedback(
    request: TrainRequest, planning: Planning, base: Model | None, columns: Json, label: Label
) -> tuple[Json, OmittedFeedback]:
    """The rows with those that feedback makes, and what of it is left out."""
    if planning.feedback is None:
        raise InputError("invalid-job", "feedback is kept by a server; train there", ("feedback",))
    kinds, pair, models = _feedback_kinds(base, columns), pair_of(request), planning.engine.models
    rows: Json = {name: columns[name] for name in ("sources", "translations")}
    rows |= {kind.name: columns.get(kind.name, []) for kind in kinds}
    request_rows = len(columns["labels"])
    rows |= {"labels": columns["labels"], **{name: [value] * request_rows for name, value in OF_FEEDBACK.items()}}
    omissions = OmittedFeedback()
    for judgement in planning.feedback.judgements(str(pair), request.label):
        judged_model = models.get(judgement.model) if judgement.model is not None else None
        reason = reason_against(judgement, pair, label, planning.limits)
        if (
            reason is None
            and judged_model is not None
            and judged_model.card.label == label.name
            and judged_model.card.scale != label.scale
        ):
            reason = f"it was given on another scale, that of {judged_model.card.id}"
        if reason is not None:
            omissions.leave_out(judgement.id, reason)
            continue
        content = judgement.content or {}
        beside = {kind.name: content.get(kind.request_field) for kind in kinds}
        if any(value is None for value in beside.values()):
            omissions.incomplete += 1
            continue
        row = {
            "sources": content["source"], "translations": content["translation"], "labels": judgement.value,
            "held_back": judgement.held_back, FEEDBACK_IDS: judgement.id, **beside,
        }  # fmt: skip
        for name, value in row.items():
            rows[name].append(value)
    check_count(len(rows["sources"]), planning.limits.segments, ("segments",))
    return rows, omissions


def reason_against(judgement: Judgement, pair: LanguagePair, label: Label, limits: RequestLimits) -> str | None:
    """Reason why nothing can be learned from a judgement; None if today's checks accept it."""
    if judgement.content is None:
        return "what was kept cannot be read"
    try:
        check_labels(label, [judgement.value])
        check_pairs(pair, [JudgedSegment.model_validate(dict(judgement.content))], limits)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        return f"{'.'.join(map(str, first['loc']))}: {explain_fault(first)}"
    except InputError as error:
        named_fields = [part for part in error.where if isinstance(part, str) and part != "segments"]
        return f"{named_fields[-1]}: {error.detail}" if named_fields else error.detail
    return None


def _feedback_kinds(base: Model | None, columns: Json) -> list[Kind[Any]]:
    """Side information that every row must have: the needs of the base's features, or the kinds in the request's segments."""
    if base is None:
        return [kind for kind in KINDS if kind.with_feedback and kind.name in columns]
    needs = exact_set("base", base.card.features).needs
    kinds = [need for need in needs if isinstance(need, Kind)]
    unknown = [kind for kind in kinds if not kind.with_feedback]
    if unknown:
        raise InputError("invalid-job", f"feedback does not hold what this model needs: {unknown[0]}", ("feedback",))
    return kinds
