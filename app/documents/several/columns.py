"""Columns of a table with several translations: the source, the translations, and columns of other things."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Literal

from pydantic import Field
from typing_extensions import TypedDict

from app.documents.document import Languages
from app.errors import InputError
from app.text.languages import same_language
from app.text.reading.column_names import LABEL, SOURCE, TRANSLATION, heading_language, plain_name, role_of
from app.text.reading.columns import BASIS_NAMES, Basis, ColumnAnswer
from app.text.reading.headers import CORRECTION_COLUMN, MOST_COLUMNS, QUALITY_COLUMNS
from app.text.reading.headings import column_kind, looks_like_heading
from app.text.side_information import KINDS

__all__ = ["CandidateColumns", "CandidateReading", "candidate_columns", "heading_role", "omitted_columns"]

Reason = Literal["name", "language", "numbers", "words", "empty", "assay"]
REASONS: Final[Mapping[Reason, str]] = {
    "name": "by its name",
    "language": "in another language",
    "numbers": "numbers",
    "words": "no sentences",
    "empty": "empty",
    "assay": "written by Assay",
}
# Headings of columns that hold no candidate, beside names of labels: English, German, French, Spanish, Romanian, Chinese.
OTHER_COLUMNS: Final = frozenset(map(plain_name, (
    "reference", "references", "ref", "post-edit", "post-edited", "pe", "comment", "comments", "notes", "remark", "remarks",
    "context", "id", "key", "nr", "no", "number", "line", "segment id", "document", "doc", "file", "filename", "domain", "task",
    "system", "status", "state", "tags", "annotator", "referenz", "kommentar", "bemerkung", "anmerkung", "notiz", "kontext",
    "dokument", "datei", "référence", "commentaire", "remarque", "contexte", "fichier", "referencia", "comentario", "observación",
    "contexto", "documento", "archivo", "referință", "comentariu", "observație", "fișier", "参考", "参考译文", "备注", "注释",
    "评论", "上下文", "文件", "编号", *(kind.name for kind in KINDS),
)))  # fmt: skip
LONGEST_NAME: Final = 100
LONGEST_SHOWN: Final = 60


class OmittedColumn(ColumnAnswer):
    """A column that holds no candidate."""

    reason: Reason


class CandidateReading(TypedDict):
    """Interpretation of a table; `heading` is the line of the heading, null if every row is a segment."""

    heading: int | None
    basis: Basis
    source: ColumnAnswer
    translations: Annotated[list[ColumnAnswer], Field(description="Columns that are ranked; a name is the system's")]
    left_out: list[OmittedColumn]
    unclear: Annotated[bool, Field(description="True if only its position makes a column the source")]


@dataclass(frozen=True)
class CandidateColumns:
    """Positions of columns, from 0: of the source, of the translations by system, and of omitted columns with their reasons."""

    source: int
    translations: Mapping[str, int]
    omissions: Mapping[int, Reason]
    basis: Basis
    line: int
    headings: tuple[str, ...] | None
    languages: Languages
    unclear: bool

    def answer(self) -> CandidateReading:
        """Interpretation as JSON."""
        return {
            "heading": None if self.headings is None else self.line,
            "basis": self.basis,
            "source": self._column(self.source),
            "translations": [{"column": k + 1, "name": system} for system, k in self.translations.items()],
            "left_out": [{**self._column(k), "reason": reason} for k, reason in self.omissions.items()],
            "unclear": self.unclear,
        }

    @property
    def sentence(self) -> str:
        """Interpretation for people, in one line."""
        heading = "no heading" if self.headings is None else f"line {self.line} is a heading ({BASIS_NAMES[self.basis]})"
        position = " by its position" if self.unclear else ""
        parts = [heading, f"{self._called(self.source)} is the source{position}"]
        parts.append(f"{', '.join(map(self._called, self.translations.values()))} are translations")
        parts += [f"{self._called(k)} is left out, {REASONS[reason]}" for k, reason in self.omissions.items()]
        return "; ".join(parts)

    def _column(self, k: int) -> ColumnAnswer:
        name = "" if self.headings is None or k >= len(self.headings) else " ".join(self.headings[k].split())
        return {"column": k + 1, "name": name[:LONGEST_SHOWN] or None}

    def _called(self, k: int) -> str:
        name = self._column(k)["name"]
        return f"column {k + 1}" + (f" ({name})" if name else "")


def heading_role(cell: str) -> tuple[str | None, str | None]:
    """Role of a heading and its language, also of one as ``German (system)``, which names a translation into the language."""
    role, language = role_of(cell)
    if role is None and language is None and "(" in cell[:LONGEST_NAME]:
        language = heading_language(cell[:LONGEST_NAME].partition("(")[0].strip().strip('"'))
    return role, language


def candidate_columns(
    first: Sequence[str],
    below: Sequence[Sequence[str]],
    line: int,
    name: str,
    has_heading: bool | None = None,
    languages: Languages = (None, None),
) -> CandidateColumns:
    """Interpret a table by its first row and the next rows `below`.

    Names decide, then languages in headings, then the cells. `has_heading` is the word of the caller, `languages` the pair of the
    request. InputError (`invalid-table`) without two columns of translations, or if two columns could be the source.
    """
    width = len(first)
    if width > MOST_COLUMNS + len(QUALITY_COLUMNS) + 1:
        raise InputError(
            "invalid-table", f"line {line} of {name} has {width} columns; a table may have {MOST_COLUMNS}", (name, line)
        )
    roles = [heading_role(cell) for cell in first] if has_heading is not False else [(None, None)] * width
    basis = _basis(first, below, roles, has_heading)
    headings = None if basis == "places" or has_heading is False else tuple(first)
    if headings is None:
        roles = [(None, None)] * width
    rows = [*below] if headings is not None else [first, *below]
    kinds = [column_kind(rows, k) for k in range(width)]
    omissions = {k: reason for k in range(width) if (reason := _reason_by_name(headings, roles, k)) is not None}
    source, unclear = _source(first, roles, kinds, omissions, name, line)
    tags = (roles[source][1] or languages[0], _target_language(roles, source, languages))
    omissions = omitted_columns(headings, roles, kinds, source, tags[1])
    columns = [k for k in range(width) if k != source and k not in omissions]
    if len(columns) < 2:
        remarks = [f"column {k + 1} is no translation ({REASONS[omissions[k]]})" for k in sorted(omissions)[:5]]
        detail = f"line {line} of {name} shows {len(columns)} columns of translations beside the source; a ranking needs two"
        raise InputError("invalid-table", "; ".join([detail, *remarks]), (name, line))
    evidence: Basis = basis if has_heading is None or basis in ("names", "languages") else "stated"
    return CandidateColumns(source, _systems(headings, columns, name, line), omissions, evidence, line, headings, tags, unclear)


Roles = Sequence[tuple[str | None, str | None]]


def _basis(first: Sequence[str], below: Sequence[Sequence[str]], roles: Roles, has_heading: bool | None) -> Basis:
    """Evidence that the first row is a heading; `places` without any."""
    if has_heading is False:
        return "places"
    role_names = [role for role, _ in roles]
    languages = [language for role, language in roles if role is None and language is not None]
    names_others = TRANSLATION in role_names or LABEL in role_names or any(plain_name(cell) in OTHER_COLUMNS for cell in first)
    if SOURCE in role_names and (names_others or looks_like_heading(first, below, names_source=role_names.count(SOURCE) == 1)):
        return "names"
    if len(languages) >= 2 or (languages and TRANSLATION in role_names):
        return "languages"
    if role_names.count(TRANSLATION) >= 2 or has_heading or looks_like_heading(first, below, TRANSLATION in role_names):
        return "content"
    return "places"


def omitted_columns(
    headings: Sequence[str] | None, roles: Roles, kinds: Sequence[str], source: int, target: str | None
) -> dict[int, Reason]:
    """Reasons of the columns that hold no translation into `target`, by position; first those with a telling name."""
    omissions = {k: reason for k in range(len(roles)) if (reason := _reason_by_name(headings, roles, k)) is not None}
    for k in range(len(roles)):
        if k != source and k not in omissions and (reason := _reason(roles[k], kinds[k], kinds[source], target)) is not None:
            omissions[k] = reason
    return omissions


def _reason_by_name(headings: Sequence[str] | None, roles: Roles, k: int) -> Reason | None:
    if headings is None:
        return None
    name = headings[k].strip().lower()
    if name in QUALITY_COLUMNS or name == CORRECTION_COLUMN:
        return "assay"
    return "name" if roles[k][0] == LABEL or plain_name(headings[k]) in OTHER_COLUMNS else None


def _source(
    first: Sequence[str], roles: Roles, kinds: Sequence[str], omissions: Mapping[int, Reason], name: str, line: int
) -> tuple[int, bool]:
    """Position of the source, and True if only its position makes it the source."""
    source_columns = [k for k, (role, _) in enumerate(roles) if role == SOURCE]
    if len(source_columns) > 1:
        places = " and ".join(f"{k + 1} ({first[k].strip()[:LONGEST_SHOWN]})" for k in source_columns[:2])
        raise InputError(
            "invalid-table", f"line {line} of {name}: columns {places} could each be the source; rename one", (name, line)
        )
    if source_columns:
        return source_columns[0], False
    of_language = [k for k, (role, language) in enumerate(roles) if role is None and language is not None and k not in omissions]
    if of_language:
        return of_language[0], False
    texts = [k for k, kind in enumerate(kinds) if kind in ("words", "sentences") and k not in omissions and roles[k][0] is None]
    sentences = [k for k in texts if kinds[k] == "sentences"]
    if not texts:
        raise InputError("invalid-table", f"{name} has no column of texts for the source; name a column source", (name, line))
    # Identifiers may stand before the source.
    return (sentences if len(sentences) > 2 else texts)[0], True


def _target_language(roles: Roles, source: int, languages: Languages) -> str | None:
    """Language of the translations: that of the request if a heading has it, else the first of the headings."""
    tags = [language for k, (_, language) in enumerate(roles) if k != source and language is not None]
    target = languages[1]
    if target is not None and (not tags or any(same_language(tag, target) for tag in tags)):
        return target
    return tags[0] if tags else None


def _reason(role: tuple[str | None, str | None], kind: str, source_kind: str, target: str | None) -> Reason | None:
    """Reason of a column that is no translation, by its language and its cells; None for a translation."""
    name_role, language = role
    if language is not None and target is not None and not same_language(language, target):
        return "language"
    if name_role == TRANSLATION or language is not None:
        return "empty" if kind == "empty" else None
    if kind == "empty":
        return "empty"
    if kind == "numbers":
        return "numbers"
    return "words" if kind == "words" and source_kind == "sentences" else None


def _systems(headings: Sequence[str] | None, columns: Sequence[int], name: str, line: int) -> dict[str, int]:
    """Columns by the names of their systems; a column without a visible name is named by its number."""
    names = ["" if headings is None else " ".join(headings[k].split()) for k in columns]
    duplicate = next((system for system, count in Counter(names).items() if system and count > 1), None)
    if duplicate is not None:
        detail = f"line {line} of {name} names two translations {duplicate[:LONGEST_SHOWN]}; rename one"
        raise InputError("invalid-table", detail, (name, line))
    return {
        system if system and system.isprintable() and len(system) <= LONGEST_NAME else f"column {k + 1}": k
        for system, k in zip(names, columns, strict=True)
    }
