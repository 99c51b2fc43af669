"""The network: a window of target words attends to source words and predicts the next word.

Attention over source windows is as in Rush, Chopra and Weston 2015, the target window as in Devlin et al. 2014. Every step is a
matrix product over a batch; derivatives are explicit.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from app.arrays import Bools, Int64s, UInt64s
from app.text.batch import TokenColumn

__all__ = [
    "EDGE",
    "SPECIAL",
    "UNKNOWN",
    "Floats",
    "ForwardValues",
    "Gradients",
    "PairBatch",
    "backward",
    "forward",
    "initial",
    "log_probs_of",
    "numbers_of",
    "pack",
]

Floats = NDArray[np.floating[Any]]
Gradients = dict[str, Any]
# Number 0 pads the begin of a target text; 2 is its end, and the edge of a source.
UNKNOWN, EDGE, SPECIAL = 1, 2, 3
HISTORY: Final = 3
# Largest distance between source and target positions; farther ones share a weight.
FARTHEST: Final = 10


@dataclass(frozen=True, eq=False)
class PairBatch:
    """B pairs: `source` (B, J + 2) with edges, `target` (B, I + 3) with begin padding, and masks of words and ends."""

    source: Int64s
    source_mask: Bools
    target: Int64s
    target_mask: Bools

    @property
    def next_words(self) -> Int64s:
        """Words to predict, in order; (m,)."""
        return np.asarray(self.target[:, HISTORY:].ravel()[self.rows])

    @property
    def rows(self) -> Int64s:
        """Positions of the words to predict in the flattened (B, I)."""
        return np.flatnonzero(self.target_mask.ravel())


@dataclass(frozen=True, eq=False)
class ForwardValues:
    """Values of a forward pass, for its derivatives: `hidden` (m, H) predicts the m words, from `sums` (m, H) of `inputs`."""

    batch: PairBatch
    hidden: Floats
    sums: Floats
    inputs: Floats
    cache: Mapping[str, Any]


def numbers_of(column: TokenColumn, words: UInt64s) -> Int64s:
    """Return the number of each token among `words`, ascending hashes; (tokens,)."""
    hashes = column.hashes
    at = np.minimum(np.searchsorted(words, hashes), max(len(words) - 1, 0))
    known_mask = words[at] == hashes if len(words) else np.zeros(len(hashes), np.bool_)
    return np.asarray(np.where(known_mask, at + SPECIAL, UNKNOWN)[column.ids], np.int64)


def log_probs_of(weights: Mapping[str, Floats], hidden: Floats, words: Int64s) -> Floats:
    """Return the natural log-probability of each of `words` (m,) by its hidden values (m, H); (m,)."""
    logits = hidden @ weights["output"].T + weights["output0"]
    highest = logits.max(1)
    sums = highest + np.log(np.exp(logits - highest[:, None]).sum(1))
    return np.asarray(logits[np.arange(len(words)), words] - sums)


def pack(sources: list[list[int]], targets: list[list[int]]) -> PairBatch:
    """Pack pairs of numbered words into a batch."""
    count = len(sources)
    most_source, most_target = max(1, *map(len, sources)), max(map(len, targets)) + 1
    source, target = np.full((count, most_source + 2), EDGE), np.zeros((count, most_target + HISTORY), np.int64)
    source_mask, target_mask = np.zeros((count, most_source), np.bool_), np.zeros((count, most_target), np.bool_)
    for row, (words, following) in enumerate(zip(sources, targets, strict=True)):
        source[row, 1 : len(words) + 1] = words
        # An empty source becomes one edge.
        source_mask[row, : max(len(words), 1)] = True
        target[row, HISTORY : HISTORY + len(following)] = following
        target[row, HISTORY + len(following)] = EDGE
        target_mask[row, : len(following) + 1] = True
    return PairBatch(source, source_mask, target, target_mask)


def initial(words: tuple[int, int], width: int, key: int, hidden: int, rng: np.random.Generator) -> dict[str, Floats]:
    """Return initial weights, in single precision."""

    def normal(*shape: int, spread: float | None = None) -> Floats:
        scale = 1 / np.sqrt(shape[0]) if spread is None else spread
        return (rng.normal(size=shape) * scale).astype(np.float32)

    return {
        "source": normal(words[0], width, spread=0.1),
        "target": normal(words[1], width, spread=0.1),
        "keys": normal(3 * width, key),
        "keys0": np.zeros(key, np.float32),
        "queries": normal(HISTORY * width, key),
        "queries0": np.zeros(key, np.float32),
        "meeting": normal(key, key),
        "distances": np.zeros(2 * FARTHEST + 1, np.float32),
        "hidden": normal(2 * key, hidden),
        "hidden0": np.zeros(hidden, np.float32),
        "output": normal(words[1], hidden, spread=0.05),
        "output0": np.zeros(words[1], np.float32),
    }


def forward(
    weights: Mapping[str, Floats], batch: PairBatch, dropout: float = 0.0, rng: np.random.Generator | None = None
) -> ForwardValues:
    """Return hidden values of every word to predict; `rng` drops a share `dropout` of them and of the inputs."""
    (count, places), length = batch.source_mask.shape, batch.target_mask.shape[1]
    source_ids = np.stack([batch.source[:, :-2], batch.source[:, 1:-1], batch.source[:, 2:]], -1)
    target_ids = np.stack([batch.target[:, 2 - k : 2 - k + length] for k in range(HISTORY)], -1)
    source_vectors = weights["source"][source_ids].reshape(count, places, -1)
    history = weights["target"][target_ids].reshape(count, length, -1)
    source_vector_mask, history_mask = _mask(source_vectors, dropout / 2, rng), _mask(history, dropout / 2, rng)
    source_vectors, history = source_vectors * source_vector_mask, history * history_mask
    keys = np.tanh(source_vectors @ weights["keys"] + weights["keys0"])
    queries = np.tanh(history @ weights["queries"] + weights["queries0"])
    projected_queries = queries @ weights["meeting"]
    distances = np.clip(np.arange(places)[None] - np.arange(length)[:, None], -FARTHEST, FARTHEST) + FARTHEST
    fits = projected_queries @ keys.transpose(0, 2, 1) + weights["distances"][distances]
    fits = np.where(batch.source_mask[:, None, :], fits, np.float32(-1e9))
    shares = np.exp(fits - fits.max(-1, keepdims=True))
    shares /= shares.sum(-1, keepdims=True)
    inputs = np.concatenate([queries, shares @ keys], -1).reshape(count * length, -1)[batch.rows]
    sums = inputs @ weights["hidden"] + weights["hidden0"]
    hidden = np.maximum(sums, 0)
    hidden_mask = _mask(hidden, dropout, rng)
    cache = {
        "source_ids": source_ids, "target_ids": target_ids, "source": source_vectors,
        "history": history, "keys": keys, "queries": queries,
        "projected_queries": projected_queries, "distances": distances, "shares": shares,
        "source_mask": source_vector_mask, "history_mask": history_mask, "hidden_mask": hidden_mask,
    }  # fmt: skip
    return ForwardValues(batch, hidden * hidden_mask, sums, inputs, cache)


def backward(weights: Mapping[str, Floats], values: ForwardValues, slopes: Floats) -> Gradients:
    """Return derivatives by all weights but the output's; `slopes` are the derivatives by hidden values.

    Derivatives of word vectors are pairs: word numbers and rows.
    """
    cache, batch = values.cache, values.batch
    count, length = batch.target_mask.shape
    width = cache["queries"].shape[2]
    through = slopes * cache["hidden_mask"] * (values.sums > 0)
    out: Gradients = {"hidden": values.inputs.T @ through, "hidden0": through.sum(0)}
    input_slopes = np.zeros((count * length, 2 * width), through.dtype)
    input_slopes[batch.rows] = through @ weights["hidden"].T
    by_query, by_context = (
        input_slopes.reshape(count, length, -1)[..., :width].copy(),
        input_slopes.reshape(count, length, -1)[..., width:],
    )
    by_key = cache["shares"].transpose(0, 2, 1) @ by_context
    by_share = by_context @ cache["keys"].transpose(0, 2, 1)
    by_fit = cache["shares"] * (by_share - (by_share * cache["shares"]).sum(-1, keepdims=True))
    distances = np.bincount(cache["distances"].ravel(), by_fit.sum(0).ravel(), 2 * FARTHEST + 1)
    out["distances"] = distances.astype(through.dtype)
    query_slopes = by_fit @ cache["keys"]
    by_key += by_fit.transpose(0, 2, 1) @ cache["projected_queries"]
    out["meeting"] = cache["queries"].reshape(-1, width).T @ query_slopes.reshape(-1, width)
    by_query += query_slopes @ weights["meeting"].T
    by_query *= 1 - cache["queries"] ** 2
    by_key *= 1 - cache["keys"] ** 2
    sides = (("queries", by_query, "history", "target"), ("keys", by_key, "source", "source"))
    for name, slope, inputs, side in sides:
        flat, rows = slope.reshape(-1, width), cache[inputs]
        out[name], out[f"{name}0"] = rows.reshape(len(flat), -1).T @ flat, flat.sum(0)
        by_input = (flat @ weights[name].T).reshape(rows.shape) * cache[f"{inputs}_mask"]
        out[side] = _by_words(cache[f"{side}_ids"].ravel(), by_input.reshape(-1, weights[side].shape[1]))
    return out


def _mask(values: Floats, dropout: float, rng: np.random.Generator | None) -> Any:
    if not dropout or rng is None:
        return np.float32(1)
    return ((rng.random(values.shape, dtype=np.float32) > dropout) / (1 - dropout)).astype(np.float32)


def _by_words(ids: Int64s, slopes: Floats) -> tuple[Int64s, Floats]:
    words, place = np.unique(ids, return_inverse=True)
    indicator = csr_matrix((np.ones(len(place), slopes.dtype), (place, np.arange(len(place)))))
    return words, np.asarray(indicator @ slopes)
