"""`assay phrase-table`: tables of extracted phrases."""

from pathlib import Path
from typing import Annotated

import typer

from app.errors import InputError
from app.shell.output import check_folder, counted, say
from app.shell.parameters import number
from app.smt.corpus.external_sort import DEFAULT_MEMORY
from app.smt.corpus.phrases.scoring.additions.domain_scores import DOMAIN_FEATURES, domain_scores, sparse_domain_scores
from app.smt.corpus.phrases.scoring.additions.domains import Domains
from app.smt.corpus.phrases.scoring.additions.function_words import FunctionWords
from app.smt.corpus.phrases.scoring.additions.scores import (
    Addition,
    count_bins,
    low_count,
    parse_bins,
    phrase_count,
    singleton,
    sparse_count_bins,
    unaligned_function_words,
    unaligned_penalty,
)
from app.smt.corpus.phrases.scoring.discounting import Discount
from app.smt.corpus.phrases.scoring.phrase_lines import Thresholds
from app.smt.corpus.phrases.scoring.reordering import SMOOTHING, ReorderingModel
from app.smt.corpus.phrases.scoring.tables import TableOptions, build_tables
from app.smt.corpus.weighting.columns import by_name
from app.smt.corpus.weighting.phrase_scores import PhraseScores
from app.smt.corpus.weighting.sentence_weights import DEFAULT_POWER, read_table

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)
MEGABYTE = 1024**2


@commands.command("phrase-table")
def phrase_table(
    extracted: Annotated[Path, typer.Argument(help="Folder with what assay extract, or Moses' extract, wrote.")],
    out: Annotated[Path, typer.Option(help="Folder to write phrase-table.gz and reordering-table.MODEL.gz into.")],
    lexical: Annotated[Path | None, typer.Option(help="Folder with lex.e2f and lex.f2e; the first folder otherwise.")] = None,
    good_turing: Annotated[bool, typer.Option("--good-turing", help="Discount counts by Good and Turing's estimate.")] = False,
    kneser_ney: Annotated[bool, typer.Option("--kneser-ney", help="Discount counts by Kneser and Ney's estimate.")] = False,
    reordering: Annotated[
        list[str] | None, typer.Option(help="Model of a table of orientations, as wbe-msd-bidirectional-fe; repeat for more.")
    ] = None,
    smoothing: Annotated[float, number(about="Added to the count of each orientation.", low=1e-6, high=1e6)] = SMOOTHING,
    memory: Annotated[int, typer.Option(min=16, help="Megabytes that sorting takes.")] = DEFAULT_MEMORY // MEGABYTE,
    compact: Annotated[
        bool, typer.Option("--compact", help="Write tables of pairs as FILE.compact too, which assay decode maps into memory.")
    ] = False,
    pair_scores: Annotated[
        Path | None, typer.Option(help="Table of assay weight --table, to weight what was extracted with --numbered by.")
    ] = None,
    power: Annotated[
        list[str] | None, typer.Option(help=f"Power of a score, as recency=0.5; {DEFAULT_POWER} for others; repeat.")
    ] = None,
    domain_indicator: Annotated[
        Path | None, typer.Option(help="Domains of the text, as 45 news for all up to pair 45: a score tells if a pair is of each.")
    ] = None,
    domain_ratio: Annotated[Path | None, typer.Option(help="The same: a score has the share that each domain has.")] = None,
    domain_subset: Annotated[Path | None, typer.Option(help="The same: a score for each set of domains.")] = None,
    sparse_domain_indicator: Annotated[
        Path | None, typer.Option(help="Domains of the text: sparse scores, those alone of domains that a pair is of.")
    ] = None,
    sparse_domain_ratio: Annotated[Path | None, typer.Option(help="The same: the share that each such domain has.")] = None,
    sparse_domain_subset: Annotated[Path | None, typer.Option(help="The same: one of all such domains together.")] = None,
    unaligned: Annotated[
        bool, typer.Option("--unaligned-penalty", help="Scores by words without links, of the source and of the target.")
    ] = False,
    unaligned_function: Annotated[
        tuple[Path, Path] | None,
        typer.Option("--unaligned-function-words", help="The same of function words, a line each, of source and target."),
    ] = None,
    once: Annotated[bool, typer.Option("--singleton", help="A score tells if the source was extracted once in all.")] = False,
    phrases: Annotated[bool, typer.Option("--phrase-count", help="A score that is the same on each line, a penalty.")] = False,
    low: Annotated[bool, typer.Option("--low-count", help="A score by how rare a pair is, exp(-1/count).")] = False,
    bins: Annotated[
        str | None, typer.Option("--count-bins", help="Scores tell in which bin a pair's count is: highest counts, as 1,2,5.")
    ] = None,
    sparse_bins: Annotated[
        str | None, typer.Option("--sparse-count-bins", help="The same, as a sparse score of the bin, as cb_3_5.")
    ] = None,
    min_count: Annotated[float, number(about="Leave out pairs that were extracted less often.", low=0.0, high=1e9)] = 0.0,
    min_score: Annotated[
        str | None, typer.Option(help="Leave out pairs of lower p(s|t) (0) or p(t|s) (2), as 0:0.001,2:0.0001.")
    ] = None,
    only_direct: Annotated[bool, typer.Option("--only-direct", help="Write p(t|s) and lex(t|s) alone of the four scores.")] = False,
    halves: Annotated[
        bool, typer.Option("--halves", help="Write the tables of either direction too, as Moses' score leaves them.")
    ] = False,
    replace: Annotated[bool, typer.Option("--replace", help="Write in the place of files that are there already.")] = False,
) -> None:
    """Make a phrase table and tables of orientations of extracted pairs of phrases, as Moses does."""
    if good_turing and kneser_ney:
        raise InputError("invalid-request", "counts are discounted by one estimate", ("--kneser-ney",))
    discount: Discount = "good-turing" if good_turing else "kneser-ney" if kneser_ney else "none"
    models = tuple(ReorderingModel.parse(name) for name in reordering or ())
    check_folder(out, "--out")
    if extracted.is_file():
        detail = f"{extracted} is a file: the folder that it is in is wanted, {extracted.parent}"
        raise InputError("invalid-request", detail, ("EXTRACTED",))
    weigher = None
    if pair_scores is not None:
        scores = read_table(pair_scores)
        weigher = PhraseScores(scores, by_name(power or (), tuple(scores.scores), "--power"))
    elif power:
        raise InputError("invalid-request", "powers are of scores, which --pair-scores names", ("--power",))
    options = TableOptions(
        discount,
        models,
        smoothing,
        memory * MEGABYTE,
        compact,
        weigher,
        pair_scores,
        (
            *((unaligned_penalty(),) if unaligned else ()),
            *((unaligned_function_words(FunctionWords.read(*unaligned_function)),) if unaligned_function else ()),
            *((singleton(),) if once else ()),
            *_domains(domain_indicator, domain_ratio, domain_subset),
            *_domains(sparse_domain_indicator, sparse_domain_ratio, sparse_domain_subset, sparse=True),
            *((phrase_count(),) if phrases else ()),
            *((low_count(),) if low else ()),
            *_bins(bins, sparse_bins),
        ),
        Thresholds.parse(min_count, min_score),
        only_direct,
        halves,
    )
    made = build_tables(extracted, out, options, lexical, replace)
    say(f"wrote {counted(made.pairs, 'pair')} of phrases, {counted(made.scores, 'score')} each, to {out}")


def _domains(*files: Path | None, sparse: bool = False) -> list[Addition]:
    """The scores of domains of one kind; files in the order of `DOMAIN_FEATURES`."""
    made = [(file, feature) for file, feature in zip(files, DOMAIN_FEATURES, strict=True) if file is not None]
    if len(made) > 1:
        kinds, option = ("sparse scores", "--sparse-domain") if sparse else ("features", "--domain")
        raise InputError("invalid-request", f"a table has {kinds} of domains of one kind", (f"{option}-{made[1][1]}",))
    return [(sparse_domain_scores if sparse else domain_scores)(Domains.read(file), feature) for file, feature in made]


def _bins(dense: str | None, sparse: str | None) -> list[Addition]:
    if dense is not None and sparse is not None:
        raise InputError("invalid-request", "a table has bins of counts as scores or as sparse scores", ("--sparse-count-bins",))
    made = [] if dense is None else [count_bins(parse_bins(dense, "--count-bins"))]
    return made + ([] if sparse is None else [sparse_count_bins(parse_bins(sparse, "--sparse-count-bins"))])
