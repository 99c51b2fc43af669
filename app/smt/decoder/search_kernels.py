"""The beam search: hypotheses are extended by phrases, stack by stack.

A coverage belongs to one stack, so what can come after it, and what that is hoped to cost, is found once for all its hypotheses.
"""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int32s, Int64s, UInt64s
from app.smt.decoder.coverage_kernels import cover, grown, is_free, join_block, still_to_come
from app.smt.decoder.markup.order_kernels import count_free, in_order
from app.smt.decoder.options import Options
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

__all__ = ["search"]

END_OF_SENTENCE = 0
# Scores of models that are kept for a stack: states by options.
MOST_REMEMBERED = 1 << 21


@njit(cache=True, nogil=True)
def _alone(models: Models, states: States, options: Options) -> tuple[Int64s, Float64s, bool]:
    """After each word of each option by itself: the state, and the scores of the words that follow it in the option."""
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
def _orientation(last_start: int, last_end: int, start: int, end: int) -> int:
    if start == last_end:
        return 0
    if end == last_start:
        return 1
    return 2 if start < last_end else 3


@njit(cache=True, inline="always")
def _block_orientation(distance: int) -> int:
    if distance == 1:
        return 0
    if distance == -1:
        return 1
    return 2 if distance < 1 else 3


@njit(cache=True, inline="always")
def _forward_orientation(bits: UInt64s, last_start: int, last_end: int, start: int, end: int) -> int:
    """As the end of what was translated sees what comes next, over all that is translated already; `bits` are those before it."""
    if start == last_end or (start > last_end and is_free(bits, last_end)):
        return 0
    if end == last_start or (end < last_start and is_free(bits, last_start - 1)):
        return 1
    return 2 if start < last_end else 3


@njit(cache=True, nogil=True)
def _ways(bits: UInt64s, length: int, options: Options, distortion: int, zones: Int64s, walls: Int64s, ways: Int64s) -> int:
    """Write the spans that may come after a coverage, whatever came last; how many they are.

    The first gap must be within reach of the end of what is not put there, which is Moses' rule.
    """
    of_zones, of_walls = count_free(bits, zones, walls)
    bound = len(zones) + len(walls) > 0
    gap = 0
    while gap < length and not is_free(bits, gap):
        gap += 1
    count = 0
    for s in range(len(options.spans) - 1):
        start, end = options.starts[options.spans[s]], options.ends[options.spans[s]]
        if start < gap or (distortion >= 0 and start != gap and end - gap > distortion):
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
    options: Options,
    distortion_weight: float,
    distortion: int,
    stack: int,
    beam: float,
    hierarchical: bool,
    keep_arcs: bool,
    needed: Int32s,
    option_words: Int32s,
    must: bool,
    open_end: bool,
    zones: Int64s,
    walls: Int64s,
    boundaries: Boundaries,
) -> tuple[Stacks, bool]:
    """Translate a sentence: all hypotheses that were not pruned, and whether the models' states had room for it.

    `beam` is a negative logarithm. Where the translation `must` be the `needed` words, or begin with them (`open_end`),
    `option_words` are those of options in the same numbers. `zones` and `walls` are of marks; keys have contexts of `boundaries`.
    """
    length, count = len(options.future) - 1, len(options.starts)
    stacks = new_stacks(length, stack, 2 * stack * (length + 1) + 1, keep_arcs)
    after, rest, room = _alone(models, states, options)
    coverages = np.zeros((64, max(1, (length + 63) >> 6)), np.uint64)
    hopes = np.zeros(64)
    coverage_slots = np.full(256, -1, np.int64)
    blocks = np.zeros((64, 3), np.int64)
    block_slots = np.full(256, -1, np.int64)
    # Coverages and stacks of blocks, each with the first.
    counts = np.ones(2, np.int64)
    spans = len(options.spans) - 1
    ways = np.zeros(max(1, spans), np.int64)
    reached = np.zeros(max(1, spans), np.int64)
    # A bound of models whose weights are negative would be none.
    bounded = True
    for m in range(len(models.weights)):
        bounded = bounded and models.weights[m] >= 0
    furthest = models.starts.shape[1] - 1
    sure = np.zeros(count)
    for o in range(count):
        words = options.offsets[o + 1] - options.offsets[o]
        sure[o] = options.static[o] + (rest[options.offsets[o] + furthest - 1] if words > furthest else 0.0)
        if not bounded:
            sure[o] = np.inf
    # References to arrays of tuples are counted at each use: those of the inner loop have names of their own.
    steps, words, offsets, static = states.steps, options.words, options.offsets, options.static
    backward, option_keys = options.backward, options.keys
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
        # Hypotheses of a stack share states, and options are asked for in their order: what models say is looked up once for all.
        distinct = np.unique(stacks.hypotheses[stacks.items[k, :size], STATE])
        remembered = len(distinct) * count <= MOST_REMEMBERED
        heard = np.empty((len(distinct) if remembered else 1, count))
        led_to = np.full(heard.shape, -1, np.int32)
        for h in _promising_first(stacks, k, counts[0]):
            if hypotheses[h, COVERAGE] != current:
                current = hypotheses[h, COVERAGE]
                if counts[0] + spans + 1 >= len(coverages):
                    while counts[0] + spans + 1 >= len(coverages):
                        coverages = np.concatenate((coverages, np.zeros_like(coverages)))
                        hopes = np.concatenate((hopes, np.zeros_like(hopes)))
                        coverage_slots = grown(coverage_slots)
                    before = counts[0]
                    counts[0] = 1
                    for c in range(1, before):
                        cover(coverages, coverage_slots, counts, c, 0, 0)
                ways_count = _ways(coverages[current], length, options, distortion, zones, walls, ways)
                reached[:ways_count] = -1
            if hierarchical and counts[1] + ways_count + 1 >= len(blocks):
                while counts[1] + ways_count + 1 >= len(blocks):
                    blocks = np.concatenate((blocks, np.zeros_like(blocks)))
                    block_slots = grown(block_slots)
                _enter_blocks(blocks, block_slots, counts[1])
            if keep_arcs and stacks.counts[1] + count + 1 >= len(stacks.arc_scores):
                stacks = _more_arcs(stacks, count)
                arcs, arc_scores = stacks.arcs, stacks.arc_scores
            last = hypotheses[h, OPTION]
            row = np.searchsorted(distinct, hypotheses[h, STATE]) if remembered else 0
            last_start = options.starts[last] if last >= 0 else -1
            last_end = options.ends[last] if last >= 0 else 0
            context = hypotheses[h, KEY] % contexts if last >= 0 else 0
            for w in range(ways_count):
                s = ways[w]
                first, behind = options.spans[s], options.spans[s + 1]
                start, end = options.starts[first], options.ends[first]
                jump = abs(start - last_end)
                if distortion >= 0 and jump > distortion:
                    continue
                if reached[w] < 0:
                    fresh = counts[0]
                    reached[w] = cover(coverages, coverage_slots, counts, current, start, end)
                    if reached[w] == fresh:
                        hopes[fresh] = still_to_come(coverages[fresh], options.future)
                target = k + end - start
                hope = hopes[reached[w]]
                turn = _orientation(last_start, last_end, start, end)
                block_turn = 0
                top = 0
                score_before = scores[h, 0] - distortion_weight * jump
                if last >= 0:
                    score_before += options.forward[last, 0, turn]
                if hierarchical:
                    top, distance = join_block(blocks, block_slots, counts, hypotheses[h, BLOCKS], start, end)
                    block_turn = _block_orientation(distance)
                    if last >= 0:
                        seen = _forward_orientation(coverages[current], last_start, last_end, start, end)
                        score_before += options.forward[last, 1, seen]
                threshold = max(best[target] + beam, worst[target])
                for o in range(first, behind):
                    score = score_before + backward[o, 0, turn] + backward[o, 1, block_turn]
                    context_after = context
                    if contexts > 1:
                        if leaves[o] >= 0:
                            score += boundary_scores[context, arrives[o]]
                            context_after = leaves[o]
                        score += boundary_ends[context_after] if target == length else 0.0
                    if score + sure[o] + hope < threshold:
                        continue
                    covered = hypotheses[h, TARGET]
                    if must:
                        covered = _followed(needed, covered, option_words, offsets[o], offsets[o + 1], open_end)
                        if covered < 0 or (target == length and covered != len(needed)):
                            continue
                    if led_to[row, o] < 0 or not remembered:
                        language, state = 0.0, hypotheses[h, STATE]
                        for t in range(offsets[o], offsets[o + 1] + (target == length)):
                            word = words[t] if t < offsets[o + 1] else END_OF_SENTENCE
                            at = step_slot(steps, state, word)
                            if steps[at, 0] < 0 and advance(models, states, state, word)[1] < 0:
                                return stacks, False
                            language += steps[at, 1]
                            state = np.int64(steps[at, 2])
                            # From here on it does not matter what stood before the option.
                            if t < offsets[o + 1] and target < length and state == after[t]:
                                language += rest[t]
                                state = after[offsets[o + 1] - 1]
                                break
                        heard[row, o], led_to[row, o] = language, state
                    score += static[o] + heard[row, o]
                    total = score + hope
                    if total < threshold:
                        continue
                    state = led_to[row, o]
                    key = option_keys[o] * contexts + context_after
                    at = find(hypotheses, slots, target, reached[w], state, key, top, covered)
                    other = slots[target, at]
                    if other >= 0:
                        better = score > scores[other, 0]
                        if keep_arcs and better:
                            keep_arc(
                                arcs, arc_scores, hypotheses, sizes, other, hypotheses[other, OPTION], hypotheses[other, PREVIOUS],
                                scores[other, 0],
                            )  # fmt: skip
                        elif keep_arcs:
                            keep_arc(arcs, arc_scores, hypotheses, sizes, other, o, h, score)
                        if better:
                            hypotheses[other, OPTION], hypotheses[other, PREVIOUS] = o, h
                            scores[other, 0], scores[other, 1] = score, total
                    else:
                        sizes[0] -= 1
                        new = free[sizes[0]]
                        hypotheses[new, COVERAGE], hypotheses[new, STATE], hypotheses[new, KEY] = reached[w], state, key
                        hypotheses[new, BLOCKS], hypotheses[new, TARGET], hypotheses[new, ARCS] = top, covered, -1
                        hypotheses[new, OPTION], hypotheses[new, PREVIOUS] = o, h
                        scores[new, 0], scores[new, 1] = score, total
                        slots[target, at] = new
                        items[target, sizes[3 + target]] = new
                        sizes[3 + target] += 1
                    if total > best[target]:
                        best[target] = total
                        threshold = max(best[target] + beam, worst[target])
                    if sizes[3 + target] == items.shape[1]:
                        prune(stacks, target, -np.inf)
                        threshold = max(best[target] + beam, worst[target])
    prune(stacks, length, beam)
    return stacks, room


@njit(cache=True, nogil=True)
def _promising_first(stacks: Stacks, k: int, coverages: int) -> Int64s:
    """The hypotheses of stack k, the most promising first, but those of a coverage together: what comes late then rarely stands."""
    items = stacks.items[k, : stacks.counts[3 + k]]
    ordered = items[np.argsort(-stacks.scores[items, 1], kind="mergesort")]
    places = np.full(coverages, -1, np.int64)
    ranks = np.empty(len(ordered), np.int64)
    seen = 0
    for i in range(len(ordered)):
        coverage = stacks.hypotheses[ordered[i], COVERAGE]
        if places[coverage] < 0:
            places[coverage] = seen
            seen += 1
        ranks[i] = places[coverage]
    return ordered[np.argsort(ranks, kind="mergesort")]


@njit(cache=True, nogil=True)
def _enter_blocks(blocks: Int64s, slots: Int64s, count: int) -> None:
    """Enter all blocks again, which no joining may change: each is put on what is below it, to which it is not adjacent."""
    again = np.ones(2, np.int64)
    for b in range(1, count):
        join_block(blocks, slots, again, blocks[b, 2], blocks[b, 0], blocks[b, 1])


@njit(cache=True, nogil=True)
def _more_arcs(stacks: Stacks, count: int) -> Stacks:
    more = len(stacks.arc_scores) + count
    arcs = np.concatenate((stacks.arcs, np.zeros((more, 3), np.int64)))
    scores = np.concatenate((stacks.arc_scores, np.zeros(more)))
    return Stacks(
        stacks.hypotheses, stacks.scores, stacks.items, stacks.slots, stacks.best, stacks.worst, stacks.free, arcs, scores,
        stacks.counts, stacks.stack, stacks.keep_arcs,
    )  # fmt: skip


@njit(cache=True, nogil=True)
def _followed(needed: Int32s, covered: int, words: Int32s, begin: int, end: int, open_end: bool) -> int:
    """How much of the needed words there is after these of an option; -1 where they are others."""
    if covered + end - begin > len(needed) and not open_end:
        return -1
    for t in range(begin, min(end, begin + len(needed) - covered)):
        if words[t] != needed[covered + t - begin]:
            return -1
    return min(covered + end - begin, len(needed))
