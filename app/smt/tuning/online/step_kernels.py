"""Compiled steps of MIRA and of the structured perceptron over n-best lists.

Both score a list by weights and by gains, choose a target and a rival, and add a multiple of their feature difference to the
weights. Only the multiple differs.
"""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int32s, Int64s
from app.smt.tuning.online.constraint_kernels import ONE_PAIR, collect_pairs, solve_margins
from app.smt.tuning.online.feature_kernels import add_difference, row_score, squared_distance
from app.smt.tuning.online.gain_kernels import added_bleu

__all__ = ["BEST", "FEAR", "HOPE", "MARGIN", "MIXTURE", "MODEL", "PLAIN", "take_steps"]

# Targets: the highest score plus gain, the highest gain, the highest mixture of both (each scaled to 0-1 in the list).
# Rivals: the highest score minus gain, the highest score.
HOPE, BEST, MIXTURE = 0, 1, 2
FEAR, MODEL = 0, 1
# Rules: the least step that satisfies the margin, up to the cap; always the cap.
MARGIN, PLAIN = 0, 1


@njit(cache=True, nogil=True)
def take_steps(
    segments: Int64s,
    offsets: Int64s,
    dense: Float64s,
    begins: Int32s,
    columns: Int32s,
    values: Float64s,
    statistics: Float64s,
    gains: Float64s,
    weights: Float64s,
    lag: Float64s,
    background: Float64s,
    counts: Int64s,
    scratch: Float64s,
    rule: int,
    target: int,
    rival: int,
    cap: float,
    scale: float,
    decay: float,
    by_model: bool,
    bleu: bool,
    mix: float,
    pairs: int,
    oracles: int,
) -> None:
    """Take one step for each of `segments`, in place.

    The mean of the weights after all steps is ``weights - lag / steps``. `counts` are steps, updates, updates at the cap, and
    steps with a satisfied margin. `background` holds the statistics of earlier targets (or of the model's choices, `by_model`)
    with `decay`, and last their number. With `bleu`, gains are BLEU of background and hypothesis, times `scale` and that number;
    otherwise `gains` (h,). `mix` is the share of the score in mixed targets. All margins of several `pairs` in a list are
    satisfied together. The constant 1e-300 avoids a division by 0.
    """
    width = statistics.shape[1]
    longest = 0
    for i in segments:
        longest = max(longest, offsets[i + 1] - offsets[i])
    scores_of_list = np.empty(longest)
    scores = np.empty(longest)
    pair_limit = 0 if pairs == ONE_PAIR else max(3, oracles * longest)
    better, worse, losses = np.empty(pair_limit, np.int64), np.empty(pair_limit, np.int64), np.empty(pair_limit)
    multipliers, squares, target_mask = np.empty(pair_limit), np.empty(pair_limit), np.empty(longest, np.bool_)
    for i in segments:
        first, last = offsets[i], offsets[i + 1]
        model = first
        for h in range(first, last):
            scores[h - first] = row_score(dense, begins, columns, values, weights, h)
            if bleu:
                scores_of_list[h - first] = scale * (background[width] + 1.0) * added_bleu(background, statistics, h)
            else:
                scores_of_list[h - first] = gains[h]
            if scores[h - first] > scores[model - first]:
                model = h
        plus, minus = first, first
        low, span, worst, reach = 0.0, 1.0, 0.0, 1.0
        if target == MIXTURE:
            low, worst = scores[: last - first].min(), scores_of_list[: last - first].min()
            span, reach = scores[: last - first].max() - low, scores_of_list[: last - first].max() - worst
            span, reach = (span if span > 0.0 else 1.0), (reach if reach > 0.0 else 1.0)
        for h in range(first + 1, last):
            score, gain = scores[h - first], scores_of_list[h - first]
            if target == MIXTURE:
                mixture = (1.0 - mix) * (gain - worst) / reach + mix * (score - low) / span
                top = (1.0 - mix) * (scores_of_list[plus - first] - worst) / reach + mix * (scores[plus - first] - low) / span
                if mixture > top:
                    plus = h
            elif target == HOPE:
                if score + gain > scores[plus - first] + scores_of_list[plus - first]:
                    plus = h
            elif gain > scores_of_list[plus - first] or (gain == scores_of_list[plus - first] and score > scores[plus - first]):
                plus = h
            if score - gain > scores[minus - first] - scores_of_list[minus - first]:
                minus = h
        if rival == MODEL:
            minus = model
        if pairs != ONE_PAIR:
            count = collect_pairs(
                scores, scores_of_list, last - first, pairs, oracles, target == HOPE, target_mask, better, worse, losses
            )
            for p in range(count):
                better[p] += first
                worse[p] += first
            solve_margins(dense, begins, columns, values, weights, scratch, better, worse, losses, count, cap, multipliers, squares)
            moved = False
            for p in range(count):
                if multipliers[p] > 0.0:
                    moved = True
                    shift = multipliers[p] * counts[0]
                    add_difference(dense, begins, columns, values, lag, better[p], worse[p], shift)
            if moved:
                counts[1] += 1
                if multipliers[:count].max() >= cap:
                    counts[2] += 1
            elif count > 0:
                counts[3] += 1
        loss = scores_of_list[plus - first] - scores_of_list[minus - first] if pairs == ONE_PAIR else 0.0
        behind = loss - (scores[plus - first] - scores[minus - first])
        step = 0.0
        if loss > 0.0 and (rule == PLAIN or behind > 0.0):
            square = squared_distance(dense, begins, columns, values, scratch, plus, minus)
            if square > 1e-300:
                step = cap
                if rule == MARGIN:
                    step = min(cap, behind / square)
                    if behind / square > cap:
                        counts[2] += 1
        elif loss > 0.0:
            counts[3] += 1
        if step > 0.0:
            add_difference(dense, begins, columns, values, weights, plus, minus, step)
            add_difference(dense, begins, columns, values, lag, plus, minus, step * counts[0])
            counts[1] += 1
        counts[0] += 1
        background_row = model if by_model else plus
        for k in range(width):
            background[k] = decay * background[k] + statistics[background_row, k]
        background[width] = decay * background[width] + 1.0
