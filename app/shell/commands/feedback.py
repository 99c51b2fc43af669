"""`assay feedback`: give a server judgements, and list, take along, correct and delete those that it keeps."""

import sys
from typing import Any, Final

from app.errors import InputError
from app.operations.judgements.feedback import FeedbackRequest
from app.operations.judgements.records import CorrectionRequest
from app.shell.declaration.forms import Format
from app.shell.languages import languages_of
from app.shell.options.feedback import (
    FeedbackCorrectOptions,
    FeedbackDeleteOptions,
    FeedbackExportOptions,
    FeedbackListOptions,
    FeedbackSendOptions,
)
from app.shell.output import print_json, print_rows
from app.shell.requests import make_request
from app.shell.running import body_of
from app.shell.segments import read_pairs, segments_of
from app.shell.there import calling

__all__ = ["correct", "delete", "export", "list_feedback", "send"]

# Command of `assay feedback FILE`.
DEFAULT_COMMAND: Final = "send"
HELP: Final = (
    "Send post-edits or scores to a server; list, export, correct and delete what it keeps. The next version of a model learns "
    "from them: assay feedback send FILE --pair ro-en."
)
# Judgements sent at once.
BATCH: Final = 500


def send(options: FeedbackSendOptions) -> None:
    """Send post-edits or scores to a server, from which the next version of a model learns."""
    table = read_pairs([options.file], options.log_probs, options.tokens, pair=options.pair)
    has_edits = "post_edit" in table.columns
    if not has_edits and "score" not in table.columns:
        raise InputError("invalid-table", f"{options.file} needs a column post_edit or score")
    judgements = {"post_edit": table["post_edit"]} if has_edits else {"score": table.numbers("score")}
    segments = segments_of(table, **judgements)
    about = {
        **languages_of(table, options.pair, options.server),
        "model": options.model,
        "label": options.label,
        "origin": options.origin,
    }
    batches = [
        make_request(FeedbackRequest, **about, segments=segments[begin : begin + BATCH]) for begin in range(0, len(segments), BATCH)
    ]
    items: list[Any] = []
    with calling(options.server) as client:
        for batch in batches:
            items += client.call("POST", "/v1/feedback", body_of(batch))["feedback"]
    if options.form is Format.JSON:
        print_json({"accepted": len(items), "feedback": items})
    else:
        mean = sum(row["value"] for row in items) / len(items)
        print_rows([{"label": items[0]["label"], "accepted": len(items), "mean": mean, "unit": items[0]["unit"]}], options.form)


def list_feedback(options: FeedbackListOptions) -> None:
    """The newest judgements first."""
    with calling(options.server) as client:
        rows: list[Any] = list(
            client.judgements(
                options.limit,
                pair=options.pair,
                label=options.label,
                model=options.model,
                origin=options.origin,
                since=options.since,
            )
        )
    if options.form is Format.JSON:
        print_json({"feedback": rows})
    else:
        names = ("id", "created", "pair", "label", "value", "model", "origin", "source", "translation")
        print_rows([{name: "" if row[name] is None else row[name] for name in names} for row in rows], options.form)


def export(options: FeedbackExportOptions) -> None:
    """Print all judgements with what came beside the texts, a line each, the newest first; cells are as they are."""
    with calling(options.server) as client:
        content = client.export_feedback(options.form, options.pair, options.label, options.model, options.origin, options.since)
    sys.stdout.buffer.write(content)


def correct(options: FeedbackCorrectOptions) -> None:
    """Put another post-edit or score in a judgement's place; used_by names the models that have learnt from the one before."""
    request = make_request(CorrectionRequest, post_edit=options.post_edit, score=options.score)
    with calling(options.server) as client:
        print_json(client.correct_feedback(options.judgement, request.post_edit, request.score))


def delete(options: FeedbackDeleteOptions) -> None:
    """Delete a judgement for good; used_by names the models that have learnt from it, and keep what they learnt."""
    with calling(options.server) as client:
        print_json(client.delete_feedback(options.judgement))
