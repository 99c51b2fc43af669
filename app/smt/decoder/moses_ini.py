"""Moses' configuration files: features with parameters, weights, search limits.

Unsupported settings raise an InputError with their name.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import isfinite
from pathlib import Path
from types import MappingProxyType
from typing import Final

from app.errors import InputError
from app.smt.decoder.sparse.weight_file import LARGEST_WEIGHT, read_weight_file
from app.text.reading.lines import TextFile
from app.text.reading.numbers import whole_number

__all__ = ["SPARSE", "FeatureLine", "MosesIni", "SearchLimits", "parse_moses_ini", "read_moses_ini"]

# Parameters of each class of features. Values: "path" names a file, "" must be 0, "1" must be 1, "*" changes no result.
PARAMETERS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "KENLM": {"factor": "", "order": "*", "lazyken": "*", "load": "*", "path": "path"},
        "Distortion": {},
        "WordPenalty": {}, "PhrasePenalty": {},
        "UnknownWordPenalty": {},
        "InputFeature": {"num-input-features": "number", "real-word-count": "number"},
        "PhraseDictionaryMemory": {"input-factor": "", "output-factor": "", "path": "path", "table-limit": "number"},
        "LexicalReordering": {"input-factor": "", "output-factor": "", "path": "path", "type": "type"},
        # Features without a dense score.
        "PhraseLengthFeature": {},
        "TargetWordInsertionFeature": {"factor": "", "path": "path"},
        "SourceWordDeletionFeature": {"factor": "", "path": "path"},
        "WordTranslationFeature": {
            **dict.fromkeys(("input-factor", "output-factor", "source-context", "target-context", "domain-trigger"), ""),
            "ignore-punctuation": "",
            "simple": "1",
            "texttype": "*",
            "source-path": "path",
            "target-path": "path",
        },
        "PhrasePairFeature": {
            **dict.fromkeys(("input-factor", "output-factor", "source-context", "domain-trigger", "ignore-punctuation"), ""),
            "simple": "1",
            "unrestricted": "*",
            "path": "path",
        },
        "PhraseBoundaryFeature": {
            "source": "factors", "target": "factors", "source-classes": "path", "target-classes": "path",
        },
        "TargetBigramFeature": {"factor": "factors", "path": "path", "classes": "path"},
    }
)  # fmt: skip
SPARSE: Final = frozenset(list(PARAMETERS)[list(PARAMETERS).index("PhraseLengthFeature") :])
# Features with sparse scores whose names never end in a word of a text, and so never in a sign.
WORDLESS: Final = frozenset({"PhraseDictionaryMemory", "PhraseLengthFeature"})
CONSTANTS: Final = {"": "0", "1": "1"}
COMMON_PARAMETERS: Final = {"name": "name", "num-features": "number", "tuneable": "*"}
# Sections about output, threads and cube pruning, which change no result here.
IGNORED_SECTIONS: Final = frozenset({"threads", "verbose", "show-weights", "cube-pruning-pop-limit", "cube-pruning-diversity"})
NUMBER_SECTIONS: Final = frozenset({"distortion-limit", "stack", "beam-threshold", "max-phrase-length", "search-algorithm"})
OTHER_SECTIONS: Final = frozenset({"input-factors", "mapping", "feature", "weight", "weight-file", "drop-unknown"})
SECTIONS: Final = IGNORED_SECTIONS | NUMBER_SECTIONS | OTHER_SECTIONS
LARGEST_STACK: Final = 10_000
LONGEST_JUMP: Final = 1_000
SINGLE_KINDS: Final = frozenset({"InputFeature", "Distortion", "WordPenalty", "UnknownWordPenalty"})


@dataclass(frozen=True)
class SearchLimits:
    """Limits of the search.

    A stack keeps `stack` hypotheses. A jump skips at most `distortion` words, any number if -1. Hypotheses below the share
    `threshold` of the best one's probability are pruned. A phrase has at most `phrase_length` source words.
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
            raise InputError("invalid-request", "the threshold of the beam is at least 0 and below 1", ("beam-threshold",))
        if self.phrase_length < 1:
            raise InputError("invalid-request", "a phrase has at least one word", ("max-phrase-length",))


@dataclass(frozen=True)
class FeatureLine:
    """A line of ``[feature]``: class, name, parameters and weights of a feature."""

    kind: str
    name: str
    parameters: Mapping[str, str]
    weights: tuple[float, ...]

    def number(self, name: str, default: int) -> int:
        """Integer value of a parameter; InputError if it is no whole number."""
        cell = self.parameters.get(name, str(default))
        try:
            return int(cell)
        except ValueError:
            raise InputError("invalid-request", f"{name} of {self.name} is not a whole number") from None


@dataclass(frozen=True)
class MosesIni:
    """Contents of a configuration: features in their order, and limits of the search.

    Each of the `ways` lists phrase tables by number. A phrase comes from any way, and all tables of that way have it.
    `sparse_weights` come from `weight_file`, if there is one, and from ``[weight]``, which takes precedence. `written_weight_file`
    is the name of the file in the text.
    """

    features: tuple[FeatureLine, ...]
    limits: SearchLimits
    drop_unknown: bool
    folder: Path
    ways: tuple[tuple[int, ...], ...]
    sparse_weights: Mapping[str, float] = field(default_factory=dict)
    written_weight_file: str | None = None
    weight_file: Path | None = None

    def path(self, feature: FeatureLine, parameter: str = "path") -> Path:
        """File of a feature, relative to the working folder or else to the configuration's folder; ``.gz`` may be left out."""
        if parameter not in feature.parameters:
            raise InputError("invalid-request", f"{feature.name} has no {parameter}=FILE")
        return _file(self.folder, Path(feature.parameters[parameter]), feature.name)

    @property
    def written_files(self) -> Iterator[tuple[FeatureLine, str, str]]:
        """Yield feature, parameter and file as written, for each file in the configuration; ``path=*`` of bigrams is no file."""
        for feature in self.features:
            for parameter, value in feature.parameters.items():
                if PARAMETERS[feature.kind].get(parameter) == "path" and (feature.kind not in SPARSE or value != "*"):
                    yield feature, parameter, value

    @property
    def files(self) -> Mapping[tuple[str, str], Path]:
        """Files by feature and parameter."""
        return MappingProxyType(
            {(feature.name, parameter): self.path(feature, parameter) for feature, parameter, _ in self.written_files}
        )


def _file(folder: Path, name_in_text: Path, owner: str) -> Path:
    for stem in (name_in_text, folder / name_in_text):
        for path in (stem, Path(f"{stem}.gz")):
            if path.is_file():
                return path
    raise InputError("invalid-request", f"the file of {owner}, {name_in_text}, does not exist; correct its path")


def read_moses_ini(path: Path, weight_file: Path | None = None) -> MosesIni:
    """Read a configuration, optionally with another file of sparse weights; InputError names the line of an unsupported setting."""
    ini = _parsed(TextFile.of(path), path)
    if weight_file is None and ini.written_weight_file is not None:
        weight_file = _file(path.parent, Path(ini.written_weight_file), f"[weight-file] of {path.name}")
    if weight_file is None:
        return ini
    weights = read_weight_file(weight_file, [feature.name for feature in ini.features if feature.kind in WORDLESS])
    _check_sparse_names(path, ini.features, weights, weight_file.name)
    return replace(ini, sparse_weights=MappingProxyType({**weights, **ini.sparse_weights}), weight_file=weight_file)


def parse_moses_ini(raw: bytes, path: Path) -> MosesIni:
    """Parse the bytes of a configuration as if they were a file at `path`; no disk is read."""
    return _parsed(TextFile(path.name, raw), path)


def _parsed(text: TextFile, path: Path) -> MosesIni:
    sections: dict[str, list[tuple[int, str]]] = {}
    section = ""
    for number, raw in enumerate(text.lines(), 1):
        line = raw.partition("#")[0].strip()
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1].strip()
            if section not in SECTIONS:
                raise _refused(path, number, f"[{section}] is not supported; remove the section")
            sections.setdefault(section, [])
        elif line:
            if not section:
                raise _refused(path, number, "expected: a [section] first")
            sections[section].append((number, line))
    _check_factors(path, sections)
    limits = _limits(path, sections)
    weights = _weights(path, sections.get("weight", []))
    features = _features(path, sections.get("feature", []), weights)
    files = sections.get("weight-file", [])
    if len(files) > 1:
        raise _refused(path, files[1][0], "[weight-file] has a file of sparse weights already; keep one")
    weight_file_name = files[0][1] if files else None
    sparse = _sparse_weights(path, features, weights)
    drop_unknown = any(line in ("1", "true", "yes") for _, line in sections.get("drop-unknown", []))
    tables = sum(feature.kind == "PhraseDictionaryMemory" for feature in features)
    return MosesIni(
        features, limits, drop_unknown, path.parent, _ways(path, sections.get("mapping", []), tables), sparse, weight_file_name
    )


def _refused(path: Path, line: int, reason: str) -> InputError:
    return InputError("invalid-request", f"line {line} of {path.name}: {reason}", (path.name, line))


def _limits(path: Path, sections: Mapping[str, list[tuple[int, str]]]) -> SearchLimits:
    values = {name: _value(path, sections[name]) for name in NUMBER_SECTIONS if sections.get(name)}
    for name in values.keys() - {"beam-threshold"}:
        if not values[name].is_integer():
            raise _refused(path, sections[name][-1][0], f"[{name}] has to be a whole number")
    if values.pop("search-algorithm", 0) != 0:
        raise _refused(path, sections["search-algorithm"][0][0], "only the stack search is supported; set search-algorithm to 0")
    defaults = SearchLimits()
    try:
        return SearchLimits(
            int(values.get("stack", defaults.stack)), int(values.get("distortion-limit", defaults.distortion)),
            values.get("beam-threshold", defaults.threshold), int(values.get("max-phrase-length", defaults.phrase_length)),
        )  # fmt: skip
    except InputError as error:
        # An option of a command has no line, but a setting of a file has one.
        name = str(error.where[0])
        raise _refused(path, sections[name][-1][0], f"[{name}]: {error.detail}") from None


def _value(path: Path, lines: list[tuple[int, str]]) -> float:
    number, text = lines[-1]
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise _refused(path, number, "expected: a number")
    return value


def _check_factors(path: Path, sections: Mapping[str, list[tuple[int, str]]]) -> None:
    for number, line in sections.get("input-factors", []):
        if line != "0":
            raise _refused(path, number, "only words are supported; set the factor to 0")


def _ways(path: Path, lines: list[tuple[int, str]], tables: int) -> tuple[tuple[int, ...], ...]:
    """Tables of each way; without a mapping, each table is a way by itself."""
    if not lines:
        return tuple((table,) for table in range(tables))
    ways: dict[int, list[int]] = {}
    for number, line in lines:
        way_text, _, table_text = line.rpartition("T ")
        way, step = whole_number(way_text.strip() or "0"), whole_number(table_text)
        if way is None or step is None:
            raise _refused(path, number, "a way has only tables as steps; write T 0, or 0 T 0 and 1 T 1")
        if step >= tables or any(step in steps for steps in ways.values()):
            raise _refused(path, number, f"T {step} is a step already" if step < tables else f"table {step} does not exist")
        ways.setdefault(way, []).append(step)
    idle_tables = set(range(tables)) - {step for steps in ways.values() for step in steps}
    if idle_tables:
        raise InputError(
            "invalid-request", f"table {min(idle_tables)} of {path.name} is no step of any way; add it to [mapping]", (path.name,)
        )
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
            raise _refused(path, number, f"the feature {kind} is not supported; use {', '.join(PARAMETERS)}")
        specification = {**COMMON_PARAMETERS, **PARAMETERS[kind]}
        parameters = {name: value for name, _, value in (word.partition("=") for word in words)}
        for name, value in parameters.items():
            if name not in specification or CONSTANTS.get(specification[name], value) != value:
                raise _refused(path, number, f"{name}={value} of {kind} is not supported")
        count = sum(feature.kind == kind for feature in features)
        if count and kind in SINGLE_KINDS:
            raise _refused(path, number, f"the configuration has a {kind} already; keep one")
        name = parameters.get("name", f"{kind}{count}")
        if any(feature.name == name for feature in features):
            raise _refused(path, number, f"another feature is called {name}; choose a new name")
        if name not in weights and kind != "UnknownWordPenalty" and kind not in SPARSE:
            raise _refused(path, number, f"{name} has no line in [weight]")
        if kind in SPARSE and "_" in name:
            raise _refused(
                path,
                number,
                f"the name {name} has an underscore, which ends it in names of sparse weights; choose a name without one",
            )
        default_weights = () if kind in SPARSE else (1.0,)
        features.append(FeatureLine(kind, name, MappingProxyType(parameters), weights.get(name, default_weights)))
        _check_number(path, number, features[-1])
    if not any(feature.kind == "PhraseDictionaryMemory" for feature in features):
        raise InputError("invalid-request", f"{path.name} names no phrase table: PhraseDictionaryMemory", (path.name,))
    return tuple(features)


def _sparse_weights(path: Path, features: tuple[FeatureLine, ...], weights: Mapping[str, tuple[float, ...]]) -> Mapping[str, float]:
    """Sparse weights of ``[weight]`` by name; names that match no feature belong to the feature before their first underscore."""
    dense = {feature.name for feature in features}
    sparse_rows = {name: row for name, row in weights.items() if name not in dense}
    _check_sparse_names(path, features, sparse_rows, path.name)
    for name, row in sparse_rows.items():
        if len(row) != 1:
            raise InputError(
                "invalid-request", f"{path.name} has {len(row)} weights of {name}; a sparse score takes one", (path.name,)
            )
    return MappingProxyType({name: row[0] for name, row in sparse_rows.items()})


def _check_sparse_names(path: Path, features: tuple[FeatureLine, ...], names: Iterable[str], place: str) -> None:
    """Raise InputError if a name in `place` belongs to no feature with sparse scores."""
    owners = {feature.name for feature in features if feature.kind in SPARSE or feature.kind == "PhraseDictionaryMemory"}
    for name in names:
        owner, _, suffix = name.partition("_")
        if owner not in owners or not suffix:
            raise InputError("invalid-request", f"{place} has weights of {name}, but {path.name} has no such feature", (place,))


def _check_number(path: Path, line: int, feature: FeatureLine) -> None:
    score_count = feature.number("num-features", len(feature.weights))
    if feature.kind in SPARSE:
        if score_count or feature.weights:
            raise _refused(path, line, f"{feature.name} has only sparse scores; remove its weight and num-features")
    elif feature.kind not in ("PhraseDictionaryMemory", "LexicalReordering", "InputFeature") and score_count != 1:
        raise _refused(path, line, f"{feature.kind} has one score")
    elif feature.kind == "InputFeature" and not 0 <= score_count - feature.number("num-input-features", 1) <= 1:
        raise _refused(path, line, "InputFeature has num-input-features scores, and one more with real-word-count=1")
    elif feature.number("table-limit", 0) < 0:
        raise _refused(path, line, "a table-limit is a number of phrases; write 0 for all")
    if score_count != len(feature.weights):
        raise _refused(path, line, f"{feature.name} has {score_count} scores and {len(feature.weights)} weights")
