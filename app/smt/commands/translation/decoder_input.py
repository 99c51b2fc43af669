"""Input of `assay smt decode`: sentences with their markup, and files with further lines for each sentence."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from app.errors import InputError
from app.smt.decoder.decoder import check_sentence
from app.smt.decoder.markup.marks import Marks, MarkupUse
from app.smt.decoder.markup.reading import plain_and_marks
from app.smt.decoder.text_phrases import TextPhrases
from app.smt.decoder.word_lattices.reading import WordLattice, parse_plf
from app.smt.tuning.local_weights_file import LocalWeightsFile, read_local_weights, sources_checksum
from app.text.reading.lines import TextFile
from app.text.tokenisation import tokens_of

__all__ = ["Sentence", "lattices", "phrases_of_text", "read_sentence_weights", "sentences"]


@dataclass(frozen=True)
class Sentence:
    """A line without its markup, the marks of its markup, and the parallel lines of further files."""

    text: str
    marks: Marks
    beside: tuple[str, ...]


def phrases_of_text(text: str, files: ExitStack, markup: MarkupUse) -> TextPhrases | None:
    """Phrases of a text, to limit the rows that are read from tables; None for a text that can be read only once."""
    if text != "-":
        return _phrases_of(_file(Path(text), files), markup)
    stream = sys.stdin.buffer
    if not stream.seekable():
        return None
    begin = stream.tell()
    phrases = _phrases_of(TextFile("stdin", stream), markup)
    stream.seek(begin)
    return phrases


def _phrases_of(source: TextFile, markup: MarkupUse) -> TextPhrases:
    return TextPhrases(tokens_of(line) for line, _ in _marked(source, markup))


def sentences(text: str, beside: Sequence[Path], files: ExitStack, markup: MarkupUse) -> Iterator[Sentence]:
    """Each sentence with the lines beside it. InputError where one of those files has more lines or fewer, or for markup."""
    source = TextFile("stdin", sys.stdin.buffer) if text == "-" else _file(Path(text), files)
    columns = [_file(path, files).lines() for path in beside]
    number = 0
    for number, (line, marks) in enumerate(_marked(source, markup), 1):
        row = []
        for path, lines in zip(beside, columns, strict=True):
            parallel_line = next(lines, None)
            if parallel_line is None:
                raise InputError("unequal-lengths", f"{path.name} has {number - 1} lines, and the text has more")
            row.append(parallel_line)
        yield Sentence(line, marks, tuple(row))
    for path, lines in zip(beside, columns, strict=True):
        if next(lines, None) is not None:
            raise InputError("unequal-lengths", f"{path.name} has more lines than the text, which has {number}")


def read_sentence_weights(path: Path, text: str) -> LocalWeightsFile:
    """Weights of the sentences of a text; InputError if they were tuned for other sentences."""
    if text == "-":
        raise InputError("invalid-request", "weights of sentences need the text as a file", ("--sentence-weights",))
    weights = read_local_weights(path.read_bytes(), path.name)
    with ExitStack() as files:
        sources = list(_file(Path(text), files).lines())
    if weights.card.get("sources") != sources_checksum(sources):
        detail = f"{path.name} has weights of the sentences of another text than {Path(text).name}"
        raise InputError("invalid-request", detail, ("--sentence-weights",))
    last = max(weights.segments, default=0)
    if last >= max(len(sources), 1):
        detail = f"{path.name} has weights of segment {last}, but {Path(text).name} has segments 0 to {len(sources) - 1}"
        raise InputError("invalid-weights", detail, ("--sentence-weights",))
    return weights


def lattices(text: str, scores: int, files: ExitStack) -> Iterator[WordLattice]:
    """Lattices of a text, one per line, whose arcs have this many probabilities."""
    source = TextFile("stdin", sys.stdin.buffer) if text == "-" else _file(Path(text), files)
    for number, line in enumerate(source.lines(), 1):
        yield parse_plf(line, scores, source.name, number)


def _marked(source: TextFile, markup: MarkupUse) -> Iterator[tuple[str, Marks]]:
    for number, line in enumerate(source.lines(), 1):
        plain, marks = plain_and_marks(line, markup, source.name, number)
        check_sentence(plain, source.name, number)
        yield plain, marks


def _file(path: Path, files: ExitStack) -> TextFile:
    return TextFile(path.name, files.enter_context(path.open("rb")))
