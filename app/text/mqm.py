"""Reader of MQM judgements: WMT's table with an error per row, and objects with a list of errors per translation."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from app.errors import InputError
from app.text.reading.checking import check_segments
from app.text.reading.lines import TextFile
from app.text.reading.objects import object_lines
from app.text.reading.tables import open_table

__all__ = ["MqmError", "MqmTranslation", "read_mqm", "segment_names"]

OPEN: Final = "<v>"
CLOSE: Final = "</v>"
# Freitag et al. 2021; critical errors as in BioMQM.
PENALTIES: Final = {"critical": 25.0, "major": 5.0, "minor": 1.0}
NEUTRAL_SEVERITIES: Final = frozenset({"", "neutral", "no-error", "no error"})
# Errors of a translation: each term is searched in the translation.
LONGEST_TEXT: Final = 100_000
MOST_ERRORS: Final = 1000
NON_TRANSLATION: Final = 25.0
LIGHT_PUNCTUATION: Final = 0.1
COLUMNS: Final = ("system", "doc", "seg_id", "rater", "source", "target", "category", "severity")
KEYS: Final = ("system", "document", "segment", "annotator", "source", "target")


@dataclass(frozen=True)
class MqmError:
    """An error with its penalty, and its place in the translation, from `start` to before `end`; None if it has none there."""

    severity: str
    penalty: float
    start: int | None = None
    end: int | None = None


@dataclass
class MqmTranslation:
    """A translation of a segment by a system, and the errors that each annotator found in it."""

    system: str
    document: str
    segment: str
    source: str
    translation: str
    errors: dict[str, list[MqmError]] = field(default_factory=dict)

    @property
    def score(self) -> float:
        """Mean over annotators of their penalties, negative: 0 is best."""
        return -sum(error.penalty for row in self.errors.values() for error in row) / max(1, len(self.errors))

    @property
    def placed_errors(self) -> list[MqmError]:
        """Errors of the first annotator that have a place in the translation."""
        return [error for error in next(iter(self.errors.values()), ()) if error.start is not None]


def read_mqm(file: TextFile, is_table: bool) -> list[MqmTranslation]:
    """Translations in the order of their first row; InputError names the line or the column.

    A table has WMT's columns, ``<v>error</v>`` in its texts, and a row per error. Otherwise each line is an object with `system`,
    `document`, `segment`, `annotator`, `source`, `target` and `errors`, whose `end` is the last character of the `term`.
    """
    translations: dict[tuple[str, ...], MqmTranslation] = {}
    for row, annotator, errors in _table_rows(file) if is_table else _object_rows(file):
        # BioMQM has segments with two translations of a system: each is a row of its own, so that errors keep their places.
        first = translations.setdefault((row.system, row.document, row.segment, row.translation), row)
        first.errors.setdefault(annotator, []).extend(errors)
    if not translations:
        raise InputError("empty-input", f"{file.name} has no judgement", (file.name,))
    rows = list(translations.values())
    for field_name in ("source", "translation"):
        check_segments([getattr(row, field_name) for row in rows], LONGEST_TEXT, (file.name,), field_name)
    return rows


def segment_names(rows: Sequence[MqmTranslation]) -> list[str]:
    """Name of the source segment of each translation, ``document:segment``; translations of one source segment share it.

    Segments are one if their sources are equal, and the n-th of equal sources in a document is the n-th of each system. Numbers
    do not tell: rows of BioMQM have the texts of an earlier segment of their system under the number of another.
    """
    # Shorter numbers are smaller ones.
    order = sorted(range(len(rows)), key=lambda i: (len(rows[i].segment), rows[i].segment))
    repeats: Counter[tuple[str, str, str]] = Counter()
    names: dict[tuple[str, str, int], str] = {}
    uses: Counter[str] = Counter()
    results = [""] * len(rows)
    for i in order:
        row = rows[i]
        repeats[row.system, row.document, row.source] += 1
        segment = row.document, row.source, repeats[row.system, row.document, row.source]
        if segment not in names:
            name = f"{row.document}:{row.segment}"
            uses[name] += 1
            # A further source under the number of another one.
            names[segment] = name if uses[name] == 1 else f"{name}:{uses[name]}"
        results[i] = names[segment]
    return results


def _table_rows(file: TextFile) -> Iterator[tuple[MqmTranslation, str, list[MqmError]]]:
    for number, cells in enumerate(open_table(file, required=COLUMNS).select(COLUMNS), 2):
        system, document, segment, rater, source, target, category, severity = cells
        translation = _plain(target)
        row = MqmTranslation(system, document, segment, _plain(source), translation)
        yield row, rater, _errors(category, _severity(severity, file.name, number), *_marked(target))


def _plain(text: str) -> str:
    return text.replace(OPEN, "").replace(CLOSE, "")


def _marked(text: str) -> tuple[int | None, int | None]:
    """Place of the marked error in the text without marks."""
    before, is_open, rest = text.partition(OPEN)
    term = rest.partition(CLOSE)[0]
    return (len(before), len(before) + len(term)) if is_open and term else (None, None)


def _object_rows(file: TextFile) -> Iterator[tuple[MqmTranslation, str, list[MqmError]]]:
    for number, row in object_lines(file.lines(), file.name):
        lacking = next((key for key in KEYS if not isinstance(row.get(key), str)), None)
        errors = row.get("errors")
        if lacking is not None or not isinstance(errors, list) or not all(isinstance(error, dict) for error in errors):
            detail = (
                f"line {number} of {file.name} has no {lacking or 'list of errors'}; an object has {', '.join(KEYS)} and errors"
            )
            raise InputError("invalid-table", detail, (file.name, number))
        if len(errors) > MOST_ERRORS:
            detail = f"line {number} of {file.name} has {len(errors)} errors; a translation has at most {MOST_ERRORS}"
            raise InputError("invalid-table", detail, (file.name, number))
        system, document, segment, annotator, source, target = (row[key] for key in KEYS)
        places: list[MqmError] = []
        for part in errors:
            severity = _severity(_text(part, "severity"), file.name, number)
            places.extend(_errors(_text(part, "category"), severity, *_place(part, target)))
        yield MqmTranslation(system, document, segment, source, target), annotator, places


def _text(part: dict[str, Any], key: str) -> str:
    return str(part.get(key, ""))


def _place(part: dict[str, Any], target: str) -> tuple[int | None, int | None]:
    """Place of an error's term: at its published start, else where the text has it only once."""
    term, start = _text(part, "term"), part.get("start")
    if not term:
        return None, None
    if not (type(start) is int and start >= 0 and target.startswith(term, start)):
        start = target.find(term) if target.count(term) == 1 else -1
    return (start, start + len(term)) if start >= 0 else (None, None)


def _severity(text: str, name: str, line: int) -> str:
    """Severity in small letters. InputError for one without a meaning names the line."""
    severity = text.strip().lower()
    if severity not in PENALTIES.keys() | NEUTRAL_SEVERITIES:
        severities = ", ".join([*PENALTIES, *sorted(NEUTRAL_SEVERITIES - {""})])
        detail = f"{name}, line {line}: {text} is no severity; severities are {severities}"
        raise InputError("invalid-table", detail, (name, line))
    return severity


def _errors(category: str, severity: str, start: int | None, end: int | None) -> list[MqmError]:
    """The error, or none for errors of the source and for severities without a penalty."""
    kind = category.lower()
    if severity not in PENALTIES or kind.startswith("source"):
        return []
    penalty = PENALTIES[severity]
    if severity == "major" and kind.startswith("non-translation"):
        penalty = NON_TRANSLATION
    if severity == "minor" and kind == "fluency/punctuation":
        penalty = LIGHT_PUNCTUATION
    return [MqmError(severity, penalty, start, end)]
