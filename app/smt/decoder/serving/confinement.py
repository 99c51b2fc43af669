"""Limits of configurations for a server: files within the system's folder, and searches that end."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Final

from app.errors import InputError
from app.resources.manifest import MANIFEST
from app.smt.decoder.moses_ini import SPARSE, FeatureLine, MosesIni, parse_moses_ini
from app.smt.decoder.opened_files import OpenedFiles
from app.smt.decoder.reordering import reordering_type

__all__ = ["check_mapped", "check_served", "confined_configuration"]

# A search takes time in proportion to each of these.
LARGEST_STACK: Final = 1000
LONGEST_JUMP: Final = 20
LARGEST_TABLE_LIMIT: Final = 100


def confined_configuration(path: Path, listed_files: Mapping[str, str]) -> MosesIni:
    """Read a configuration whose files are in its folder and in `listed_files` of the manifest; paths become absolute.

    InputError if a path leads elsewhere, even by a link, or is not listed, or if a search might not end soon.
    """
    # Paths are checked before any file behind them is opened.
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InputError("invalid-table", f"{path.name} cannot be read: {error.strerror}") from None
    ini = parse_moses_ini(raw, path)
    check_served(ini)
    return replace(ini, features=tuple(_confined(ini.folder, feature, listed_files) for feature in ini.features))


def _confined(folder: Path, feature: FeatureLine, listed_files: Mapping[str, str]) -> FeatureLine:
    if "path" not in feature.parameters:
        return feature
    relative_path = PurePosixPath(feature.parameters["path"])
    path = folder / relative_path
    if relative_path.is_absolute() or ".." in relative_path.parts or not path.resolve().is_relative_to(folder.resolve()):
        raise InputError(
            "invalid-table", f"the file of {feature.name} lies outside the system's folder; pack the system with assay smt import"
        )
    if str(relative_path) not in listed_files:
        raise InputError("invalid-table", f"the file of {feature.name} is not in {MANIFEST}; pack the system with assay smt import")
    return replace(feature, parameters=MappingProxyType({**feature.parameters, "path": str(path.absolute())}))


def check_served(ini: MosesIni) -> None:
    """Raise InputError if a system cannot be served: its searches are unlimited, or a feature needs the text tables."""
    limits = ini.limits
    if limits.stack > LARGEST_STACK:
        raise _refused(f"[stack] is {limits.stack}; a server allows 1 to {LARGEST_STACK}; lower it")
    if not 0 <= limits.distortion <= LONGEST_JUMP:
        raise _refused(f"[distortion-limit] is {limits.distortion}; a server allows 0 to {LONGEST_JUMP} words; lower it")
    if ini.written_weight_file is not None or ini.sparse_weights:
        raise _refused("the configuration has weights of sparse features, which a server cannot use; remove them")
    for feature in ini.features:
        if feature.kind in SPARSE:
            raise _refused(f"{feature.name} is a sparse feature, which a server cannot use; remove it")
        if feature.kind == "PhraseDictionaryMemory":
            table_limit = feature.number("table-limit", 20)
            if not 1 <= table_limit <= LARGEST_TABLE_LIMIT:
                raise _refused(f"table-limit={table_limit} of {feature.name}; a server allows 1 to {LARGEST_TABLE_LIMIT}")
        elif feature.kind == "LexicalReordering" and reordering_type(feature.parameters.get("type", "")).of_source:
            raise _refused(f"{feature.name} scores source phrases alone, which compact tables cannot; use a type with -fe")


def check_mapped(files: OpenedFiles) -> None:
    """Raise InputError if a table is not compact; the server would read all of it for each text."""
    for file in (*files.tables, *files.orders):
        if isinstance(file, Path):
            detail = f"{file.name} is no compact table, which a server needs; pack the system with assay smt import"
            raise InputError("invalid-table", detail, (file.name,))


def _refused(detail: str) -> InputError:
    return InputError("invalid-request", detail)
