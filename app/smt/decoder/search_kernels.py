"""Beam search: phrases extend hypotheses, stack by stack.

A coverage belongs to one stack. The spans after it, and their future cost, are computed once for all its hypotheses.
"""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int32s, Int64s, UInt64s
from app.smt.decoder.coverage_kernels import OUT_OF_REACH, cover, doubled_slots, future_cost, is_free, join_block, jump_length
from app.smt.decoder.markup.order_kernels import count_free, in_order
from app.smt.decoder.options import TranslationOptions
from app.smt.decoder.sparse.boundaries import Boundaries
from app.smt.decoder.stack_kernels import (
    ARCS,
    BLOCKS,
    COVERAGE,
    KEY,
    OPTION,
    PREVIOUS,
    STATE,
    TARGET,
    Stacks,
    find,
    keep_arc,
    new_stacks,
    prune,
)
from app.smt.decoder.state_kernels import BEGIN, EMPTY, Models, States, advance, step_slot
from app.smt.decoder.tuning.orientation_kernels import orientation_of

__all__ = ["prefix_end", "search"]

END_OF_SENTENCE = 0
# Largest number of model scores cached for one stack: states times options.
LARGEST_CACHE = 1 << 21


@njit(cache=True, nogil=True)
def _isolated(models: Models, states: States, options: TranslationOptions) -> tuple[Int64s, Float64s, bool]:
    """State after each word of an option without context, scores of the words behind it, and True if the states had room."""
    after = np.zeros(len(options.words), np.int64)
    rest = np.zeros(len(options.words))
    for o in range(len(options.starts)):
        begin, end = options.offsets[o], options.offsets[o + 1]
        state = EMPTY
        for t in range(begin, end):
            rest[t], state = advance(models, states, state, options.words[t])
            if state < 0:
                return after, rest, False
            after[t] = state
        total = 0.0
        for t in range(end - 1, begin - 1, -1):
            score = rest[t]
            rest[t] = total
            total += score
    return after, rest, True


@njit(cache=True, inline="always")
def _block_orientation(distance: int) -> int:
    if distance == 1:
        return 0
    if distance == -1:
        return 1
    return 2 if distance < 1 else 3


@njit(cache=True, inline="always")
def _forward_orientation(bits: UInt64s, last_start: int, last_end: int, start: int, end: int) -> int:
    """Forward orientation of the next span over all translated words; `bits` is the coverage before the last phrase."""
    if start == last_end or (start > last_end and is_free(bits, last_end)):
        return 0
    if end == last_start or (end < last_start and is_free(bits, last_start - 1)):
        return 1
    return 2 if start < last_end else 3


@njit(cache=True, nogil=True)
def _ways(
    bits: UInt64s, length: int, options: TranslationOptions, distortion: int, zones: Int64s, walls: Int64s, ways: Int64s
) -> int:
    """Write the spans that may follow a coverage after any last phrase, and return their number.

    Unless a phrase begins at the first gap, the gap must stay within reach of its end, which is Moses' rule.
    """
    of_zones, of_walls = count_free(bits, zones, walls)
    bound = len(zones) + len(walls) > 0
    gap = 0
    while gap < length and not is_free(bits, gap):
        gap += 1
    count = 0
    for s in range(len(options.spans) - 1):
        start, end = options.starts[options.spans[s]], options.ends[options.spans[s]]
        if start < gap or (distortion >= 0 and start != gap and jump_length(options.distances, gap, end) > distortion):
            continue
        free = True
        for t in range(start, end):
            free = free and is_free(bits, t)
        if free and (not bound or in_order(zones, walls, of_zones, of_walls, gap, start, end, distortion)):
            ways[count] = s
            count += 1
    return count


@njit(cache=True, nogil=True)
def search(
    models: Models,
    states: States,
    options: TranslationOptions,
    distortion_weight: float,
    distortion: int,
    stack: int,
    beam: float,
    hierarchical: bool,
    keep_arcs: bool,
    target_words: Int32s,
    option_words: Int32s,
    must: bool,
    open_end: bool,
    zones: Int64s,
    walls: Int64s,
    boundaries: Boundaries,
) -> tuple[Stacks, bool]:
    """Translate a sentence: its hypotheses without pruned ones, and True if the cache of states had room.

    `beam` is a negative logarithm. If `must`, the translation equals the `target_words`, or begins with them if `open_end`;
    `option_words` are words of options in the same numbers. `zones` and `walls` come from markup; keys include contexts of
    `boundaries`.
    """
    length, count = len(options.future) - 1, len(options.starts)
    stacks = new_stacks(length, stack, 2 * stack * (length + 1) + 1, keep_arcs)
    after, rest, room = _isolated(models, states, options)
    coverages = np.zeros((64, max(1, (length + 63) >> 6)), np.uint64)
    future_costs = np.zeros(64)
    coverage_slots = np.full(256, -1, np.int64)
    blocks = np.zeros((64, 3), np.int64)
    block_slots = np.full(256, -1, np.int64)
    # Numbers of coverages and of stacks of blocks; the first of each exists already.
    counts = np.ones(2, np.int64)
    spans = len(options.spans) - 1
    ways = np.zeros(max(1, spans), np.int64)
    next_coverages = np.zeros(max(1, spans), np.int64)
    # Negative weights of language models allow no upper bound.
    has_bounds = np.all(models.weights >= 0)
    furthest = models.starts.shape[1] - 1
    bounds = np.zeros(count)
    for o in range(count):
        words = options.offsets[o + 1] - options.offsets[o]
        bounds[o] = options.static[o] + (rest[options.offsets[o] + furthest - 1] if words > furthest else 0.0)
        if not has_bounds:
            bounds[o] = np.inf
    # Numba counts references to arrays of tuples at each use, so the inner loop uses local names.
    steps, words, offsets, static = states.steps, options.words, options.offsets, options.static
    backward, option_keys, distances = options.backward, options.keys, options.distances
    arrives, leaves, boundary_scores, boundary_ends = boundaries
    contexts = len(boundary_ends)
    hypotheses, scores, items, slots, free = stacks.hypotheses, stacks.scores, stacks.items, stacks.slots, stacks.free
    best, worst, sizes, arcs, arc_scores = stacks.best, stacks.worst, stacks.counts, stacks.arcs, stacks.arc_scores
    sizes[0] -= 1
    root = free[sizes[0]]
    hypotheses[root, STATE], hypotheses[root, KEY], hypotheses[root, ARCS] = BEGIN, -1, -1
    hypotheses[root, PREVIOUS], hypotheses[root, OPTION] = -1, -1
    items[0, 0], sizes[3], best[0] = root, 1, 0.0
    for k in range(length):
        prune(stacks, k, beam)
        size = stacks.counts[3 + k]
        current, ways_count = -1, 0
        # Hypotheses of a stack share states, so each pair of state and option is scored once.
        distinct = np.unique(stacks.hypotheses[stacks.items[k, :size], STATE])
        cached = len(distinct) * count <= LARGEST_CACHE
        cached_scores = np.empty((len(distinct) if cached else 1, count))
        cached_states = np.full(cached_scores.shape, -1, np.int32)
        for h in _promising_first(stacks, k, counts[0]):
            if hypotheses[h, COVERAGE] != current:
                current = hypotheses[h, COVERAGE]
                if counts[0] + spans + 1 >= len(coverages):
                    while counts[0] + spans + 1 >= len(coverages):
                        coverages = np.concatenate((coverages, np.zeros_like(coverages)))
                        future_costs = np.concatenate((future_costs, np.zeros_like(future_costs)))
                        coverage_slots = doubled_slots(coverage_slots)
                    coverage_count, counts[0] = counts[0], 1
                    for c in range(1, coverage_count):
                        cover(coverages, coverage_slots, counts, c, 0, 0)
                ways_count = _ways(coverages[current], length, options, distortion, zones, walls, ways)
                next_coverages[:ways_count] = -1
            if hierarchical and counts[1] + ways_count + 1 >= len(blocks):
                while counts[1] + ways_count + 1 >= len(blocks):
                    blocks = np.concatenate((blocks, np.zeros_like(blocks)))
                    block_slots = doubled_slots(block_slots)
                _enter_blocks(blocks, block_slots, counts[1])
            if keep_arcs and stacks.counts[1] + count + 1 >= len(stacks.arc_scores):
                stacks = _more_arcs(stacks, count)
                arcs, arc_scores = stacks.arcs, stacks.arc_scores
            last = hypotheses[h, OPTION]
            row = np.searchsorted(distinct, hypotheses[h, STATE]) if cached else 0
            last_start = options.starts[last] if last >= 0 else -1
            last_end = options.ends[last] if last >= 0 else 0
            context = hypotheses[h, KEY] % contexts if last >= 0 else 0
            for w in range(ways_count):
                s = ways[w]
                first, stop = options.spans[s], options.spans[s + 1]
                start, end = options.starts[first], options.ends[first]
                jump = jump_length(distances, last_end, start)
                if (distortion >= 0 and jump > distortion) or jump == OUT_OF_REACH:
                    continue
                if next_coverages[w] < 0:
                    new_coverage = counts[0]
                    next_coverages[w] = cover(coverages, coverage_slots, counts, current, start, end)
                    if next_coverages[w] == new_coverage:
                        future_costs[new_coverage] = future_cost(coverages[new_coverage], options.future)
                target_stack = k + end - start
                future = future_costs[next_coverages[w]]
                # No path of a lattice, or no words of a required target, fill the gaps.
                if future == -np.inf:
                    continue
                turn = orientation_of(last_start, last_end, start, end)
                block_turn, top = 0, 0
                score_before = scores[h, 0] - distortion_weight * jump
                if last >= 0:
                    score_before += options.forward[last, 0, turn]
                if hierarchical:
                    top, distance = join_block(blocks, block_slots, counts, hypotheses[h, BLOCKS], start, end)
                    block_turn = _block_orientation(distance)
                    if last >= 0:
                        forward_turn = _forward_orientation(coverages[current], last_start, last_end, start, end)
                        score_before += options.forward[last, 1, forward_turn]
                threshold = max(best[target_stack] + beam, worst[target_stack])
                for o in range(first, stop):
                    score = score_before + backward[o, 0, turn] + backward[o, 1, block_turn]
                    context_after = context
                    if contexts > 1:
                        if leaves[o] >= 0:
                            score += boundary_scores[context, arrives[o]]
                            context_after = leaves[o]
                        score += boundary_ends[context_after] if target_stack == length else 0.0
                    if score + bounds[o] + future < threshold:
                        continue
                    target_length = hypotheses[h, TARGET]
                    if must:
                        target_length = prefix_end(target_words, target_length, option_words, offsets[o], offsets[o + 1], open_end)
                        if target_length < 0 or (target_stack == length and target_length != len(target_words)):
                            continue
                    if cached_states[row, o] < 0 or not cached:
                        language, state = 0.0, hypotheses[h, STATE]
                        for t in range(offsets[o], offsets[o + 1] + (target_stack == length)):
                            word = words[t] if t < offsets[o + 1] else END_OF_SENTENCE
                            at = step_slot(steps, state, word)
                            if steps[at, 0] < 0 and advance(models, states, state, word)[1] < 0:
                                return stacks, False
                            language += steps[at, 1]
                            state = np.int64(steps[at, 2])
                            # From this state on, words before the option have no influence.
                            if t < offsets[o + 1] and target_stack < length and state == after[t]:
                                language += rest[t]
                                state = after[offsets[o + 1] - 1]
                                break
                        cached_scores[row, o], cached_states[row, o] = language, state
                    score += static[o] + cached_scores[row, o]
                    total = score + future
                    if total < threshold:
                        continue
                    state = cached_states[row, o]
                    key = option_keys[o] * contexts + context_after
                    at = find(hypotheses, slots, target_stack, next_coverages[w], state, key, top, target_length)
                    rival = slots[target_stack, at]
                    if rival >= 0:
                        better = score > scores[rival, 0]
                        if keep_arcs and better:
                            keep_arc(
                                arcs, arc_scores, hypotheses, sizes, rival, hypotheses[rival, OPTION], hypotheses[rival, PREVIOUS],
                                scores[rival, 0],
                            )  # fmt: skip
                        elif keep_arcs:
                            keep_arc(arcs, arc_scores, hypotheses, sizes, rival, o, h, score)
                        if better:
                            hypotheses[rival, OPTION], hypotheses[rival, PREVIOUS] = o, h
                            scores[rival, 0], scores[rival, 1] = score, total
                    else:
                        sizes[0] -= 1
                        new = free[sizes[0]]
                        hypotheses[new, COVERAGE], hypotheses[new, STATE], hypotheses[new, KEY] = next_coverages[w], state, key
                        hypotheses[new, BLOCKS], hypotheses[new, TARGET], hypotheses[new, ARCS] = top, target_length, -1
                        hypotheses[new, OPTION], hypotheses[new, PREVIOUS] = o, h
                        scores[new, 0], scores[new, 1] = score, total
                        slots[target_stack, at] = new
                        items[target_stack, sizes[3 + target_stack]] = new
                        sizes[3 + target_stack] += 1
                    if total > best[target_stack]:
                        best[target_stack] = total
                        threshold = max(best[target_stack] + beam, worst[target_stack])
                    if sizes[3 + target_stack] == items.shape[1]:
                        prune(stacks, target_stack, -np.inf)
                        threshold = max(best[target_stack] + beam, worst[target_stack])
    prune(stacks, length, beam)
    return stacks, room


@njit(cache=True, nogil=True)
def _promising_first(stacks: Stacks, k: int, coverages: int) -> Int64s:
    """Hypotheses of stack k, the most promising first, grouped by coverage; early good scores let later ones be pruned."""
    items = stacks.items[k, : stacks.counts[3 + k]]
    hypotheses = items[np.argsort(-stacks.scores[items, 1], kind="mergesort")]
    groups = np.full(coverages, -1, np.int64)
    ranks = np.empty(len(hypotheses), np.int64)
    group_count = 0
    for i in range(len(hypotheses)):
        coverage = stacks.hypotheses[hypotheses[i], COVERAGE]
        if groups[coverage] < 0:
            groups[coverage] = group_count
            group_count += 1
        ranks[i] = groups[coverage]
    return hypotheses[np.argsort(ranks, kind="mergesort")]


@njit(cache=True, nogil=True)
def _enter_blocks(blocks: Int64s, slots: Int64s, count: int) -> None:
    """Enter all blocks again after the slots grew; blocks are not adjacent to those below, so none are joined."""
    counts = np.ones(2, np.int64)
    for b in range(1, count):
        join_block(blocks, slots, counts, blocks[b, 2], blocks[b, 0], blocks[b, 1])


@njit(cache=True, nogil=True)
def _more_arcs(stacks: Stacks, count: int) -> Stacks:
    growth = len(stacks.arc_scores) + count
    arcs = np.concatenate((stacks.arcs, np.zeros((growth, 3), np.int64)))
    scores = np.concatenate((stacks.arc_scores, np.zeros(growth)))
    return Stacks(
        stacks.hypotheses, stacks.scores, stacks.items, stacks.slots, stacks.best, stacks.worst, stacks.free, arcs, scores,
        stacks.counts, stacks.stack, stacks.keep_arcs,
    )  # fmt: skip


@njit(cache=True, nogil=True)
def prefix_end(target: Int32s, length: int, words: Int32s, begin: int, end: int, open_end: bool) -> int:
    """Number of target words matched after the words of an option; -1 if they differ."""
    if length + end - begin > len(target) and not open_end:
        return -1
    for t in range(begin, min(end, begin + len(target) - length)):
        if words[t] != target[length + t - begin]:
            return -1
    return min(length + end - begin, len(target))
