"""`assay feedback`: give a server judgements, and list, take along, correct and delete those that it keeps."""

import sys
from typing import Annotated, Any, Final, Literal

import typer
from typer.core import TyperGroup

from app.errors import InputError
from app.operations.feedback import FeedbackRequest
from app.operations.judgements import CorrectionRequest
from app.shell.languages import languages_of
from app.shell.output import Format, print_json, print_rows
from app.shell.parameters import HERE, Form, HeldServer, LogProbs, Pair, Tokens, number
from app.shell.requests import make_request
from app.shell.running import body_of
from app.shell.segments import read_pairs, segments_of
from app.shell.there import calling

__all__ = ["commands"]

# What is meant where no command is named: `assay feedback FILE`.
USUAL: Final = "send"
HELP: Final = (
    "Send post-edits or scores to a server; list, export, correct and delete what it keeps. The next version of a model learns "
    "from them: assay feedback FILE --pair ro-en."
)
# Judgements sent at once.
BATCH: Final = 500
Judgement = Annotated[str, typer.Argument(help="Id of the judgement.")]
WantedPair = Annotated[str | None, typer.Option("--pair", help="Only those of this language pair, as ro-en.")]
WantedLabel = Annotated[str | None, typer.Option("--label", help="Only those of this label.")]
WantedModel = Annotated[str | None, typer.Option("--model", help="Only those of answers of this model.")]
WantedOrigin = Annotated[str | None, typer.Option("--origin", help="Only those that came from there.")]
Since = Annotated[
    str | None, typer.Option(help="Only those that came at this time or later, as 2026-01-31 or 2026-01-31T12:00:00Z.")
]


class _Feedback(TyperGroup):
    """Commands, one of which is meant where none is named."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] != "--help":
            args = [USUAL, *args]
        parsed: list[str] = super().parse_args(ctx, args)
        return parsed


feedback = typer.Typer(cls=_Feedback, no_args_is_help=True, help=HELP, rich_markup_mode=None)
commands = typer.Typer(rich_markup_mode=None)
commands.add_typer(feedback, name="feedback")


@feedback.command()
def send(
    file: Annotated[str, typer.Argument(help="Table with source, translation, and post_edit or score.")],
    pair: Pair = None,
    model: Annotated[str | None, typer.Option(help="The model that was answered to.")] = None,
    label: Annotated[str | None, typer.Option(help="What scores are, where no model says it.")] = None,
    origin: Annotated[str, typer.Option(help="Who or what it comes from.")] = "",
    log_probs: LogProbs = None,
    tokens: Tokens = None,
    server: HeldServer = HERE,
    form: Form = Format.TEXT,
) -> None:
    """Send post-edits or scores to a server, from which the next version of a model learns."""
    table = read_pairs([file], log_probs, tokens, pair=pair)
    edited = "post_edit" in table.columns
    if not edited and "score" not in table.columns:
        raise InputError("invalid-table", f"{file} needs a column post_edit or score")
    judgements = {"post_edit": table["post_edit"]} if edited else {"score": table.numbers("score")}
    segments = segments_of(table, **judgements)
    about = {**languages_of(table, pair, server), "model": model, "label": label, "origin": origin}
    batches = [
        make_request(FeedbackRequest, **about, segments=segments[begin : begin + BATCH]) for begin in range(0, len(segments), BATCH)
    ]
    accepted: list[Any] = []
    with calling(server) as client:
        for batch in batches:
            accepted += client.call("POST", "/v1/feedback", body_of(batch))["feedback"]
    if form is Format.JSON:
        print_json({"accepted": len(accepted), "feedback": accepted})
    else:
        mean = sum(row["value"] for row in accepted) / len(accepted)
        print_rows([{"label": accepted[0]["label"], "accepted": len(accepted), "mean": mean, "unit": accepted[0]["unit"]}], form)


@feedback.command("list")
def list_feedback(
    pair: WantedPair = None,
    label: WantedLabel = None,
    model: WantedModel = None,
    origin: WantedOrigin = None,
    since: Since = None,
    limit: Annotated[int, typer.Option(min=1, help="How many.")] = 100,
    server: HeldServer = HERE,
    form: Form = Format.TEXT,
) -> None:
    """The newest judgements first."""
    with calling(server) as client:
        rows: list[Any] = list(client.judgements(limit, pair=pair, label=label, model=model, origin=origin, since=since))
    if form is Format.JSON:
        print_json({"feedback": rows})
    else:
        names = ("id", "created", "pair", "label", "value", "model", "origin", "source", "translation")
        print_rows([{name: "" if row[name] is None else row[name] for name in names} for row in rows], form)


@feedback.command()
def export(
    pair: WantedPair = None,
    label: WantedLabel = None,
    model: WantedModel = None,
    origin: WantedOrigin = None,
    since: Since = None,
    server: HeldServer = HERE,
    form: Annotated[Literal["jsonl", "tsv"], typer.Option("--format", help="Form of a line.")] = "jsonl",
) -> None:
    """Print all judgements with what came beside the texts, a line each, the newest first; cells are as they are."""
    with calling(server) as client:
        content = client.export_feedback(form, pair, label, model, origin, since)
    sys.stdout.buffer.write(content)


@feedback.command()
def correct(
    judgement: Judgement,
    post_edit: Annotated[str | None, typer.Option(help="What the post-edit should have been; HTER is computed anew.")] = None,
    score: Annotated[float | None, number(about="What the score should have been.")] = None,
    server: HeldServer = HERE,
) -> None:
    """Put another post-edit or score in a judgement's place; used_by names the models that have learnt from the one before."""
    request = make_request(CorrectionRequest, post_edit=post_edit, score=score)
    with calling(server) as client:
        print_json(client.correct_feedback(judgement, request.post_edit, request.score))


@feedback.command()
def delete(judgement: Judgement, server: HeldServer = HERE) -> None:
    """Delete a judgement for good; used_by names the models that have learnt from it, and keep what they learnt."""
    with calling(server) as client:
        print_json(client.delete_feedback(judgement))
