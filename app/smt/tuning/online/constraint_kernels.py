"""Compiled margin constraints of several pairs in a list, and the least step that satisfies them all.

``min ½‖w' - w‖² + C Σ ξ_p`` with ``w'·δ_p + ξ_p ≥ loss_p`` and ``ξ_p ≥ 0`` (Song's thesis, §2.2.2; Watanabe et al. 2007). The dual
has one multiplier per pair, from 0 to C; Hildreth's algorithm optimises one multiplier at a time.
"""

from numba import njit

from app.arrays import Bools, Float64s, Int32s, Int64s
from app.smt.tuning.online.feature_kernels import add_difference, row_score, squared_distance

__all__ = ["ALL_PAIRS", "ONE_PAIR", "THREE_PAIRS", "collect_pairs", "solve_margins"]

# Pairs: the target and the rival; those of oracle, hope and fear; targets and all that are worse than they are.
ONE_PAIR, THREE_PAIRS, ALL_PAIRS = 0, 1, 2
# Passes end if no margin moves by more than this share of its loss, or at the limit.
TOLERANCE = 1e-8
MOST_PASSES = 1000


@njit(cache=True, nogil=True)
def collect_pairs(
    scores: Float64s,
    gains: Float64s,
    length: int,
    pairs: int,
    oracles: int,
    by_hope: bool,
    target_mask: Bools,
    plus: Int64s,
    minus: Int64s,
    losses: Float64s,
) -> int:
    """Write the pairs of a list into `plus`, `minus` (indices in the list) and `losses` (gain differences); return their number.

    With `ALL_PAIRS`, targets are the `oracles` hypotheses with the highest score plus gain (`by_hope`) or the highest gain. Pairs
    with equal gains are left out.
    """
    count = 0
    if pairs == THREE_PAIRS:
        best, hope, fear = 0, 0, 0
        for h in range(1, length):
            if gains[h] > gains[best] or (gains[h] == gains[best] and scores[h] > scores[best]):
                best = h
            if scores[h] + gains[h] > scores[hope] + gains[hope]:
                hope = h
            if scores[h] - gains[h] > scores[fear] - gains[fear]:
                fear = h
        for better, worse in ((hope, fear), (best, fear), (best, hope)):
            # Two of the three are often one hypothesis: each pair is kept once.
            duplicate = False
            for p in range(count):
                duplicate |= plus[p] == better and minus[p] == worse
            if gains[better] > gains[worse] and not duplicate:
                plus[count], minus[count], losses[count] = better, worse, gains[better] - gains[worse]
                count += 1
        return count
    target_mask[:length] = False
    for _ in range(min(oracles, length)):
        target = -1
        for h in range(length):
            if target_mask[h]:
                continue
            if target < 0:
                target = h
            elif by_hope:
                if scores[h] + gains[h] > scores[target] + gains[target]:
                    target = h
            elif gains[h] > gains[target] or (gains[h] == gains[target] and scores[h] > scores[target]):
                target = h
        target_mask[target] = True
        for h in range(length):
            if gains[target] > gains[h]:
                plus[count], minus[count], losses[count] = target, h, gains[target] - gains[h]
                count += 1
    return count


@njit(cache=True, nogil=True)
def solve_margins(
    dense: Float64s,
    begins: Int32s,
    columns: Int32s,
    values: Float64s,
    weights: Float64s,
    scratch: Float64s,
    plus: Int64s,
    minus: Int64s,
    losses: Float64s,
    count: int,
    cap: float,
    multipliers: Float64s,
    squares: Float64s,
) -> None:
    """Add the sum of feature differences times multipliers to `weights`, in place; write `multipliers` too.

    Pair p is row ``plus[p]`` minus row ``minus[p]`` of the features, for the first `count` pairs. `squares` is scratch.
    """
    for p in range(count):
        multipliers[p] = 0.0
        squares[p] = squared_distance(dense, begins, columns, values, scratch, plus[p], minus[p])
    for _ in range(MOST_PASSES):
        largest = 0.0
        for p in range(count):
            if squares[p] <= 1e-300:
                continue
            margin = row_score(dense, begins, columns, values, weights, plus[p])
            margin -= row_score(dense, begins, columns, values, weights, minus[p])
            multiplier = min(max(multipliers[p] + (losses[p] - margin) / squares[p], 0.0), cap)
            step = multiplier - multipliers[p]
            if step != 0.0:
                add_difference(dense, begins, columns, values, weights, plus[p], minus[p], step)
                multipliers[p] = multiplier
                largest = max(largest, abs(step) * squares[p] / losses[p])
        if largest < TOLERANCE:
            break
