"""Options of `assay smt phrase-table`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from app.shell.declaration.command import declare
from app.shell.declaration.fields import argument, option
from app.shell.declaration.files import PLAIN_TEXT, InFile, OutFolder, Replacing
from app.shell.declaration.parameters import number

__all__ = ["PhraseTableOptions"]


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class PhraseTableOptions(Replacing):
    """Options of `assay smt phrase-table`."""

    extracted: Annotated[Path, argument(help="Folder of assay smt extract, or Moses' extract."), InFile()]
    out: Annotated[Path, option(help="Output folder of phrase-table.gz and reordering tables."), OutFolder()]
    lexical: Annotated[Path | None, option(help="Folder of lex.e2f and lex.f2e; default: the first folder."), InFile()] = None
    good_turing: Annotated[bool, option("--good-turing", help="Good-Turing discounts of counts.")] = False
    kneser_ney: Annotated[bool, option("--kneser-ney", help="Kneser-Ney discounts of counts.")] = False
    reordering: Annotated[
        list[str] | None, option(help="Reordering model, as wbe-msd-bidirectional-fe. Repeatable."), PLAIN_TEXT
    ] = None
    smoothing: Annotated[
        float, number(about="Addition to the count of each orientation.", panel="Details", low=1e-06, high=1000000.0)
    ] = 0.5
    memory: Annotated[int, option(min=16, help="Megabytes for sorting.", panel="Details")] = 512
    compact: Annotated[bool, option("--compact", help="Write FILE.compact too, which maps into memory.")] = False
    pair_scores: Annotated[
        Path | None, option(help="Table of assay corpus weight, for numbered extractions.", panel="Weights"), InFile()
    ] = None
    power: Annotated[
        list[str] | None, option(help="Power of a score, as recency=0.5; default 0.1. Repeatable.", panel="Weights"), PLAIN_TEXT
    ] = None
    domain_indicator: Annotated[
        Path | None, option(help="Domains, as 45 news: a 0/1 score per domain.", panel="Domains"), InFile()
    ] = None
    domain_ratio: Annotated[
        Path | None, option(help="Domains: a score with the share of each domain.", panel="Domains"), InFile()
    ] = None
    domain_subset: Annotated[Path | None, option(help="Domains: a score per set of domains.", panel="Domains"), InFile()] = None
    sparse_domain_indicator: Annotated[
        Path | None, option(help="Domains: a sparse score per domain of the pair.", panel="Domains"), InFile()
    ] = None
    sparse_domain_ratio: Annotated[
        Path | None, option(help="Domains: a sparse share per domain of the pair.", panel="Domains"), InFile()
    ] = None
    sparse_domain_subset: Annotated[
        Path | None, option(help="Domains: a sparse score of the pair's set.", panel="Domains"), InFile()
    ] = None
    unaligned: Annotated[
        bool, option("--unaligned-penalty", help="Scores of unaligned source and target words.", panel="Further scores")
    ] = False
    unaligned_function: Annotated[
        tuple[Path, Path] | None,
        option("--unaligned-function-words", help="Scores of unaligned function words, of two lists.", panel="Further scores"),
        InFile(),
    ] = None
    once: Annotated[bool, option("--singleton", help="Score of sources extracted once.", panel="Further scores")] = False
    phrases: Annotated[bool, option("--phrase-count", help="Constant score, a phrase penalty.", panel="Further scores")] = False
    low: Annotated[bool, option("--low-count", help="Score of rarity, exp(-1/count).", panel="Further scores")] = False
    bins: Annotated[
        str | None,
        option("--count-bins", help="Scores of count bins: highest counts, as 1,2,5.", panel="Further scores"),
        PLAIN_TEXT,
    ] = None
    sparse_bins: Annotated[
        str | None,
        option("--sparse-count-bins", help="Sparse scores of count bins, as cb_3_5.", panel="Further scores"),
        PLAIN_TEXT,
    ] = None
    min_count: Annotated[float, number(about="Least count of pairs.", panel="Details", low=0.0, high=1000000000.0)] = 0.0
    min_score: Annotated[
        str | None, option(help="Least p(s/t) (0) or p(t/s) (2), as 0:0.001,2:0.0001.", panel="Details"), PLAIN_TEXT
    ] = None
    only_direct: Annotated[bool, option("--only-direct", help="Write only p(t/s) and lex(t/s).", panel="Details")] = False
    halves: Annotated[bool, option("--halves", help="Write the tables of both directions, as Moses' score.", panel="Details")] = (
        False
    )
