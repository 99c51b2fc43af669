"""`assay feedback`, `promote` and `rollback`: what keeps a server's models up to date."""

from typing import Annotated, Any, Final

import typer

from app.errors import InputError
from app.operations.feedback import FeedbackRequest
from app.shell.output import Format, print_json, print_rows
from app.shell.parameters import HERE, Form, HeldServer, LogProbs, Pair, Tokens
from app.shell.requests import languages, make_request
from app.shell.running import body_of
from app.shell.segments import read_pairs, segments_of
from app.shell.there import calling

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)
Reason = Annotated[str, typer.Option(help="Why, for the record.")]
# Judgements sent at once.
BATCH: Final = 500


@commands.command()
def feedback(
    file: Annotated[str, typer.Argument(help="Table with source, translation, and post_edit or score.")],
    pair: Pair,
    model: Annotated[str | None, typer.Option(help="The model that was answered to.")] = None,
    label: Annotated[str | None, typer.Option(help="What scores are, where no model says it.")] = None,
    origin: Annotated[str, typer.Option(help="Who or what it comes from.")] = "",
    log_probs: LogProbs = None,
    tokens: Tokens = None,
    server: HeldServer = HERE,
    form: Form = Format.TEXT,
) -> None:
    """Send post-edits or scores to a server, from which the next version of a model learns."""
    table = read_pairs([file], log_probs, tokens)
    edited = "post_edit" in table.columns
    if not edited and "score" not in table.columns:
        raise InputError("invalid-table", f"{file} needs a column post_edit or score")
    judgements = {"post_edit": table["post_edit"]} if edited else {"score": table.numbers("score")}
    segments = segments_of(table, **judgements)
    about = {**languages(pair), "model": model, "label": label, "origin": origin}
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


@commands.command()
def promote(model: Annotated[str, typer.Argument(help="Model id.")], reason: Reason = "", server: HeldServer = HERE) -> None:
    """Let this model answer for its language pair and label."""
    with calling(server) as client:
        print_json(client.promote(model, reason))


@commands.command()
def rollback(model: Annotated[str, typer.Argument(help="Model id.")], reason: Reason = "", server: HeldServer = HERE) -> None:
    """Return to what answered before this model was promoted."""
    with calling(server) as client:
        print_json(client.rollback(model, reason))
