"""Automatic translations as parallel text, with links of words from the decoder (Schwenk et al. 2011, section 2.2)."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.building.line_files import read_lines
from app.building.writing import check_apart, check_new, folder_aside
from app.errors import InputError
from app.smt.corpus.lines import line_error, numbered_lines
from app.text.reading.lines import decode_text
from app.text.tokenisation import tokens_of

__all__ = ["NAMES", "HarvestCounts", "take_translations"]

NAMES: Final = ("source", "target", "links")


@dataclass(frozen=True)
class HarvestCounts:
    """Numbers of sentences of the text, and of accepted pairs."""

    sentences: int
    pairs: int


def take_translations(source: Path, lists: Path, folder: Path, most_cost: float, replace: bool = False) -> HarvestCounts:
    """Write `source`, `target` and `links` of confident translations into a folder.

    `lists` are n-best lists with word links, from `assay smt decode --n-best`. The first translation of a list is accepted if its
    cost, the negated model score, is at most `most_cost` a word. Sentences without a translation or links are left out. InputError
    names a malformed line of the lists, or a sentence beyond the text.
    """
    check_apart((source, lists), [folder / name for name in NAMES])
    if not replace:
        check_new(folder, NAMES)
    count = pairs = 0
    with folder_aside(folder, replace) as temporary, ExitStack() as stack:
        files = [stack.enter_context((temporary / name).open("w", encoding="utf-8", newline="\n")) for name in NAMES]
        best = _first(lists)
        waiting = next(best, None)
        for count, raw in enumerate(read_lines(source, stack), 1):
            if waiting is None or waiting[0] >= count:
                continue
            _, target, score, links = waiting
            waiting = next(best, None)
            if target and links and -score <= most_cost * len(tokens_of(target)):
                pairs += 1
                for file, text in zip(files, (decode_text(raw, str(source), count).strip(), target, links), strict=True):
                    file.write(f"{text}\n")
        if waiting is not None:
            raise InputError(
                "unequal-lengths", f"{lists} has sentence {waiting[0]}, counted from 0, but {source} has {count}", (str(lists),)
            )
    return HarvestCounts(count, pairs)


def _first(lists: Path) -> Iterator[tuple[int, str, float, str]]:
    """Yield the first line of each list: sentence number from 0, translation, score and links."""
    last = -1
    for line, text in numbered_lines(lists):
        columns = [column.strip() for column in text.split("|||")]
        try:
            number, score = int(columns[0]), float(columns[3])
            links = columns[5]
        except (IndexError, ValueError):
            form = "segment ||| translation ||| features ||| score ||| phrases ||| links of words"
            raise line_error(lists, line, f"is not {form}") from None
        if number < last:
            raise line_error(lists, line, "is of a sentence before the one above")
        if number > last:
            yield number, columns[1], score, links
        last = number
