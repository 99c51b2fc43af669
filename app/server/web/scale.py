"""The scale of a page: all numbers in the unit of the label, such as words to edit, or all as quality from 0 to 1."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any, Final, Literal, get_args

import numpy as np
from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.errors import InputError
from app.operations.parts.about_models import label_kept
from app.planning.confidence import confidence_of
from app.planning.numerals import number_of
from app.planning.terms import assumptions, error_is_critical
from app.predictors import Label
from app.server.service import Access
from app.server.service.access import RequestAccess
from app.server.store import JobView
from app.server.web.texts import Texts, reader_texts

__all__ = [
    "QUALITY",
    "Kind",
    "PageScale",
    "assumption",
    "class_accuracy",
    "finished_job",
    "label_of_job",
    "probability_title",
    "router",
]

router = APIRouter(include_in_schema=False)
# Numbers in the unit of the label, or as quality from 0 to 1.
Kind = Literal["own", "quality"]
# Range of labels without bounds (z-scores), and distance from the only bound of a label (as 0 of times).
Z_SCORES: Final = (-4.0, 4.0)
FAR: Final = 60.0
# Points of the curve of confidence; scripts interpolate linearly between them.
POINTS: Final = 801
TWO: Final = 2
# Confidence as a label, for the titles of its plot.
QUALITY: Final = Label("quality", "Quality", "", "0–1", True, 0.0, 1.0)


@dataclass(frozen=True)
class PageScale:
    """Format of scores on pages.

    Kind `own`: the label's unit, with edit rates as percent of words. Kind `quality`: confidence, 0 to 1.
    """

    kind: Kind
    label: Label
    t: Texts

    @property
    def title(self) -> str:
        """Title of the numbers."""
        if self.kind == "quality":
            return self.t("Quality")
        if self.percent:
            return self.t("Words to edit")
        return probability_title(self.label, self.t) or f"{self.t(self.label.title)}, {self.t(self.label.unit)}"

    @property
    def has_ranges(self) -> bool:
        """True if intervals add something to scores; the true label of two classes is one of the ends."""
        return len(self.label.classes) != TWO

    @property
    def limit_title(self) -> str:
        """Heading of the column with the limits of bands."""
        return self.t("From") if self.higher_is_better else self.t("Up to")

    @property
    def percent(self) -> bool:
        """True if numbers are shares of words."""
        return self.kind == "own" and self.label.name == "hter"

    @property
    def higher_is_better(self) -> bool:
        """True if a larger number on the page is a better translation."""
        return self.kind == "quality" or self.label.higher_is_better

    def number(self, score: float) -> float:
        """A score converted to the unit of the page."""
        return score if self.kind == "own" else float(confidence_of(self.label, np.array([score]))[0])

    def say(self, score: float) -> str:
        """A score as text in the unit of the page; zero has no sign."""
        return self.write(self.number(score))

    def write(self, number: float) -> str:
        """A number in the unit of the page as text; zero has no sign."""
        return self.t.percent(number) if self.percent else self.t.number(round(number, 2) + 0.0, 2)

    def limit(self, confidence: float | None) -> str:
        """Lower limit of a band as text; a dash if acceptance defines the band."""
        if confidence is None:
            return "–"
        return self.t.number(confidence + 0.0, 2) if self.kind == "quality" else self.say(self.score_at(confidence))

    def score_at(self, confidence: float) -> float:
        """The label's value at a confidence."""
        scores, confidences = _curve(self.label)
        order = np.argsort(confidences, kind="stable")
        return float(np.interp(confidence, confidences[order], scores[order]))

    def read(self, text: str) -> float | None:
        """Parse a typed number; None for blanks. InputError for other text."""
        if not text.strip():
            return None
        number = number_of(text)
        if number is None:
            raise InputError("invalid-request", "a threshold is a number, such as 0.3, 0,3 or 30%", ("threshold",))
        return number


def probability_title(label: Label, t: Texts) -> str:
    """Title of numbers that are probabilities, which name their class; empty for other labels."""
    unit = t(label.unit)
    return unit[:1].upper() + unit[1:] if label.unit.startswith("probability ") else ""


def _curve(label: Label) -> tuple[Any, Any]:
    """Points of the curve from scores to confidences; both of shape (POINTS,)."""
    low, high = label.lowest, label.highest
    if low is None and high is None:
        low, high = Z_SCORES
    scores = np.linspace((high or 0.0) - FAR if low is None else low, (low or 0.0) + FAR if high is None else high, POINTS)
    return scores, confidence_of(label, scores)


def finished_job(access: Access, id: str) -> JobView:
    """A quality job that succeeded; InputError for another job."""
    job = access.job(id)
    job.check_kept()
    if job.summary is None or "document" not in job.summary:
        raise InputError("job-not-finished", "only a quality job that succeeded has this view", ("id",))
    return job


def label_of_job(access: Access, job: JobView) -> Label:
    """The label of a quality job: from its model, or from the job if the model is deleted."""
    model = access.engine.models.get(job.params.get("model", ""))
    return model.label if model is not None else label_kept(job.params)


def class_accuracy(accuracy: Mapping[str, Any], scale: PageScale) -> str:
    """Sentence about the critical errors that a model finds, from its card; empty for other labels and without measures.

    An alarm is a probability of the middle between both classes or more, which a card counts as the worse class.
    """
    label, t = scale.label, scale.t
    if not error_is_critical(label, min(label.classes, default=None)):
        return ""
    segments, limit = accuracy["segments"], t.number(sum(label.classes) / TWO, TWO)
    worse = next((row for row in accuracy.get("grades", ()) if row["grade"] == max(label.classes)), None)
    if worse is not None and None not in (worse["recall"], worse["precision"]):
        return t(
            "finds {recall} of the critical errors; {precision} of its alarms are right (probability of {limit} or more, on {segments, plural, one {# segment} other {# segments}} judged by people)",  # noqa: E501
            recall=t.percent(worse["recall"]),
            precision=t.percent(worse["precision"]),
            limit=limit,
            segments=segments,
        )
    if accuracy.get("mcc") is None:
        return ""
    return t(
        "Matthews correlation {mcc}, on {segments, plural, one {# segment} other {# segments}} judged by people",
        mcc=t.number(accuracy["mcc"], TWO),
        segments=segments,
    )


def assumption(document: dict[str, Any], scale: PageScale) -> str:
    """Assumptions behind a document's payment, a sentence each; empty without terms."""
    if "terms" not in document:
        return ""
    terms, t = document["terms"], scale.t
    worst = {} if terms["at_worst"] is None else {"worst": scale.say(terms["at_worst"])}
    templates = assumptions(terms, error_is_critical(scale.label, terms["at_worst"]))
    texts = [t(text, **{**_localised(places, t), **worst} if places else {}) for text, places in templates]
    return reduce(lambda first, text: t("{first} {next}", first=first, next=text), texts)


def _localised(places: Mapping[str, str], t: Texts) -> dict[str, str]:
    """Values with the decimal sign of the language; a currency stays, since its name may have a point."""
    return {name: value if name == "currency" else value.replace(".", t.language.decimal) for name, value in places.items()}


@router.get("/jobs/{id}/scale.json")
async def scale(id: str, request: Request, access: RequestAccess) -> Response:
    """The curve from scores to confidences of a quality job, and the assumptions of its bands."""
    return await access.in_turn(partial(_scale, id, request, access), request.is_disconnected)


def _scale(id: str, request: Request, access: Access) -> Response:
    job = finished_job(access, id)
    assert job.summary is not None
    label, t = label_of_job(access, job), reader_texts(request)
    scores, confidences = _curve(label)
    model, page_scale = access.engine.models.get(job.summary["model"]), PageScale("own", label, t)
    content = {
        "title": page_scale.title,
        "percent": label.name == "hter",
        "higher_is_better": label.higher_is_better,
        "has_ranges": page_scale.has_ranges,
        "is_critical": error_is_critical(label, job.summary["document"].get("acceptance", {}).get("at_worst")),
        "accuracy": "" if model is None else class_accuracy(model.card.accuracy, page_scale),
        "scores": [round(float(score), 6) for score in scores],
        "confidences": [round(float(value), 6) for value in confidences],
        "assumptions": {kind: assumption(job.summary["document"], PageScale(kind, label, t)) for kind in get_args(Kind)},
    }
    return JSONResponse(content, headers={"Cache-Control": "private, no-store"})
