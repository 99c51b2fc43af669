"""`assay import-checkpoint`: neural metrics of one's own."""

from pathlib import Path
from typing import Annotated

import typer

from app.errors import InputError
from app.shell.here import settings_here
from app.shell.output import say

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)


@commands.command("import-checkpoint")
def import_checkpoint(
    checkpoint: Annotated[Path, typer.Argument(help="Folder or file of the checkpoint: safetensors, or PyTorch's.")],
    name: Annotated[str, typer.Option(help="What it is called: its metric is neural:NAME.")],
    licence: Annotated[
        str, typer.Option(help="Its licence, as CC-BY-NC-SA-4.0; one that forbids commercial use says so in answers.")
    ],
    encoder: Annotated[
        Path | None,
        typer.Option(help="Folder with config.json and tokenizer.json of its encoder, where they do not lie beside it."),
    ] = None,
    metricx: Annotated[str | None, typer.Option(help="Of MetricX, which texts it takes: 23, 23-qe or 24.")] = None,
    longest: Annotated[int | None, typer.Option(help="Most tokens of a sequence, where the checkpoint does not say.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder to write NAME into; that of ASSAY_CHECKPOINTS otherwise.")] = None,
) -> None:
    """Import a checkpoint of COMET, TransQuest, BLEURT or MetricX, whose scores are then the metric neural:NAME."""
    from app.resources.checkpoints.conversion import ImportRequest
    from app.resources.checkpoints.conversion import import_checkpoint as convert

    folder = out or settings_here().checkpoints
    if folder is None:
        raise InputError("invalid-request", "name a folder by --out, or by ASSAY_CHECKPOINTS", ("--out",))
    card = convert(ImportRequest(checkpoint, name, licence, encoder, metricx, longest), folder)
    say(f"wrote {folder / name}: {card.architecture}, compares {card.needs}; licence {card.licence}")
    if card.non_commercial:
        say("this licence forbids commercial use; every answer says so")
