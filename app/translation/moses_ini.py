"""Moses' configuration files: features with their parameters, weights, limits. What is not done is refused by name."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from types import MappingProxyType
from typing import Final

from app.errors import InputError
from app.text.reading.lines import TextFile

__all__ = ["FeatureLine", "Limits", "MosesIni", "parse_moses_ini", "read_moses_ini"]

# What each class of features may say; "" is a parameter that has to be 0, "*" one that does not change what is computed.
PARAMETERS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "KENLM": {"factor": "", "order": "*", "lazyken": "*", "load": "*", "path": "path"},
        "Distortion": {},
        "WordPenalty": {},
        "PhrasePenalty": {},
        "UnknownWordPenalty": {},
        "PhraseDictionaryMemory": {"input-factor": "", "output-factor": "", "path": "path", "table-limit": "number"},
        "LexicalReordering": {"input-factor": "", "output-factor": "", "path": "path", "type": "type"},
    }
)
COMMON: Final = {"name": "name", "num-features": "number", "tuneable": "*"}
# Sections that say how much is printed or how many threads there are.
SILENT: Final = frozenset({"threads", "verbose", "show-weights", "cube-pruning-pop-limit", "cube-pruning-diversity"})
NUMBERS: Final = frozenset({"distortion-limit", "stack", "beam-threshold", "max-phrase-length", "search-algorithm"})
LARGEST_STACK: Final = 10_000
# A sentence has no more words.
LONGEST_JUMP: Final = 1_000
# Scores stay numbers that can be told apart.
LARGEST_WEIGHT: Final = 1e9
ALONE: Final = frozenset({"Distortion", "WordPenalty", "UnknownWordPenalty"})


@dataclass(frozen=True)
class Limits:
    """How far the search looks: hypotheses a stack, jumps, and the share of the best hypothesis's probability that is still
    looked at.

    A `distortion` of -1 is no limit.
    """

    stack: int = 200
    distortion: int = 6
    threshold: float = 1e-5
    phrase_length: int = 20

    def __post_init__(self) -> None:
        if not 1 <= self.stack <= LARGEST_STACK:
            raise InputError("invalid-request", f"a stack has 1 to {LARGEST_STACK} hypotheses", ("stack",))
        if not -1 <= self.distortion <= LONGEST_JUMP:
            detail = f"the longest jump is 0 to {LONGEST_JUMP} words, or -1 for any"
            raise InputError("invalid-request", detail, ("distortion-limit",))
        if not 0 <= self.threshold < 1:
            raise InputError("invalid-request", "the threshold of the beam is from 0 to less than 1", ("beam-threshold",))
        if self.phrase_length < 1:
            raise InputError("invalid-request", "a phrase has one word at least", ("max-phrase-length",))


@dataclass(frozen=True)
class FeatureLine:
    """A feature of ``[feature]``: its class, its name, parameters, and its weights."""

    kind: str
    name: str
    parameters: Mapping[str, str]
    weights: tuple[float, ...]

    def number(self, name: str, default: int) -> int:
        """A parameter that is a number."""
        text = self.parameters.get(name, str(default))
        try:
            return int(text)
        except ValueError:
            raise InputError("invalid-request", f"{name} of {self.name} is not a whole number") from None


@dataclass(frozen=True)
class MosesIni:
    """All that a configuration says: features in its order, and limits of the search.

    `ways` are numbers of phrase tables: a phrase is one of any way, and of a way one that all its tables have.
    """

    features: tuple[FeatureLine, ...]
    limits: Limits
    drop_unknown: bool
    folder: Path
    ways: tuple[tuple[int, ...], ...]

    def path(self, feature: FeatureLine) -> Path:
        """The file of a feature, from the working folder or else from the configuration's own; ``.gz`` may be left out."""
        if "path" not in feature.parameters:
            raise InputError("invalid-request", f"{feature.name} has no path=FILE")
        written = Path(feature.parameters["path"])
        places = [place / written for place in (Path(), self.folder)]
        for place in places:
            for path in (place, Path(f"{place}.gz")):
                if path.is_file():
                    return path
        raise InputError("invalid-request", f"the file of {feature.name}, {written}, is not there")


def read_moses_ini(path: Path) -> MosesIni:
    """Read a configuration; InputError names the line and what is not done of it."""
    return _parsed(TextFile.of(path), path)


def parse_moses_ini(raw: bytes, path: Path) -> MosesIni:
    """The configuration that these bytes are, as a file at `path` would be read; no disk is looked at."""
    return _parsed(TextFile(path.name, raw), path)


def _parsed(text: TextFile, path: Path) -> MosesIni:
    sections: dict[str, list[tuple[int, str]]] = {}
    section = ""
    for number, raw in enumerate(text.lines(), 1):
        line = raw.partition("#")[0].strip()
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1].strip()
            if section not in {*SILENT, *NUMBERS, "input-factors", "mapping", "feature", "weight", "drop-unknown"}:
                raise _refused(path, number, f"[{section}] is not done here")
            sections.setdefault(section, [])
        elif line:
            if not section:
                raise _refused(path, number, "a [section] is expected first")
            sections[section].append((number, line))
    _check_factors(path, sections)
    values = {name: _value(path, sections[name]) for name in NUMBERS if sections.get(name)}
    if values.pop("search-algorithm", 0) != 0:
        raise _refused(path, sections["search-algorithm"][0][0], "only the stack search is done, search-algorithm 0")
    usual = Limits()
    limits = Limits(
        int(values.get("stack", usual.stack)), int(values.get("distortion-limit", usual.distortion)),
        values.get("beam-threshold", usual.threshold), int(values.get("max-phrase-length", usual.phrase_length)),
    )  # fmt: skip
    features = _features(path, sections.get("feature", []), _weights(path, sections.get("weight", [])))
    drop = any(line in ("1", "true", "yes") for _, line in sections.get("drop-unknown", []))
    tables = sum(feature.kind == "PhraseDictionaryMemory" for feature in features)
    return MosesIni(features, limits, drop, path.parent, _ways(path, sections.get("mapping", []), tables))


def _refused(path: Path, line: int, reason: str) -> InputError:
    return InputError("invalid-request", f"line {line} of {path.name}: {reason}", (path.name, line))


def _value(path: Path, lines: list[tuple[int, str]]) -> float:
    number, text = lines[-1]
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise _refused(path, number, "a number is expected")
    return value


def _check_factors(path: Path, sections: Mapping[str, list[tuple[int, str]]]) -> None:
    for number, line in sections.get("input-factors", []):
        if line != "0":
            raise _refused(path, number, "only words are translated, factor 0")


def _ways(path: Path, lines: list[tuple[int, str]], tables: int) -> tuple[tuple[int, ...], ...]:
    """The tables of each way; each table is one of its own where nothing is said."""
    if not lines:
        return tuple((table,) for table in range(tables))
    ways: dict[int, list[int]] = {}
    for number, line in lines:
        way, _, step = line.rpartition("T ")
        if not (step + way.strip()).isascii() or not (step.isdigit() and (way.strip() or "0").isdigit()):
            raise _refused(path, number, "only tables are steps of a way, as T 0, or 0 T 0 and 1 T 1")
        if int(step) >= tables or any(int(step) in others for others in ways.values()):
            raise _refused(path, number, f"T {step} is a step already" if int(step) < tables else f"there is no table {step}")
        ways.setdefault(int(way.strip() or 0), []).append(int(step))
    unused = set(range(tables)) - {step for steps in ways.values() for step in steps}
    if unused:
        raise InputError("invalid-request", f"table {min(unused)} of {path.name} is a step of no way of [mapping]", (path.name,))
    return tuple(tuple(ways[way]) for way in sorted(ways))


def _weights(path: Path, lines: list[tuple[int, str]]) -> dict[str, tuple[float, ...]]:
    weights = {}
    for number, line in lines:
        name, equals, values = line.partition("=")
        try:
            row = tuple(float(value) for value in values.split())
        except ValueError:
            row = (float("nan"),)
        if not equals or not all(abs(weight) <= LARGEST_WEIGHT for weight in row):
            raise _refused(path, number, f"expected: NAME= weight ..., numbers of at most {LARGEST_WEIGHT:g}")
        weights[name.strip()] = row
    return weights


def _features(path: Path, lines: list[tuple[int, str]], weights: dict[str, tuple[float, ...]]) -> tuple[FeatureLine, ...]:
    features: list[FeatureLine] = []
    for number, line in lines:
        kind, *words = line.split()
        if kind not in PARAMETERS:
            raise _refused(path, number, f"the feature {kind} is not done here; {', '.join(PARAMETERS)} are")
        accepted = {**COMMON, **PARAMETERS[kind]}
        parameters = {name: value for name, _, value in (word.partition("=") for word in words)}
        for name, value in parameters.items():
            if name not in accepted or (accepted[name] == "" and value != "0"):
                raise _refused(path, number, f"{name}={value} of {kind} is not done here")
        count = sum(feature.kind == kind for feature in features)
        if count and kind in ALONE:
            raise _refused(path, number, f"there is one {kind} already")
        name = parameters.get("name", f"{kind}{count}")
        if any(feature.name == name for feature in features):
            raise _refused(path, number, f"there is a feature {name} already")
        if name not in weights and kind != "UnknownWordPenalty":
            raise _refused(path, number, f"{name} has no line in [weight]")
        features.append(FeatureLine(kind, name, MappingProxyType(parameters), weights.get(name, (1.0,))))
        _check_number(path, number, features[-1])
    unused = weights.keys() - {feature.name for feature in features}
    if unused:
        raise InputError("invalid-request", f"{path.name} has weights of {min(unused)}, which is no feature of it", (path.name,))
    if not any(feature.kind == "PhraseDictionaryMemory" for feature in features):
        raise InputError("invalid-request", f"{path.name} names no phrase table: PhraseDictionaryMemory", (path.name,))
    return tuple(features)


def _check_number(path: Path, line: int, feature: FeatureLine) -> None:
    wanted = feature.number("num-features", len(feature.weights))
    if feature.kind not in ("PhraseDictionaryMemory", "LexicalReordering") and wanted != 1:
        raise _refused(path, line, f"{feature.kind} has one score")
    if feature.number("table-limit", 0) < 0:
        raise _refused(path, line, "a table-limit is a number of phrases, or 0 for all")
    if wanted != len(feature.weights):
        raise _refused(path, line, f"{feature.name} has {wanted} scores and {len(feature.weights)} weights")
