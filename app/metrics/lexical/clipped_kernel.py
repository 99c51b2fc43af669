"""Clipped n-gram matches against one reference: the hot loop of BLEU, chrF and the trained metrics.

A node stands for all equal n-grams of a reference, and has the place of the first. The symbol behind that place leads to the first
longer node; a hash table of edges leads to all further ones, as in a suffix tree.
"""

import numpy as np
from numba import njit

from app.arrays import Int32s, Int64s

__all__ = ["match_references", "rows_by_reference"]


@njit(cache=True, inline="always")
def _slot_of(key: np.uint64, mask: np.uint64) -> np.uint64:
    product = key * np.uint64(0x9E3779B97F4A7C15)
    return (product ^ (product >> np.uint64(32))) & mask


@njit(cache=True, nogil=True)
def rows_by_reference(reference_of: Int64s, references: int) -> tuple[Int64s, Int64s]:
    """Hypotheses sorted by reference (h,), and the offsets of each reference's hypotheses (references + 1,)."""
    begins = np.zeros(references + 1, np.int64)
    for i in reference_of:
        begins[i + 1] += 1
    for i in range(references):
        begins[i + 1] += begins[i]
    place = begins[:-1].copy()
    rows = np.empty(len(reference_of), np.int64)
    for row in range(len(reference_of)):
        i = reference_of[row]
        rows[place[i]] = row
        place[i] += 1
    return rows, begins


@njit(cache=True, inline="always")
def _room(size: int) -> int:
    """Slots of a hash table for `size` entries."""
    room = 16
    while room < 2 * size:
        room *= 2
    return room


@njit(cache=True, inline="always")
def _unit(symbol: int, symbols: Int64s | Int32s, slots: Int32s, mask: np.uint64, places: Int32s) -> tuple[np.int64, np.uint64]:
    """The node of a single symbol, -1 if the reference lacks it; and its slot."""
    slot = _slot_of(np.uint64(symbol), mask)
    while slots[slot] >= 0 and symbols[places[slots[slot]]] != symbol:
        slot = (slot + np.uint64(1)) & mask
    return np.int64(slots[slot]), slot


@njit(cache=True, inline="always")
def _child(edge: int, edges: Int64s, slots: Int32s, mask: np.uint64) -> tuple[np.int64, np.uint64]:
    """The node behind an edge, -1 without one; and its slot. An edge is a node and the node of a symbol."""
    slot = _slot_of(np.uint64(edge), mask)
    while slots[slot] >= 0 and edges[slots[slot]] != edge:
        slot = (slot + np.uint64(1)) & mask
    return np.int64(slots[slot]), slot


@njit(cache=True, nogil=True)
def _index(
    symbols: Int64s | Int32s,
    order: int,
    unit_slots: Int32s,
    slots: Int32s,
    nodes: Int32s,
    places: Int32s,
    counts: Int32s,
    edges: Int64s,
) -> int:
    """Fill the nodes of a reference: of each position and length, their first places, counts and edges; return their number."""
    size = len(symbols)
    unit_mask, mask = np.uint64(_room(size) - 1), np.uint64(_room(size) - 1)
    unit_slots[: _room(size)] = -1
    slots[: _room(size)] = -1
    node_count = 0
    for at in range(size):
        node, slot = _unit(symbols[at], symbols, unit_slots, unit_mask, places)
        if node < 0:
            node = node_count
            node_count += 1
            unit_slots[slot] = node
            places[node] = at
            counts[node] = 0
        nodes[at, 0] = node
        counts[node] += 1
    place = length = 0
    for at in range(size):
        limit = min(order, size - at)
        # The longest n-gram at this position that an earlier place has.
        if length > 1:
            place += 1
            length -= 1
        else:
            place = places[nodes[at, 0]]
            length = 1 if place < at else 0
        while 0 < length < limit:
            unit = nodes[at + length, 0]
            if nodes[place + length, 0] == unit:
                length += 1
                continue
            node = np.int64(nodes[place, length - 1])
            first = places[node]
            if first != place and nodes[first + length, 0] == unit:
                place = first
                length += 1
                continue
            child, slot = _child(node << 32 | unit, edges, slots, mask)
            if child < 0:
                slots[slot] = node_count
                edges[node_count] = node << 32 | unit
                break
            place = places[child]
            length += 1
        for k in range(1, length):
            node = nodes[place, k]
            nodes[at, k] = node
            counts[node] += 1
        for k in range(max(1, length), limit):
            nodes[at, k] = node_count
            places[node_count] = at
            counts[node_count] = 1
            node_count += 1
    return node_count


@njit(cache=True, nogil=True)
def _match(
    symbols: Int64s | Int32s,
    reference: Int64s | Int32s,
    order: int,
    unit_slots: Int32s,
    slots: Int32s,
    nodes: Int32s,
    places: Int32s,
    counts: Int32s,
    edges: Int64s,
    rest: Int32s,
    units: Int32s,
    matches: Int32s,
    out: Int64s,
) -> None:
    """Count the n-grams of a hypothesis in `out`, each at most as often as its node; `rest` equals `counts` before and after."""
    size, reference_size = len(symbols), len(reference)
    mask = np.uint64(_room(reference_size) - 1)
    for at in range(size):
        units[at] = _unit(symbols[at], reference, unit_slots, mask, places)[0]
    place, length = np.int64(0), 0
    for at in range(size):
        # The longest n-gram at this position: that of the last without its first symbol, and perhaps more.
        limit = min(order, size - at)
        if length > 1:
            place += 1
            length -= 1
        elif units[at] >= 0:
            place = np.int64(places[units[at]])
            length = 1
        else:
            length = 0
        while 0 < length < limit:
            unit = np.int64(units[at + length])
            if unit < 0:
                break
            if place + length < reference_size and nodes[place + length, 0] == unit:
                length += 1
                continue
            node = np.int64(nodes[place, length - 1])
            if counts[node] == 1:
                break
            first = np.int64(places[node])
            if first == place or nodes[first + length, 0] != unit:
                child = _child(node << 32 | unit, edges, slots, mask)[0]
                if child < 0:
                    break
                first = np.int64(places[child])
            place = first
            length += 1
        matches[at, 0], matches[at, 1] = place, length
        for k in range(length):
            node = nodes[place, k]
            match = 1 if rest[node] > 0 else 0
            rest[node] -= match
            out[k] += match
    # A copy of all counts is fast, unless the reference is far longer.
    if len(rest) < 8 * size * order:
        rest[:] = counts[: len(rest)]
        return
    for at in range(size):
        for k in range(matches[at, 1]):
            node = nodes[matches[at, 0], k]
            rest[node] = counts[node]


@njit(cache=True, nogil=True)
def match_references(
    hypothesis: Int64s | Int32s,
    hypothesis_offsets: Int64s,
    reference: Int64s | Int32s,
    reference_offsets: Int64s,
    rows: Int64s,
    begins: Int64s,
    order: int,
    out: Int64s,
    first: int,
    last: int,
) -> None:
    """Count matches of all hypotheses ``rows[begins[i]:begins[i + 1]]`` of references `first` to `last` in `out` (h, order).

    O(symbols × order); a reference is indexed once if it has hypotheses.
    """
    longest = widest = 0
    for i in range(first, last):
        if begins[i] < begins[i + 1]:
            longest = max(longest, reference_offsets[i + 1] - reference_offsets[i])
        for k in range(begins[i], begins[i + 1]):
            widest = max(widest, hypothesis_offsets[rows[k] + 1] - hypothesis_offsets[rows[k]])
    unit_slots, slots = np.empty(_room(longest), np.int32), np.empty(_room(longest), np.int32)
    nodes, edges = np.empty((longest, order), np.int32), np.empty(longest * order, np.int64)
    places, counts, rest = np.empty((3, longest * order), np.int32)
    units, matches = np.empty(widest, np.int32), np.empty((widest, 2), np.int32)
    for i in range(first, last):
        if begins[i] == begins[i + 1]:
            continue
        symbols = reference[reference_offsets[i] : reference_offsets[i + 1]]
        count = _index(symbols, order, unit_slots, slots, nodes, places, counts, edges)
        rest[:count] = counts[:count]
        for k in range(begins[i], begins[i + 1]):
            row = rows[k]
            text = hypothesis[hypothesis_offsets[row] : hypothesis_offsets[row + 1]]
            _match(text, symbols, order, unit_slots, slots, nodes, places, counts, edges, rest[:count], units, matches, out[row])
