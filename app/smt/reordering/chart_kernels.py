"""Charts of a Reordering Grammar over the words of a sentence, and samples of them, in compiled code (digest 2.11).

`slot_values[i, j, s]` is the probability that slot s yields the words i … j - 1, `symbol_values[i, j, m]` that of a symbol.
A dotted item of a wide label stands at the slot of its last child in `item_values`.
"""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int64s

__all__ = ["combine", "expected_pairs", "gains", "sample_orders"]


@njit(cache=True, nogil=True)
def combine(
    size: int, slot_values: Float64s, item_values: Float64s, symbol_values: Float64s, splits: Int64s, arities: Int64s,
    symbols: Int64s, slots: Int64s,
) -> None:  # fmt: skip
    """Set the values of symbols, and of dotted items, over all spans of `size` words from those of shorter spans."""
    n = slot_values.shape[0] - 1
    for i in range(n - size + 1):
        j = i + size
        for label in range(len(arities)):
            arity, split, slot, symbol = arities[label], splits[label], slots[label], symbols[label]
            for child in range(1, min(arity, size)):
                at = slot + child * split
                for m in range(i + child, j):
                    for k in range(split):
                        front = slot_values[i, m, slot + k] if child == 1 else item_values[i, m, at - split + k]
                        value = front * slot_values[m, j, at + k]
                        if child == arity - 1:
                            symbol_values[i, j, symbol + k] += value
                        else:
                            item_values[i, j, at + k] += value


@njit(cache=True, nogil=True)
def _draw(cumulative: Float64s, count: int) -> int:
    """Place in a list of running sums, at random by their steps."""
    return min(np.searchsorted(cumulative[:count], np.random.random() * cumulative[count - 1], side="right"), count - 1)


@njit(cache=True, nogil=True)
def sample_orders(
    samples: int, seed: int, slot_values: Float64s, item_values: Float64s, symbol_values: Float64s, terminals: Float64s,
    rules: Float64s, roots: Float64s, splits: Int64s, arities: Int64s, symbols: Int64s, slots: Int64s, operators: Int64s,
) -> Int64s:  # fmt: skip
    """Source positions in output order of derivations drawn from a chart; shape (samples, n).

    All samples go down the chart together, so that the sums of a span and symbol are taken once.
    """
    np.random.seed(seed)
    n = slot_values.shape[0] - 1
    orders = np.empty((samples, n), np.int64)
    slot_count, symbol_count = slots[-1], symbols[-1]
    slot_heads, symbol_heads = np.full((n + 1, n + 1, slot_count), -1), np.full((n + 1, n + 1, symbol_count), -1)
    # An entry: next entry of its list, its sample and the place of its first word in the output.
    limit = samples * 4 * n
    following, numbers, begins = np.empty(limit, np.int64), np.empty(limit, np.int64), np.empty(limit, np.int64)
    count = 0
    sums = np.empty(max(symbol_count + 1, n + 1))
    labels = np.empty(symbol_count, np.int64)
    for label in range(len(arities)):
        labels[symbols[label] : symbols[label + 1]] = label
    sums[0] = roots[0] * symbol_values[0, n, 0]
    for symbol in range(1, symbol_count):
        sums[symbol] = sums[symbol - 1] + roots[symbol] * symbol_values[0, n, symbol]
    for number in range(samples):
        symbol = _draw(sums, symbol_count)
        following[count], numbers[count], begins[count] = symbol_heads[0, n, symbol], number, 0
        symbol_heads[0, n, symbol] = count
        count += 1
    cuts, places = np.empty(8, np.int64), np.empty(8, np.int64)
    for size in range(n, 0, -1):
        for i in range(n - size + 1):
            j = i + size
            for slot in range(slot_count):
                entry = slot_heads[i, j, slot]
                if entry < 0:
                    continue
                sums[0] = terminals[i, j, slot]
                for symbol in range(symbol_count):
                    sums[symbol + 1] = sums[symbol] + rules[slot, symbol] * symbol_values[i, j, symbol]
                while entry >= 0:
                    choice = _draw(sums, symbol_count + 1)
                    if choice == 0:
                        for word in range(size):
                            orders[numbers[entry], begins[entry] + word] = i + word
                    else:
                        following[count], numbers[count], begins[count] = (
                            symbol_heads[i, j, choice - 1],
                            numbers[entry],
                            begins[entry],
                        )
                        symbol_heads[i, j, choice - 1] = count
                        count += 1
                    entry = following[entry]
            for symbol in range(symbol_count):
                entry = symbol_heads[i, j, symbol]
                if entry < 0:
                    continue
                label = labels[symbol]
                arity, split, base = arities[label], splits[label], slots[label] + symbol - symbols[label]
                while entry >= 0:
                    cuts[0], cuts[arity] = i, j
                    for child in range(arity - 1, 0, -1):
                        stop = cuts[child + 1]
                        total = 0.0
                        for m in range(i + child, stop):
                            front = slot_values[i, m, base] if child == 1 else item_values[i, m, base + (child - 1) * split]
                            total += front * slot_values[m, stop, base + child * split]
                            sums[m - i - child] = total
                        cuts[child] = i + child + _draw(sums, stop - i - child)
                    begin = begins[entry]
                    for child in range(arity):
                        places[operators[label, child] - 1] = child
                    for place in range(arity):
                        child = places[place]
                        slot = base + child * split
                        following[count], numbers[count], begins[count] = (
                            slot_heads[cuts[child], cuts[child + 1], slot],
                            numbers[entry],
                            begin,
                        )
                        slot_heads[cuts[child], cuts[child + 1], slot] = count
                        count += 1
                        begin += cuts[child + 1] - cuts[child]
                    entry = following[entry]
    return orders


@njit(cache=True, nogil=True)
def expected_pairs(orders: Int64s, probabilities: Float64s) -> Float64s:
    """Probability that word u precedes word v in the output; shape (n, n) (thesis, equation 3.7)."""
    n = orders.shape[1]
    pairs = np.zeros((n, n))
    for row in range(len(orders)):
        for a in range(n):
            for b in range(a + 1, n):
                pairs[orders[row, a], orders[row, b]] += probabilities[row]
    return pairs


@njit(cache=True, nogil=True)
def gains(orders: Int64s, pairs: Float64s) -> Float64s:
    """Expected number of pairs of words that each order has in the order of the distribution; shape (orders,)."""
    n = orders.shape[1]
    sums = np.zeros(len(orders))
    for row in range(len(orders)):
        for a in range(n):
            for b in range(a + 1, n):
                sums[row] += pairs[orders[row, a], orders[row, b]]
    return sums
