"""Options of `assay nbest rerank`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from app.shell.declaration.command import declare
from app.shell.declaration.files import LANGUAGE_MODELS, LEXICAL_TABLES, LOCAL_MACHINE, PLAIN_TEXT, InFile, OutFile
from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import Profile, Server, number
from app.smt.commands.options.n_best.weights import Missing, MissingWeights

__all__ = ["RerankOptions"]


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class RerankOptions:
    """Options of `assay nbest rerank`."""

    files: Annotated[list[str], typer.Argument(help="N-best lists (- is stdin); several are merged."), InFile()]
    weights: Annotated[
        list[str] | None, typer.Option("--weights", "-w", help="Weights (JSON, Moses, tune-local); several vote."), InFile()
    ] = None
    missing_weights: MissingWeights = Missing.REFUSED
    features: Annotated[
        list[str] | None,
        typer.Option("--features", help="Feature or set to compute, as np or posteriors. Repeatable."),
        PLAIN_TEXT,
    ] = None
    source: Annotated[str | None, typer.Option("--source", "-s", help="Source texts, one per line."), InFile()] = None
    pair: Annotated[
        str | None,
        typer.Option("--pair", help="Language pair of loaded resources, as en-de.", rich_help_panel="Resources of features"),
        LOCAL_MACHINE,
    ] = None
    model: Annotated[
        str | None, typer.Option(help="Model id, for features of quality.", rich_help_panel="Resources of features"), LOCAL_MACHINE
    ] = None
    label: Annotated[
        str | None,
        typer.Option(help="Label of features of quality, as hter.", rich_help_panel="Resources of features"),
        LOCAL_MACHINE,
    ] = None
    profile: Annotated[Profile, LOCAL_MACHINE] = None
    lm: Annotated[
        list[Path] | None,
        typer.Option("--lm", help="Language model. Repeat for other orders.", rich_help_panel="Resources of features"),
        InFile(makers=LANGUAGE_MODELS),
    ] = None
    tag_lm: Annotated[
        list[Path] | None,
        typer.Option("--tag-lm", help="Language model of parts of speech. Repeatable.", rich_help_panel="Resources of features"),
        InFile(makers=LANGUAGE_MODELS),
    ] = None
    tagger: Annotated[
        Path | None,
        typer.Option("--tagger", help="UDPipe model that tags hypotheses.", rich_help_panel="Resources of features"),
        InFile(),
        LOCAL_MACHINE,
    ] = None
    table: Annotated[
        Path | None,
        typer.Option("--table", help="Lexical table p(target / source).", rich_help_panel="Resources of features"),
        InFile(makers=LEXICAL_TABLES),
    ] = None
    reverse_table: Annotated[
        Path | None,
        typer.Option("--reverse-table", help="Lexical table p(source / target).", rich_help_panel="Resources of features"),
        InFile(makers=LEXICAL_TABLES),
    ] = None
    lexicon: Annotated[
        Path | None,
        typer.Option("--lexicon", help="Word lexicon, for the feature dwl.", rich_help_panel="Resources of features"),
        InFile(makers=frozenset({"resources word-lexicon"})),
    ] = None
    neural: Annotated[
        Path | None,
        typer.Option("--neural", help="Translation model, for the feature neural.", rich_help_panel="Resources of features"),
        InFile(makers=frozenset({"resources translation-model"})),
    ] = None
    continuous_space: Annotated[
        Path | None,
        typer.Option(
            "--continuous-space", help="Continuous-space model, for the feature cslm.", rich_help_panel="Resources of features"
        ),
        InFile(makers=frozenset({"resources continuous-space-model"})),
    ] = None
    cased: Annotated[
        bool, typer.Option("--cased", help="Resources have capital letters.", rich_help_panel="Resources of features")
    ] = False
    distinct: Annotated[bool, typer.Option(help="Keep only the first hypothesis of each text.")] = False
    mbr: Annotated[str | None, typer.Option(help="Metric: choose by its expected score."), PLAIN_TEXT] = None
    scale: Annotated[float, number(about="Scale of weighted sums to log-probabilities.", low=0, high=1000)] = 1.0
    top: Annotated[int, typer.Option(min=1, max=1000, help="Hypotheses of each list in the answer.")] = 1
    references: Annotated[
        list[str] | None,
        typer.Option("--reference", "-r", help="Reference file, or NAME=FILE, for measuring. Repeatable."),
        InFile(),
    ] = None
    metric: Annotated[str | None, typer.Option("--metric", "-m", help="Metric against references; default bleu."), PLAIN_TEXT] = (
        None
    )
    changes: Annotated[bool, typer.Option(help="Print a row per changed list, with the reasons.")] = False
    write_features: Annotated[
        Path | None, typer.Option("--write-features", help="Output: the lists with all features."), OutFile()
    ] = None
    server: Annotated[Server, LOCAL_MACHINE] = None
    form: Annotated[Format, typer.Option("--format", "-f", help="Form of the answer.")] = Format.TEXT
