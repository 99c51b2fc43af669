"""Weights files of Moses and mert-moses.pl: ``moses.ini``, ``init.opt``, ``run*.weights.txt``, ``run*.dense``, ``weights.txt``.

``weights.txt`` has numbers only, in the order of the dense features in n-best lists; ``init.opt`` adds lines of bounds.
``run*.dense`` and ``features.list`` have lines ``name= weight``, one line or one number per component. ``kbmira`` and ``pro``
print ``F0 weight`` (by number) and ``name weight`` (by name); ``run*.sparse-weights`` has the latter. A sparse feature has an
underscore in its name. Names are those of n-best lists: ``d`` is ``[weight-d]`` of old files.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import Final, NamedTuple

from app.arrays import Float64s
from app.errors import InputError
from app.smt.tuning.weights import FeatureWeights
from app.smt.tuning.weights_file import TunedWeightsFile, in_utf8, invalid_weights, read_weights
from app.text.reading.moses_n_best import number_of

__all__ = ["dense_lines", "mira_lines", "point_line", "read_any_weights", "read_moses_weights", "sparse_lines", "with_weights"]

# Feature names of old lists, and the sections of old files with their weights.
SECTIONS: Final[Mapping[str, str]] = {
    "d": "weight-d",
    "lm": "weight-l",
    "tm": "weight-t",
    "w": "weight-w",
    "g": "weight-generation",
    "lex": "weight-lex",
    "I": "weight-i",
}
FEATURES: Final = {section: name for name, section in SECTIONS.items()}
# Sections named after weights that hold none for features.
FOREIGN_SECTIONS: Final = ("weight-file", "weight-overwrite")
# Mark of `-show-weights` for features that are not tuned.
UNTUNED_MARKS: Final = ("UNTUNEABLE", "UNTUNEABLECOMPONENT")
EMPTY_TEXT: Final = "not used"


class Value(NamedTuple):
    """A weight in a text: its feature, its component, and the span of its digits."""

    feature: str
    component: int
    begin: int
    end: int


def read_moses_weights(raw: bytes, names: Sequence[str] = (), name: str = "weights") -> FeatureWeights:
    """Read weights from any of these files; the content decides the form.

    `names` are the dense columns of the lists, for files of numbers only. InputError (`invalid-weights`) names a bad line.
    """
    text = _decoded(in_utf8(raw, name))
    if any(_section(line) is not None for line in text.split("\n")):
        return _gathered([(value.feature, text[value.begin : value.end]) for value in _values(text, name)], name)
    lines = [(number, line.split()) for number, line in enumerate(text.split("\n"), 1) if line.strip() and line[0] != "#"]
    if not lines or text.strip() == EMPTY_TEXT:
        raise invalid_weights("the file contains no weights", (name,))
    if all(_number(word) is not None for word in lines[0][1]):
        return _point(lines, names, name)
    pairs: list[tuple[str, str]] = []
    for number, words in lines:
        pairs += _named(words, names, (name, number))
    return _gathered(pairs, name)


def read_any_weights(raw: bytes, names: Sequence[str] = (), name: str = "weights") -> TunedWeightsFile:
    """Read a weights file with its card, a tuning answer, or one of Moses' files (without card)."""
    raw = in_utf8(raw, name)
    if raw.lstrip().startswith((b"{", b"[[", b'["', b"[]")):
        return read_weights(raw, name)
    return TunedWeightsFile(read_moses_weights(raw, names, name))


def _point(lines: Sequence[tuple[int, list[str]]], names: Sequence[str], name: str) -> FeatureWeights:
    """Read the first line as weights; further lines are bounds."""
    point = lines[0][1]
    if len(lines) not in (1, 3) or any(len(words) != len(point) for _, words in lines):
        raise invalid_weights("expected a line of weights, and no or two lines of bounds of the same length", (name,))
    if len(names) != len(point):
        raise invalid_weights(f"there are {len(point)} weights, but {len(names)} dense features", (name, lines[0][0]))
    return _gathered(list(zip(names, point, strict=True)), name)


def _named(words: Sequence[str], names: Sequence[str], place: tuple[str, int]) -> Iterator[tuple[str, str]]:
    feature, *values = words
    if not values:
        raise invalid_weights("expected a name and its weight", place)
    if feature.endswith("=") or len(values) > 1:
        yield from ((feature.removesuffix("="), value) for value in values if value not in UNTUNED_MARKS)
        return
    if values[0] in UNTUNED_MARKS:
        return
    if feature[0] == "F" and feature[1:].isascii() and feature[1:].isdigit() and feature not in names:
        if len(feature) > 9 or int(feature[1:]) >= len(names):
            raise invalid_weights(f"there are {len(names)} dense features, numbered from 0", place)
        feature = names[int(feature[1:])]
    yield feature, values[0]


def _gathered(pairs: Sequence[tuple[str, str]], name: str) -> FeatureWeights:
    weights: dict[str, list[float]] = {}
    for feature, word in pairs:
        value = _number(word)
        if value is None or not feature:
            raise invalid_weights("a weight must be a finite number after a name", (name,))
        weights.setdefault(feature, []).append(value)
    if not weights:
        raise invalid_weights("the file contains no weights", (name,))
    if not any(value for row in weights.values() for value in row):
        raise invalid_weights("all weights are 0; at least one must differ", (name,))
    return FeatureWeights({feature: tuple(row) for feature, row in weights.items()})


def with_weights(raw: bytes, weights: FeatureWeights, name: str = "moses.ini") -> bytes:
    """Replace the weights in a ``moses.ini``, new or old, for all common features; other bytes do not change.

    Sparse features go elsewhere (`sparse_lines`). InputError (`missing-weights`) names a feature that the file lacks, or has with
    a different number of components.
    """
    text = _decoded(raw)
    places: dict[str, list[Value]] = {}
    for value in _values(text, name):
        places.setdefault(value.feature, []).append(value)
    for feature, row in weights.values.items():
        count = len(places.get(feature, ()))
        if count != len(row) and (count or "_" not in feature):
            detail = f"{name} has {count or 'no'} weights of feature {feature}, which has {len(row)} components"
            raise InputError("missing-weights", detail, (name, feature))
    begin, parts = 0, []
    for value in sorted((value for row in places.values() for value in row), key=lambda value: value.begin):
        if value.feature in weights.values:
            parts += [text[begin : value.begin], number_of(float(weights.values[value.feature][value.component]))]
            begin = value.end
    return "".join([*parts, text[begin:]]).encode("utf-8", "surrogateescape")


def _values(text: str, name: str) -> Iterator[Value]:
    """Yield the weights in the sections of a ``moses.ini``; InputError for a bad number."""
    section, at = "", 0
    counts: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        content = line.split("#", 1)[0]
        section = section if (heading := _section(line)) is None else heading
        words = [] if heading is not None else list(_words(content))
        feature = FEATURES.get(section, section.removeprefix("weight-")) if section.startswith("weight-") else ""
        if section == "weight" and words:
            word, *_ = words.pop(0)
            feature, equals, first = word.partition("=")
            if not equals or first:
                raise invalid_weights("expected name= and weights", (name, number))
        elif section in FOREIGN_SECTIONS:
            words = []
        for word, begin, end in words if feature else ():
            if word in UNTUNED_MARKS:
                continue
            if _number(word) is None:
                raise invalid_weights("a weight must be a finite number", (name, number))
            yield Value(feature, counts.setdefault(feature, 0), at + begin, at + end)
            counts[feature] += 1
        at += len(line) + 1


def _section(line: str) -> str | None:
    """Return the name of the section that a line begins, if any."""
    content = line.split("#", 1)[0].strip()
    return content[1:].split("]", 1)[0] if content.startswith("[") else None


def _words(line: str) -> Iterator[tuple[str, int, int]]:
    """Yield the words of a line with their positions."""
    at = 0
    for word in line.split():
        at = line.index(word, at)
        yield word, at, at + len(word)
        at += len(word)


def _decoded(raw: bytes) -> str:
    """Decode any bytes so that encoding restores them."""
    return raw.decode("utf-8", "surrogateescape")


def _number(word: str) -> float | None:
    try:
        value = float(word)
    except ValueError:
        return None
    return value if isfinite(value) else None


def point_line(weights: Float64s) -> str:
    """Return the line of ``weights.txt``: weights of dense columns in order."""
    return " ".join(number_of(value) for value in weights.tolist()) + " \n"


def mira_lines(names: Sequence[str], weights: Float64s) -> str:
    """Return the output of ``kbmira`` and ``pro``: dense weights by number, sparse ones (names with underscore) by name."""
    dense = [value for name, value in zip(names, weights.tolist(), strict=True) if "_" not in name]
    lines = [f"F{k} {number_of(value)}\n" for k, value in enumerate(dense)]
    return "".join(lines) + sparse_lines(FeatureWeights.of(names, weights))


def dense_lines(names: Sequence[str], weights: Float64s) -> str:
    """Return the lines of ``run*.dense``, one per column."""
    return "".join(f"{name}= {number_of(value)}\n" for name, value in zip(names, weights.tolist(), strict=True))


def sparse_lines(weights: FeatureWeights) -> str:
    """Return the lines of ``run*.sparse-weights``: weights other than 0 of features with an underscore in their name."""
    rows = ((name, value) for name, row in weights.values.items() if "_" in name for value in row if value)
    return "".join(f"{name} {number_of(value)}\n" for name, value in rows)
