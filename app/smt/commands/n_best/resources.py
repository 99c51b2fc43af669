"""`assay resources word-lexicon`, `translation-model`, `continuous-space-model`: models for features of reranking."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from threadpoolctl import threadpool_limits

from app import __version__
from app.errors import InputError
from app.resources.manifest import checksum
from app.running.journal import ProgressJournal
from app.shell.output import counted, progress_bar, say
from app.smt.commands.options.n_best.resources import ContinuousSpaceModelOptions, TranslationModelOptions, WordLexiconOptions
from app.smt.lists.reranking.neural.continuous_space_training import train_continuous_space
from app.smt.lists.reranking.neural.training import train_translation_model
from app.smt.lists.reranking.word_lexicon import train_word_lexicon
from app.text.batch import TokenColumn, pack_lines
from app.text.reading.tables import read_column

__all__ = ["continuous_space_model", "translation_model", "word_lexicon"]

MOST_LINE: Final = 10_000
Options = WordLexiconOptions | TranslationModelOptions | ContinuousSpaceModelOptions


def word_lexicon(options: WordLexiconOptions) -> None:
    """Train a word lexicon on parallel text, for the feature dwl of assay nbest rerank."""
    _train(options, {"source": options.source, "target": options.target}, options.pairs, train_word_lexicon)


def translation_model(options: TranslationModelOptions) -> None:
    """Train a small neural translation model on parallel text, for the feature neural of assay nbest rerank."""
    _train(options, {"source": options.source, "target": options.target}, options.pairs, train_translation_model)


def continuous_space_model(options: ContinuousSpaceModelOptions) -> None:
    """Train a continuous-space language model on text, for the feature cslm of assay nbest rerank."""
    train = partial(train_continuous_space, order=options.order)
    _train(options, {"text": options.text}, options.lines, train, {"order": options.order})


def _train(
    options: Options, texts: Mapping[str, str], limit: int, train: Callable[..., Any], card: Mapping[str, int] | None = None
) -> None:
    """Train a model on up to `limit` lines of texts, and write it with a card; `card` has the further fields of the card."""
    count, columns = _columns(list(texts.values()), limit, options.cased)
    # Sums in another order are other bytes.
    with progress_bar("training") as show, threadpool_limits(1, "blas"):
        model = train(*columns, passes=options.passes, seed=options.seed, journal=ProgressJournal(show))
    unit = "pair" if len(texts) > 1 else "line"
    card = {**(card or {}), "passes": options.passes, "seed": options.seed, "cased": options.cased, f"{unit}s": count}
    staging = options.out.with_name(f".{options.out.name}.new")
    try:
        replace(model, card={**card, "data": _checksums(texts), "assay": __version__}).save(staging)
        staging.replace(options.out)
    finally:
        staging.unlink(missing_ok=True)
    say(f"wrote {options.out}, of {counted(count, unit)}")


def _columns(specs: Sequence[str], limit: int, cased: bool) -> tuple[int, list[TokenColumn]]:
    """Number of used lines, evenly spaced and at most `limit`, and these lines of each text."""
    columns = [read_column(spec) for spec in specs]
    total = len(columns[0])
    for spec, lines in zip(specs, columns, strict=True):
        if len(lines) != total:
            detail = f"{specs[0]} has {total} lines, but {spec} {len(lines)}"
            raise InputError("unequal-lengths", detail, (spec, min(total, len(lines)) + 1))
        _check_lines(spec, lines)
    rows = (np.arange(total) if total <= limit else np.arange(limit) * total // limit).tolist()
    packed_columns = []
    while columns:
        lines = columns.pop(0)
        packed_columns.append(pack_lines([lines[k] if cased else lines[k].lower() for k in rows]))
    return len(rows), packed_columns


def _check_lines(name: str, lines: Sequence[str]) -> None:
    for number, line in enumerate(lines, 1):
        if len(line) > MOST_LINE:
            raise InputError("segment-too-long", f"{len(line)} characters; a segment has at most {MOST_LINE}", (name, number))


def _checksums(specs: Mapping[str, str]) -> dict[str, str]:
    """Checksums by file name without folders, so that a card says nothing about the machine."""
    files = {name: Path(spec) if Path(spec).exists() else Path(spec.rpartition(":")[0]) for name, spec in specs.items()}
    return {f"{name} {file.name}": checksum(file) for name, file in files.items()}
