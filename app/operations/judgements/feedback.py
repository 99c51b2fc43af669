"""Post-edits and scores of users, from which the next version of a model learns."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, Protocol

from pydantic import Field, FiniteFloat, create_model, model_validator
from typing_extensions import TypedDict

from app.errors import InputError
from app.operations.operation import Body, FeedbackSource, with_example
from app.operations.parts.fields import Segment
from app.operations.parts.label_values import check_labels
from app.operations.parts.limits import RequestLimits
from app.operations.parts.names import LabelName, Language, ModelId
from app.operations.parts.rounding import rounded
from app.text import LanguagePair
from app.text.languages import ANY_PAIR
from app.text.reading.checking import check_segments
from app.text.side_information import KINDS, segment_fields

__all__ = [
    "STORED_KINDS",
    "FeedbackAnswer",
    "FeedbackCount",
    "FeedbackItem",
    "FeedbackKeeper",
    "FeedbackList",
    "FeedbackRequest",
    "JudgedSegment",
    "check_score",
    "count_feedback",
    "edit_rate",
    "give_feedback",
    "work_of_feedback",
]

# Kinds of side information that feedback stores.
STORED_KINDS: Final = tuple(kind for kind in KINDS if kind.with_feedback)
LONGEST_ORIGIN: Final = 100
Source = Annotated[str, Field(max_length=LONGEST_ORIGIN, description="Origin of the feedback: a tool, a project, a pseudonym")]


class JudgedSegment(Segment):
    """A pair with its post-edit, from which HTER is computed, or with a score."""

    post_edit: str | None = None
    score: FiniteFloat | None = None


class OneJudgement(Body):
    """The fields of one judgement."""

    source: str | None = None
    translation: str | None = None
    post_edit: str | None = None
    score: FiniteFloat | None = None


if TYPE_CHECKING:
    # A command that only asks a server makes requests, and imports neither engine nor predictors.
    from app.engine import Engine
    from app.predictors import Label, Model

    class FlatJudgement(OneJudgement):
        """One judgement, with fields for the side information that is kept."""

else:
    FlatJudgement = create_model(
        "FlatJudgement", __base__=OneJudgement, __doc__=OneJudgement.__doc__, **segment_fields(STORED_KINDS)
    )


class FeedbackRequest(FlatJudgement):
    """One judgement (`source`, `translation`, and `post_edit` or `score`), or several as `segments`.

    `model` names the model whose answer was judged. Without it, the languages choose the model, and `label` says what a score
    measures.
    """

    model_config = with_example(
        {
            "source_language": "ro",
            "target_language": "en",
            "source": "Casa este mare.",
            "translation": "House is big.",
            "post_edit": "The house is big.",
        }
    )

    model: ModelId | None = None
    source_language: Language | None = None
    target_language: Language | None = None
    label: LabelName | None = None
    origin: Source = ""
    segments: Annotated[list[JudgedSegment], Field(min_length=1)] | None = None

    @model_validator(mode="after")
    def check_rows(self) -> "FeedbackRequest":
        """Either the flat fields or `segments`."""
        flat = [getattr(self, name) for name in FlatJudgement.model_fields]
        if self.segments is None and (self.source is None or self.translation is None):
            raise ValueError("source and translation, or segments, are needed")
        if self.segments is not None and any(value is not None for value in flat):
            raise ValueError("give either one judgement or segments")
        return self

    def judged_segments(self) -> list[JudgedSegment]:
        """The judgements as a list."""
        if self.segments is not None:
            return self.segments
        return [JudgedSegment.model_validate(self.model_dump(include=set(JudgedSegment.model_fields), exclude_none=True))]


@dataclass(frozen=True)
class FeedbackItem:
    """One judgement: `value` of `label`; `content` holds source, translation, post_edit and side information where sent."""

    pair: str
    label: str
    value: float
    model: str | None
    origin: str
    content: Mapping[str, Any]


@dataclass(frozen=True)
class FeedbackCount:
    """Counts of judgements of a pair and label: all, and those held back from training."""

    pair: str
    label: str
    segments: int
    held_back: int


class FeedbackKeeper(FeedbackSource, Protocol):
    """A store of feedback."""

    def add(self, items: Sequence[FeedbackItem]) -> list[str]:
        """Keep all of them, or none; their ids."""

    def counts(self, since: float = 0.0) -> list[FeedbackCount]:
        """Counts of judgements for each pair and label, received at `since` (seconds since 1970) or later."""


class AcceptedJudgement(TypedDict):
    """Record of a stored judgement. Judgements that are held back compare versions and never train."""

    id: str
    label: str
    value: float
    unit: str
    direction: str


class FeedbackAnswer(TypedDict):
    """Records of the stored judgements."""

    accepted: int
    feedback: list[AcceptedJudgement]


class FeedbackCounts(TypedDict):
    """Counts of judgements of a pair and label."""

    pair: str
    label: str
    segments: int
    held_back: int


class FeedbackList(TypedDict):
    """Counts of stored feedback."""

    feedback: list[FeedbackCounts]


def give_feedback(engine: "Engine", keeper: FeedbackKeeper, request: FeedbackRequest, limits: RequestLimits) -> FeedbackAnswer:
    """Keep judgements of users; a post-edit counts as HTER, computed by TER, a score as the model's label."""
    from app.operations.parts.segments import check_pairs
    from app.predictors.hter import human_edit_rates

    _check_text(request.origin, LONGEST_ORIGIN, "origin")
    model, pair = _model_and_pair(engine, request)
    rows = request.judged_segments()
    check_pairs(pair, rows, limits)
    for number, row in enumerate(rows):
        if (row.post_edit is None) == (row.score is None):
            raise InputError("invalid-request", "either post_edit or score is needed", ("segments", number))
    edited_rows = [row for row in rows if row.post_edit is not None]
    check_segments([row.post_edit or "" for row in edited_rows], limits.characters, ("segments",), "post_edit")
    rates = iter(human_edit_rates([row.translation for row in edited_rows], [row.post_edit or "" for row in edited_rows]).tolist())
    score_label = _score_label(request, model) if len(edited_rows) < len(rows) else ""
    items = [
        FeedbackItem(
            str(pair),
            "hter" if row.post_edit is not None else score_label,
            next(rates) if row.post_edit is not None else float(row.score or 0.0),
            request.model,
            request.origin,
            _content(row),
        )
        for row in rows
    ]
    labels = {name: engine.registry.label(str(pair), name, request.model) for name in {item.label for item in items}}
    for number, item in enumerate(items):
        check_score(item, labels[item.label], ("segments", number, "score"))
    accepted_judgements = [_accepted(name, item, labels[item.label]) for name, item in zip(keeper.add(items), items, strict=True)]
    return {"accepted": len(accepted_judgements), "feedback": accepted_judgements}


def _accepted(name: str, item: FeedbackItem, label: "Label") -> AcceptedJudgement:
    return {"id": name, "label": item.label, "value": rounded(item.value), "unit": label.unit, "direction": label.direction}


def _model_and_pair(engine: "Engine", request: FeedbackRequest) -> "tuple[Model | None, LanguagePair]":
    model = None if request.model is None else engine.models.get(request.model)
    if model is None and request.model is not None:
        raise InputError("unknown-model", "there is no such model; GET /v1/models (assay models list) lists them", ("model",))
    if model is None or model.card.pair == ANY_PAIR:
        if request.source_language is None or request.target_language is None:
            detail = (
                "a model, or both languages, are needed"
                if model is None
                else "this model is for any pair; both languages are needed"
            )
            raise InputError("invalid-request", detail, ("model",))
        named_pair = LanguagePair(request.source_language, request.target_language)
        pair = named_pair.nearest(engine.resources.pairs) or named_pair
        engine.pair_resources(pair)
        return model, pair
    pair = LanguagePair.parse(model.card.pair)
    named_pair = LanguagePair(request.source_language or pair.source, request.target_language or pair.target)
    if pair not in named_pair.wider():
        raise InputError("model-for-another-pair", f"this model is for {model.card.pair}", ("model",))
    return model, pair


def _score_label(request: FeedbackRequest, model: "Model | None") -> str:
    label = request.label or (model.card.label if model is not None else None)
    if label is None:
        raise InputError("invalid-request", "a score without a model needs its label", ("label",))
    return label


def work_of_feedback(request: FeedbackRequest) -> int:
    """The work of finding out what post-edits changed, in pairs of characters."""
    return sum(len(row.translation) * len(row.post_edit) for row in request.judged_segments() if row.post_edit is not None)


def check_score(item: FeedbackItem, label: "Label", place: tuple[str | int, ...]) -> None:
    """InputError, at a place of the request, where a value is none of its label."""
    try:
        check_labels(label, [item.value])
    except InputError as error:
        raise InputError("invalid-request", error.detail, place) from None


def _check_text(text: str, longest: int, field: str) -> None:
    try:
        check_segments([text], longest, ())
    except InputError as error:
        raise InputError(error.code, error.detail, (field,)) from None


def edit_rate(translation: str, post_edit: str, longest: int) -> float:
    """The HTER of one post-edit; InputError where it is no text of at most `longest` characters."""
    from app.predictors.hter import human_edit_rates

    _check_text(post_edit, longest, "post_edit")
    return float(human_edit_rates([translation], [post_edit])[0])


def _content(row: JudgedSegment) -> dict[str, Any]:
    names = ("source", "translation", "post_edit", *(kind.request_field for kind in STORED_KINDS))
    values = {name: getattr(row, name) for name in names}
    return {name: value for name, value in values.items() if value is not None}


def count_feedback(keeper: FeedbackKeeper, pairs: Collection[str] | None = None) -> FeedbackList:
    """Count feedback per language pair and label, of the given pairs or of all."""
    return {
        "feedback": [
            {"pair": count.pair, "label": count.label, "segments": count.segments, "held_back": count.held_back}
            for count in keeper.counts()
            if pairs is None or count.pair in pairs
        ]
    }
