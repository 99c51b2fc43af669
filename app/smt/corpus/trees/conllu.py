"""Dependencies in CoNLL-U for extraction: words of the file, and errors by line.

The reader of taggers, `app.building.treebanks`, instead needs surface text and tags.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from app.errors import InputError
from app.smt.corpus.lines import line_error, numbered_lines
from app.text.trees.tree import MOST_WORDS, Dependencies, FileLine

__all__ = ["read_conllu", "write_conllu"]

COLUMNS: Final = 10


def read_conllu(path: Path) -> Iterator[Dependencies]:
    """Yield sentences, divided by blank lines; files may be gzipped.

    Rows of contractions (``3-4``) and empty nodes (``8.1``) are skipped. Tags are universal ones of column 4. Blanks within a word
    become ``_``. InputError names file and line: a wrong number of columns, words not numbered from 1, a missing governor, a cycle,
    more than `MOST_WORDS` words.
    """
    rows: list[list[str]] = []
    first = number = 0
    for number, line in numbered_lines(path):
        text = line.rstrip("\r\n")
        if not text.strip():
            if rows:
                yield _sentence(rows, (str(path), first))
                rows = []
            continue
        if text.startswith("#"):
            continue
        cells = text.split("\t")
        if len(cells) != COLUMNS:
            raise line_error(path, number, f"has {len(cells)} columns, not {COLUMNS}")
        if "-" in cells[0] or "." in cells[0]:
            continue
        first = first if rows else number
        rows.append(cells)
        if cells[0] != str(len(rows)):
            raise line_error(path, number, f"has another number than {len(rows)}, its position in the sentence")
        if not (cells[6].isascii() and cells[6].isdigit()) or not cells[1].strip():
            raise line_error(path, number, "has no word, or no number of a governor")
        if len(rows) > MOST_WORDS:
            detail = f"line {number} of {path}: a sentence has at most {MOST_WORDS} words"
            raise InputError("segment-too-long", detail, (str(path), number))
    if rows:
        yield _sentence(rows, (str(path), first))


def _sentence(rows: Sequence[Sequence[str]], place: FileLine) -> Dependencies:
    heads = [int(row[6]) - 1 if len(row[6]) < len(str(MOST_WORDS)) + 1 else MOST_WORDS for row in rows]
    for word, head in enumerate(heads):
        if head >= len(rows) or head == word:
            reason = "governs itself" if head == word else f"depends on word {rows[word][6]} of {len(rows)}"
            raise line_error(*place, f"begins a sentence whose word {word + 1} {reason}")
    words = tuple("_".join(row[1].split()) for row in rows)
    tags = tuple("" if row[3] == "_" else row[3] for row in rows)
    return Dependencies(words, tags, tuple(heads)).check(place)


def write_conllu(sentence: Dependencies) -> str:
    """Lines of a sentence and a blank line; unknown cells are ``_``."""
    rows = zip(sentence.words, sentence.tags, sentence.heads, strict=True)
    lines = [
        f"{number}\t{word}\t_\t{tag or '_'}\t_\t_\t{head + 1}\t{'root' if head < 0 else 'dep'}\t_\t_\n"
        for number, (word, tag, head) in enumerate(rows, 1)
    ]
    return "".join(lines) + "\n"
