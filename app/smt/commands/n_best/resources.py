"""`assay word-lexicon`, `translation-model` and `continuous-space-model`: resources of features of reranking, trained on text."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

import numpy as np
import typer

from app import __version__
from app.errors import InputError
from app.running.journal import Journal, ProgressJournal
from app.shell.output import check_file, counted, progress_bar, say
from app.text.reading.tables import read_column

if TYPE_CHECKING:
    from app.smt.lists.reranking import WordLexicon
    from app.smt.lists.reranking.neural import ContinuousSpaceModel, TranslationModel
    from app.text.batch import TokenColumn

    Made = TypeVar("Made", WordLexicon, TranslationModel, ContinuousSpaceModel)

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)
# Of more pairs, so many are looked at, evenly spaced: what is held in memory does not grow beyond that, nor does the time.
MOST_PAIRS: Final = 200_000
MOST_LINE: Final = 10_000

Source = Annotated[str, typer.Argument(help="Source text, tokens between blanks as in the lists: FILE or FILE:COLUMN.")]
Target = Annotated[str, typer.Argument(help="Its translation, line by line.")]
Out = Annotated[Path, typer.Option("--out", "-o", help="File to write.")]
Passes = Annotated[int, typer.Option(min=1, max=100, help="How often all pairs are gone through.")]
Pairs = Annotated[int, typer.Option(min=1, max=5_000_000, help="Most pairs; of more, evenly spaced ones are taken.")]
Seed = Annotated[int, typer.Option(min=0, max=2**31, help="Seed; the same text and seed give the same bytes.")]
Cased = Annotated[bool, typer.Option("--cased", help="Keep capital letters; assay rerank needs --cased then, too.")]
Replace = Annotated[bool, typer.Option("--replace", help="Write in the place of a file that is there already.")]


@commands.command("word-lexicon")
def word_lexicon(
    source: Source,
    target: Target,
    out: Out,
    passes: Passes = 4,
    pairs: Pairs = MOST_PAIRS,
    seed: Seed = 1,
    cased: Cased = False,
    replace: Replace = False,
) -> None:
    """Train a word lexicon on parallel text, for the feature dwl of assay rerank."""
    from app.smt.lists.reranking import train_word_lexicon

    told = {"passes": passes, "seed": seed, "cased": cased}
    _make(source, target, out, pairs, replace, told, lambda a, b, journal: train_word_lexicon(a, b, passes, journal, seed))


@commands.command("translation-model")
def translation_model(
    source: Source,
    target: Target,
    out: Out,
    passes: Passes = 6,
    pairs: Pairs = MOST_PAIRS,
    seed: Seed = 1,
    cased: Cased = False,
    replace: Replace = False,
) -> None:
    """Train a small neural translation model on parallel text, for the feature neural of assay rerank."""
    from app.smt.lists.reranking.neural import train_translation_model

    told = {"passes": passes, "seed": seed, "cased": cased}
    _make(source, target, out, pairs, replace, told, lambda a, b, journal: train_translation_model(a, b, passes, seed, journal))


@commands.command("continuous-space-model")
def continuous_space_model(
    text: Annotated[str, typer.Argument(help="Text of the target language, tokens between blanks: FILE or FILE:COLUMN.")],
    out: Out,
    order: Annotated[int, typer.Option(min=2, max=10, help="A word is predicted from one word less before it.")] = 5,
    passes: Passes = 5,
    lines: Annotated[
        int, typer.Option(min=1, max=5_000_000, help="Most lines; of more, evenly spaced ones are taken.")
    ] = MOST_PAIRS,
    seed: Seed = 1,
    cased: Cased = False,
    replace: Replace = False,
) -> None:
    """Train a continuous-space language model on text, for the feature cslm of assay rerank."""
    from app.smt.lists.reranking.neural import train_continuous_space

    told = {"order": order, "passes": passes, "seed": seed, "cased": cased}
    _check_out(out, replace)
    count, (column,) = _columns([text], lines, cased)
    _write(out, count, {"text": text}, told, lambda journal: train_continuous_space(column, order, passes, seed, journal))


def _make(
    source: str,
    target: str,
    out: Path,
    most: int,
    replaced: bool,
    told: dict[str, Any],
    train: "Callable[[TokenColumn, TokenColumn, Journal], Made]",
) -> None:
    _check_out(out, replaced)
    count, (first, second) = _columns([source, target], most, told["cased"])
    _write(out, count, {"source": source, "target": target}, told, lambda journal: train(first, second, journal))


def _check_out(out: Path, replaced: bool) -> None:
    check_file(out, "--out")
    if out.exists() and not replaced:
        raise InputError("invalid-request", f"{out} is there already; --replace writes another in its place", ("--replace",))


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
    """Of the files by their names alone, so that a card says nothing about the machine."""
    from app.resources.manifest import checksum

    files = {name: Path(spec) if Path(spec).exists() else Path(spec.rpartition(":")[0]) for name, spec in specs.items()}
    return {f"{name} {file.name}": checksum(file) for name, file in files.items()}
