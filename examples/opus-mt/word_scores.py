"""What marian-decoder writes with --word-scores, as files of lines that Assay takes: texts, log-probabilities, tokens.

A line is ``text ||| WordScores= ...``, with --alignment ``text ||| alignment ||| WordScores= ...``; with --n-best a number stands
before all that, and features with a total behind: the first line of each number is taken, which is the best.
"""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

SEPARATOR = " ||| "
SCORES = "WordScores="
USAGE = "usage: word_scores.py OUTPUT TRANSLATIONS LOG_PROBS [TOKENS]"


class NotMarianError(ValueError):
    """A line that is not marian-decoder's."""


@dataclass(frozen=True)
class Line:
    """A translation as it was printed, and one natural log of a probability per piece, end of sentence last."""

    text: str
    scores: list[str]
    segment: int | None = None

    @property
    def pieces(self) -> list[str]:
        return self.text.split()

    @property
    def plain(self) -> str:
        """The text without the marks of SentencePiece or BPE."""
        if "▁" in self.text:
            return "".join(self.pieces).replace("▁", " ").strip()
        return f"{self.text} ".replace("@@ ", "").strip()


def read_line(line: str, number: int) -> Line:
    cells = line.rstrip("\n").split(SEPARATOR)
    places = [k for k, cell in enumerate(cells) if cell.startswith(SCORES)]
    if not places:
        raise NotMarianError(f"line {number} has no {SCORES}; run marian-decoder with --word-scores")
    scores = cells[places[0]].removeprefix(SCORES).split()
    try:
        if any(float(score) > 0 for score in scores):
            raise NotMarianError(
                f"line {number} has a score above 0, which is no log-probability; run marian-decoder with --word-penalty 0"
            )
        # Features and the total stand behind word scores in n-best lists, and nowhere else.
        listed = places[0] < len(cells) - 1
        return Line(cells[1], scores, int(cells[0])) if listed else Line(cells[0], scores)
    except ValueError as error:
        raise error if isinstance(error, NotMarianError) else NotMarianError(f"line {number}: {error}") from None


def best(lines: Iterable[Line]) -> Iterator[Line]:
    """All lines of a plain output, the first of each number of an n-best list."""
    last = -1
    for line in lines:
        if line.segment is None:
            yield line
        elif line.segment > last:
            if line.segment > last + 1:
                raise NotMarianError(f"segment {line.segment} follows segment {last}; n-best lists are numbered from 0")
            last = line.segment
            yield line


def write(path: str, lines: Iterable[str]) -> None:
    Path(path).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def main(arguments: list[str]) -> None:
    output, translations, log_probs, *tokens = arguments
    with Path(output).open(encoding="utf-8", newline="\n") as file:
        lines = list(best(read_line(line, number) for number, line in enumerate(file, 1)))
    if tokens:
        for number, line in enumerate(lines, 1):
            # Cut at --max-length, a translation has no end of sentence.
            if len(line.scores) - len(line.pieces) not in (0, 1):
                counted = f"{len(line.pieces)} words and {len(line.scores)} scores"
                raise NotMarianError(f"translation {number} has {counted}: its pieces were joined, leave TOKENS out")
    write(translations, (line.plain for line in lines))
    write(log_probs, (" ".join(line.scores) for line in lines))
    if tokens:
        write(tokens[0], (line.text for line in lines))
    print(f"{len(lines)} translations", file=sys.stderr)


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(USAGE)
    try:
        main(sys.argv[1:])
    except OSError as error:
        sys.exit(f"{error.filename} cannot be read or written: {error.strerror}")
    except ValueError as error:
        sys.exit(f"{sys.argv[1]}: {error}")
