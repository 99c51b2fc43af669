"""What a configuration may say where a server reads it: files of its own folder, and searches that end."""

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


def confined_configuration(path: Path, listed: Mapping[str, str]) -> MosesIni:
    """A configuration whose files are all in its folder and `listed` in the manifest there, with their whole paths.

    InputError where one leads anywhere else, even by a link, or is not listed, or where a search might not end soon.
    """
    # No file that it names is looked at before it is known where that is.
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InputError("invalid-table", f"{path.name} cannot be read: {error.strerror}") from None
    ini = parse_moses_ini(raw, path)
    check_served(ini)
    return replace(ini, features=tuple(_confined(ini.folder, feature, listed) for feature in ini.features))


def _confined(folder: Path, feature: FeatureLine, listed: Mapping[str, str]) -> FeatureLine:
    if "path" not in feature.parameters:
        return feature
    written = PurePosixPath(feature.parameters["path"])
    place = folder / written
    if written.is_absolute() or ".." in written.parts or not place.resolve().is_relative_to(folder.resolve()):
        raise InputError("invalid-table", f"the file of {feature.name} lies outside the system's folder; assay smt import packs it")
    if str(written) not in listed:
        raise InputError("invalid-table", f"the file of {feature.name} is not in {MANIFEST}; assay smt import packs it")
    return replace(feature, parameters=MappingProxyType({**feature.parameters, "path": str(place.absolute())}))


def check_served(ini: MosesIni) -> None:
    """InputError where a system cannot be served: its searches could take any time, or a table can only be read for each text."""
    limits = ini.limits
    if limits.stack > LARGEST_STACK:
        raise _refused(f"[stack] is {limits.stack}; a server keeps 1 to {LARGEST_STACK} hypotheses a stack")
    if not 0 <= limits.distortion <= LONGEST_JUMP:
        raise _refused(f"[distortion-limit] is {limits.distortion}; a server jumps 0 to {LONGEST_JUMP} words")
    if ini.written_weight_file is not None or ini.sparse_weights:
        raise _refused("it has weights of sparse features, which a server does not look at")
    for feature in ini.features:
        if feature.kind in SPARSE:
            raise _refused(f"{feature.name} is a sparse feature, which a server does not look at")
        if feature.kind == "PhraseDictionaryMemory":
            table_limit = feature.number("table-limit", 20)
            if not 1 <= table_limit <= LARGEST_TABLE_LIMIT:
                raise _refused(f"table-limit={table_limit} of {feature.name}; a server looks at 1 to {LARGEST_TABLE_LIMIT}")
        elif feature.kind == "LexicalReordering" and reordering_type(feature.parameters.get("type", "")).of_source:
            raise _refused(f"{feature.name} has scores of source phrases alone, which no compact table has")


def check_mapped(files: OpenedFiles) -> None:
    """InputError where a table is not compact: all of it would be read for each text."""
    for file in (*files.tables, *files.orders):
        if isinstance(file, Path):
            detail = f"{file.name} is no compact table, which a server needs; assay smt import packs it"
            raise InputError("invalid-table", detail, (file.name,))


def _refused(detail: str) -> InputError:
    return InputError("invalid-request", detail)
