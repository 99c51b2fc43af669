"""Tables that METEOR reads, in the formats of METEOR 1.5: function words, stems, synonyms and paraphrases."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final

from app.errors import InputError
from app.metrics.meteor.folders import FILES, State, installed_folder, state_of
from app.metrics.meteor.paraphrases import NO_PARAPHRASES, Paraphrases, read_paraphrases
from app.text.reading.lines import TextFile

__all__ = ["NO_TABLES", "MeteorTables", "tables_named"]

FUNCTION, STEMS, SYNSETS, EXCEPTIONS, PARAPHRASES = FILES
MOST_LINES: Final = 10_000_000
LONGEST_LINE: Final = 100_000
LARGEST_SET: Final = 2**53
# WordNet's rules of detachment in METEOR's order: endings of nouns, verbs and adjectives, and what replaces them.
ENDINGS: Final = (
    ("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y"),
    ("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""),
    ("er", ""), ("est", ""), ("er", "e"), ("est", "e"),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class MeteorTables:
    """Function words, stems of words, sets of synonyms of words, base forms of irregular words, and paraphrases."""

    function_words: frozenset[str] = frozenset()
    stems: Mapping[str, str] = field(default_factory=dict)
    synsets: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    bases: Mapping[str, list[str]] = field(default_factory=dict)
    paraphrases: Paraphrases = NO_PARAPHRASES

    def synonym_sets(self, word: str) -> list[int]:
        """Sets of synonyms of a word and of its base forms, sorted."""
        bases = self.bases.get(word) or [self._base(word)]
        return sorted({number for form in (word, *bases) for number in self.synsets.get(form, ())})

    def _base(self, word: str) -> str:
        """A regular base form that the sets know; otherwise the word."""
        if len(word) > 2 and not word.endswith("ss"):
            for ending, replacement in ENDINGS:
                if word.endswith(ending) and (base := word[: -len(ending)] + replacement) in self.synsets:
                    return base
        return word


NO_TABLES: Final = MeteorTables()


def tables_named(name: str) -> MeteorTables:
    """A set of tables, read once until a file changes; InputError if it is not installed, or names a bad file and line."""
    folder = installed_folder(name)
    return _read(folder, state_of(folder))


# The English tables of METEOR 1.5 take 150 MB.
@lru_cache(maxsize=4)
def _read(folder: Path, state: State) -> MeteorTables:
    names = {name for name, _, _ in state}
    if not names:
        raise InputError("unknown-metric", f"METEOR's tables {folder.name} have none of the files {', '.join(FILES)}")
    bases: dict[str, list[str]] = {}
    for base, forms in _pairs(folder / EXCEPTIONS) if EXCEPTIONS in names else ():
        for form in forms.split():
            bases.setdefault(form, []).append(base)
    return MeteorTables(
        frozenset(line for _, line in _lines(folder / FUNCTION)) if FUNCTION in names else frozenset(),
        dict(_stems(folder / STEMS)) if STEMS in names else {},
        {word: _numbers(sets, folder.name) for word, sets in _pairs(folder / SYNSETS)} if SYNSETS in names else {},
        bases,
        read_paraphrases(folder / PARAPHRASES) if PARAPHRASES in names else NO_PARAPHRASES,
    )


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(TextFile(path.name, TextFile.of(path).content, LONGEST_LINE).lines(), 1):
        if number > MOST_LINES:
            raise InputError("document-too-large", f"{path.name} has more than {MOST_LINES} lines", (path.name,))
        yield number, line


def _pairs(path: Path) -> Iterator[tuple[str, str]]:
    """Pairs of lines: a word, and what belongs to it."""
    lines = _lines(path)
    for number, word in lines:
        _, content = next(lines, (0, None))
        if content is None or not word or not content:
            detail = f"line {number} of {path.name} is not the first of two lines, a word and what belongs to it"
            raise InputError("invalid-document", detail, (path.name, number))
        yield word, content


def _numbers(text: str, name: str) -> tuple[int, ...]:
    try:
        numbers = tuple(map(int, text.split()))
    except ValueError:
        numbers = ()
    if not numbers or max(map(abs, numbers)) > LARGEST_SET:
        raise InputError("invalid-document", f"{text[:40]!r} in {SYNSETS} is no list of numbers of sets", (name, SYNSETS))
    return numbers


def _stems(path: Path) -> Iterator[tuple[str, str]]:
    """Words with their stems, from lines of a word, a count and a stem."""
    for number, line in _lines(path):
        cells = line.split()
        if len(cells) != 3:
            raise InputError(
                "invalid-document", f"line {number} of {path.name} is not a word, a count and a stem", (path.name, number)
            )
        yield cells[0], cells[2]
