"""Options of `assay smt phrase-table`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from app.shell.declaration.command import declare
from app.shell.declaration.files import PLAIN_TEXT, InFile, OutFolder, Replacing
from app.shell.declaration.parameters import number

__all__ = ["PhraseTableOptions"]


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class PhraseTableOptions(Replacing):
    """Options of `assay smt phrase-table`."""

    extracted: Annotated[Path, typer.Argument(help="Folder of assay smt extract, or Moses' extract."), InFile()]
    out: Annotated[Path, typer.Option(help="Output folder of phrase-table.gz and reordering tables."), OutFolder()]
    lexical: Annotated[Path | None, typer.Option(help="Folder of lex.e2f and lex.f2e; default: the first folder."), InFile()] = None
    good_turing: Annotated[bool, typer.Option("--good-turing", help="Good-Turing discounts of counts.")] = False
    kneser_ney: Annotated[bool, typer.Option("--kneser-ney", help="Kneser-Ney discounts of counts.")] = False
    reordering: Annotated[
        list[str] | None,
        typer.Option(help="Reordering model, as wbe-msd-bidirectional-fe. Repeatable."),
        PLAIN_TEXT,
    ] = None
    smoothing: Annotated[
        float, number(about="Addition to the count of each orientation.", panel="Details", low=1e-06, high=1000000.0)
    ] = 0.5
    memory: Annotated[int, typer.Option(min=16, help="Megabytes for sorting.", rich_help_panel="Details")] = 512
    compact: Annotated[bool, typer.Option("--compact", help="Write FILE.compact too, which maps into memory.")] = False
    pair_scores: Annotated[
        Path | None,
        typer.Option(help="Table of assay corpus weight, for numbered extractions.", rich_help_panel="Weights"),
        InFile(),
    ] = None
    power: Annotated[
        list[str] | None,
        typer.Option(help="Power of a score, as recency=0.5; default 0.1. Repeatable.", rich_help_panel="Weights"),
        PLAIN_TEXT,
    ] = None
    domain_indicator: Annotated[
        Path | None,
        typer.Option(help="Domains, as 45 news: a 0/1 score per domain.", rich_help_panel="Domains"),
        InFile(),
    ] = None
    domain_ratio: Annotated[
        Path | None, typer.Option(help="Domains: a score with the share of each domain.", rich_help_panel="Domains"), InFile()
    ] = None
    domain_subset: Annotated[
        Path | None, typer.Option(help="Domains: a score per set of domains.", rich_help_panel="Domains"), InFile()
    ] = None
    sparse_domain_indicator: Annotated[
        Path | None, typer.Option(help="Domains: a sparse score per domain of the pair.", rich_help_panel="Domains"), InFile()
    ] = None
    sparse_domain_ratio: Annotated[
        Path | None, typer.Option(help="Domains: a sparse share per domain of the pair.", rich_help_panel="Domains"), InFile()
    ] = None
    sparse_domain_subset: Annotated[
        Path | None, typer.Option(help="Domains: a sparse score of the pair's set.", rich_help_panel="Domains"), InFile()
    ] = None
    unaligned: Annotated[
        bool,
        typer.Option("--unaligned-penalty", help="Scores of unaligned source and target words.", rich_help_panel="Further scores"),
    ] = False
    unaligned_function: Annotated[
        tuple[Path, Path] | None,
        typer.Option(
            "--unaligned-function-words", help="Scores of unaligned function words, of two lists.", rich_help_panel="Further scores"
        ),
        InFile(),
    ] = None
    once: Annotated[
        bool, typer.Option("--singleton", help="Score of sources extracted once.", rich_help_panel="Further scores")
    ] = False
    phrases: Annotated[
        bool, typer.Option("--phrase-count", help="Constant score, a phrase penalty.", rich_help_panel="Further scores")
    ] = False
    low: Annotated[bool, typer.Option("--low-count", help="Score of rarity, exp(-1/count).", rich_help_panel="Further scores")] = (
        False
    )
    bins: Annotated[
        str | None,
        typer.Option("--count-bins", help="Scores of count bins: highest counts, as 1,2,5.", rich_help_panel="Further scores"),
        PLAIN_TEXT,
    ] = None
    sparse_bins: Annotated[
        str | None,
        typer.Option("--sparse-count-bins", help="Sparse scores of count bins, as cb_3_5.", rich_help_panel="Further scores"),
        PLAIN_TEXT,
    ] = None
    min_count: Annotated[float, number(about="Least count of pairs.", panel="Details", low=0.0, high=1000000000.0)] = 0.0
    min_score: Annotated[
        str | None, typer.Option(help="Least p(s/t) (0) or p(t/s) (2), as 0:0.001,2:0.0001.", rich_help_panel="Details"), PLAIN_TEXT
    ] = None
    only_direct: Annotated[
        bool, typer.Option("--only-direct", help="Write only p(t/s) and lex(t/s).", rich_help_panel="Details")
    ] = False
    halves: Annotated[
        bool, typer.Option("--halves", help="Write the tables of both directions, as Moses' score.", rich_help_panel="Details")
    ] = False
