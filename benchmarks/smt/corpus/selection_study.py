"""Tune on selections of text, and measure the weights: ``python -m benchmarks.smt.corpus.selection_study SOURCE TARGET -m random --n-best dev.nbest ...``."""

from pathlib import Path
from typing import Annotated, Any, Final

import typer

from app.errors import InputError
from app.metrics import metric_named
from app.resources.function_words import function_words_called
from app.shell.declaration.forms import Format
from app.shell.here import settings_here
from app.shell.output import print_json, print_rows, say
from app.smt.corpus.selection.materials import Materials, option_of
from app.smt.corpus.selection.methods import METHODS, method_called
from app.smt.corpus.selection.pool import Pool
from app.smt.operations.tune.same_columns import in_columns_of
from app.smt.tuning.methods import parse_method
from app.smt.tuning.pool import TuningPool, pool_of
from app.text.reading.n_best_files import read_lists
from benchmarks.smt.protocols.selection import Study, StudyRow, study_selection

__all__ = ["commands"]

commands = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
METRIC: Final = "bleu|tok:none"


@commands.command()
def select_study(
    source: Annotated[Path, typer.Argument(help="Source text, words with blanks between them, a sentence a line; gzip is read.")],
    target: Annotated[Path, typer.Argument(help="Translation of the text, the target of tuning.")],
    methods: Annotated[list[str], typer.Option("--method", "-m", help=f"Selector: {', '.join(METHODS)}; repeat for more.")],
    n_best: Annotated[Path, typer.Option(help="N-best lists of the text's sources, with features.")],
    held_out: Annotated[Path, typer.Option(help="N-best lists to measure the weights on.")],
    held_out_reference: Annotated[list[Path], typer.Option(help="Reference of the held-out lists; repeat for more.")],
    words: Annotated[
        list[int] | None, typer.Option(min=1, help="Budget of source words for the selection; repeat for more (default all pairs).")
    ] = None,
    diversity: Annotated[
        list[float] | None,
        typer.Option(min=0, max=1, help="Skip sources with this similarity (BLEU) to a recent choice; 1 is off; repeat for more."),
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, max=100, help="Number of selections and tunings, each with its own seed.")] = 3,
    seed: Annotated[int, typer.Option(min=0, max=2**30, help="Seed of the first repeat.")] = 1,
    tuner: Annotated[str, typer.Option(help="Tuning method, as in assay nbest tune.")] = "mert",
    metric: Annotated[str, typer.Option(help="Metric for tuning and measuring.")] = METRIC,
    links: Annotated[Path | None, typer.Option(help="Links of words, source place and target place from 0, as 0-0 1-2.")] = None,
    in_source: Annotated[Path | None, typer.Option(help="Source text of the target domain.")] = None,
    in_target: Annotated[Path | None, typer.Option(help="Target text of the target domain.")] = None,
    in_links: Annotated[Path | None, typer.Option(help="Links of the text of the domain.")] = None,
    train_source: Annotated[Path | None, typer.Option(help="Source text for training ibm1 (default a sample of the text).")] = None,
    train_target: Annotated[Path | None, typer.Option(help="Translation of the training text.")] = None,
    aligner: Annotated[Path | None, typer.Option(help="Aligner from assay resources align.")] = None,
    function_words: Annotated[
        str | None, typer.Option(help="Function words of the target, one per line; or a language with a list, such as en.")
    ] = None,
    wanted_n_best: Annotated[Path | None, typer.Option(help="N-best lists of the text to translate.")] = None,
    form: Annotated[Format, typer.Option("--format", "-f", help="Form of the answer.")] = Format.TEXT,
) -> None:
    """Tune on selections of development text in several sizes, and print mean and deviation of the scores of their weights."""
    parse_method(tuner)
    materials = Materials(
        in_source=in_source,
        in_target=in_target,
        in_links=in_links,
        train_source=train_source,
        train_target=train_target,
        aligner=aligner,
        function_words=None if function_words is None else function_words_called(settings_here().resources_dir, function_words),
        wanted_n_best=wanted_n_best,
    )
    used_names = frozenset[str]().union(*(method_called(method).uses for method in methods))
    unused_names = sorted(option_of(name) for name in materials.names - used_names)
    if unused_names:
        raise InputError("invalid-request", "none of the methods has a use for this", (unused_names[0],))
    materials = Materials(**{**vars(materials), "n_best": n_best})
    lists = _lists(n_best, [target], metric)
    held_out_lists = in_columns_of(_lists(held_out, held_out_reference, metric), lists)
    study = Study(methods, words or [None], diversity or [None], tuner, range(seed, seed + repeats))
    rows = []
    for row in study_selection(Pool(source, target, links), study, lists, held_out_lists, materials):
        rows.append(row)
        say(f"{row.method}, {row.budget or 'all'} words, diversity {row.diversity:g}: {row.mean:.2f}")
    if form is Format.JSON:
        answer = {"metric": metric_named(metric).signature(len(held_out_reference)), "tuner": tuner, "seeds": list(study.seeds)}
        print_json({**answer, "rows": [_as_json(row) for row in rows]})
        return
    print_rows([_as_text(row) for row in rows], form)


def _lists(path: Path, references: list[Path], metric: str) -> TuningPool:
    read = read_lists([path], references=references)
    return pool_of(read.lists, metric_named(metric), read.references)


def _as_json(row: StudyRow) -> dict[str, Any]:
    return {
        "method": row.method,
        "budget": row.budget,
        "diversity": row.diversity,
        "repeats": [vars(repeat) for repeat in row.repeats],
        "mean": row.mean,
        "deviation": row.deviation,
    }


def _as_text(row: StudyRow) -> dict[str, Any]:
    first = row.repeats[0]
    return {
        "method": row.method,
        "budget": row.budget or "all",
        "diversity": f"{row.diversity:g}",
        "pairs": first.pairs,
        "words": first.words,
        "different": first.distinct,
        "scores": " ".join(f"{score:.2f}" for score in row.scores),
        "mean": f"{row.mean:.2f}",
        "deviation": "" if row.deviation is None else f"{row.deviation:.2f}",
    }


if __name__ == "__main__":
    commands()
