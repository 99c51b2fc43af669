"""`assay corpus study`: what weights are worth that are tuned on text which a method chose."""

from pathlib import Path
from typing import Any, Final

from app.errors import InputError
from app.metrics import metric_named
from app.resources.function_words import function_words_called
from app.shell.declaration.forms import Format
from app.shell.here import settings_here
from app.shell.output import print_json, print_rows, say
from app.smt.commands.options.corpus.selection_study import StudyOptions
from app.smt.corpus.selection.materials import OPTION_OF, Materials
from app.smt.corpus.selection.methods import method_called
from app.smt.corpus.selection.pool import Pool
from app.smt.corpus.selection.studying import Study, StudyRow, study_selection
from app.smt.operations.tune.same_columns import in_columns_of
from app.smt.tuning import Pool as Lists
from app.smt.tuning import parse_method, pool_of
from app.text.reading.n_best_files import read_lists

__all__ = ["select_study"]

METRIC: Final = "bleu|tok:none"


def select_study(options: StudyOptions) -> None:
    """Tune on what methods choose of development text, in several sizes, and tell mean and deviation of what it is worth."""
    parse_method(options.tuner)
    materials = Materials(
        inside_source=options.in_source,
        inside_target=options.in_target,
        inside_links=options.in_links,
        parallel_source=options.train_source,
        parallel_target=options.train_target,
        aligner=options.aligner,
        function_words=None
        if options.function_words is None
        else function_words_called(settings_here().resources_dir, options.function_words),
        wanted_n_best=options.wanted_n_best,
    )
    used = frozenset[str]().union(*(method_called(method).uses for method in options.methods))
    others = sorted(OPTION_OF[name] for name in materials.there - used)
    if others:
        raise InputError("invalid-request", "none of the methods has a use for this", (others[0],))
    materials = Materials(**{**vars(materials), "n_best": options.n_best})
    lists = _lists(options.n_best, [options.target], options.metric)
    held = in_columns_of(_lists(options.held_out, options.held_out_reference, options.metric), lists)
    study = Study(
        options.methods,
        options.words or [None],
        options.diversity or [None],
        options.tuner,
        range(options.seed, options.seed + options.repeats),
    )
    rows = []
    for row in study_selection(Pool(options.source, options.target, options.links), study, lists, held, materials):
        rows.append(row)
        say(f"{row.method}, {row.budget or 'all'} words, diversity {row.diversity:g}: {row.mean:.2f}")
    if options.form is Format.JSON:
        answer = {
            "metric": metric_named(options.metric).signature(len(options.held_out_reference)),
            "tuner": options.tuner,
            "seeds": list(study.seeds),
        }
        print_json({**answer, "rows": [_as_json(row) for row in rows]})
        return
    print_rows([_as_text(row) for row in rows], options.form)


def _lists(path: Path, references: list[Path], metric: str) -> Lists:
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
