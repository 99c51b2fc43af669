"""Manifests beside extracted phrases and tables: what they were made of, by which options, how many there are, checksums."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from app.resources.manifest import Manifest, checksum, read_manifest, write_manifest

__all__ = ["EXTRACT_MANIFEST", "SENTENCES", "TABLE_MANIFEST", "extracted_sentences", "files_made", "write_made"]

# Both may be in one folder.
EXTRACT_MANIFEST: Final = "extract.json"
TABLE_MANIFEST: Final = "phrase-table.json"
SENTENCES: Final = "sentences"


def write_made(
    folder: Path, name: str, description: str, command: Sequence[str], inputs: Iterable[Path], statistics: Mapping[str, int]
) -> None:
    """Write the manifest of all that is in a folder so far. Inputs are named by the last two parts of their paths, and what is
    no file, as a pipe, is not among them, since it cannot be read again.
    """
    manifest = Manifest(
        name=name.removesuffix(".json"),
        description=description,
        command=shlex.join(command),
        licence="that of the text",
        inputs={"/".join(path.parts[-2:]): checksum(path) for path in inputs if path.is_file()},
        files={path.name: checksum(path) for path in sorted(folder.iterdir())},
        statistics=statistics,
    )
    write_manifest(folder, manifest, name)


def files_made(folder: Path, name: str) -> list[str]:
    """The files that a manifest in a folder lists and that are there; none without it. InputError where it cannot be read."""
    if not (folder / name).is_file():
        return []
    listed = read_manifest(folder, name).files
    # A name that leads out of the folder is none of those that are in it.
    return [path.name for path in folder.iterdir() if path.name in listed and path.is_file()]


def extracted_sentences(pairs: Path) -> int | None:
    """Of how many sentence pairs a file of extracted pairs is, by the manifest beside it; None where there is none, or where it
    is of another file, as when that was sorted or merged.

    InputError where there is something else of the name.
    """
    if not (pairs.parent / EXTRACT_MANIFEST).is_file():
        return None
    manifest = read_manifest(pairs.parent, EXTRACT_MANIFEST)
    number = manifest.statistics.get(SENTENCES)
    return number if isinstance(number, int) and manifest.files.get(pairs.name) == checksum(pairs) else None
