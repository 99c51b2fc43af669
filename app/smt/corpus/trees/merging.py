"""Several extractions as one: their pairs one after the other, from which tables are estimated as if from one."""

import shutil
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path

from app.building.writing import check_apart, check_new, written_aside
from app.errors import InputError
from app.smt.corpus.phrases.extraction import EXTRACT, EXTRACT_INVERSE, EXTRACT_ORIENTATION
from app.smt.corpus.phrases.lexical import LEXICAL_E2F, LEXICAL_F2E
from app.smt.corpus.phrases.manifests import EXTRACT_MANIFEST, write_made
from app.smt.corpus.phrases.scoring.extract_files import ExtractFiles

__all__ = ["merge_extractions", "subsets_of"]


def subsets_of(names: Mapping[str, Path]) -> list[tuple[str, ...]]:
    """All choices of one name or more, small ones first."""
    return [chosen for size in range(1, len(names) + 1) for chosen in combinations(names, size)]


def merge_extractions(folders: Mapping[str, Path], out: Path, replace: bool = False, subsets: bool = False) -> list[Path]:
    """Write the pairs of all folders into one, or of every subset into a folder of `out` that has their names joined by ``+``.

    A pair of several extractions counts as often as all of them have it. `extract.gz` is needed, sorted or not; `extract.inv.gz` is
    written if all have it, orientations if all have them of the same models, lexical tables are the first folder's. InputError
    where only some have orientations, or where a folder holds no extraction; nothing is written then.
    """
    files = {name: ExtractFiles.of(folder) for name, folder in folders.items()}
    if len({extracted.units for extracted in files.values()}) > 1:
        detail = "orientations are of other models, or missing, in some of the folders"
        raise InputError("invalid-request", detail, ("--orientation",))
    chosen = subsets_of(folders) if subsets else [tuple(folders)]
    targets = {names: out / "+".join(names) if subsets else out for names in chosen}
    written = [EXTRACT, EXTRACT_INVERSE, EXTRACT_ORIENTATION, EXTRACT_MANIFEST, LEXICAL_E2F, LEXICAL_F2E]
    for target in targets.values():
        check_apart([folder / name for folder in folders.values() for name in written], [target / name for name in written])
    if not replace:
        for target in targets.values():
            check_new(target, written)
    for names, target in targets.items():
        with written_aside(target, replace) as aside:
            _join([files[name].pairs for name in names], aside / EXTRACT)
            _join([folders[name] / EXTRACT_INVERSE for name in names], aside / EXTRACT_INVERSE)
            _join([path for name in names if (path := files[name].orientations)], aside / EXTRACT_ORIENTATION)
            for table in (LEXICAL_E2F, LEXICAL_F2E):
                _join([folders[names[0]] / table], aside / table)
            command = ["assay", "merge-extracts", *(f"{name}={folders[name].name}" for name in names)]
            inputs = [files[name].pairs for name in names]
            write_made(aside, EXTRACT_MANIFEST, "pairs of several extractions", command, inputs, {"extractions": len(names)})
    return list(targets.values())


def _join(paths: list[Path], out: Path) -> None:
    """Gzip files one after the other are one; nothing where one is not there."""
    if not paths or not all(path.is_file() for path in paths):
        return
    with out.open("wb") as joined:
        for path in paths:
            with path.open("rb") as file:
                shutil.copyfileobj(file, joined, 1 << 20)
