"""Options of `assay learn`."""

from dataclasses import dataclass
from typing import Annotated

from app.shell.declaration.fields import argument, option
from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import (
    Classes,
    Form,
    HigherIsBetter,
    LabelColumn,
    LowerIsBetter,
    Pair,
    Range,
    Server,
    Unit,
    number,
)

__all__ = ["LearnOptions"]


@dataclass(frozen=True, kw_only=True)
class LearnOptions:
    """Options of `assay learn`."""

    file: Annotated[
        str | None, argument(help="Pool: a table; labels may be empty or missing. With --after, the columns segment and label.")
    ] = None
    label: Annotated[str, option(help="Label: hter, da, effort, likert, time, origin, or one with its scale.")]
    pair: Pair = None
    label_column: LabelColumn = None
    higher_is_better: HigherIsBetter = False
    lower_is_better: LowerIsBetter = False
    bounds: Range = None
    classes: Classes = None
    unit: Unit = None
    set_name: Annotated[str | None, option("--feature-set", help="Feature set; default: text-only+words.")] = None
    after: Annotated[str | None, option(help="Job of the round before, at a server.", panel="Rounds")] = None
    start: Annotated[int | None, option(min=20, max=1000, help="Random segments at first; default 50.", panel="Rounds")] = None
    batch: Annotated[int | None, option(min=1, max=1000, help="Segments to label in a round; default 20.", panel="Rounds")] = None
    beta: Annotated[
        float | None, number(about="Power of the density; 0 (the default) chooses by variance.", low=0, high=10, panel="Rounds")
    ] = None
    window: Annotated[int | None, option(min=1, max=100, help="Rounds of a plateau; default 5.", panel="Rounds")] = None
    tolerance: Annotated[
        float | None, number(about="Range of the error in a plateau, over its mean; default 0.02.", low=0, high=1, panel="Rounds")
    ] = None
    finish: Annotated[bool, option("--finish", help="Train a predictor on the labels so far.", panel="Rounds")] = False
    simulate: Annotated[bool, option("--simulate", help="Compare with random choice.", panel="Simulation")] = False
    limit: Annotated[
        int | None, option(min=20, max=2000, help="Labels at the end of a simulation; default 400.", panel="Simulation")
    ] = None
    held_out: Annotated[str | None, option(help="Table to measure on; default: a fifth of the pool.", panel="Simulation")] = None
    name: Annotated[str | None, option(help="Model id.")] = None
    licence: Annotated[str | None, option(help="Licence of the model on its card; default: private.")] = None
    seed: Annotated[int | None, option(min=0, max=2147483648, help="Seed; default 12345.")] = None
    server: Server = None
    form: Form = Format.TSV
