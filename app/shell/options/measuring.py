"""Options of `assay evaluate`, `select` and `select-features`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from app.shell.declaration.decoder_files import DecoderOptions
from app.shell.declaration.fields import option
from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import (
    Classes,
    Files,
    Form,
    HigherIsBetter,
    Label,
    LabelColumn,
    LabelledFile,
    LogProbs,
    LowerIsBetter,
    Model,
    Pair,
    Profile,
    Range,
    Server,
    Tokens,
    Unit,
)

__all__ = ["EvaluateOptions", "ModelsSelectFeaturesOptions", "SelectOptions"]


@dataclass(frozen=True, kw_only=True)
class EvaluateOptions(DecoderOptions):
    """Options of `assay evaluate`."""

    file: LabelledFile
    pair: Pair = None
    label: Label = None
    label_column: LabelColumn = None
    model: Annotated[list[str] | None, option(help="Model id, or SYSTEM=ID; default: all that fit. Repeatable.")] = None
    task_column: Annotated[
        str | None, option(help="Column of systems: measure selections among them, by a column reference too.")
    ] = None
    profile: Profile = None
    log_probs: LogProbs = None
    tokens: Tokens = None
    server: Server = None
    form: Form = Format.TEXT


@dataclass(frozen=True, kw_only=True)
class SelectOptions:
    """Options of `assay select`."""

    files: Files
    pair: Pair = None
    count: Annotated[int, option(min=1, max=10000, help="Number of segments to choose.")] = 100
    strategy: Annotated[str, option(help="information-density, variance or density.")] = "variance"
    model: Model = None
    label: Label = None
    profile: Profile = None
    log_probs: LogProbs = None
    tokens: Tokens = None
    server: Server = None
    form: Form = Format.TSV


@dataclass(frozen=True, kw_only=True)
class ModelsSelectFeaturesOptions:
    """Options of `assay models select-features`."""

    file: LabelledFile
    label: Annotated[str, option(help="Label: hter, da, effort, likert, time, origin, or one with its scale.")]
    higher_is_better: HigherIsBetter = False
    lower_is_better: LowerIsBetter = False
    bounds: Range = None
    classes: Classes = None
    unit: Unit = None
    pair: Pair = None
    method: Annotated[str, option(help="relevance, backward, randomised-lasso, randomised-trees or elimination.")] = "relevance"
    set_name: Annotated[str | None, option("--feature-set", help="Feature set to choose from.")] = None
    label_column: LabelColumn = None
    learner: Annotated[str, option(help="Learner that measures a choice.")] = "gp|inducing:100"
    plot: Annotated[Path | None, option(help="Output: SVG of accuracy against number of features.")] = None
    log_probs: LogProbs = None
    tokens: Tokens = None
    seed: int = 12345
    form: Form = Format.TEXT
