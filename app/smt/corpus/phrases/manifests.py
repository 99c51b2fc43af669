"""Manifests beside extracted phrases and tables: inputs, options, counts and checksums."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from app.resources.manifest import Manifest, checksum, read_manifest, write_manifest

__all__ = ["EXTRACT_MANIFEST", "SENTENCES", "TABLE_MANIFEST", "extracted_sentences", "listed_files", "write_folder_manifest"]

# One folder may have both.
EXTRACT_MANIFEST: Final = "extract.json"
TABLE_MANIFEST: Final = "phrase-table.json"
SENTENCES: Final = "sentences"


def write_folder_manifest(
    folder: Path, name: str, description: str, command: Sequence[str], inputs: Iterable[Path], statistics: Mapping[str, int]
) -> None:
    """Write the manifest of all files of a folder. It names an input by the last two parts of its path.

    Pipes are left out, since nobody can read them again.
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


def listed_files(folder: Path, name: str) -> list[str]:
    """Existing files of a folder that its manifest lists; none without a manifest. InputError if it is unreadable."""
    if not (folder / name).is_file():
        return []
    checksums = read_manifest(folder, name).files
    # A name with a path out of the folder matches no file of the folder.
    return [path.name for path in folder.iterdir() if path.name in checksums and path.is_file()]


def extracted_sentences(pairs: Path) -> int | None:
    """Number of sentence pairs of a file of extracted phrase pairs, from the manifest beside it.

    None without a manifest, or if its checksum differs, as of a sorted or merged file. InputError if the manifest is unreadable.
    """
    if not (pairs.parent / EXTRACT_MANIFEST).is_file():
        return None
    manifest = read_manifest(pairs.parent, EXTRACT_MANIFEST)
    number = manifest.statistics.get(SENTENCES)
    return number if isinstance(number, int) and manifest.files.get(pairs.name) == checksum(pairs) else None
