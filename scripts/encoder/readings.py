"""Add readings of the cross-encoder to the shipped training rows: ``python -m scripts.encoder.readings FOLDER DATA``.

The networks of both halves read each training row that they have not seen, since readings of seen rows are too good. FOLDER has
half-0.safetensors and half-1.safetensors of ``python -m scripts.encoder``. It needs PyTorch and onnx.
"""

import argparse
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np

from app.predictors.cross_encoder import load_cross_encoder
from app.registry.rows import ROWS_FILE, write_columns
from app.settings import Settings
from scripts.encoder.rows import shipped_pairs
from scripts.encoder.shipping import write_network
from scripts.encoder.split_readings import READING_NAMES, agreement, read_split
from scripts.mlqe_pe.cross_fitting import folds_of
from scripts.mlqe_pe.everything import Split, describe_rows, language_pairs, split_of

__all__ = ["HALVES"]

HALVES: Final = ("half-0", "half-1")


def write_readings(train: Split, networks: Sequence[Path], rows_folder: Path) -> str:
    """Add the readings to the rows of a pair. The network number k was trained on the half number k of the sources."""
    fold = folds_of(train.column("source"), len(networks))
    values = np.empty((len(fold), len(READING_NAMES)))
    for half, folder in enumerate(networks):
        half_rows = np.flatnonzero(fold != half)
        values[half_rows] = read_split(train, load_cross_encoder(folder), half_rows.tolist())
    features = write_columns(rows_folder / ROWS_FILE, READING_NAMES, values)
    describe_rows(rows_folder, features, len(values), train)
    return agreement(train, values)


def main() -> None:
    """Read the command line and write."""
    parser = argparse.ArgumentParser(prog="python -m scripts.encoder.readings", description=__doc__)
    parser.add_argument("folder", type=Path, help="folder with the weights of both halves")
    parser.add_argument("data", type=Path, help="folder of the training")
    parser.add_argument("--models", type=Path, default=Settings().models_dir, help="folder with the rows")
    arguments = parser.parse_args()
    data, pairs = language_pairs(arguments.data)
    with TemporaryDirectory() as scratch, ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        networks = [Path(scratch) / half for half in HALVES]
        for folder in networks:
            write_network(arguments.folder / f"{folder.name}.safetensors", folder, shipped_pairs(arguments.data))
        rows_of = {pair: arguments.models / f"{pair}-rows" for pair in pairs}
        jobs = [pool.submit(write_readings, split_of(data, pair, "train"), networks, rows) for pair, rows in rows_of.items()]
        for job in jobs:
            print(job.result(), flush=True)


if __name__ == "__main__":
    main()
