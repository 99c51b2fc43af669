"""Write readings of networks that have not seen a row's pair: ``python -m scripts.encoder.unseen_pairs FOLDER DATA``.

Predictors for any pair learn from them. FOLDER has without-0.safetensors to without-2.safetensors of ``python -m scripts.encoder``,
which left out a group of pairs each. It needs PyTorch and onnx.
"""

import argparse
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from app.predictors.cross_encoder import load_cross_encoder
from app.settings import Settings
from scripts.encoder.groups import GROUPS
from scripts.encoder.rows import shipped_pairs
from scripts.encoder.shipping import write_network
from scripts.encoder.split_readings import agreement, read_split
from scripts.encoder.unseen_file import PARTS, UNSEEN_FILE
from scripts.mlqe_pe.everything import Split, language_pairs, split_of

__all__ = ["write_unseen"]


def write_unseen(splits: Sequence[Split], network: Path, path: Path) -> str:
    """Write the readings of a pair's training and dev rows by a network without the pair."""
    reader = load_cross_encoder(network)
    # Each of its pairs is unknown, as a new pair is in answers.
    reader = replace(reader, card=replace(reader.card, pairs=tuple(f"pair-{number}" for number in range(len(reader.card.pairs)))))
    columns = [read_split(split, reader) for split in splits]
    # Half precision, and columns that put similar numbers together.
    arrays: dict[str, Any] = {part: values.T.astype(np.float16) for part, values in zip(PARTS, columns, strict=True)}
    np.savez_compressed(path, **arrays)
    return agreement(splits[-1], columns[-1])


def main() -> None:
    """Read the command line and write."""
    parser = argparse.ArgumentParser(prog="python -m scripts.encoder.unseen_pairs", description=__doc__)
    parser.add_argument("folder", type=Path, help="folder with the weights of the three networks")
    parser.add_argument("data", type=Path, help="folder of the training")
    parser.add_argument("--models", type=Path, default=Settings().models_dir, help="folder with the rows")
    arguments = parser.parse_args()
    data, pairs = language_pairs(arguments.data)
    with TemporaryDirectory() as scratch, ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        jobs = []
        for number, group in enumerate(GROUPS):
            network = Path(scratch) / f"without-{number}"
            write_network(arguments.folder / f"{network.name}.safetensors", network, shipped_pairs(arguments.data))
            for pair in pairs:
                if str(pair) in group:
                    splits = [split_of(data, pair, part) for part in PARTS]
                    jobs.append(pool.submit(write_unseen, splits, network, arguments.models / f"{pair}-rows" / UNSEEN_FILE))
        for job in jobs:
            print(job.result(), flush=True)


if __name__ == "__main__":
    main()
