"""Translation edit rate: edit distance with block shifts, by Tercom's greedy search.

Source: Snover et al. 2006. Limits and the order among equal shifts are those of Tercom in sacreBLEU, because published scores
depend on them.
"""

import numpy as np
from numba import njit

from app.arrays import Bools, Int64s, UInt8s, UInt64s
from app.metrics.lexical.ter_bit_kernels import WORD_BITS, common_words, fill_masks, fill_rows, shifted_distance, trace_rows

__all__ = ["align_words", "count_edits"]

MAX_SHIFT_SIZE = 10
MAX_SHIFT_DISTANCE = 50
MAX_CANDIDATES = 1000
BEAM = 25
INFINITE = 1 << 40
KEEP, SUBSTITUTE, DELETE, INSERT = 0, 1, 2, 3


@njit(cache=True, nogil=True)
def _beam(rows: int, columns: int) -> tuple[Int64s, int]:
    """First reference position of each row of the matrix, and the largest number of positions in a row."""
    ratio = columns / rows if rows else 1.0
    beam = int(np.ceil(ratio / 2 + BEAM)) if ratio / 2 > BEAM else BEAM
    low = np.zeros(rows + 1, np.int64)
    for i in range(1, rows + 1):
        low[i] = max(0, int(np.floor(i * ratio)) - beam)
    return low, 2 * beam + 2


@njit(cache=True, nogil=True)
def _empty_matrix(rows: int, low: Int64s, width: int) -> Int64s:
    """Costs of a banded matrix: cell (i, j) is at ``[i, j - low[i] + 1]``.

    The edges hold infinite costs, as wide as the largest step of the band, so that every cell has stored neighbours. Row 0 is
    filled.
    """
    widest_step = 0
    for i in range(1, rows + 1):
        widest_step = max(widest_step, low[i] - low[i - 1])
    cost = np.full((rows + 1, width + widest_step + 2), INFINITE, np.int64)
    for j in range(cost.shape[1] - 1):
        cost[0, j + 1] = j
    return cost


@njit(cache=True, nogil=True)
def _distances(hyp: Int64s, ref: Int64s, first_row: int, low: Int64s, cost: Int64s, step: UInt8s) -> int:
    """Fill the band from row `first_row` on, and return the edit distance."""
    rows, columns = len(hyp), len(ref)
    width = step.shape[1]
    for i in range(max(1, first_row), rows + 1):
        begin = low[i]
        high = columns + 1 if i == rows else min(columns + 1, begin + width)
        if i < rows and begin == 0:
            # Near the start the matrix's edge cuts the band.
            high = min(high, int(np.floor(i * (columns / rows))) + (width - 2) // 2)
        above_row, current, operations = cost[i - 1], cost[i], step[i]
        offset = begin - low[i - 1]
        word = hyp[i - 1]
        left_cost = INFINITE
        skip = 0
        if begin == 0:
            left_cost = above_row[1] + 1
            current[1] = left_cost
            operations[0] = DELETE
            skip = 1
        for k in range(skip, high - begin):
            is_equal = word == ref[begin + k - 1]
            best = above_row[k + offset] + (0 if is_equal else 1)
            operation = KEEP if is_equal else SUBSTITUTE
            above_cost = above_row[k + offset + 1] + 1
            if above_cost < best:
                best = above_cost
                operation = DELETE
            left_cost += 1
            if left_cost < best:
                best = left_cost
                operation = INSERT
            current[k + 1] = best
            operations[k] = operation
            left_cost = best
        for k in range(max(0, high - begin), width):
            current[k + 1] = INFINITE
    return cost[rows, columns - low[rows] + 1] if rows else columns


@njit(cache=True, nogil=True)
def _trace(
    rows: int, columns: int, low: Int64s, step: UInt8s, align: Int64s, partner: Int64s, ref_wrong: Bools, hyp_wrong: Bools
) -> None:
    """Walk back from the corner, and write the partner of each reference word and hypothesis word, and the masks of edited words.

    An inserted word has the hypothesis word before it as its partner, a deleted word has -1.
    """
    i, j = rows, columns
    while i > 0 or j > 0:
        operation = step[i, j - low[i]] if i else INSERT
        if operation == KEEP or operation == SUBSTITUTE:  # noqa: SIM109 - compiled
            align[j - 1], partner[i - 1] = i - 1, j - 1
            ref_wrong[j - 1] = hyp_wrong[i - 1] = operation == SUBSTITUTE
            i -= 1
            j -= 1
        elif operation == INSERT:
            align[j - 1] = i - 1
            ref_wrong[j - 1] = True
            j -= 1
        else:
            hyp_wrong[i - 1] = True
            partner[i - 1] = -1
            i -= 1


@njit(cache=True, nogil=True)
def _shifted(hyp: Int64s | UInt64s, start: int, length: int, target: int, out: Int64s | UInt64s) -> int:
    """Write `hyp` with a block moved before position `target`, and return the first changed position."""
    n = len(hyp)
    place = 0
    low = min(start, target)
    if target < start:
        order = ((0, target), (start, start + length), (target, start), (start + length, n))
    elif target > start + length:
        order = ((0, start), (start + length, target), (start, start + length), (target, n))
    else:
        order = ((0, start), (start + length, length + target), (start, start + length), (length + target, n))
        low = start
    for begin, end in order:
        for k in range(begin, min(end, n)):
            out[place] = hyp[k]
            place += 1
    return low


@njit(cache=True, nogil=True)
def _segment_edits(hyp: Int64s, ref: Int64s, order: Int64s, partner: Int64s) -> int:
    """Number of edits of a segment; unless `order` is empty, the alignment of `align_words` is written to `order` and `partner`."""
    rows, columns = len(hyp), len(ref)
    if columns == 0:
        return rows
    if columns <= WORD_BITS:
        no_costs, no_steps = np.zeros((0, 0), np.int64), np.zeros((0, 0), np.uint8)
        edits = _search(hyp, ref, order, partner, np.zeros(0, np.int64), no_costs, no_steps, no_costs, no_steps)
        if edits >= 0:
            return edits
    low, width = _beam(rows, columns)
    cost, step = _empty_matrix(rows, low, width), np.zeros((rows + 1, width), np.uint8)
    return _search(hyp, ref, order, partner, low, cost, step, cost.copy(), step.copy())


@njit(cache=True, nogil=True)
def _search(
    hyp: Int64s,
    ref: Int64s,
    order: Int64s,
    partner: Int64s,
    low: Int64s,
    cost: Int64s,
    step: UInt8s,
    trial_cost: Int64s,
    trial_step: UInt8s,
) -> int:
    """Number of edits as `_segment_edits`, with banded matrices or, if these are empty, by bits; -1 if bits do not suffice."""
    rows, columns = len(hyp), len(ref)
    aligning = len(order) > 0
    if aligning:
        order[:] = np.arange(rows)
    # A path of cost d strays at most (d + |rows - columns|) / 2 cells from the diagonal. Inside the band, the banded distance
    # equals the full one, and bits suffice.
    reach = 2 * BEAM - 4 - abs(rows - columns)
    by_bits = columns <= WORD_BITS
    masks, trial_masks = np.empty(rows, np.uint64), np.empty(rows, np.uint64)
    bits, totals = np.empty((4, rows + 1), np.uint64), np.empty(rows + 1, np.int64)
    # Shifts never lower the distance of the bags of words.
    bound = 0
    if by_bits:
        fill_masks(hyp, ref, masks)
        bound = max(rows, columns) - common_words(masks)
    current, trial = hyp.copy(), hyp.copy()
    align, partners = np.empty(columns, np.int64), np.empty(rows, np.int64)
    ref_wrong, hyp_wrong = np.empty(columns, np.bool_), np.empty(rows, np.bool_)
    shifts = candidates = first_change = valid = distance = 0
    while True:
        if by_bits:
            distance = fill_rows(masks, columns, first_change, bits, totals)
        exact = by_bits and distance < reach
        has_costs = False
        if exact:
            if distance > bound or aligning:
                trace_rows(masks, columns, bits, align, partners, ref_wrong, hyp_wrong)
            if distance == bound:
                break
        else:
            if len(low) == 0:
                return -1
            distance = _distances(current, ref, 1, low, cost, step)
            _trace(rows, columns, low, step, align, partners, ref_wrong, hyp_wrong)
            trial_cost[:] = cost
            valid = rows + 1
            has_costs = True
        best_gain = best_length = best_start = best_target = 0
        for h in range(rows):
            for r in range(max(0, h - MAX_SHIFT_DISTANCE), min(columns, h + MAX_SHIFT_DISTANCE + 1)):
                length = 0
                any_hyp = any_ref = False
                while length < MAX_SHIFT_SIZE and h + length < rows and r + length < columns:
                    if current[h + length] != ref[r + length]:
                        break
                    any_hyp = any_hyp or hyp_wrong[h + length]
                    any_ref = any_ref or ref_wrong[r + length]
                    length += 1
                    if not (any_hyp and any_ref) or h <= align[r] < h + length:
                        continue
                    previous = -1
                    for offset in range(-1, length):
                        place = r + offset
                        target = 0 if place == -1 else align[place] + 1
                        if target == previous:
                            continue
                        previous = target
                        candidates += 1
                        # A move takes back at most an insertion and a deletion of each word.
                        limit = min(distance - bound, 2 * length) if exact else distance
                        if not _wins(limit, length, h, target, best_gain, best_length, best_start, best_target):
                            continue
                        trial_distance = INFINITE
                        if by_bits:
                            trial_distance = shifted_distance(masks, columns, h, length, target, bits, totals)
                        if trial_distance >= reach:
                            if not has_costs:
                                if len(low) == 0:
                                    return -1
                                _distances(current, ref, 1, low, cost, step)
                                trial_cost[:] = cost
                                valid = rows + 1
                                has_costs = True
                            change = _shifted(current, h, length, target, trial)
                            # Rows above the first change of this trial and the last are still valid.
                            trial_distance = _distances(trial, ref, min(valid, change + 1), low, trial_cost, trial_step)
                            valid = change + 1
                        gain = distance - trial_distance
                        if _wins(gain, length, h, target, best_gain, best_length, best_start, best_target):
                            best_gain, best_length, best_start, best_target = gain, length, h, target
                    if candidates >= MAX_CANDIDATES:
                        break
                if candidates >= MAX_CANDIDATES:
                    break
            if candidates >= MAX_CANDIDATES:
                break
        if candidates >= MAX_CANDIDATES or best_gain == 0:
            break
        shifts += 1
        if aligning:
            _shifted(order, best_start, best_length, best_target, trial)
            order[:] = trial
        first_change = _shifted(current, best_start, best_length, best_target, trial)
        current[:] = trial
        if by_bits:
            _shifted(masks, best_start, best_length, best_target, trial_masks)
            masks[:] = trial_masks
    if aligning:
        partner[:] = partners
    return shifts + distance


@njit(cache=True, inline="always")
def _wins(
    gain: int, length: int, start: int, target: int, best_gain: int, best_length: int, best_start: int, best_target: int
) -> bool:
    """Return True if a shift with a positive gain beats the best: by its gain, its length, an earlier start, an earlier target."""
    if gain != best_gain or gain <= 0:
        return gain > best_gain
    if length != best_length:
        return length > best_length
    return start < best_start or (start == best_start and target < best_target)


@njit(cache=True, nogil=True)
def count_edits(
    hypothesis: Int64s, hypothesis_offsets: Int64s, reference: Int64s, reference_offsets: Int64s, reference_of: Int64s
) -> Int64s:
    """Edits (insertions, deletions, substitutions, block shifts) of each hypothesis; shape (h,).

    Hypothesis i is compared with reference ``reference_of[i]``.
    """
    n = len(hypothesis_offsets) - 1
    out = np.zeros(n, np.int64)
    empty = np.zeros(0, np.int64)
    for i in range(n):
        out[i] = _segment_edits(
            hypothesis[hypothesis_offsets[i] : hypothesis_offsets[i + 1]],
            reference[reference_offsets[reference_of[i]] : reference_offsets[reference_of[i] + 1]],
            empty,
            empty,
        )
    return out


@njit(cache=True, nogil=True)
def align_words(hypothesis: Int64s, reference: Int64s) -> tuple[int, Int64s, Int64s]:
    """Number of edits, hypothesis positions after all shifts (I,), and the reference position beside each of these (I,).

    The reference position is -1 for a deleted word.
    """
    order = np.arange(len(hypothesis))
    partner = np.full(len(hypothesis), -1, np.int64)
    return _segment_edits(hypothesis, reference, order, partner), order, partner
