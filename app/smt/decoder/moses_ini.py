"""Moses' configuration files: features with their parameters, weights, limits. What is not done is refused by name."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import isfinite
from pathlib import Path
from types import MappingProxyType
from typing import Final

from app.errors import InputError
from app.smt.decoder.sparse.weight_file import LARGEST_WEIGHT, read_weight_file
from app.text.reading.lines import TextFile
from app.text.reading.whole_numbers import whole_number

__all__ = ["SPARSE", "FeatureLine", "Limits", "MosesIni", "parse_moses_ini", "read_moses_ini"]

# What each class of features may say: "path" is a file, "" a parameter that has to be 0, "1" one that has to be 1, "*" one that
# does not change what is computed.
PARAMETERS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "KENLM": {"factor": "", "order": "*", "lazyken": "*", "load": "*", "path": "path"},
        "Distortion": {},
        "WordPenalty": {},
        "PhrasePenalty": {},
        "UnknownWordPenalty": {},
        "PhraseDictionaryMemory": {"input-factor": "", "output-factor": "", "path": "path", "table-limit": "number"},
        "LexicalReordering": {"input-factor": "", "output-factor": "", "path": "path", "type": "type"},
        # Those with no dense score.
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
# Those of sparse scores whose names end in no word of a text, and so never in a sign.
WORDLESS: Final = frozenset({"PhraseDictionaryMemory", "PhraseLengthFeature"})
FIXED: Final = {"": "0", "1": "1"}
COMMON: Final = {"name": "name", "num-features": "number", "tuneable": "*"}
# Sections that say how much is printed or how many threads there are.
SILENT: Final = frozenset({"threads", "verbose", "show-weights", "cube-pruning-pop-limit", "cube-pruning-diversity"})
NUMBERS: Final = frozenset({"distortion-limit", "stack", "beam-threshold", "max-phrase-length", "search-algorithm"})
LARGEST_STACK: Final = 10_000
# A sentence has no more words.
LONGEST_JUMP: Final = 1_000
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

    `ways` are numbers of phrase tables: a phrase is one of any way, and of a way one that all its tables have. `sparse_weights`
    are those of `weight_file`, if one was read, and of ``[weight]``, which overrule them; `written_weight_file` is its name.
    """

    features: tuple[FeatureLine, ...]
    limits: Limits
    drop_unknown: bool
    folder: Path
    ways: tuple[tuple[int, ...], ...]
    sparse_weights: Mapping[str, float] = field(default_factory=dict)
    written_weight_file: str | None = None
    weight_file: Path | None = None

    def path(self, feature: FeatureLine, parameter: str = "path") -> Path:
        """The file of a feature, from the working folder or else from the configuration's own; ``.gz`` may be left out."""
        if parameter not in feature.parameters:
            raise InputError("invalid-request", f"{feature.name} has no {parameter}=FILE")
        return _file(self.folder, Path(feature.parameters[parameter]), feature.name)

    @property
    def written_files(self) -> Iterator[tuple[FeatureLine, str, str]]:
        """What features name, as it is written: the feature, the parameter and the file; ``path=*`` of bigrams is none."""
        for feature in self.features:
            for parameter, value in feature.parameters.items():
                if PARAMETERS[feature.kind].get(parameter) == "path" and (feature.kind not in SPARSE or value != "*"):
                    yield feature, parameter, value

    @property
    def files(self) -> Mapping[tuple[str, str], Path]:
        """The files that features name, by feature and parameter."""
        return MappingProxyType(
            {(feature.name, parameter): self.path(feature, parameter) for feature, parameter, _ in self.written_files}
        )


def _file(folder: Path, written: Path, name: str) -> Path:
    for place in (written, folder / written):
        for path in (place, Path(f"{place}.gz")):
            if path.is_file():
                return path
    raise InputError("invalid-request", f"the file of {name}, {written}, is not there")


def read_moses_ini(path: Path, weight_file: Path | None = None) -> MosesIni:
    """Read a configuration, maybe with another file of sparse weights; InputError names the line and what is not done of it."""
    ini = _parsed(TextFile.of(path), path)
    if weight_file is None and ini.written_weight_file is not None:
        weight_file = _file(path.parent, Path(ini.written_weight_file), f"[weight-file] of {path.name}")
    if weight_file is None:
        return ini
    weights = read_weight_file(weight_file, [feature.name for feature in ini.features if feature.kind in WORDLESS])
    _check_sparse_names(path, ini.features, weights, weight_file.name)
    return replace(ini, sparse_weights=MappingProxyType({**weights, **ini.sparse_weights}), weight_file=weight_file)


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
            if section not in {*SILENT, *NUMBERS, "input-factors", "mapping", "feature", "weight", "weight-file", "drop-unknown"}:
                raise _refused(path, number, f"[{section}] is not done here")
            sections.setdefault(section, [])
        elif line:
            if not section:
                raise _refused(path, number, "a [section] is expected first")
            sections[section].append((number, line))
    _check_factors(path, sections)
    limits = _limits(path, sections)
    weights = _weights(path, sections.get("weight", []))
    features = _features(path, sections.get("feature", []), weights)
    files = sections.get("weight-file", [])
    if len(files) > 1:
        raise _refused(path, files[1][0], "there is one file of sparse weights already")
    written = files[0][1] if files else None
    sparse = _sparse_weights(path, features, weights)
    drop = any(line in ("1", "true", "yes") for _, line in sections.get("drop-unknown", []))
    tables = sum(feature.kind == "PhraseDictionaryMemory" for feature in features)
    return MosesIni(features, limits, drop, path.parent, _ways(path, sections.get("mapping", []), tables), sparse, written)


def _refused(path: Path, line: int, reason: str) -> InputError:
    return InputError("invalid-request", f"line {line} of {path.name}: {reason}", (path.name, line))


def _limits(path: Path, sections: Mapping[str, list[tuple[int, str]]]) -> Limits:
    values = {name: _value(path, sections[name]) for name in NUMBERS if sections.get(name)}
    for name in values.keys() - {"beam-threshold"}:
        if not values[name].is_integer():
            raise _refused(path, sections[name][-1][0], f"[{name}] is a whole number")
    if values.pop("search-algorithm", 0) != 0:
        raise _refused(path, sections["search-algorithm"][0][0], "only the stack search is done, search-algorithm 0")
    usual = Limits()
    try:
        return Limits(
            int(values.get("stack", usual.stack)), int(values.get("distortion-limit", usual.distortion)),
            values.get("beam-threshold", usual.threshold), int(values.get("max-phrase-length", usual.phrase_length)),
        )  # fmt: skip
    except InputError as error:
        # An option of a command has no line; what a file says has one.
        name = str(error.where[0])
        raise _refused(path, sections[name][-1][0], f"[{name}]: {error.detail}") from None


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
        written, _, table = line.rpartition("T ")
        way, step = whole_number(written.strip() or "0"), whole_number(table)
        if way is None or step is None:
            raise _refused(path, number, "only tables are steps of a way, as T 0, or 0 T 0 and 1 T 1")
        if step >= tables or any(step in others for others in ways.values()):
            raise _refused(path, number, f"T {step} is a step already" if step < tables else f"there is no table {step}")
        ways.setdefault(way, []).append(step)
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
            if name not in accepted or FIXED.get(accepted[name], value) != value:
                raise _refused(path, number, f"{name}={value} of {kind} is not done here")
        count = sum(feature.kind == kind for feature in features)
        if count and kind in ALONE:
            raise _refused(path, number, f"there is one {kind} already")
        name = parameters.get("name", f"{kind}{count}")
        if any(feature.name == name for feature in features):
            raise _refused(path, number, f"there is a feature {name} already")
        if name not in weights and kind != "UnknownWordPenalty" and kind not in SPARSE:
            raise _refused(path, number, f"{name} has no line in [weight]")
        if kind in SPARSE and "_" in name:
            raise _refused(path, number, f"names of sparse weights begin with {name} and an underscore: it may have none itself")
        usual = () if kind in SPARSE else (1.0,)
        features.append(FeatureLine(kind, name, MappingProxyType(parameters), weights.get(name, usual)))
        _check_number(path, number, features[-1])
    if not any(feature.kind == "PhraseDictionaryMemory" for feature in features):
        raise InputError("invalid-request", f"{path.name} names no phrase table: PhraseDictionaryMemory", (path.name,))
    return tuple(features)


def _sparse_weights(path: Path, features: tuple[FeatureLine, ...], weights: Mapping[str, tuple[float, ...]]) -> Mapping[str, float]:
    """Weights of no line of [feature] are of sparse features, named for the feature before their first underscore."""
    dense = {feature.name for feature in features}
    own = {name: row for name, row in weights.items() if name not in dense}
    _check_sparse_names(path, features, own, path.name)
    for name, row in own.items():
        if len(row) != 1:
            raise InputError("invalid-request", f"{path.name} has {len(row)} weights of {name}, which is one score", (path.name,))
    return MappingProxyType({name: row[0] for name, row in own.items()})


def _check_sparse_names(path: Path, features: tuple[FeatureLine, ...], names: Iterable[str], place: str) -> None:
    """InputError where one of these, which stand in `place`, is of no feature that can have sparse scores."""
    owners = {feature.name for feature in features if feature.kind in SPARSE or feature.kind == "PhraseDictionaryMemory"}
    for name in names:
        owner, _, rest = name.partition("_")
        if owner not in owners or not rest:
            raise InputError("invalid-request", f"{place} has weights of {name}, which is no feature of {path.name}", (place,))


def _check_number(path: Path, line: int, feature: FeatureLine) -> None:
    wanted = feature.number("num-features", len(feature.weights))
    if feature.kind in SPARSE:
        if wanted or feature.weights:
            raise _refused(path, line, f"{feature.name} has sparse scores alone, and no weight of its own")
    elif feature.kind not in ("PhraseDictionaryMemory", "LexicalReordering") and wanted != 1:
        raise _refused(path, line, f"{feature.kind} has one score")
    if feature.number("table-limit", 0) < 0:
        raise _refused(path, line, "a table-limit is a number of phrases, or 0 for all")
    if wanted != len(feature.weights):
        raise _refused(path, line, f"{feature.name} has {wanted} scores and {len(feature.weights)} weights")
