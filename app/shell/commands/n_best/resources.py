"""`assay word-lexicon` and `assay translation-model`: resources of features of reranking, trained on parallel text."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

import numpy as np
import typer

from app import __version__
from app.errors import InputError
from app.journal import Journal, ProgressJournal
from app.shell.output import check_file, counted, progress_bar, say
from app.text.reading.tables import read_column

if TYPE_CHECKING:
    from app.ranking.reranking import WordLexicon
    from app.ranking.reranking.neural import TranslationModel
    from app.text.batch import TokenColumn

    Made = TypeVar("Made", WordLexicon, TranslationModel)

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
    from app.ranking.reranking import train_word_lexicon

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
    from app.ranking.reranking.neural import train_translation_model

    told = {"passes": passes, "seed": seed, "cased": cased}
    _make(source, target, out, pairs, replace, told, lambda a, b, journal: train_translation_model(a, b, passes, seed, journal))


def _make(
    source: str,
    target: str,
    out: Path,
    most: int,
    replaced: bool,
    told: dict[str, Any],
    train: "Callable[[TokenColumn, TokenColumn, Journal], Made]",
) -> None:
    from threadpoolctl import threadpool_limits

    check_file(out, "--out")
    if out.exists() and not replaced:
        raise InputError("invalid-request", f"{out} is there already; --replace writes another in its place", ("--replace",))
    count, sides = _sides(source, target, most, told["cased"])
    # Sums in another order are other bytes.
    with progress_bar("training") as show, threadpool_limits(1, "blas"):
        made = train(*sides, ProgressJournal(show))
    card = {**told, "pairs": count, "data": _checksums(source, target), "assay": __version__}
    aside = out.with_name(f".{out.name}.new")
    try:
        replace(made, card=card).save(aside)
        aside.replace(out)
    finally:
        aside.unlink(missing_ok=True)
    say(f"wrote {out}, of {counted(count, 'pair')}")


def _sides(source: str, target: str, most: int, cased: bool) -> "tuple[int, tuple[TokenColumn, TokenColumn]]":
    """How many pairs there are, and their two sides."""
    from app.text.batch import pack_lines

    columns = [read_column(source), read_column(target)]
    total = len(columns[0])
    if len(columns[1]) != total:
        detail = f"{source} has {total} lines, but {target} {len(columns[1])}"
        raise InputError("unequal-lengths", detail, (target, min(total, len(columns[1])) + 1))
    for name, lines in zip((source, target), columns, strict=True):
        _check_lines(name, lines)
    chosen = np.arange(total) if total <= most else np.arange(most) * total // most

    def packed(lines: list[str]) -> "TokenColumn":
        return pack_lines([lines[k] if cased else lines[k].lower() for k in chosen.tolist()])

    return len(chosen), (packed(columns.pop(0)), packed(columns.pop(0)))


def _check_lines(name: str, lines: Sequence[str]) -> None:
    for number, line in enumerate(lines, 1):
        if len(line) > MOST_LINE:
            raise InputError("segment-too-long", f"{len(line)} characters; a segment has at most {MOST_LINE}", (name, number))


def _checksums(source: str, target: str) -> dict[str, str]:
    """Of the files by their names alone, so that a card says nothing about the machine."""
    from app.resources.manifest import checksum

    files = [Path(spec) if Path(spec).exists() else Path(spec.rpartition(":")[0]) for spec in (source, target)]
    return {f"{side} {file.name}": checksum(file) for side, file in zip(("source", "target"), files, strict=True)}
