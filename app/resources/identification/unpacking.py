"""py3langid's model, unpacked once and mapped from then on: its inflation takes a third of a second."""

import io
import lzma
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np

from app.running.kernel_caches import cache_folder

__all__ = ["unpacked_model"]

ARRAYS: Final = ("ptc", "pc", "classes", "nextmove", "nextmove_row", "out_feat")


def unpacked_model(path: Path) -> Mapping[str, Any]:
    """Arrays of the packed model by name.

    They are unpacked once beside the caches of kernels and mapped from then on, if the process may write there.
    """
    status = path.stat()
    folder = cache_folder() / f"{path.name}-{status.st_size}-{status.st_mtime_ns}"
    with suppress(OSError, ValueError):
        return {name: np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False) for name in ARRAYS}
    with lzma.open(path) as file, np.load(io.BytesIO(file.read()), allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in ARRAYS}
    with suppress(OSError):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder.parent) as scratch:
            # A folder of its own is open to other users, as caches of kernels are.
            staging = Path(scratch) / "arrays"
            staging.mkdir()
            for name, values in arrays.items():
                np.save(staging / f"{name}.npy", values, allow_pickle=False)
            # Renaming makes the folder appear complete or not at all.
            staging.rename(folder)
    return arrays
