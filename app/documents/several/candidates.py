"""Sources of a file with several translations each, by the name of the system, column or origin that they come from."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain, count
from typing import Annotated, Final

from pydantic import Field
from typing_extensions import TypedDict

from app.documents.document import Languages
from app.documents.several.columns import CandidateColumns, CandidateReading
from app.errors import InputError
from app.running.deadline import awaited

__all__ = ["CandidateFile", "CandidateUnit", "CandidatesAnswer", "add_candidate", "candidate_file"]

MOST_SYSTEMS: Final = 1000
LONGEST_NAME: Final = 100
SHOWN_LINES: Final = 20
# Reasons of alternatives that are no candidates, in words.
OMISSIONS: Final[Mapping[str, str]] = {
    "reference": "only for reference",
    "language": "in another language",
    "part": "translate no segment as a whole",
    "assay": "written by Assay",
    "empty": "without a text",
}


@dataclass(frozen=True, slots=True)
class CandidateUnit:
    """One source with its translations by system; `line` is its first line in the file, from 1."""

    source: str
    translations: Mapping[str, str]
    line: int


class SystemCount(TypedDict):
    """Name of a system and the number of sources that it translates."""

    system: str
    segments: int


class CandidatesAnswer(TypedDict):
    """Content of a file with several translations."""

    systems: list[SystemCount]
    incomplete: Annotated[int, Field(description="Segments without a translation of some system")]
    single: Annotated[int, Field(description="Segments with one translation, which is first without a rival")]
    skipped: Annotated[int, Field(description="Rows or units without any translation, or not to be translated; they are left out")]
    skipped_lines: Annotated[list[int], Field(description="Lines of the first twenty of them")]
    left_out: Annotated[dict[str, int], Field(description="Alternatives of XLIFF that are no candidates, by reason")]
    reading: Annotated[CandidateReading | None, Field(description="Columns of a table and their roles")]
    sentence: str


@dataclass(frozen=True)
class CandidateFile:
    """Content of a file.

    - `languages` are the languages that the file names.
    - `skipped_lines` are lines of units without any translation.
    - `omissions` counts alternatives that are no candidates, by the keys of `OMISSIONS`.
    """

    format: str
    units: tuple[CandidateUnit, ...]
    languages: Languages
    skipped_lines: tuple[int, ...] = ()
    omissions: Mapping[str, int] = field(default_factory=dict)
    columns: CandidateColumns | None = None

    def answer(self) -> CandidatesAnswer:
        """Content of the file as JSON."""
        counts = Counter(system for unit in self.units for system in unit.translations)
        return {
            "systems": [{"system": system, "segments": count} for system, count in counts.items()],
            "incomplete": sum(len(unit.translations) < len(counts) for unit in self.units),
            "single": sum(len(unit.translations) == 1 for unit in self.units),
            "skipped": len(self.skipped_lines),
            "skipped_lines": list(self.skipped_lines[:SHOWN_LINES]),
            "left_out": dict(self.omissions),
            "reading": None if self.columns is None else self.columns.answer(),
            "sentence": self._sentence(counts),
        }

    def _sentence(self, counts: Mapping[str, int]) -> str:
        parts = [] if self.columns is None else [self.columns.sentence]
        parts.append(f"translations: {', '.join(f'{system} ({count})' for system, count in counts.items())}")
        incomplete = sum(len(unit.translations) < len(counts) for unit in self.units)
        if incomplete:
            parts.append(f"segments without a translation of some system: {incomplete} of {len(self.units)}")
        if self.skipped_lines:
            lines = ", ".join(map(str, self.skipped_lines[:SHOWN_LINES]))
            ellipsis = " ..." if len(self.skipped_lines) > SHOWN_LINES else ""
            parts.append(f"left out without any translation: {len(self.skipped_lines)} (line {lines}{ellipsis})")
        parts += [f"alternatives left out, {OMISSIONS[reason]}: {count}" for reason, count in self.omissions.items()]
        return "; ".join(parts)


def candidate_file(
    form: str,
    rows: Iterable[CandidateUnit],
    limit: int,
    name: str,
    languages: Languages,
    omissions: Mapping[str, int],
    columns: CandidateColumns | None = None,
) -> CandidateFile:
    """File of the rows that have a translation.

    InputError: `too-many-segments` for more than `limit` translations, `invalid-document` for too many systems, or if no source has
    two translations.
    """
    units: list[CandidateUnit] = []
    skipped_lines: list[int] = []
    systems: set[str] = set()
    total = 0
    for row in awaited(rows):
        if not row.translations:
            skipped_lines.append(row.line)
            continue
        units.append(row)
        systems.update(row.translations)
        total += len(row.translations)
        if total > limit:
            detail = f"this file has more than {limit} translations, which is the limit; split it"
            raise InputError("too-many-segments", detail, (name,))
        if len(systems) > MOST_SYSTEMS:
            detail = f"line {row.line} of {name}: the file names more than {MOST_SYSTEMS} systems; give fewer"
            raise InputError("invalid-document", detail, (name, row.line))
    if all(len(unit.translations) < 2 for unit in units):
        detail = f"no source of {name} has two translations; send a table with columns of translations, or XLIFF with alternatives"
        raise InputError("invalid-document", detail, (name,))
    return CandidateFile(form, tuple(units), languages, tuple(skipped_lines), omissions, columns)


def add_candidate(texts: dict[str, str], names: Iterable[str | None], text: str, line: int) -> None:
    """Add a translation of a unit under the first visible name, with a number if the unit has this name already.

    InputError (`invalid-document`) for too many translations of one unit.
    """
    joined_names = (" ".join((name or "").split()) for name in names)
    name = next(name for name in joined_names if name and name.isprintable() and len(name) <= LONGEST_NAME)
    if len(texts) >= MOST_SYSTEMS:
        raise InputError("invalid-document", f"line {line}: a unit has more than {MOST_SYSTEMS} alternatives", ("file", line))
    numbered_names = (f"{name[: LONGEST_NAME - 10]} {number}" for number in count(2))
    texts[next(candidate for candidate in chain([name], numbered_names) if candidate not in texts)] = text
