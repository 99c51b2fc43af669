"""Options of `assay compare` and `assay correlate`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal

from app.shell.declaration.fields import argument, option
from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import Server

__all__ = ["CompareOptions", "CorrelateOptions"]

Metrics = Annotated[list[str] | None, option("--metrics", "-m", help="Metric. Repeatable.")]
AnalysisForm = Annotated[Format, option("--format", "-f", help="Form of the answer.")]


TOKENISER: Final = "13a"
WITHOUT_REFERENCES: Final = "Without references"


@dataclass(frozen=True, kw_only=True)
class CompareOptions:
    """Options of `assay compare`."""

    references: Annotated[
        list[str] | None, argument(help="Reference files, or NAME=FILE; without them, predicted quality of --source counts.")
    ] = None
    baseline: Annotated[str, option(help="Output of the baseline: FILE or NAME=FILE.")]
    system: Annotated[str, option(help="Output of the other system: FILE or NAME=FILE.")]
    source: Annotated[str | None, option(help="Source file; needed without references.")] = None
    metrics: Metrics = None
    tokenize: Annotated[str, option("--tokenize", "-tok", help="Tokeniser of n-grams and lengths.")] = TOKENISER
    most: Annotated[int, option(min=1, max=500, help="Number of n-grams and segments of each kind.")] = 20
    pair: Annotated[str | None, option(help="Language pair, as ro-en.", panel=WITHOUT_REFERENCES)] = None
    model: Annotated[str | None, option(help="Model id; default: the best one.", panel=WITHOUT_REFERENCES)] = None
    label: Annotated[str | None, option(help="Label of the predictor; da by default.", panel=WITHOUT_REFERENCES)] = None
    profile: Annotated[Literal["fast", "accurate"] | None, option(help="fast or accurate.", panel=WITHOUT_REFERENCES)] = None
    server: Server = None
    form: Annotated[
        Literal["text", "json", "tsv", "markdown", "html"],
        option("--format", "-f", help="text, json, tsv, markdown or html, a page to send."),
    ] = "text"


@dataclass(frozen=True, kw_only=True)
class CorrelateOptions:
    """Options of `assay correlate`."""

    file: Annotated[Path, argument(help="Table of human scores and metric scores; higher is better.")]
    human: Annotated[str, option(help="Column of human scores.")]
    columns: Annotated[list[str] | None, option("--metric", "-m", help="Column of scores, or a metric. Repeatable.")] = None
    group: Annotated[str | None, option(help="Column of groups, such as segments; pairs are within groups.")] = None
    system: Annotated[str | None, option(help="Column of systems; ranks the systems. Needs --group.")] = None
    agreements: Annotated[list[str] | None, option("--agreement", "-a", help="Measure. Repeatable.")] = None
    tests: Annotated[bool, option("--tests", help="Test every two metrics, by the first measure, and every two systems.")] = False
    spans: Annotated[bool, option("--spans", help="Columns hold error spans in JSON.")] = False
    server: Server = None
    form: AnalysisForm = Format.TEXT
