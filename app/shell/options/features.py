"""Options of `assay features`."""

from dataclasses import dataclass
from typing import Annotated

from app.shell.declaration.decoder_files import DecoderOptions
from app.shell.declaration.fields import argument, option
from app.shell.declaration.files import InFile
from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import (
    PAIR_FILES,
    BackTranslations,
    Form,
    FromSystems,
    HasHeader,
    LogProbs,
    Pair,
    PseudoReferences,
    Server,
    Tokens,
)
from app.shell.options.large_tables import LargeTableOptions

__all__ = ["FeaturesOptions"]


@dataclass(frozen=True, kw_only=True)
class FeaturesOptions(DecoderOptions, LargeTableOptions):
    """Options of `assay features`."""

    files: Annotated[list[str] | None, argument(help=PAIR_FILES), InFile()] = None
    pair: Pair = None
    set_name: Annotated[
        str | None, option("--feature-set", help="Feature set, SET+neural.NAME, or a QuEst feature file (.xml).")
    ] = None
    model: Annotated[str | None, option(help="Features of this predictor, in place of a set.")] = None
    distribution: Annotated[
        bool, option("--distribution", help="Print the place of each value in the training distribution of a predictor.")
    ] = False
    listing: Annotated[bool, option("--list", help="List the features, all or those of the set, and end.")] = False
    sets: Annotated[bool, option("--sets", help="List the feature sets and end.")] = False
    log_probs: Annotated[LogProbs, InFile()] = None
    tokens: Annotated[Tokens, InFile()] = None
    header: HasHeader = None
    pseudo_references: Annotated[PseudoReferences, InFile()] = None
    back_translations: Annotated[BackTranslations, InFile()] = None
    from_systems: FromSystems = None
    server: Server = None
    form: Form = Format.TSV
