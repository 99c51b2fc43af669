"""`assay resources word-lexicon`, `translation-model`, `continuous-space-model`: models for features of reranking."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from app import __version__
from app.errors import InputError
from app.running.journal import Journal, ProgressJournal
from app.shell.output import counted, progress_bar, say
from app.text.reading.tables import read_column

if TYPE_CHECKING:
    from app.smt.lists.reranking.neural.continuous_space import ContinuousSpaceModel
    from app.smt.lists.reranking.neural.model import TranslationModel
    from app.smt.lists.reranking.word_lexicon import WordLexicon
    from app.text.batch import TokenColumn

    Made = TypeVar("Made", WordLexicon, TranslationModel, ContinuousSpaceModel)

from app.smt.commands.options.n_best.resources import ContinuousSpaceModelOptions, TranslationModelOptions, WordLexiconOptions

__all__ = ["continuous_space_model", "translation_model", "word_lexicon"]

# Of more pairs, so many are looked at, evenly spaced: what is held in memory does not grow beyond that, nor does the time.
MOST_PAIRS: Final = 200_000
MOST_LINE: Final = 10_000


def word_lexicon(options: WordLexiconOptions) -> None:
    """Train a word lexicon on parallel text, for the feature dwl of assay nbest rerank."""
    from app.smt.lists.reranking.word_lexicon import train_word_lexicon

    told = {"passes": options.passes, "seed": options.seed, "cased": options.cased}
    _make(
        options.source,
        options.target,
        options.out,
        options.pairs,
        told,
        lambda a, b, journal: train_word_lexicon(a, b, options.passes, journal, options.seed),
    )


def translation_model(options: TranslationModelOptions) -> None:
    """Train a small neural translation model on parallel text, for the feature neural of assay nbest rerank."""
    from app.smt.lists.reranking.neural.training import train_translation_model

    told = {"passes": options.passes, "seed": options.seed, "cased": options.cased}
    _make(
        options.source,
        options.target,
        options.out,
        options.pairs,
        told,
        lambda a, b, journal: train_translation_model(a, b, options.passes, options.seed, journal),
    )


def continuous_space_model(options: ContinuousSpaceModelOptions) -> None:
    """Train a continuous-space language model on text, for the feature cslm of assay nbest rerank."""
    from app.smt.lists.reranking.neural.continuous_space_training import train_continuous_space

    told = {"order": options.order, "passes": options.passes, "seed": options.seed, "cased": options.cased}
    count, (column,) = _columns([options.text], options.lines, options.cased)
    _write(
        options.out,
        count,
        {"text": options.text},
        told,
        lambda journal: train_continuous_space(column, options.order, options.passes, options.seed, journal),
    )


def _make(
    source: str,
    target: str,
    out: Path,
    most: int,
    told: dict[str, Any],
    train: "Callable[[TokenColumn, TokenColumn, Journal], Made]",
) -> None:
    count, (first, second) = _columns([source, target], most, told["cased"])
    _write(out, count, {"source": source, "target": target}, told, lambda journal: train(first, second, journal))


def _write(out: Path, count: int, texts: Mapping[str, str], told: dict[str, Any], train: "Callable[[Journal], Made]") -> None:
    from threadpoolctl import threadpool_limits

    # Sums in another order are other bytes.
    with progress_bar("training") as show, threadpool_limits(1, "blas"):
        made = train(ProgressJournal(show))
    what = "pair" if len(texts) > 1 else "line"
    card = {**told, f"{what}s": count, "data": _checksums(texts), "assay": __version__}
    aside = out.with_name(f".{out.name}.new")
    try:
        replace(made, card=card).save(aside)
        aside.replace(out)
    finally:
        aside.unlink(missing_ok=True)
    say(f"wrote {out}, of {counted(count, what)}")


def _columns(specs: Sequence[str], most: int, cased: bool) -> "tuple[int, list[TokenColumn]]":
    """How many lines are taken, and those of each text."""
    from app.text.batch import pack_lines

    columns = [read_column(spec) for spec in specs]
    total = len(columns[0])
    for spec, lines in zip(specs, columns, strict=True):
        if len(lines) != total:
            detail = f"{specs[0]} has {total} lines, but {spec} {len(lines)}"
            raise InputError("unequal-lengths", detail, (spec, min(total, len(lines)) + 1))
        _check_lines(spec, lines)
    chosen = (np.arange(total) if total <= most else np.arange(most) * total // most).tolist()
    packed = []
    while columns:
        lines = columns.pop(0)
        packed.append(pack_lines([lines[k] if cased else lines[k].lower() for k in chosen]))
    return len(chosen), packed


def _check_lines(name: str, lines: Sequence[str]) -> None:
    for number, line in enumerate(lines, 1):
        if len(line) > MOST_LINE:
            raise InputError("segment-too-long", f"{len(line)} characters; a segment has at most {MOST_LINE}", (name, number))


def _checksums(specs: Mapping[str, str]) -> dict[str, str]:
    """Names of the files without folders, so that a card says nothing about the machine."""
    from app.resources.manifest import checksum

    files = {name: Path(spec) if Path(spec).exists() else Path(spec.rpartition(":")[0]) for name, spec in specs.items()}
    return {f"{name} {file.name}": checksum(file) for name, file in files.items()}
