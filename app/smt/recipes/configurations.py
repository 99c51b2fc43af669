"""Files that a `moses.ini` names. In a server's step they must be files of the job, in formats safe for files of any caller.

Planning checks a configuration that comes with the job. A configuration is checked again before a step reads it, since a step may
have written it. The step's process resolves these names in this order (`MosesIni.path`), in a folder that has only files put there
for the step, and no links.
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
    "HEAD_BYTES",
    "LARGEST_CONFIGURATION",
    "NamedFile",
    "check_numbers",
    "configurations_of",
    "is_text",
    "named_files",
    "place_of",
    "writer_of_numbers",
]

# Usual configurations have some thousand bytes.
LARGEST_CONFIGURATION: Final = 1 << 16
HEAD_BYTES: Final = 4096
NUL: Final = b"\0"
GZIP: Final = b"\x1f\x8b"
# Names of the configurations in a folder of `assay smt train`.
TUNED_CONFIGURATION: Final = "moses.ini"
UNTUNED_CONFIGURATION: Final = "untuned.ini"
# Options of steps that name a configuration, by command.
CONFIGURATION_OPTIONS: Final[Mapping[str, str]] = MappingProxyType(
    {"smt decode": "config", "nbest tune": "decoder", "smt samplerank": "config", "smt search-weights": "config"}
)
SYSTEM: Final = "smt translate"
# Name endings of the binary files of steps that also write texts.
NUMBERS: Final[Mapping[str, str]] = MappingProxyType({"smt train": "model/lm.binary", "smt phrase-table": ".compact"})
# Steps whose binary files are mapped into memory unchecked, by feature; files from elsewhere must be text.
MAKERS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "KENLM": LANGUAGE_MODELS | {"smt train"},
        "PhraseDictionaryMemory": frozenset({"smt compact-table", "smt phrase-table"}),
        "LexicalReordering": frozenset({"smt compact-table", "smt phrase-table"}),
    }
)


@dataclass(frozen=True)
class NamedFile:
    """A file that a feature of a configuration names.

    `places` are its possible paths in the order of the search. `makers` are the commands whose binary output the feature may map.
    """

    feature: str
    name: str
    places: tuple[str, ...]
    makers: frozenset[str]


def configurations_of(line: CommandLine) -> tuple[str, ...]:
    """Names of the configurations that a step reads, as files of the job."""
    values, command = line.step.values, line.step.command
    if command == SYSTEM:
        untuned = values.get("untuned") == ("true",)
        return tuple(
            str(PurePosixPath(folder) / (UNTUNED_CONFIGURATION if untuned else TUNED_CONFIGURATION))
            for folder in values.get("system", ())
        )
    return tuple(str(PurePosixPath(value)) for value in values.get(CONFIGURATION_OPTIONS.get(command, ""), ()))


def named_files(raw: bytes, name: str) -> list[NamedFile]:
    """Files named by the configuration `name` with the content `raw`.

    InputError for content that is no configuration, is packed, or is larger than `LARGEST_CONFIGURATION`. InputError also for a
    name that no file of a job can have: an absolute path, a path with ``..``, or other characters.
    """
    if len(raw) > LARGEST_CONFIGURATION or raw.startswith(GZIP):
        detail = f"{name} is no configuration of a system: text of at most {LARGEST_CONFIGURATION} bytes, not packed"
        raise InputError("invalid-job", detail, (name,))
    return list(_named(raw, name))


def _named(raw: bytes, name: str) -> Iterator[NamedFile]:
    # Imported here, so that operations without configurations do not load the decoder.
    from app.smt.decoder.moses_ini import parse_moses_ini

    ini = parse_moses_ini(raw, Path(name))
    for feature, _, path in ini.written_files:
        yield _named_file(name, feature.name, path, MAKERS.get(feature.kind, frozenset()))
    if ini.written_weight_file is not None:
        yield _named_file(name, "[weight-file]", ini.written_weight_file, frozenset())


def _named_file(config: str, feature: str, name: str, makers: frozenset[str]) -> NamedFile:
    if not is_file_name(name):
        detail = f"{config}, {feature}: {name[:200]!r} is no name of a file of the job; paths are names below its folder"
        raise InputError("invalid-job", detail, (config, feature))
    folder = PurePosixPath(config).parent
    places = (name, f"{name}.gz", str(folder / name), str(folder / f"{name}.gz"))
    return NamedFile(feature, name, tuple(dict.fromkeys(places)), makers)


def place_of(file: NamedFile, config: str, files: Collection[str]) -> str:
    """The first of a file's places among `files`; InputError without one."""
    place = next((place for place in file.places if place in files), None)
    if place is None:
        detail = f"{config}, {file.feature}: {file.name} is no file of the job"
        raise InputError("invalid-job", detail, (config, file.feature))
    return place


def check_numbers(file: NamedFile, place: str, command: str | None, trusted: bool, head: Callable[[], bytes]) -> None:
    """Raise InputError for a binary file that no command of `file.makers` has written: mapping it would be unsafe."""
    if trusted or command in file.makers or is_text(head(), packed=True):
        return
    makers = ", ".join(sorted(file.makers))
    detail = f"{place} of {file.feature} is none that a step made ({makers}), nor text; others need the scope admin"
    raise InputError("forbidden", detail, (place, file.feature))


def writer_of_numbers(command: str | None, name: str) -> str | None:
    """The command that wrote a file, if a file of this name is binary output of the command; otherwise None."""
    return command if command is not None and name.endswith(NUMBERS.get(command, "")) else None


def is_text(head: bytes, packed: bool) -> bool:
    """Return True if a file with these first bytes is text, or gzip if `packed` (its reader accepts only text inside)."""
    return NUL not in head[:HEAD_BYTES] or (packed and head.startswith(GZIP))
