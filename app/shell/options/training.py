"""Options of `assay train`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import (
    Classes,
    Form,
    HigherIsBetter,
    Label,
    LabelColumn,
    LogProbs,
    LowerIsBetter,
    Range,
    Server,
    SetName,
    Tokens,
    Unit,
    number,
)

__all__ = ["TrainOptions"]

SEVERAL_TASKS = typer.Option(help="PAIR=TABLE to learn from together. Repeatable.", rich_help_panel="Several tasks")


@dataclass(frozen=True, kw_only=True)
class TrainOptions:
    """Options of `assay train`."""

    file: Annotated[
        str | None,
        typer.Argument(help="Table of source, translation and labels; optional with --feedback."),
    ] = None
    pair: Annotated[str | None, typer.Option(help="Language pair of a predictor, as ro-en.")] = None
    label: Label = None
    higher_is_better: HigherIsBetter = False
    lower_is_better: LowerIsBetter = False
    bounds: Range = None
    classes: Classes = None
    unit: Unit = None
    kind: Annotated[str, typer.Option(help="predictor, or a metric: rose, beer, combination.")] = "predictor"
    language: Annotated[str | None, typer.Option(help="Language of the translations, as en.", rich_help_panel="Metrics")] = None
    template: Annotated[str | None, typer.Option(help="Template of features: a name or a file.", rich_help_panel="Metrics")] = None
    objective: Annotated[
        str | None, typer.Option(help="regression, ranking, logistic, corpus or joint.", rich_help_panel="Metrics")
    ] = None
    factored: Annotated[bool, typer.Option("--factored", help="Texts are word|TAG.", rich_help_panel="Metrics")] = False
    unjudged: Annotated[
        str | None, typer.Option(help="Table for self-training: translation, other, reference.", rich_help_panel="Metrics")
    ] = None
    stem: Annotated[str | None, typer.Option(help="Language of the stemmer of word matching.", rich_help_panel="Metrics")] = None
    out: Annotated[Path | None, typer.Option(help="Output folder; default: models/ID of the data folder.")] = None
    label_column: LabelColumn = None
    learner: Annotated[
        str | None,
        typer.Option(help="gp, svr, ridge, lasso, trees or blend, as gp|kernel:matern52."),
    ] = None
    set_name: SetName = None
    held_out: Annotated[str | None, typer.Option(help="Table to choose and calibrate on; default: part of the rows.")] = None
    held_out_share: Annotated[
        float | None, number(about="That part, 0.05 to 0.5; default 0.2.", panel="Data", low=0.05, high=0.5, shares=True)
    ] = None
    log_probs: LogProbs = None
    tokens: Tokens = None
    held_out_log_probs: LogProbs = None
    held_out_tokens: Tokens = None
    also: Annotated[list[str] | None, SEVERAL_TASKS] = None
    task_column: Annotated[
        str | None, typer.Option(help="Column of tasks: annotators, systems, domains.", rich_help_panel="Several tasks")
    ] = None
    sharing: Annotated[
        str | None, typer.Option(help="independent, pooled, combined, combined+ or rank.", rich_help_panel="Several tasks")
    ] = None
    rank: Annotated[
        int | None,
        typer.Option(min=1, max=10, help="Columns of W with sharing by rank; default 1.", rich_help_panel="Several tasks"),
    ] = None
    base: Annotated[str | None, typer.Option(help="Model whose next version this becomes.")] = None
    method: Annotated[
        str | None, typer.Option(help="From a base: retrain, adapt, or auto, by the rows.", rich_help_panel="Next version")
    ] = None
    feedback: Annotated[
        bool, typer.Option("--feedback", help="Learn from the server's feedback too.", rich_help_panel="Next version")
    ] = False
    promote: Annotated[
        str | None, typer.Option(help="by-hand, or if-better: once significantly better.", rich_help_panel="Next version")
    ] = None
    curve: Annotated[bool, typer.Option("--curve", help="Measure the growth of accuracy with rows; doubles the time.")] = False
    name: Annotated[str | None, typer.Option(help="Model id.")] = None
    data_name: Annotated[
        str | None, typer.Option(help="Name of the rows on the card; default: the file's name.", rich_help_panel="Card")
    ] = None
    licence: Annotated[
        str | None, typer.Option(help="Licence of the model on its card; default: private.", rich_help_panel="Card")
    ] = None
    seed: Annotated[int | None, typer.Option(min=0, max=2147483648, help="Seed; default 12345.")] = None
    server: Server = None
    form: Form = Format.TEXT
