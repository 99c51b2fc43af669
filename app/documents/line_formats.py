"""Formats with one pair on a line: JSONL, ``source ||| translation``, and n-best lists of Moses with their sources beside them."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from app.documents.decoding import Decoded, decode
from app.documents.document import Mark, SegmentFile, Unit
from app.errors import InputError
from app.text.languages import LanguagePair
from app.text.tables import header_columns

__all__ = [
    "BARS",
    "annotate_bars",
    "annotate_json_lines",
    "annotate_n_best",
    "is_bars",
    "is_n_best",
    "read_bars",
    "read_json_lines",
    "read_n_best_file",
]

BARS: Final = " ||| "
KEY: Final = "assay"
OUR_OBJECT: Final = re.compile(r',\s*"assay":\s*\{[^{}]*\}(?=\s*\}\s*$)')
OUR_BAR: Final = re.compile(r" \|\|\| [01]\.\d{4}$")
# The feature's name in an n-best list, in the spelling that newer versions of Moses write.
FEATURE: Final = "Assay="
OUR_FEATURE: Final = re.compile(r" Assay= -?[\d.]+")
N_BEST: Final = re.compile(r"\s*\d+ \|\|\| [^|]*(?:\|(?!\|\|)[^|]*)* \|\|\| .* \|\|\| \s*-?[\d.eE+-]+")


@dataclass(frozen=True)
class Line:
    """A line that holds a pair: its number from 0 and its texts."""

    number: int
    source: str
    translation: str


def _lines(raw: bytes, name: str) -> tuple[Decoded, list[str]]:
    decoded = decode(raw, name)
    return decoded, decoded.text.split("\n")


def _file(kind: str, lines: Sequence[Line], skipped: int, name: str) -> SegmentFile:
    if not lines and not skipped:
        raise InputError("empty-input", "the file is empty; give a source and a translation per line", (name,))
    return SegmentFile(kind, tuple(Unit(each.source, each.translation, each.number + 1) for each in lines), skipped=skipped)


def _written(raw: bytes, name: str, marked: Sequence[Line], marks: Sequence[Mark], write: Callable[[str, Mark], str]) -> bytes:
    """The file with the marked lines rewritten, their line ends kept."""
    decoded, lines = _lines(raw, name)
    for line, mark in zip(marked, marks, strict=True):
        text = lines[line.number]
        body = text.removesuffix("\r")
        lines[line.number] = write(body, mark) + text[len(body) :]
    return decoded.encode("\n".join(lines))


def _clean(text: str) -> str:
    return " ".join(text.split())


def read_json_lines(raw: bytes, name: str, wanted: LanguagePair | None = None) -> SegmentFile:
    """Objects with a source and a translation, by any of the names that columns have."""
    pairs, skipped = _json_pairs(raw, name)
    return _file("jsonl", pairs, skipped, name)


def annotate_json_lines(raw: bytes, name: str, marks: Sequence[Mark], wanted: LanguagePair | None = None) -> bytes:
    """Each object with one more member, ``assay``, at its end."""

    def write(line: str, mark: Mark) -> str:
        said: Mapping[str, Any] = {
            "quality": round(mark.confidence, 4), "score": round(mark.score, 6), "low": round(mark.low, 6),
            "high": round(mark.high, 6), "label": mark.label, "model": mark.model, "band": mark.band,
            "warnings": " ".join(mark.warnings),
        }  # fmt: skip
        kept = OUR_OBJECT.sub("", line)
        cut = kept.rindex("}")
        return f'{kept[:cut]}, "{KEY}": {json.dumps(said)}{kept[cut:]}'

    return _written(raw, name, _json_pairs(raw, name)[0], marks, write)


def _json_pairs(raw: bytes, name: str) -> tuple[list[Line], int]:
    pairs, skipped = [], 0
    for number, line in enumerate(_lines(raw, name)[1]):
        if not line.strip():
            continue
        row = _object(line, name, number + 1)
        places = header_columns(list(row))
        if places is None:
            detail = f"line {number + 1}, column 1: expected an object with source and translation"
            raise InputError("invalid-document", detail, (name, number + 1, 1))
        source, translation = (list(row.values())[k] for k in places)
        if not isinstance(source, str) or not isinstance(translation, str):
            detail = f"line {number + 1}, column 1: source and translation must be text"
            raise InputError("invalid-document", detail, (name, number + 1, 1))
        _checked(source + translation, name, number + 1)
        if source.strip() and translation.strip():
            pairs.append(Line(number, _clean(source), _clean(translation)))
        else:
            skipped += 1
    return pairs, skipped


def _checked(text: str, name: str, line: int) -> None:
    """JSON can spell what text cannot hold."""
    if "\0" in text or any("\ud800" <= c <= "\udfff" for c in text):
        detail = f"line {line}, column 1: there is a NUL or a lone surrogate"
        raise InputError("invalid-character", detail, (name, line, 1))


def _object(line: str, name: str, number: int) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        place = (name, number, error.colno)
        raise InputError("invalid-document", f"line {number}, column {error.colno}: this is not JSON", place) from None
    except ValueError:
        raise InputError("unsafe-document", f"line {number}, column 1: a number has too many digits", (name, number, 1)) from None
    except RecursionError:
        raise InputError("unsafe-document", f"line {number}, column 1: this is nested too deep", (name, number, 1)) from None
    if not isinstance(row, dict):
        raise InputError("invalid-document", f"line {number}, column 1: expected an object", (name, number, 1))
    return row


def is_bars(lines: Sequence[str]) -> bool:
    """Whether lines are ``source ||| translation``."""
    return bool(lines) and all(OUR_BAR.sub("", line).count(BARS) == 1 for line in lines)


def read_bars(raw: bytes, name: str, wanted: LanguagePair | None = None) -> SegmentFile:
    """Every line that has both texts."""
    pairs, skipped = _bar_pairs(raw, name)
    return _file("bars", pairs, skipped, name)


def annotate_bars(raw: bytes, name: str, marks: Sequence[Mark], wanted: LanguagePair | None = None) -> bytes:
    """Every line with its confidence as a third part."""
    return _written(raw, name, _bar_pairs(raw, name)[0], marks, lambda line, mark: OUR_BAR.sub("", line) + BARS + mark.number)


def _bar_pairs(raw: bytes, name: str) -> tuple[list[Line], int]:
    pairs, skipped = [], 0
    for number, line in enumerate(_lines(raw, name)[1]):
        if not line.strip():
            continue
        parts = OUR_BAR.sub("", line.removesuffix("\r")).split(BARS)
        if len(parts) != 2:
            detail = f"line {number + 1}, column 1: expected source ||| translation"
            raise InputError("invalid-document", detail, (name, number + 1, 1))
        source, translation = map(_clean, parts)
        if source and translation:
            pairs.append(Line(number, source, translation))
        else:
            skipped += 1
    return pairs, skipped


def is_n_best(line: str) -> bool:
    """Whether a line is of an n-best list."""
    return N_BEST.match(line) is not None


def read_n_best_file(raw: bytes, name: str, sources: Sequence[str]) -> SegmentFile:
    """Every hypothesis with its source; numbers of segments count from 0, in any order."""
    pairs, skipped = _hypotheses(raw, name, sources)
    return _file("n-best", pairs, skipped, name)


def annotate_n_best(raw: bytes, name: str, marks: Sequence[Mark], sources: Sequence[str]) -> bytes:
    """The list with one more named feature, ``Assay=``, behind the others; totals and order stay."""

    def write(line: str, mark: Mark) -> str:
        parts = line.split(BARS)
        parts[2] = f"{OUR_FEATURE.sub('', parts[2])} {FEATURE} {mark.number}"
        return BARS.join(parts)

    return _written(raw, name, _hypotheses(raw, name, sources)[0], marks, write)


def _hypotheses(raw: bytes, name: str, sources: Sequence[str]) -> tuple[list[Line], int]:
    pairs, skipped = [], 0
    for number, segment, text in _n_best_lines(raw, name):
        if segment >= len(sources):
            detail = f"line {number + 1}, column 1: segment {segment}, but there are {len(sources)} sources, numbered from 0"
            raise InputError("unequal-lengths", detail, (name, number + 1, 1))
        source, translation = _clean(sources[segment]), _clean(text)
        if source and translation:
            pairs.append(Line(number, source, translation))
        else:
            skipped += 1
    return pairs, skipped


def _n_best_lines(raw: bytes, name: str) -> Iterator[tuple[int, int, str]]:
    for number, line in enumerate(_lines(raw, name)[1]):
        if not line.strip():
            continue
        if not is_n_best(line):
            detail = f"line {number + 1}, column 1: expected segment ||| text ||| name= score ... ||| total"
            raise InputError("invalid-document", detail, (name, number + 1, 1))
        parts = line.split(BARS)
        yield number, int(parts[0]), parts[1]
