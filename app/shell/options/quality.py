"""Options of `assay quality` and `words`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from app.shell.declaration.decoder_files import DecoderOptions
from app.shell.declaration.fields import option
from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import (
    Files,
    Form,
    FromSystems,
    GateFormat,
    HasHeader,
    Label,
    LogProbs,
    Model,
    Pair,
    Profile,
    Quiet,
    Server,
    Tokens,
    number,
)
from app.shell.options.large_tables import LargeTableOptions

__all__ = ["QualityOptions", "WordsOptions"]


@dataclass(frozen=True, kw_only=True)
class QualityOptions(DecoderOptions, LargeTableOptions):
    """Options of `assay quality`."""

    files: Files
    pair: Pair = None
    model: Model = None
    label: Label = None
    profile: Profile = None
    log_probs: LogProbs = None
    tokens: Tokens = None
    header: HasHeader = None
    interval: Annotated[
        float | None,
        number(
            about="Share of labels that the interval holds, 0.5 to 0.99; default 0.9.",
            panel="Result",
            low=0.5,
            high=0.99,
            shares=True,
        ),
    ] = None
    explain: Annotated[bool, option("--explain", help="Add each feature's contribution.", panel="Result")] = False
    words: Annotated[bool, option("--words", help="Add word and gap tags, where the pair has a tagger.")] = False
    warnings: Annotated[
        bool | None,
        option("--warnings/--no-warnings", help="Check numbers, names, negation, copies, loops and languages; on by default."),
    ] = None
    glossary: Annotated[
        Path | None, option(help="Check terms of this glossary: .csv, .tsv, .tbx or .xlsx.", panel="Gates and bands")
    ] = None
    fail_on: Annotated[
        str | None,
        option(
            help="CODE,CODE: exit 1 if a segment has such a warning; error, any or none. With --fail-below: error.",
            panel="Gates and bands",
        ),
    ] = None
    fail_below: Annotated[
        str | None,
        option(help="[LABEL=]VALUE, as hter=30%: exit 1 when the document's weighted score is worse.", panel="Gates and bands"),
    ] = None
    bands: Annotated[
        str | None, option(help="Quality bands, best first, as good=0.8:0.3,rest=0:1; or risk.", panel="Gates and bands")
    ] = None
    accept: Annotated[
        str | None, option(help="WORST[:RATE], as 30%:10%: segments that may skip review.", panel="Gates and bands")
    ] = None
    currency: Annotated[str | None, option(help="Currency of the amounts of bands, as EUR.", panel="Gates and bands")] = None
    word_price: Annotated[float | None, number(about="Full price of a word, in the currency.", panel="Gates and bands")] = None
    translate: Annotated[str | None, option(help="Translation service for lines or a column of sources; needs --pair.")] = None
    level: Annotated[str, option(help="sentence, word (tags alone), or document.", panel="Result")] = "sentence"
    from_systems: FromSystems = None
    quiet: Quiet = False
    server: Server = None
    form: Annotated[GateFormat, option("--format", help="text, json, tsv, markdown or junit.")] = "text"


@dataclass(frozen=True, kw_only=True)
class WordsOptions(LargeTableOptions):
    """Options of `assay words`."""

    files: Files
    pair: Pair = None
    model: Model = None
    log_probs: LogProbs = None
    tokens: Tokens = None
    header: HasHeader = None
    server: Server = None
    form: Form = Format.TEXT
