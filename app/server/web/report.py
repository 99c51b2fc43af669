"""Printable report of a quality job: a summary, then the segments to review, all segments, or none."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from app.operations.judgements.corrections import CorrectionAnswer
from app.operations.judgements.reassessment import assessed
from app.planning.terms import error_is_critical
from app.server.service import Access
from app.server.service.access import RequestAccess
from app.server.store import JobView
from app.server.web.rendering import page
from app.server.web.scale import Kind, PageScale, assumption, class_accuracy, finished_job, label_of_job
from app.server.web.texts import Texts, reader_texts
from app.server.web.warning_titles import warning_title

__all__ = ["ReportChoice", "marked_pieces", "report_values", "router", "to_look_at"]

router = APIRouter(include_in_schema=False)
# Limit of segments in a report; downloads have all segments.
MOST_SEGMENTS: Final = 3000
# Corrections in one query.
BATCH: Final = 500


@dataclass(frozen=True)
class ReportChoice:
    """Segments of a report: segments to review (`look`), `all` or `none`.

    With a `threshold` on `scale`, the report leaves out segments better than it.
    """

    show: Literal["look", "all", "none"] = "all"
    threshold: str = ""
    scale: Kind = "own"


def marked_pieces(text: str, words: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Pieces of a text, each with its mark: ``wrong``, ``possible`` or nothing."""
    pieces: list[tuple[str, str]] = []
    at = 0
    for word in words:
        mark = "wrong" if word["tag"] == "BAD" else "possible" if word.get("possible") else ""
        if not mark or word["start"] is None or word["start"] < at:
            continue
        pieces += [(text[at : word["start"]], ""), (text[word["start"] : word["end"]], mark)]
        at = word["end"]
    return [piece for piece in [*pieces, (text[at:], "")] if piece[0]]


def to_look_at(row: Mapping[str, Any], corrected: bool, judged: bool) -> bool:
    """Return True if a person should review a segment: it has a warning, or is neither accepted nor corrected.

    Without a stated risk (`judged` is False), the job accepts no segments, and only a warning counts.
    """
    return bool(row.get("warnings")) or (judged and not corrected and row.get("accept") is False)


@router.get("/jobs/{id}/report")
async def report(
    id: str,
    request: Request,
    access: RequestAccess,
    show: Annotated[Literal["look", "all", "none"], Query()] = "all",
    threshold: Annotated[str, Query(max_length=20)] = "",
    scale: Annotated[Kind, Query()] = "own",
) -> Response:
    """Report of a successful quality job."""
    return await access.in_turn(
        partial(_report, id, request, access, ReportChoice(show, threshold, scale)), request.is_disconnected
    )


def _report(id: str, request: Request, access: Access, choice: ReportChoice) -> Response:
    job = finished_job(access, id)
    assert job.summary is not None
    model = access.engine.models.get(job.summary["model"])
    scale = PageScale(choice.scale, label_of_job(access, job), reader_texts(request))
    accuracy = None if model is None else model.card.accuracy
    corrections = dict(_corrections(access, id))
    return page(request, "report.html", **report_values(job, access.rows(id), corrections, accuracy, scale, choice))


def _corrections(access: Access, id: str) -> Iterator[tuple[int, CorrectionAnswer]]:
    corrections = access.corrections(id)
    after: int | None = 0
    while after is not None:
        batch = corrections.page(BATCH, after)
        yield from ((row["segment"], row) for row in batch["corrections"])
        after = batch["next"]


def report_values(
    job: JobView,
    rows: Iterable[Mapping[str, Any]],
    corrected: Mapping[int, CorrectionAnswer],
    accuracy: Mapping[str, Any] | None,
    scale: PageScale,
    choice: ReportChoice,
) -> dict[str, Any]:
    """Values of the template; `corrected` maps segment numbers to corrections, `accuracy` is from the model card."""
    assert job.summary is not None
    t, summary = scale.t, job.summary
    judged = "acceptance" in summary["document"]
    threshold = scale.read(choice.threshold)
    reviews = count = errors = 0
    codes: Counter[str] = Counter()
    # Errors come first.
    segments: tuple[list[dict[str, Any]], list[dict[str, Any]]] = [], []
    for number, row in enumerate(rows, 1):
        correction = corrected.get(number)
        if correction is not None:
            row = assessed(row, correction["assessment"])
        look = to_look_at(row, correction is not None, judged)
        codes.update(warning["code"] for warning in row.get("warnings", ()))
        has_error = any(_is_error(warning) for warning in row.get("warnings", ()))
        reviews += look
        errors += has_error
        if choice.show == "none" or (choice.show == "look" and not look) or not _worse(scale, row, threshold):
            continue
        count += 1
        part = segments[not has_error]
        if len(part) < MOST_SEGMENTS:
            part.append(_segment(number, row, correction, scale))
    return {
        "job": job,
        "summary": summary,
        "document": summary["document"],
        "segments": [*segments[0], *segments[1]][:MOST_SEGMENTS],
        "wanted": count,
        "looked": reviews,
        "errors": errors,
        "judged": judged,
        "corrected": len(corrected),
        "choice": choice,
        "scale": scale,
        "own_title": PageScale("own", scale.label, t).title,
        "facts": _facts(summary, accuracy, scale),
        "finished": "" if job.finished is None else datetime.fromtimestamp(job.finished, UTC).isoformat(),
        "warnings": ", ".join(f"{warning_title(code, t)} {t.number(count)}" for code, count in sorted(codes.items())),
        "passing": _passing(summary["document"], scale),
        "weighting": _weighting(summary["document"], scale),
        "assumption": assumption(summary["document"], scale),
        "pair": t.pair_name(summary["source_language"], summary["target_language"]),
    }


def _worse(scale: PageScale, row: Mapping[str, Any], threshold: float | None) -> bool:
    """Return True if a segment is no better than the threshold, or without a threshold."""
    if threshold is None:
        return True
    number = row["confidence"] if scale.kind == "quality" else row["score"]
    return bool(number <= threshold if scale.higher_is_better else number >= threshold)


def _segment(number: int, row: Mapping[str, Any], correction: CorrectionAnswer | None, scale: PageScale) -> dict[str, Any]:
    text, words = row["translation"], row.get("words", ())
    # Words of a corrected row belong to its correction.
    corrected_words = () if correction is None else words
    return {
        "number": number,
        "value": scale.say(row["score"]),
        "band": row.get("band", ""),
        "source": row["source"],
        "pieces": marked_pieces(text, words if correction is None else ()),
        "warnings": [
            (_title(warning, scale.t), ", ".join([*warning["source"], *warning["translation"]]), _is_error(warning))
            for warning in row.get("warnings", ())
        ],
        "corrected": None if correction is None else marked_pieces(correction["text"] or "", corrected_words),
    }


def _is_error(warning: Mapping[str, Any]) -> bool:
    # Older jobs have warnings with other severities, or with none.
    return warning.get("severity") in {"error", "severe"}


def _title(warning: Mapping[str, Any], t: Texts) -> str:
    name = warning_title(warning["code"], t)
    return t("{name} (error)", name=name) if _is_error(warning) else name


def _facts(summary: Mapping[str, Any], accuracy: Mapping[str, Any] | None, scale: PageScale) -> list[tuple[str, str]]:
    """Titles and values of the summary, the main number first."""
    document, t = summary["document"], scale.t
    facts = [
        (scale.title, "–" if document["weighted_score"] is None else scale.say(document["weighted_score"])),
        (t("Segments"), t.number(document["segments"])),
        (t("Words of the source"), t.number(document["source_words"])),
    ]
    if scale.percent and document["weighted_score"] is not None:
        facts.append((t("Expected edits"), _edits(document, t)))
    facts.append((t("Model"), summary["model"]))
    if accuracy is not None:
        facts.append((t("Accuracy of the model"), class_accuracy(accuracy, scale) or _accuracy(accuracy, scale)))
    return facts


def _edits(document: Mapping[str, Any], t: Texts) -> str:
    """Sentence about the expected edits, counted in words of the source."""
    words = document["source_words"]
    edits = round(document["weighted_score"] * words)
    return t("about {edits} in {words, plural, one {# source word} other {# source words}}", edits=edits, words=words)


def _weighting(document: Mapping[str, Any], scale: PageScale) -> str:
    """Sentence about the weighted and the plain mean of a document; empty for a document without segments."""
    if document["score"] is None:
        return ""
    mean = scale.write(document["confidence"] if scale.kind == "quality" else document["score"])
    if scale.kind == "quality":
        return scale.t("Long segments count more; without that it would be {mean}, the number in your files.", mean=mean)
    return scale.t("Long segments count more; without that it would be {mean}.", mean=mean)


def _accuracy(accuracy: Mapping[str, Any], scale: PageScale) -> str:
    t = scale.t
    return t(
        "correlation {pearson}, mean error {error}, on {segments, plural, one {# segment} other {# segments}} judged by people",
        pearson=t.number(accuracy["pearson"], 2),
        error=t.percent(accuracy["mae"]) if scale.label.name == "hter" else t.number(accuracy["mae"], 2),
        segments=accuracy["segments"],
    )


def _passing(document: Mapping[str, Any], scale: PageScale) -> str:
    """Sentence about the number of accepted segments; empty without a stated risk."""
    acceptance = document.get("acceptance")
    if acceptance is None:
        return ""
    if not acceptance["accepted"]:
        return scale.t("No segment can skip review.")
    if error_is_critical(scale.label, acceptance["at_worst"]):
        return scale.t(
            "{count, plural, one {# segment} other {# segments}} can skip review; {errors} are expected to have a critical error.",
            count=acceptance["accepted"],
            errors=scale.t.number(acceptance["expected_errors"], 1),
        )
    return scale.t(
        "{count, plural, one {# segment} other {# segments}} can skip review; {errors} are expected to be worse than {worst}.",
        count=acceptance["accepted"],
        errors=scale.t.number(acceptance["expected_errors"], 1),
        worst=scale.say(acceptance["at_worst"]),
    )
