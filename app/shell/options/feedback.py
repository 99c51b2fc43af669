"""Options of `assay feedback`."""

from dataclasses import dataclass
from typing import Annotated, Literal

from app.shell.declaration.fields import argument, option
from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import Form, HeldServer, LogProbs, Pair, Tokens, number

__all__ = ["FeedbackCorrectOptions", "FeedbackDeleteOptions", "FeedbackExportOptions", "FeedbackListOptions", "FeedbackSendOptions"]

WantedPair = Annotated[str | None, option("--pair", help="Judgements of this language pair, as ro-en.")]
WantedLabel = Annotated[str | None, option("--label", help="Judgements of this label.")]
WantedModel = Annotated[str | None, option("--model", help="Judgements of this model's answers.")]
WantedOrigin = Annotated[str | None, option("--origin", help="Judgements of this origin.")]
Since = Annotated[str | None, option(help="Judgements from this time on, as 2026-01-31.")]
Judgement = Annotated[str, argument(help="Judgement id.")]


@dataclass(frozen=True, kw_only=True)
class FeedbackSendOptions:
    """Options of `assay feedback send`."""

    file: Annotated[str, argument(help="Table of source, translation, and post_edit or score.")]
    pair: Pair = None
    model: Annotated[str | None, option(help="Model of the predictions.")] = None
    label: Annotated[str | None, option(help="Label of the scores, if no model has it.")] = None
    origin: Annotated[str, option(help="Origin of the judgements.")] = ""
    log_probs: LogProbs = None
    tokens: Tokens = None
    server: HeldServer = "http://127.0.0.1:8000"
    form: Form = Format.TEXT


@dataclass(frozen=True, kw_only=True)
class FeedbackListOptions:
    """Options of `assay feedback list`."""

    pair: WantedPair = None
    label: WantedLabel = None
    model: WantedModel = None
    origin: WantedOrigin = None
    since: Since = None
    limit: Annotated[int, option(min=1, help="Number of judgements.")] = 100
    server: HeldServer = "http://127.0.0.1:8000"
    form: Form = Format.TEXT


@dataclass(frozen=True, kw_only=True)
class FeedbackExportOptions:
    """Options of `assay feedback export`."""

    pair: WantedPair = None
    label: WantedLabel = None
    model: WantedModel = None
    origin: WantedOrigin = None
    since: Since = None
    server: HeldServer = "http://127.0.0.1:8000"
    form: Annotated[Literal["jsonl", "tsv"], option("--format", help="jsonl or tsv.")] = "jsonl"


@dataclass(frozen=True, kw_only=True)
class FeedbackCorrectOptions:
    """Options of `assay feedback correct`."""

    judgement: Judgement
    post_edit: Annotated[str | None, option(help="Correct post-edit; HTER is computed again.")] = None
    score: Annotated[float | None, number(about="Correct score.")] = None
    server: HeldServer = "http://127.0.0.1:8000"


@dataclass(frozen=True, kw_only=True)
class FeedbackDeleteOptions:
    """Options of `assay feedback delete`."""

    judgement: Judgement
    server: HeldServer = "http://127.0.0.1:8000"
