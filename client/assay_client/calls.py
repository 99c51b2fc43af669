"""Calls that are no operations: jobs, models, feedback, files, and what there is."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote
from uuid import uuid4

import httpx2

from assay_client.answers import (
    FeaturesCatalogue,
    FeedbackAnswer,
    FeedbackList,
    FeedbackPage,
    FileAnswer,
    JobAnswer,
    JobList,
    KeptFeedback,
    MadeFile,
    Me,
    MetricsCatalogue,
    ModelCard,
    ModelDetails,
    OwnerDeletion,
    PromotionAnswer,
    ResourcesAnswer,
    UsageAnswer,
    WordTaggerCard,
)
from assay_client.errors import AssayError
from assay_client.requests import Call, encoded, post, read_json

__all__ = [
    "OVER",
    "PAGE",
    "ask",
    "call",
    "cancel",
    "check_success",
    "correct_feedback",
    "delete_feedback",
    "export_feedback",
    "features_catalogue",
    "feedback",
    "feedback_counts",
    "feedback_page",
    "forget_owner",
    "inspect",
    "job",
    "job_file",
    "job_files",
    "job_page",
    "judgement",
    "me",
    "metrics",
    "model",
    "models",
    "promote",
    "remove",
    "resources",
    "result",
    "retry",
    "rollback",
    "submit",
    "submit_file",
    "submit_files",
    "usage",
    "word_models",
]

OVER: Final = ("succeeded", "failed", "cancelled")
JOBS: Final = "/v1/jobs"
FEEDBACK: Final = "/v1/feedback"
# Jobs or judgements fetched at once.
PAGE: Final = 100


def call(method: str, path: str, body: Mapping[str, Any] | None = None, **params: object) -> Call[Any]:
    """Any address: a JSON body, parameters of the query, and the answer's JSON."""
    return Call(method, path, body, params, repeatable=method.upper() in ("GET", "PUT", "DELETE"))


def ask(operation: str, body: Mapping[str, Any]) -> Call[Any]:
    """An operation by its name, for one that this package does not know yet."""
    return post(f"/v1/{quote(operation, safe='')}", body)


def submit(
    kind: str,
    params: Mapping[str, Any],
    key: str | None = None,
    owner: str | None = None,
    webhook: str | None = None,
    priority: str | None = None,
) -> Call[JobAnswer]:
    """Queue a job. One `key` of an owner makes one job, however often it is sent; without one, every call makes one job."""
    # A server of an earlier version knows no priorities.
    urgency = {} if priority is None else {"priority": priority}
    body = {"kind": kind, "params": params, "owner": owner, "webhook": webhook, **urgency}
    return Call("POST", JOBS, body, headers=_idempotency_header(key))


def submit_file(
    path: Path,
    params: Mapping[str, Any],
    kind: str = "quality",
    key: str | None = None,
    owner: str | None = None,
    webhook: str | None = None,
    source: Path | None = None,
    priority: str | None = None,
    header: bool | None = None,
) -> Call[JobAnswer]:
    """Queue the job of a document or a table; a document may know its languages, and `source` goes with an n-best list.

    `header` states whether the first row of a table is a heading, which else is told by what is in it.
    """
    return submit_files(
        {"file": path, **({} if source is None else {"source": source})}, params, kind, key, owner, webhook, priority, header
    )


def submit_files(
    files: Mapping[str, Path],
    params: Mapping[str, Any],
    kind: str = "quality",
    key: str | None = None,
    owner: str | None = None,
    webhook: str | None = None,
    priority: str | None = None,
    header: bool | None = None,
) -> Call[JobAnswer]:
    """Queue a job whose input is in files by their role: `file`, or `source` and `translation`, or `system:NAME` and so on."""
    fields = {"kind": kind, "params": encoded(params), "owner": owner, "webhook": webhook, "priority": priority, **_stated(header)}
    form = {name: value for name, value in fields.items() if value is not None}
    return Call("POST", JOBS, form=form, files=_contents(files), headers=_idempotency_header(key))


def _stated(header: bool | None) -> dict[str, str]:
    return {} if header is None else {"header": "yes" if header else "no"}


def _idempotency_header(key: str | None) -> dict[str, str]:
    return {"Idempotency-Key": key or uuid4().hex}


def _contents(files: Mapping[str, Path]) -> dict[str, tuple[str, bytes]]:
    # Read in advance, since a call may be repeated.
    return {role: (path.name, path.read_bytes()) for role, path in files.items()}


def job(job: str) -> Call[JobAnswer]:
    """One job with its progress."""
    return Call("GET", _of(job))


def job_page(limit: int | None, after: str | None, state: str | None, kind: str | None) -> Call[JobList]:
    """At most `limit` jobs, the newest first, from behind the job `after`."""
    return Call("GET", JOBS, params={"limit": limit, "after": after, "state": state, "kind": kind})


def cancel(job: str) -> Call[JobAnswer]:
    """Cancel a job that is not finished."""
    return Call("DELETE", _of(job))


def remove(job: str) -> Call[JobAnswer]:
    """Delete a finished job and all it holds."""
    return Call("DELETE", _of(job), params={"remove": "true"}, repeatable=False)


def retry(job: str) -> Call[JobAnswer]:
    """A new job that goes on where this one failed or was cancelled."""
    return Call("POST", f"{_of(job)}/retry", repeatable=False)


def result(job: str, form: str = "json") -> Call[bytes]:
    """The result of a job that succeeded: `json`, `jsonl`, `tsv`, `annotated`, the document with scores, or `tmx`.

    Cells of a table are as they are; before a spreadsheet opens it, mind those that begin as a formula does.
    """
    formulas = {"formulas": "keep"} if form == "tsv" else {}
    return Call("GET", f"{_of(job)}/result", params={"format": form, **formulas}, read=_content)


def job_files(job: str) -> Call[list[MadeFile]]:
    """The files of a recipe's job: those that it came in, and those that its steps have made so far."""
    return Call("GET", f"{_of(job)}/files", read=_job_files)


def _job_files(answer: httpx2.Response) -> list[MadeFile]:
    files: list[MadeFile] = read_json(answer)["files"]
    return files


def job_file(job: str, name: str) -> Call[bytes]:
    """The bytes of one file of a job."""
    return Call("GET", f"{_of(job)}/files/{quote(name)}", read=_content)


def _of(job: str) -> str:
    return f"{JOBS}/{quote(job, safe='')}"


def _content(answer: httpx2.Response) -> bytes:
    return answer.content


def check_success(view: JobAnswer) -> JobAnswer:
    """The view of a successful job; AssayError otherwise."""
    if view["state"] != "succeeded":
        error = view["error"] or {}
        code = str(error.get("type", f"/problems/job-{view['state']}")).rpartition("/")[2]
        raise AssayError(code, 0, str(error.get("detail", f"the job is {view['state']}")))
    return view


def models() -> Call[list[ModelCard]]:
    """Cards of all predictors."""
    return Call("GET", "/v1/models", read=_models)


def word_models() -> Call[list[WordTaggerCard]]:
    """Cards of all word taggers."""
    return Call("GET", "/v1/models", read=_word_models)


def _models(answer: httpx2.Response) -> list[ModelCard]:
    cards: list[ModelCard] = answer.json()["models"]
    return cards


def _word_models(answer: httpx2.Response) -> list[WordTaggerCard]:
    cards: list[WordTaggerCard] = answer.json()["word_models"]
    return cards


def model(model: str) -> Call[ModelDetails | WordTaggerCard]:
    """The card of one predictor or word tagger, with its details on the server."""
    return Call("GET", f"/v1/models/{quote(model, safe='')}")


def promote(model: str, reason: str = "") -> Call[PromotionAnswer]:
    """Make a model the default of its pair and label."""
    return post(f"/v1/models/{quote(model, safe='')}/promote", {"reason": reason}, repeatable=False)


def rollback(model: str, reason: str = "") -> Call[PromotionAnswer]:
    """Undo the promotion of a model."""
    return post(f"/v1/models/{quote(model, safe='')}/rollback", {"reason": reason}, repeatable=False)


def feedback(
    model: str | None,
    segments: Sequence[Mapping[str, Any]],
    origin: str = "",
    source_language: str | None = None,
    target_language: str | None = None,
    label: str | None = None,
) -> Call[FeedbackAnswer]:
    """Send post-edits or scores of translations that `model` judged, or without a model, with languages and label."""
    body = {
        "model": model,
        "source_language": source_language,
        "target_language": target_language,
        "label": label,
        "origin": origin,
        "segments": segments,
    }
    return post(FEEDBACK, body, repeatable=False)


def feedback_counts() -> Call[FeedbackList]:
    """Numbers of judgements by pair and label."""
    return Call("GET", FEEDBACK)


def feedback_page(limit: int | None, after: str | None, filters: Mapping[str, object]) -> Call[FeedbackPage]:
    """At most `limit` judgements, newest first, after the judgement with the id `after`."""
    return Call("GET", f"{FEEDBACK}/items", params={"limit": limit, "after": after, **filters})


def judgement(judgement: str) -> Call[KeptFeedback]:
    """One judgement, with the models trained on it."""
    return Call("GET", _judgement(judgement))


def correct_feedback(judgement: str, post_edit: str | None = None, score: float | None = None) -> Call[KeptFeedback]:
    """Replace the score or the post-edit of a judgement; HTER is computed again from a post-edit."""
    return Call("PATCH", _judgement(judgement), {"post_edit": post_edit, "score": score})


def delete_feedback(judgement: str) -> Call[KeptFeedback]:
    """Delete a judgement; return it with the models trained on it."""
    return Call("DELETE", _judgement(judgement), repeatable=False)


def export_feedback(
    form: str = "jsonl",
    pair: str | None = None,
    label: str | None = None,
    model: str | None = None,
    origin: str | None = None,
    since: str | None = None,
) -> Call[bytes]:
    """Matching judgements with their side information, newest first, as `jsonl` or `tsv`.

    Cells are unchanged: cells that begin like a formula are formulas for a spreadsheet.
    """
    filters = {"pair": pair, "label": label, "model": model, "origin": origin, "since": since}
    formulas = {"formulas": "keep"} if form == "tsv" else {}
    return Call("GET", f"{FEEDBACK}/export", params={"format": form, **formulas, **filters}, read=_content)


def _judgement(judgement: str) -> str:
    return f"{FEEDBACK}/{quote(judgement, safe='')}"


def forget_owner(name: str, models: bool = False) -> Call[OwnerDeletion]:
    """Delete the data of an owner, with `models` also trained models; return a list of the remaining things."""
    return Call("DELETE", f"/v1/owners/{quote(name, safe='')}", params={"models": "true" if models else "false"})


def resources() -> Call[ResourcesAnswer]:
    """Loaded resources, and limits of requests."""
    return Call("GET", "/v1/resources")


def metrics() -> Call[MetricsCatalogue]:
    """All metrics, with the loaded trained metrics."""
    return Call("GET", "/v1/metrics")


def features_catalogue() -> Call[FeaturesCatalogue]:
    """Every feature and every feature set."""
    return Call("GET", "/v1/features/catalogue")


def me() -> Call[Me]:
    """The owner of the key, its scopes and its limits."""
    return Call("GET", "/v1/me")


def usage(days: int | None = None, months: int | None = None, owner: str | None = None) -> Call[UsageAnswer]:
    """Requests and stored bytes of the owner of the key; an administrator may name another `owner`."""
    return Call("GET", "/v1/me/usage", params={"days": days, "months": months, "owner": owner})


def inspect(path: Path, source: Path | None = None, header: bool | None = None) -> Call[FileAnswer]:
    """Format, languages and segments of a document, and the roles of columns in a table. The server stores nothing."""
    files = {"file": path, **({} if source is None else {"source": source})}
    return Call("POST", "/v1/files", form=_stated(header), files=_contents(files))
