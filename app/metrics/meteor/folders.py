"""Folders of METEOR's tables: installed by the operator, named by anybody."""

import hashlib
import re
from functools import lru_cache
from pathlib import Path
from typing import Final

from app.errors import InputError
from app.metrics.files import metric_files

__all__ = ["FILES", "State", "checksum_of", "installed_folder", "read_tables", "state_of"]

# Folder of all tables, in that of the metrics' files; each folder in it is one set of tables.
FOLDER: Final = "meteor"
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
# Function words, stems, sets of synonyms, irregular forms, paraphrases.
FILES: Final = ("function.words", "stem.gz", "synonym.synsets", "synonym.exceptions", "paraphrase.gz")
# Names, sizes and times of files.
State = tuple[tuple[str, int, int], ...]


def read_tables(name: str) -> str | None:
    """Value of the option `tables`: None for ``no``, or an installed name; ValueError for other names."""
    if name == "no":
        return None
    if _folder(name) is None:
        raise ValueError(name)
    return name


def _folder(name: str) -> Path | None:
    """The folder of a set of tables. A name comes from anybody, so it is compared with names of folders and is no path."""
    folder = metric_files().path(FOLDER)
    paths = folder.iterdir() if folder is not None and NAME.fullmatch(name) else ()
    return next((path for path in paths if path.name == name and path.is_dir()), None)


def installed_folder(name: str) -> Path:
    """The folder of a set of tables; InputError if it is not installed."""
    folder = _folder(name)
    if folder is None:
        raise InputError("unknown-metric", f"METEOR's tables {name} are not in the folder {FOLDER} of ASSAY_METRIC_FILES")
    return folder


def checksum_of(name: str) -> str:
    """First 8 hexadecimal digits of the SHA-256 of all files of a set of tables."""
    folder = installed_folder(name)
    return _checksum(folder, state_of(folder))


def state_of(folder: Path) -> State:
    """State of the tables in a folder, by which a change is seen."""
    stats = [(name, (folder / name).stat()) for name in FILES if (folder / name).is_file()]
    return tuple((name, stat.st_size, stat.st_mtime_ns) for name, stat in stats)


@lru_cache(maxsize=64)
def _checksum(folder: Path, state: State) -> str:
    digest = hashlib.sha256()
    for name, size, _ in state:
        digest.update(f"{name} {size}\n".encode())
        with (folder / name).open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()[:8]
