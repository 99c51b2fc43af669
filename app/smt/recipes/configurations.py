"""Files that a `moses.ini` names: in a server's step they are files of the job, of forms that anybody's may have.

Looked at before a job is queued, where the configuration came with it, and again before a step runs that reads one, since a step
may have written it. The step's own process resolves the same names in the same order (`MosesIni.path`), in a folder that holds
what is laid here and no links.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Final

from app.errors import InputError
from app.shell.declaration.files import LANGUAGE_MODELS
from app.smt.recipes.command_lines import CommandLine, is_file_name

__all__ = [
    "LARGEST_CONFIGURATION",
    "LOOKED_AT",
    "NamedFile",
    "check_numbers",
    "configurations_of",
    "is_text",
    "named_files",
    "place_of",
    "writer_of_numbers",
]

# Configurations have some thousand bytes.
LARGEST_CONFIGURATION: Final = 1 << 16
LOOKED_AT: Final = 4096
NUL: Final = b"\0"
GZIP: Final = b"\x1f\x8b"
# What `assay smt train` calls the configurations of a folder.
TUNED: Final = "moses.ini"
UNTUNED: Final = "untuned.ini"
# Which option of a step is a configuration whose files are read.
CONFIGURED: Final[Mapping[str, str]] = MappingProxyType(
    {"smt decode": "config", "nbest tune": "decoder", "smt samplerank": "config", "smt search-weights": "config"}
)
SYSTEM: Final = "smt translate"
# Of steps that write text too, which of their files are numbers.
NUMBERS: Final[Mapping[str, str]] = MappingProxyType({"smt train": "model/lm.binary", "smt phrase-table": ".compact"})
# Steps whose numbers are mapped into memory as they are, by the feature that asks them; others' files are text.
MAKERS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "KENLM": LANGUAGE_MODELS | {"smt train"},
        "PhraseDictionaryMemory": frozenset({"smt compact-table", "smt phrase-table"}),
        "LexicalReordering": frozenset({"smt compact-table", "smt phrase-table"}),
    }
)


@dataclass(frozen=True)
class NamedFile:
    """What a feature of a configuration names: places where it may be, in the order in which it is looked for, and the steps whose
    bytes are taken for numbers."""

    feature: str
    written: str
    places: tuple[str, ...]
    makers: frozenset[str]


def configurations_of(line: CommandLine) -> tuple[str, ...]:
    """The configurations that a step reads, by their names among the job's files."""
    values, command = line.step.values, line.step.command
    if command == SYSTEM:
        untuned = values.get("untuned") == ("true",)
        return tuple(str(PurePosixPath(folder) / (UNTUNED if untuned else TUNED)) for folder in values.get("system", ()))
    return tuple(str(PurePosixPath(value)) for value in values.get(CONFIGURED.get(command, ""), ()))


def named_files(raw: bytes, name: str) -> list[NamedFile]:
    """What the configuration called `name` names.

    InputError where it is none, larger than `LARGEST_CONFIGURATION`, packed, or names what can be no file of a job: an absolute
    path, one with ``..``, or with other characters than names have.
    """
    if len(raw) > LARGEST_CONFIGURATION or raw.startswith(GZIP):
        detail = f"{name} is no configuration of a system: text of at most {LARGEST_CONFIGURATION} bytes, not packed"
        raise InputError("invalid-job", detail, (name,))
    return list(_named(raw, name))


def _named(raw: bytes, name: str) -> Iterator[NamedFile]:
    # Operations do not stand on the decoder: a recipe alone may ask what a configuration says.
    from app.smt.decoder.moses_ini import parse_moses_ini

    ini = parse_moses_ini(raw, Path(name))
    for feature, _, written in ini.written_files:
        yield _named_file(name, feature.name, written, MAKERS.get(feature.kind, frozenset()))
    if ini.written_weight_file is not None:
        yield _named_file(name, "[weight-file]", ini.written_weight_file, frozenset())


def _named_file(config: str, feature: str, written: str, makers: frozenset[str]) -> NamedFile:
    if not is_file_name(written):
        detail = f"{config}, {feature}: {written[:200]!r} is no name of a file of the job; paths are names below its folder"
        raise InputError("invalid-job", detail, (config, feature))
    folder = PurePosixPath(config).parent
    places = (written, f"{written}.gz", str(folder / written), str(folder / f"{written}.gz"))
    return NamedFile(feature, written, tuple(dict.fromkeys(places)), makers)


def place_of(named: NamedFile, config: str, there: Collection[str]) -> str:
    """The first of a file's places that is `there`; InputError where none is."""
    place = next((place for place in named.places if place in there), None)
    if place is None:
        detail = f"{config}, {named.feature}: {named.written} is no file of the job"
        raise InputError("invalid-job", detail, (config, named.feature))
    return place


def check_numbers(named: NamedFile, place: str, command: str | None, trusted: bool, head: Callable[[], bytes]) -> None:
    """InputError where a file would be mapped into memory whose bytes no step of `named.makers` has written."""
    if trusted or command in named.makers or is_text(head(), packed=True):
        return
    makers = ", ".join(sorted(named.makers))
    detail = f"{place} of {named.feature} is none that a step made ({makers}), nor text; others need the scope admin"
    raise InputError("forbidden", detail, (place, named.feature))


def writer_of_numbers(command: str | None, name: str) -> str | None:
    """The command that wrote a file of this name, where its bytes may be taken for numbers: what it wrote of texts is no such."""
    return command if command is not None and name.endswith(NUMBERS.get(command, "")) else None


def is_text(head: bytes, packed: bool) -> bool:
    """Whether what begins so is text, or gzip, whatever is in that, where something that is `packed` is read as text alone."""
    return NUL not in head[:LOOKED_AT] or (packed and head.startswith(GZIP))
