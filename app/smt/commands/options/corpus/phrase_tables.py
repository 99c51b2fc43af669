"""Options of `assay smt extract`, `phrase-table`, `prune-table` and `compact-table`."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

from app.shell.declaration.command import declare
from app.shell.declaration.fields import argument, option
from app.shell.declaration.files import PLAIN_TEXT, InFile, OutFile, OutFolder, Replacing
from app.shell.declaration.parameters import number

__all__ = [
    "CombineTablesOptions",
    "CompactTableOptions",
    "ConsolidateOptions",
    "ExtractOptions",
    "PhraseTableOptions",
    "PruneTableOptions",
]

domain, score = (partial(option, panel=panel) for panel in ("Domains", "Further scores"))


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class ExtractOptions(Replacing):
    """Options of `assay smt extract`."""

    source: Annotated[Path, argument(help="Source text, words between blanks; gzip is read."), InFile()]
    target: Annotated[Path, argument(help="Target text."), InFile()]
    links: Annotated[Path, argument(help="Word links, as 0-0 1-2."), InFile()]
    out: Annotated[Path, option(help="Output folder of extract.gz, extract.inv.gz, extract.o.gz."), OutFolder()]
    max_length: Annotated[int, option(min=1, max=100, help="Most words of a phrase.")] = 7
    orientation: Annotated[list[str] | None, option(help="wbe-, phrase- or hier-, with msd or mslr. Repeatable."), PLAIN_TEXT] = (
        None
    )
    weights: Annotated[Path | None, option(help="Weight per sentence pair; 0 leaves it out."), InFile()] = None
    unweighted_lexical: Annotated[
        bool, option("--unweighted-lexical", help="Count links in lexical tables without the weights.")
    ] = False
    numbered: Annotated[bool, option("--numbered", help="Add numbers of sentence pairs, for phrase-table.")] = False


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
    only_reordering: Annotated[
        bool, option("--only-reordering", help="Write reordering tables alone, from extract.o.gz alone.")
    ] = False
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
    domain_indicator: Annotated[Path | None, domain(help="Domains, as 45 news: a 0/1 score per domain."), InFile()] = None
    domain_ratio: Annotated[Path | None, domain(help="Domains: a score with the share of each domain."), InFile()] = None
    domain_subset: Annotated[Path | None, domain(help="Domains: a score per set of domains."), InFile()] = None
    sparse_domain_indicator: Annotated[Path | None, domain(help="Domains: a sparse score per domain of the pair."), InFile()] = None
    sparse_domain_ratio: Annotated[Path | None, domain(help="Domains: a sparse share per domain of the pair."), InFile()] = None
    sparse_domain_subset: Annotated[Path | None, domain(help="Domains: a sparse score of the pair's set."), InFile()] = None
    unaligned: Annotated[bool, score("--unaligned-penalty", help="Scores of unaligned source and target words.")] = False
    unaligned_function: Annotated[
        tuple[Path, Path] | None,
        score("--unaligned-function-words", help="Scores of unaligned function words, of two lists."),
        InFile(),
    ] = None
    singleton: Annotated[bool, score("--singleton", help="Score of sources extracted once.")] = False
    phrases: Annotated[bool, score("--phrase-count", help="Constant score, a phrase penalty.")] = False
    low: Annotated[bool, score("--low-count", help="Score of rarity, exp(-1/count).")] = False
    bins: Annotated[str | None, score("--count-bins", help="Scores of count bins: highest counts, as 1,2,5."), PLAIN_TEXT] = None
    sparse_bins: Annotated[str | None, score("--sparse-count-bins", help="Sparse scores of count bins, as cb_3_5."), PLAIN_TEXT] = (
        None
    )
    min_count: Annotated[float, number(about="Least count of pairs.", panel="Details", low=0.0, high=1000000000.0)] = 0.0
    min_score: Annotated[
        str | None, option(help="Least p(s/t) (0) or p(t/s) (2), as 0:0.001,2:0.0001.", panel="Details"), PLAIN_TEXT
    ] = None
    only_direct: Annotated[bool, option("--only-direct", help="Write only p(t/s) and lex(t/s).", panel="Details")] = False
    halves: Annotated[bool, option("--halves", help="Write the tables of both directions, as Moses' score.", panel="Details")] = (
        False
    )


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class ConsolidateOptions(Replacing):
    """Options of `assay smt consolidate`."""

    direct: Annotated[Path, argument(help="Half table of p(t/s), as phrase-table.half.f2e.gz."), InFile()]
    inverse: Annotated[Path, argument(help="Half table of p(s/t), sorted by source."), InFile()]
    out: Annotated[Path, option(help="Output table; .gz packs."), OutFile()]
    good_turing: Annotated[Path | None, option(help="Counts of counts (.coc), for Good-Turing discounts."), InFile()] = None
    kneser_ney: Annotated[Path | None, option(help="Counts of counts (.coc), for Kneser-Ney discounts."), InFile()] = None
    phrases: Annotated[bool, score("--phrase-count", help="Constant score, a phrase penalty.")] = False
    low: Annotated[bool, score("--low-count", help="Score of rarity, exp(-1/count).")] = False
    bins: Annotated[str | None, score("--count-bins", help="Scores of count bins: highest counts, as 1,2,5."), PLAIN_TEXT] = None
    sparse_bins: Annotated[str | None, score("--sparse-count-bins", help="Sparse scores of count bins, as cb_3_5."), PLAIN_TEXT] = (
        None
    )
    min_score: Annotated[str | None, option(help="Least p(s/t) (0) or p(t/s) (2), as 0:0.001,2:0.0001."), PLAIN_TEXT] = None
    only_direct: Annotated[bool, option("--only-direct", help="Write only the scores of the direct half.")] = False


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class CombineTablesOptions(Replacing):
    """Options of `assay smt combine-tables`."""

    tables: Annotated[list[Path], argument(help="Two or more sorted phrase tables, or reordering tables."), InFile()]
    method: Annotated[str, option(help="interpolate, fill-up or back-off."), PLAIN_TEXT]
    out: Annotated[Path, option(help="Output table; .gz packs."), OutFile()]
    weights: Annotated[
        str | None, option(help="Weights of tables, as 0.8,0.2; of each score, with ; between. Equal by default."), PLAIN_TEXT
    ] = None
    missing: Annotated[float, number(about="Score of pairs that a table lacks, in interpolation.", low=0, high=1)] = 1e-6
    constant: Annotated[int | None, option(min=0, help="Place of a constant score, from 0, that is copied.")] = None
    longest_new: Annotated[int | None, option(min=0, help="Most words of sources that the first table lacks.")] = None


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class PruneTableOptions(Replacing):
    """Options of `assay smt prune-table`."""

    table: Annotated[Path, argument(help="Phrase table, gzip or not."), InFile()]
    source: Annotated[Path, argument(help="Source text of the extraction."), InFile()]
    target: Annotated[Path, argument(help="Target text."), InFile()]
    out: Annotated[Path, option(help="Output table; .gz packs."), OutFile()]
    threshold: Annotated[str, option(help="Least -ln p: alpha-epsilon, alpha+epsilon or a number."), PLAIN_TEXT] = "alpha-epsilon"


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class CompactTableOptions(Replacing):
    """Options of `assay smt compact-table`."""

    table: Annotated[Path, argument(help="Phrase table or reordering table; gzip is read."), InFile()]
    out: Annotated[Path, option(help="Output file."), OutFile()]
