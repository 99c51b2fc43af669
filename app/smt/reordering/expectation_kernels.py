"""Expected counts of rules over all trees of aligned sentences, in compiled code (thesis, section 3.3.2; digest 2.10).

A sentence has the nodes of its flat tree, children before parents. A chain of one binary operator stands for all its bracketings;
each of its spans is summed over once. Words, nodes and spans of each size are scaled to a largest value of 1, so that long
sentences of rare words do not underflow.
"""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int64s

__all__ = ["expect"]

BINARY = 2


@njit(cache=True, nogil=True)
def _times(rows: Float64s, symbol: int, slot: int, vector: Float64s, out: Float64s) -> None:
    """Product of a block of the rules, which stand by symbols here, and a vector over symbols.

    The inner loop runs over slots, each with its own sum: it is fast without a new order of the terms.
    """
    out[:] = 0.0
    for t in range(len(vector)):
        value = vector[t]
        for k in range(len(out)):
            out[k] += value * rows[symbol + t, slot + k]


@njit(cache=True, nogil=True)
def _spread(
    matrix: Float64s, row: int, column: int, weights: Float64s, inside: Float64s, outside: Float64s, counts: Float64s
) -> None:
    """Add a slot's outside values to those of a symbol below, and their products with its inside values to the counts."""
    for k in range(len(weights)):
        weight = weights[k]
        if weight > 0:
            for t in range(len(inside)):
                outside[t] += weight * matrix[row + k, column + t]
                counts[row + k, column + t] += weight * inside[t]


@njit(cache=True, nogil=True)
def _unit(
    child: int, slot: int, out: Float64s, labels: Int64s, inside: Float64s, rows: Float64s, emissions: Float64s, peaks: Float64s,
    symbols: Int64s, splits: Int64s,
) -> None:  # fmt: skip
    """Values of the slots from `slot` on over a word (-1 - its number) or a node."""
    if child < 0:
        out[:] = emissions[-1 - child, slot : slot + len(out)] / peaks[-1 - child]
    else:
        label = labels[child]
        _times(rows, symbols[label], slot, inside[child, : splits[label]], out)


@njit(cache=True, nogil=True)
def _chain(
    table: Float64s, values: Float64s, factors: Float64s, slot: int, symbol: int, rows: Float64s, width: int
) -> float:  # fmt: skip
    """Inside values of the spans of a chain, those of each size divided by the largest; the logarithm of the whole's divisor.

    `values` has the values of both children's slots, set for single units. `factors[size, first]` are set: they take the scales of
    a first child of `first` units and of a second child of the others to that of their span.
    """
    splits = table.shape[2]
    scales = np.zeros(width + 1)
    for size in range(2, width + 1):
        highest = -np.inf
        for first in range(1, size):
            highest = max(highest, scales[first] + scales[size - first])
        for first in range(1, size):
            factors[size, first] = np.exp(scales[first] + scales[size - first] - highest)
        peak = 0.0
        for p in range(width - size + 1):
            q = p + size
            cell = table[p, q]
            cell[:] = 0.0
            for r in range(p + 1, q):
                factor = factors[size, r - p]
                for k in range(splits):
                    cell[k] += factor * values[0, p, r, k] * values[1, r, q, k]
            peak = max(peak, cell.max())
        if peak == 0:
            continue
        scales[size] = highest + np.log(peak)
        factors[size] /= peak
        for p in range(width - size + 1):
            q = p + size
            cell = table[p, q]
            cell /= peak
            # A span at the begin of the chain is never a second child, one at its end never a first one.
            if q < width:
                _times(rows, symbol, slot, cell, values[0, p, q])
            if p > 0:
                _times(rows, symbol, slot + splits, cell, values[1, p, q])
    return float(scales[width])


@njit(cache=True, nogil=True)
def _chain_outside(
    table: Float64s, values: Float64s, factors: Float64s, above: Float64s, weights: Float64s, slot: int, symbol: int,
    rules: Float64s, counts: Float64s, width: int,
) -> None:  # fmt: skip
    """Outside values of both slots of each span, `weights`, from those of the whole chain in `above[0, width]`."""
    splits = table.shape[2]
    for size in range(width, 1, -1):
        for p in range(width - size + 1):
            q = p + size
            cell = above[p, q]
            if size < width:
                cell[:] = 0.0
                _spread(rules, slot, symbol, weights[0, p, q], table[p, q], cell, counts)
                _spread(rules, slot + splits, symbol, weights[1, p, q], table[p, q], cell, counts)
            for r in range(p + 1, q):
                factor = factors[size, r - p]
                for k in range(splits):
                    weights[0, p, r, k] += factor * cell[k] * values[1, r, q, k]
                    weights[1, r, q, k] += factor * cell[k] * values[0, p, r, k]


@njit(cache=True, nogil=True)
def expect(
    sentences: Int64s, nodes: Int64s, labels: Int64s, offsets: Int64s, children: Int64s, roots: Float64s, rules: Float64s,
    emissions: Float64s, splits: Int64s, symbols: Int64s, slots: Int64s, root_counts: Float64s, rule_counts: Float64s,
    emission_counts: Float64s,
) -> Float64s:  # fmt: skip
    """Log-probabilities of sentences, -inf if no tree has any; the expected uses of rules are added to the counts.

    Sentence s has the nodes `nodes[s]` to `nodes[s + 1] - 1`; node i has the children `children[offsets[i] : offsets[i + 1]]`,
    counted within its sentence. Rules have the shape (slots, symbols), emissions (words, slots). Counts of rules and of emissions
    still lack the factor of their own probability, which is common to all uses.
    """
    logs = np.empty(len(sentences))
    rows = np.ascontiguousarray(rules.T)
    peaks = np.ones(len(emissions))
    for word in range(len(emissions)):
        peak = emissions[word].max()
        if peak > 0:
            peaks[word] = peak
    for number in range(len(sentences)):
        begin, stop = nodes[sentences[number]], nodes[sentences[number] + 1]
        total = stop - begin
        kinds = labels[begin:stop]
        inside, outside, scales = np.zeros((total, splits.max())), np.zeros((total, splits.max())), np.ones(total)
        size = 0
        for i in range(total):
            width = offsets[begin + i + 1] - offsets[begin + i]
            size = max(size, width)
        # Tables of the chains, of all nodes one after the other.
        starts = np.zeros(total + 1, np.int64)
        for i in range(total):
            width = offsets[begin + i + 1] - offsets[begin + i]
            starts[i + 1] = starts[i] + ((width + 1) ** 2 if kinds[i] < BINARY else width) * splits[kinds[i]]
        tables, values = np.zeros(starts[total]), np.zeros(2 * starts[total])
        # A span without a tree keeps its scale, so that factors of all spans are numbers.
        chain_factors = np.ones((total, size + 1, size + 1))
        log = 0.0
        for i in range(total):
            label = kinds[i]
            slot, split = slots[label], splits[label]
            units = children[offsets[begin + i] : offsets[begin + i + 1]]
            width = len(units)
            if label < BINARY:
                table = tables[starts[i] : starts[i + 1]].reshape(width + 1, width + 1, split)
                value = values[2 * starts[i] : 2 * starts[i + 1]].reshape(2, width + 1, width + 1, split)
                for p in range(width):
                    for side in range(2):
                        _unit(
                            units[p],
                            slot + side * split,
                            value[side, p, p + 1],
                            kinds,
                            inside,
                            rows,
                            emissions,
                            peaks,
                            symbols,
                            splits,
                        )
                log += _chain(table, value, chain_factors[i], slot, symbols[label], rows, width)
                inside[i, :split] = table[0, width]
            else:
                flat = values[2 * starts[i] : 2 * starts[i] + width * split].reshape(width, split)
                inside[i, :split] = 1.0
                for p in range(width):
                    _unit(units[p], slot + p * split, flat[p], kinds, inside, rows, emissions, peaks, symbols, splits)
                    inside[i, :split] *= flat[p]
            for p in range(width):
                if units[p] < 0:
                    log += np.log(peaks[-1 - units[p]])
            scales[i] = inside[i].max()
            if scales[i] == 0:
                log = -np.inf
                break
            inside[i] /= scales[i]
            log += np.log(scales[i])
        if log == -np.inf:
            logs[number] = log
            continue
        root = symbols[kinds[total - 1]]
        split = splits[kinds[total - 1]]
        shares = roots[root : root + split] * inside[total - 1, :split]
        mass = shares.sum()
        if mass == 0:
            logs[number] = -np.inf
            continue
        logs[number] = log + np.log(mass)
        root_counts[root : root + split] += shares / mass
        outside[total - 1, :split] = roots[root : root + split] / mass
        for i in range(total - 1, -1, -1):
            label = kinds[i]
            slot, split = slots[label], splits[label]
            units = children[offsets[begin + i] : offsets[begin + i + 1]]
            width = len(units)
            outside[i] /= scales[i]
            if label < BINARY:
                table = tables[starts[i] : starts[i + 1]].reshape(width + 1, width + 1, split)
                value = values[2 * starts[i] : 2 * starts[i + 1]].reshape(2, width + 1, width + 1, split)
                above, weights = np.zeros(table.shape), np.zeros(value.shape)
                above[0, width] = outside[i, :split]
                _chain_outside(table, value, chain_factors[i], above, weights, slot, symbols[label], rules, rule_counts, width)
                for p in range(width):
                    for side in range(2):
                        _below(
                            units[p], slot + side * split, weights[side, p, p + 1], kinds, inside, outside, rules, peaks, symbols,
                            splits, rule_counts, emission_counts,
                        )  # fmt: skip
            else:
                flat = values[2 * starts[i] : 2 * starts[i] + width * split].reshape(width, split)
                for p in range(width):
                    weight = outside[i, :split].copy()
                    for c in range(width):
                        if c != p:
                            weight *= flat[c]
                    _below(
                        units[p], slot + p * split, weight, kinds, inside, outside, rules, peaks, symbols, splits, rule_counts,
                        emission_counts,
                    )  # fmt: skip
    return logs


@njit(cache=True, nogil=True)
def _below(
    child: int, slot: int, weights: Float64s, labels: Int64s, inside: Float64s, outside: Float64s, rules: Float64s, peaks: Float64s,
    symbols: Int64s, splits: Int64s, rule_counts: Float64s, emission_counts: Float64s,
) -> None:  # fmt: skip
    """Pass the outside values of a child's slots to the word or node below."""
    if child < 0:
        emission_counts[-1 - child, slot : slot + len(weights)] += weights / peaks[-1 - child]
    else:
        label = labels[child]
        split = splits[label]
        _spread(rules, slot, symbols[label], weights, inside[child, :split], outside[child, :split], rule_counts)
