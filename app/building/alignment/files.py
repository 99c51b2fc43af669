"""Alignment of files: texts in, links and scores out, chunk by chunk where the aligner is there already."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import Final, TextIO

from app import __version__
from app.building.alignment.aligner import LONGEST, Aligner, train_aligner
from app.building.alignment.symmetrisation import DEFAULT_SYMMETRISATION, symmetrise_links
from app.building.gzip_files import open_packed
from app.building.line_files import read_lines
from app.building.text_tables import split_column
from app.building.writing import file_aside
from app.errors import InputError
from app.resources.manifest import checksum
from app.text.batch import pack_tokenised
from app.text.parallel_corpus import ParallelCorpus, WordLinks
from app.text.reading.lines import decode_text
from app.text.tokenisation import tokens_of

__all__ = ["STANDARD_OUTPUT", "AlignmentFiles", "align_files", "symmetrise_files", "written_files"]

# Segments that are aligned at once.
CHUNK: Final = 5000
STANDARD_OUTPUT: Final = Path("-")


@dataclass(frozen=True)
class AlignmentFiles:
    """Files to write: symmetrised links, links of either direction, scores. `.gz` packs; ``-`` is standard output."""

    links: Path | None = None
    forward: Path | None = None
    reverse: Path | None = None
    scores: Path | None = None

    @property
    def files(self) -> dict[str, Path]:
        """Files to write, by name."""
        return {name: path for name, path in vars(self).items() if path is not None}


def align_files(
    source: Path,
    target: Path,
    outputs: AlignmentFiles,
    method: str = DEFAULT_SYMMETRISATION,
    model: Path | None = None,
    save: Path | None = None,
) -> int:
    """Align two texts of words, a segment a line, by a saved aligner or by one trained on them; return the number of segments.

    Words are compared in lower case. A line without words has no links and scores of 0. InputError names file and line:
    `unequal-lengths`, `invalid-encoding`, `segment-too-long` (more than `LONGEST` words); `empty-input` without any words.
    """
    with ExitStack() as stack:
        chunks = _read(source, target, stack)
        if model is None:
            lines = list(chunks)
            corpus = _packed(*([line for chunk in lines for line in chunk[side]] for side in (0, 1)))
            aligner = train_aligner(corpus, _card(source, target, len(corpus)))
            chunks = iter(lines)
        else:
            aligner = Aligner.open(model)
        count = 0
        files: Mapping[str, TextIO] = stack.enter_context(written_files(outputs.files))
        for chunk in chunks:
            pairs = _packed(*chunk)
            count += len(pairs)
            _write(pairs, aligner, method, files)
        if save is not None:
            with file_aside(save) as staging:
                aligner.save(staging)
    return count


def symmetrise_files(forward: Path, reverse: Path, links: Path, method: str = DEFAULT_SYMMETRISATION) -> int:
    """Write the symmetrised links of two files of links, both source first; return the number of segments."""
    with ExitStack() as stack:
        files = stack.enter_context(written_files({"links": links}))
        count = 0
        for chunk in _read(forward, reverse, stack):
            sides = [_links(path, lines, count) for path, lines in zip((forward, reverse), chunk, strict=True)]
            files["links"].writelines(f"{line}\n" for line in symmetrise_links(sides[0], sides[1], method).lines())
            count += len(chunk[0])
    return count


def _write(pairs: ParallelCorpus, aligner: Aligner, method: str, files: Mapping[str, TextIO]) -> None:
    if not files:
        return
    alignment = aligner.align(pairs)
    links = {"forward": alignment.forward, "reverse": alignment.reverse}
    if "links" in files:
        links["links"] = symmetrise_links(alignment.forward, alignment.reverse, method)
    for name in links.keys() & files.keys():
        files[name].writelines(f"{line}\n" for line in links[name].lines())
    if "scores" in files:
        files["scores"].writelines(f"{forward:.6f}\t{reverse:.6f}\n" for forward, reverse in alignment.scores.tolist())


def _links(path: Path, lines: Sequence[str], before: int) -> WordLinks:
    try:
        links = WordLinks.read(lines)
    except InputError as error:
        (line,) = error.where
        raise InputError(error.code, error.detail, (str(path), before + int(line))) from None
    if max(links.source.max(initial=0), links.target.max(initial=0)) < LONGEST:
        return links
    row = int(links.segments[(links.source >= LONGEST) | (links.target >= LONGEST)][0])
    raise InputError("segment-too-long", f"segments have at most {LONGEST} words", (str(path), before + row + 1))


def _card(source: Path, target: Path, pairs: int) -> dict[str, object]:
    # Files by their names alone: a card says nothing about the machine.
    sides = (("source", source), ("target", target))
    data = {f"{side} {path.name}": checksum((split_column(path) or (path,))[0]) for side, path in sides}
    return {"pairs": pairs, "data": data, "assay": __version__}


def _packed(source: Sequence[str], target: Sequence[str]) -> ParallelCorpus:
    return ParallelCorpus(pack_tokenised(source), pack_tokenised(target))


def _read(first: Path, second: Path, stack: ExitStack) -> Iterator[tuple[list[str], list[str]]]:
    """Chunks of lines side by side, in lower case."""
    columns = [read_lines(path, stack) for path in (first, second)]
    before = 0
    while True:
        parts = [list(islice(column, CHUNK)) for column in columns]
        if len(parts[0]) != len(parts[1]):
            rest = [before + len(part) + sum(1 for _ in column) for part, column in zip(parts, columns, strict=True)]
            detail = f"{first} has {rest[0]} lines but {second} has {rest[1]}"
            raise InputError("unequal-lengths", detail, (str(second), min(rest) + 1))
        if not parts[0]:
            return
        texts = [
            [_line(line, path, number) for number, line in enumerate(part, before + 1)]
            for path, part in zip((first, second), parts, strict=True)
        ]
        yield texts[0], texts[1]
        before += len(parts[0])


def _line(line: bytes, path: Path, number: int) -> str:
    text = decode_text(line, str(path), number).lower()
    words = len(tokens_of(text))
    if words > LONGEST:
        raise InputError("segment-too-long", f"{words} words; a segment has at most {LONGEST}", (str(path), number))
    return text


@contextmanager
def written_files(paths: Mapping[str, Path]) -> Iterator[dict[str, TextIO]]:
    """Open files for writing, by name; they are moved to their paths at the end."""
    with ExitStack() as moves, ExitStack() as open_files:
        files: dict[str, TextIO] = {}
        for name, path in paths.items():
            if path == STANDARD_OUTPUT:
                files[name] = sys.stdout
                continue
            staging = moves.enter_context(file_aside(path))
            text = TextIOWrapper(open_packed(staging, path, open_files), encoding="utf-8", newline="\n")
            files[name] = open_files.enter_context(text)
        yield files
