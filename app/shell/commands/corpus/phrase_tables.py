"""`assay phrase-table`: tables of extracted phrases."""

from pathlib import Path
from typing import Annotated

import typer

from app.corpus.external_sort import DEFAULT_MEMORY
from app.corpus.phrases.scoring.discounting import Discount
from app.corpus.phrases.scoring.domains import DOMAIN_FEATURES, Domains
from app.corpus.phrases.scoring.reordering import SMOOTHING, ReorderingModel
from app.corpus.phrases.scoring.tables import TableOptions, build_tables
from app.corpus.weighting.columns import by_name
from app.corpus.weighting.phrase_scores import PhraseScores
from app.corpus.weighting.sentence_weights import DEFAULT_POWER, read_table
from app.errors import InputError
from app.shell.output import check_folder, counted, say
from app.shell.parameters import number

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
        _domains(domain_indicator, domain_ratio, domain_subset),
    )
    pairs = build_tables(extracted, out, options, lexical, replace)
    say(f"wrote {counted(pairs, 'pair')} of phrases to {out}")


def _domains(*files: Path | None) -> Domains | None:
    """The domains that features of one kind are of; files in the order of `DOMAIN_FEATURES`."""
    made = [(file, feature) for file, feature in zip(files, DOMAIN_FEATURES, strict=True) if file is not None]
    if len(made) > 1:
        raise InputError("invalid-request", "a table has features of domains of one kind", (f"--domain-{made[1][1]}",))
    return Domains.read(*made[0]) if made else None
