"""Segment pairs that commands are given, with whatever comes beside them, as segments and as the body of a request."""

from dataclasses import replace
from typing import Annotated, Any, TypeVar

import typer

from app.engine.segments import Segments
from app.errors import InputError
from app.shell.inputs import read_lines
from app.shell.session import settings_here
from app.text import LanguagePair
from app.text.moses_n_best import read_n_best
from app.text.n_best import NBestLists
from app.text.side_information import KINDS, read_side_information
from app.text.tables import Table

__all__ = [
    "PAIR_FILES",
    "BackTranslations",
    "Files",
    "LogProbs",
    "NBest",
    "Pair",
    "PseudoReferences",
    "Tokens",
    "request_body",
    "segments_of",
    "with_side_information",
]

Rows = TypeVar("Rows", list[str], NBestLists)
FIELDS = {kind.name: kind.request_field for kind in KINDS}
PAIR_FILES = "A table with source and translation columns (- is stdin), another document (XLIFF, TMX, PO ...), or two text files."
Pair = Annotated[str, typer.Option(help="Language pair, as ro-en.")]
Files = Annotated[list[str], typer.Argument(help=PAIR_FILES)]
LogProbs = Annotated[str | None, typer.Option(help="File of token log-probabilities, one segment a line.")]
Tokens = Annotated[str | None, typer.Option(help="File of the MT system's own tokens, one segment a line.")]
NBest = Annotated[str | None, typer.Option(help="Moses n-best list of the sources.")]
PseudoReferences = Annotated[list[str] | None, typer.Option(help="Another system's translations, one a line; repeat for more.")]
BackTranslations = Annotated[str | None, typer.Option(help="The translations, translated back, one a line.")]


def segments_of(pair: str, table: Table) -> Segments:
    """The pairs of a table, with log-probabilities and tokens of the MT system where it has them."""
    side_information = read_side_information(table.columns, settings_here().max_segment_characters)
    return Segments(LanguagePair.parse(pair), table["source"], table["translation"], side_information)


def with_side_information(
    sent: Segments, n_best: str | None, pseudo_references: list[str] | None, back_translations: str | None
) -> Segments:
    """The same segments with what lies in further files, each as long as they are."""
    longest = settings_here().max_segment_characters
    lists = [_as_long(read_lines(path, longest), sent, path) for path in pseudo_references or ()]
    side_information = sent.side_information.extended(
        n_best=_as_long(read_n_best(read_lines(n_best, 10**6)), sent, n_best) if n_best else None,
        pseudo_references=list(zip(*lists, strict=True)) if lists else None,
        back_translations=_as_long(read_lines(back_translations, longest), sent, back_translations) if back_translations else None,
    )
    return replace(sent, side_information=side_information)


def _as_long(rows: Rows, sent: Segments, path: str) -> Rows:
    if len(rows) != len(sent):
        raise InputError("unequal-lengths", f"{path} has {len(rows)} segments for {len(sent)}")
    return rows


def request_body(sent: Segments, **fields: object) -> dict[str, Any]:
    """The body of a request about these segments."""
    segments: list[dict[str, Any]] = [{"source": s, "translation": t} for s, t in zip(sent.sources, sent.translations, strict=True)]
    for name, values in sent.side_information.as_json().items():
        for row, value in zip(segments, values, strict=True):
            row[FIELDS[name]] = value
    languages = {"source_language": sent.pair.source, "target_language": sent.pair.target}
    return languages | {k: v for k, v in fields.items() if v is not None} | {"segments": segments}
