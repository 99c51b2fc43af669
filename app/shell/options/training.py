"""Options of `assay train`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from app.shell.declaration.decoder_files import DecoderOptions
from app.shell.declaration.fields import argument, option
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

SEVERAL_TASKS = option(help="PAIR=TABLE to learn from together. Repeatable.", panel="Several tasks")


@dataclass(frozen=True, kw_only=True)
class TrainOptions(DecoderOptions):
    """Options of `assay train`."""

    file: Annotated[str | None, argument(help="Table of source, translation and labels; not needed with --feedback.")] = None
    pair: Annotated[str | None, option(help="Language pair of a predictor, as ro-en.")] = None
    label: Label = None
    higher_is_better: HigherIsBetter = False
    lower_is_better: LowerIsBetter = False
    bounds: Range = None
    classes: Classes = None
    unit: Unit = None
    kind: Annotated[str, option(help="predictor, or a metric: rose, beer, combination.")] = "predictor"
    language: Annotated[str | None, option(help="Language of the translations, as en.", panel="Metrics")] = None
    template: Annotated[str | None, option(help="Template of features: a name or a file.", panel="Metrics")] = None
    objective: Annotated[str | None, option(help="regression, ranking, logistic, corpus or joint.", panel="Metrics")] = None
    factored: Annotated[bool, option("--factored", help="Texts are word|TAG.", panel="Metrics")] = False
    unjudged: Annotated[str | None, option(help="Table for self-training: translation, other, reference.", panel="Metrics")] = None
    stem: Annotated[str | None, option(help="Language of the stemmer of word matching.", panel="Metrics")] = None
    tables: Annotated[str | None, option(help="METEOR's tables of synonyms and paraphrases, by name.", panel="Metrics")] = None
    out: Annotated[Path | None, option(help="Output folder; default: models/ID of the data folder.")] = None
    label_column: LabelColumn = None
    learner: Annotated[str | None, option(help="gp, svr, ridge, lasso, trees, blend or svc, as gp|kernel:matern52.")] = None
    set_name: SetName = None
    held_out: Annotated[str | None, option(help="Table to choose and calibrate on; default: part of the rows.")] = None
    held_out_share: Annotated[
        float | None, number(about="That part, 0.05 to 0.5; default 0.2.", panel="Data", low=0.05, high=0.5, shares=True)
    ] = None
    log_probs: LogProbs = None
    tokens: Tokens = None
    held_out_log_probs: LogProbs = None
    held_out_tokens: Tokens = None
    also: Annotated[list[str] | None, SEVERAL_TASKS] = None
    task_column: Annotated[str | None, option(help="Column of tasks: annotators, systems, domains.", panel="Several tasks")] = None
    sharing: Annotated[str | None, option(help="independent, pooled, combined, combined+ or rank.", panel="Several tasks")] = None
    rank: Annotated[
        int | None, option(min=1, max=10, help="Columns of W with sharing by rank; default 1.", panel="Several tasks")
    ] = None
    documents: Annotated[
        str | None, option(help="Learn documents (column document), whose labels are weighted or plain means.", panel="Data")
    ] = None
    base: Annotated[str | None, option(help="Model whose next version this becomes.")] = None
    method: Annotated[str | None, option(help="From a base: retrain, adapt, or auto, by the rows.", panel="Next version")] = None
    feedback: Annotated[bool, option("--feedback", help="Learn from the server's feedback too.", panel="Next version")] = False
    promote: Annotated[str | None, option(help="by-hand, or if-better: once significantly better.", panel="Next version")] = None
    curve: Annotated[bool, option("--curve", help="Measure the growth of accuracy with rows; doubles the time.")] = False
    name: Annotated[str | None, option(help="Model id.")] = None
    data_name: Annotated[str | None, option(help="Name of the rows on the card; default: the file's name.", panel="Card")] = None
    licence: Annotated[str | None, option(help="Licence of the model on its card; default: private.", panel="Card")] = None
    seed: Annotated[int | None, option(min=0, max=2147483648, help="Seed; default 12345.")] = None
    server: Server = None
    form: Form = Format.TEXT
