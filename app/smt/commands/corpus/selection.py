"""`assay select-data`: the best part of parallel text."""

from dataclasses import replace as replace_fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from app.building.text_tables import check_table
from app.building.writing import full_disk_named
from app.errors import InputError
from app.resources.function_words import function_words_called
from app.shell.here import settings_here
from app.shell.output import check_file, counted, say
from app.shell.parameters import Label, Model, number, refuse
from app.smt.commands.corpus.predicted_scores import write_predictions
from app.smt.corpus.selection.choice import Budget
from app.smt.corpus.selection.filters import Decision, TextFilters
from app.smt.corpus.selection.materials import Materials
from app.smt.corpus.selection.methods import METHODS, method_called
from app.smt.corpus.selection.pool import Pool
from app.smt.corpus.selection.selecting import Outputs, select_data

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)
WINDOW = TextFilters().window
# Predictors are of the engine, which is above the selectors.
QUALITY = "quality"
REASONS = {
    Decision.UNFIT: "could not be chosen: no words on a side, too many, a low score, or left by the method",
    Decision.SIMILAR: "passed over: like one that was chosen",
    Decision.UNTRANSLATED: "passed over: both sides alike",
}


@commands.command("select-data")
def select_data_command(
    source: Annotated[
        Path, typer.Argument(help="Source text, words with blanks between them, a sentence a line; gzip is read; FILE:COLUMN.")
    ],
    target: Annotated[Path, typer.Argument(help="Target text.")],
    method: Annotated[
        str, typer.Option("--method", "-m", help=f"How pairs are scored: {', '.join((*METHODS, QUALITY))}; with |option:value.")
    ],
    pairs: Annotated[int | None, typer.Option(min=1, help="Most pairs to choose.")] = None,
    words: Annotated[int | None, typer.Option(min=1, help="Choose pairs until their sources have so many words.")] = None,
    share: Annotated[float | None, number(about="Share of the pairs to choose at most.", low=0, high=1, shares=True)] = None,
    at_least: Annotated[float | None, number(about="Choose none with a lower score.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Pass over pairs that would exceed --words.")] = False,
    out_source: Annotated[Path | None, typer.Option(help="Write the sources of chosen pairs, in the order of the text.")] = None,
    out_target: Annotated[Path | None, typer.Option(help="Write their targets.")] = None,
    out_table: Annotated[
        Path | None, typer.Option(help="Write chosen pairs as a table, .tsv or .parquet, with the columns source and target.")
    ] = None,
    out_links: Annotated[Path | None, typer.Option(help="Write their links, of --links.")] = None,
    scores: Annotated[Path | None, typer.Option(help="Write the score of each pair of the text; higher is better.")] = None,
    links: Annotated[Path | None, typer.Option(help="Links of words, source place and target place from 0, as 0-0 1-2.")] = None,
    in_source: Annotated[Path | None, typer.Option(help="Source text of the domain that is wanted.")] = None,
    in_target: Annotated[Path | None, typer.Option(help="Target text of the domain that is wanted.")] = None,
    general_source: Annotated[Path | None, typer.Option(help="Source text of all domains; a sample of the text otherwise.")] = None,
    general_target: Annotated[Path | None, typer.Option(help="Target text of all domains.")] = None,
    lm_source: Annotated[Path | None, typer.Option(help="Language model of the source, in any file that KenLM reads.")] = None,
    lm_target: Annotated[Path | None, typer.Option(help="Language model of the target.")] = None,
    train_source: Annotated[Path | None, typer.Option(help="Source text to train ibm1 on; a sample of the text otherwise.")] = None,
    train_target: Annotated[Path | None, typer.Option(help="Its translation.")] = None,
    aligner: Annotated[Path | None, typer.Option(help="Aligner that assay align saved.")] = None,
    given: Annotated[Path | None, typer.Option(help="Scores of the pairs from elsewhere, a number a line.")] = None,
    in_links: Annotated[Path | None, typer.Option(help="Links of the text of the domain.")] = None,
    function_words: Annotated[
        str | None, typer.Option(help="Function words of the target, a word a line; or a language whose list ships, as en.")
    ] = None,
    n_best: Annotated[Path | None, typer.Option(help="N-best lists of the text's sources, with features.")] = None,
    wanted_n_best: Annotated[Path | None, typer.Option(help="N-best lists of the text that is to be translated.")] = None,
    pair: Annotated[str | None, typer.Option(help="Language pair of the method quality, as en-de.")] = None,
    model: Model = None,
    label: Label = None,
    diversity: Annotated[
        float | None,
        number(about="Pass over sources as like as this to one chosen lately, by BLEU; 1 is off.", low=0, high=1, shares=True),
    ] = None,
    untranslated: Annotated[
        float | None,
        number(about="Pass over pairs whose sides are as like as this, by BLEU; 1 is off.", low=0, high=1, shares=True),
    ] = None,
    window: Annotated[int, typer.Option(min=1, max=100_000, help="Sources that --diversity looks back at.")] = WINDOW,
    decisions: Annotated[Path | None, typer.Option(help="Write what became of each pair, a word a line.")] = None,
    features: Annotated[Path | None, typer.Option(help="Write the features of the method la, as a table.")] = None,
    best_first: Annotated[bool, typer.Option("--best-first", help="Write the best pair first.")] = False,
    replace: Annotated[bool, typer.Option("--replace", help="Write in the place of files that are there already.")] = False,
) -> None:
    """Choose the best pairs of parallel text by a method, up to a number of pairs or words."""
    outputs = Outputs(out_source, out_target, out_links, scores, decisions, features, out_table)
    budget = Budget(pairs, words, share, at_least, strict)
    if method.partition("|")[0] not in (*METHODS, QUALITY):
        raise InputError("invalid-request", f"methods are {', '.join((*METHODS, QUALITY))}", ("--method",))
    _check(outputs, budget, links, replace)
    materials = Materials(
        in_source, in_target, general_source, general_target, lm_source, lm_target, train_source, train_target, aligner, given,
        in_links, None if function_words is None else function_words_called(settings_here().resources_dir, function_words),
        n_best, wanted_n_best,
    )  # fmt: skip
    own = TextFilters() if method == QUALITY else method_called(method).filters
    filters = TextFilters(
        own.diversity if diversity is None else diversity, own.untranslated if untranslated is None else untranslated, window
    )
    pool = Pool(source, target, links)
    if method != QUALITY:
        refuse({"--pair": pair, "--model": model, "--label": label}, f"this is of --method {QUALITY}")
        made = select_data(pool, method, budget, outputs, materials, filters, best_first)
    else:
        if pair is None:
            raise InputError("invalid-request", f"--method {QUALITY} needs the language pair, as en-de", ("--pair",))
        refuse({"--given": given}, f"--method {QUALITY} has no use for this file")
        with TemporaryDirectory() as folder, full_disk_named(Path(folder)):
            predictions = Path(folder) / "predictions"
            write_predictions(pool, predictions, pair, model, label)
            made = select_data(pool, "given", budget, outputs, replace_fields(materials, given=predictions), filters, best_first)
    counts = made.decisions
    say(f"chose {counts[Decision.CHOSEN]} of {counted(made.total, 'pair')}, {counted(made.words, 'word')} of the source")
    for decision, reason in REASONS.items():
        if counts[decision]:
            say(f"{counted(counts[decision], 'pair')} {reason}")
    if words is not None and made.words < words and pairs is None and share is None and not strict:
        say(f"there were no more: {words} words were asked for")


def _check(outputs: Outputs, budget: Budget, links: Path | None, replace: bool) -> None:
    """Before hours of work: whether all can be written, each in a place of its own."""
    if not outputs.files:
        raise InputError("invalid-request", "say what to write: --out-source, --out-target, --out-table, --scores")
    if outputs.links is not None and links is None:
        raise InputError("invalid-request", "these are the links of chosen pairs, which need --links", ("--out-links",))
    if not outputs.files.keys() <= {"scores", "features"} and not budget.bounded:
        raise InputError("invalid-request", "say how much to choose: --pairs, --words, --share or --at-least")
    if outputs.table is not None:
        check_table(outputs.table, "--out-table")
    if budget.strict and budget.words is None:
        raise InputError("invalid-request", "this is about --words", ("--strict",))
    if len(set(outputs.files.values())) < len(outputs.files):
        raise InputError("invalid-request", "two of the files to write are the same")
    for name, path in outputs.files.items():
        check_file(path, f"--out-{name}" if name in ("source", "target", "links", "table") else f"--{name}")
        if path.exists() and not replace:
            raise InputError("invalid-request", f"{path} is there already; --replace writes another in its place", ("--replace",))
