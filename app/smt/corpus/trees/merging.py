"""Merging of extractions: concatenated pairs, for phrase tables of several extractions."""

import shutil
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path

from app.building.writing import check_apart, check_new, folder_aside
from app.errors import InputError
from app.smt.corpus.phrases.extraction import EXTRACT, EXTRACT_INVERSE, EXTRACT_ORIENTATION
from app.smt.corpus.phrases.lexical import LEXICAL_E2F, LEXICAL_F2E
from app.smt.corpus.phrases.manifests import EXTRACT_MANIFEST, write_folder_manifest
from app.smt.corpus.phrases.scoring.extract_files import ExtractFiles

__all__ = ["merge_extractions", "subsets_of"]


def subsets_of(names: Mapping[str, Path]) -> list[tuple[str, ...]]:
    """Nonempty subsets of names, small ones first."""
    return [subset for size in range(1, len(names) + 1) for subset in combinations(names, size)]


def merge_extractions(folders: Mapping[str, Path], out: Path, replace: bool = False, subsets: bool = False) -> list[Path]:
    """Write the pairs of all folders into `out`; with `subsets`, those of each subset into a subfolder, its names joined by ``+``.

    Counts of a pair add up over extractions. Each folder needs `extract.gz`, sorted or not. `extract.inv.gz` and orientations are
    merged if all folders have them; lexical tables come from the first folder. InputError for folders with different models of
    orientations, or without an extraction; nothing is written then.
    """
    files = {name: ExtractFiles.of(folder) for name, folder in folders.items()}
    if len({extract.units for extract in files.values()}) > 1:
        detail = "some folders lack orientations, or have those of other models"
        raise InputError("invalid-request", detail, ("--orientation",))
    groups = subsets_of(folders) if subsets else [tuple(folders)]
    targets = {names: out / "+".join(names) if subsets else out for names in groups}
    output_names = [EXTRACT, EXTRACT_INVERSE, EXTRACT_ORIENTATION, EXTRACT_MANIFEST, LEXICAL_E2F, LEXICAL_F2E]
    for target in targets.values():
        check_apart(
            [folder / name for folder in folders.values() for name in output_names], [target / name for name in output_names]
        )
    if not replace:
        for target in targets.values():
            check_new(target, output_names)
    for names, target in targets.items():
        with folder_aside(target, replace) as temporary:
            _join([files[name].pairs for name in names], temporary / EXTRACT)
            _join([folders[name] / EXTRACT_INVERSE for name in names], temporary / EXTRACT_INVERSE)
            _join([path for name in names if (path := files[name].orientations)], temporary / EXTRACT_ORIENTATION)
            for table in (LEXICAL_E2F, LEXICAL_F2E):
                _join([folders[names[0]] / table], temporary / table)
            command = ["assay", "smt", "merge-extracts", *(f"{name}={folders[name].name}" for name in names)]
            inputs = [files[name].pairs for name in names]
            statistics = {"extractions": len(names)}
            write_folder_manifest(temporary, EXTRACT_MANIFEST, "pairs of several extractions", command, inputs, statistics)
    return list(targets.values())


def _join(paths: list[Path], out: Path) -> None:
    """Concatenate gzip files, which makes a valid gzip file; write nothing if a file is missing."""
    if not paths or not all(path.is_file() for path in paths):
        return
    with out.open("wb") as output:
        for path in paths:
            with path.open("rb") as file:
                shutil.copyfileobj(file, output, 1 << 20)
