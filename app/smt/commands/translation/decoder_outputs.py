"""Files that decoding writes, looked at before anything is translated."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from app.errors import InputError
from app.shell.declaration.files import check_file
from app.smt.decoder.moses_ini import MosesIni

__all__ = ["MOST_DERIVATIONS", "check_list_length", "check_outputs", "files_of"]

# More of a sentence are not looked at by anybody, and take the memory that others need.
MOST_DERIVATIONS: Final = 100_000


def check_list_length(count: int) -> None:
    """InputError where an n-best list cannot be as long as that."""
    if not 1 <= count <= MOST_DERIVATIONS:
        raise InputError("invalid-request", f"--n-best takes 1 to {MOST_DERIVATIONS:,} derivations", ("--n-best",))


def files_of(ini: MosesIni) -> list[Path]:
    """Tables and models that a configuration names."""
    return [*ini.files.values(), *([ini.weight_file] if ini.weight_file else [])]


def check_outputs(outputs: Mapping[str, Path | None], inputs: Iterable[Path]) -> None:
    """InputError where a file, by its option, cannot be written, is one that is read, or is another one that is written."""
    read = {path.resolve() for path in inputs}
    written: set[Path] = set()
    for option, path in outputs.items():
        if path is None:
            continue
        check_file(path, option)
        place = path.resolve()
        if place in read:
            raise InputError("invalid-request", f"{path} is read; name another file", (option,))
        if place in written:
            raise InputError("invalid-request", f"{path} is written already; name another file", (option,))
        written.add(place)
