"""A linear-chain conditional random field over two tags (0 OK, 1 BAD) with sparse binary features."""

import numpy as np
from numba import njit

from app.arrays import Float32s, Float64s, Int8s, Int32s, Int64s

__all__ = ["emission_scores", "log_likelihood", "marginals", "train_epoch"]


@njit(cache=True, nogil=True)
def emission_scores(features: Int32s, weights: Float32s) -> Float64s:
    """Score of BAD over OK at each position: the sum of its features' weights. `features` is (positions, k), -1 for none."""
    out = np.zeros(len(features))
    for t in range(len(features)):
        for j in range(features.shape[1]):
            if features[t, j] >= 0:
                out[t] += weights[features[t, j]]
    return out


@njit(cache=True, inline="always")
def _add(a: float, b: float) -> float:
    """log(exp(a) + exp(b))."""
    high = max(a, b)
    return high + np.log1p(np.exp(-abs(a - b)))


@njit(cache=True, nogil=True)
def _forward(scores: Float64s, begin: int, end: int, transitions: Float64s, alpha: Float64s) -> float:
    """Log sums over the tags up to each position; the log of the sum over all taggings. O(length)."""
    alpha[begin, 0], alpha[begin, 1] = 0.0, scores[begin]
    for t in range(begin + 1, end):
        alpha[t, 0] = _add(alpha[t - 1, 0] + transitions[0, 0], alpha[t - 1, 1] + transitions[1, 0])
        alpha[t, 1] = scores[t] + _add(alpha[t - 1, 0] + transitions[0, 1], alpha[t - 1, 1] + transitions[1, 1])
    return _add(alpha[end - 1, 0], alpha[end - 1, 1])


@njit(cache=True, nogil=True)
def _backward(scores: Float64s, begin: int, end: int, transitions: Float64s, beta: Float64s) -> None:
    beta[end - 1, 0] = beta[end - 1, 1] = 0.0
    for t in range(end - 2, begin - 1, -1):
        for tag in range(2):
            beta[t, tag] = _add(transitions[tag, 0] + beta[t + 1, 0], transitions[tag, 1] + scores[t + 1] + beta[t + 1, 1])


@njit(cache=True, nogil=True)
def marginals(scores: Float64s, offsets: Int64s, transitions: Float64s) -> Float64s:
    """Probability of BAD at each position, given the whole segment."""
    out = np.zeros(len(scores))
    alpha, beta = np.zeros((len(scores), 2)), np.zeros((len(scores), 2))
    for i in range(len(offsets) - 1):
        begin, end = offsets[i], offsets[i + 1]
        if begin == end:
            continue
        total = _forward(scores, begin, end, transitions, alpha)
        _backward(scores, begin, end, transitions, beta)
        for t in range(begin, end):
            out[t] = min(1.0, np.exp(alpha[t, 1] + beta[t, 1] - total))
    return out


@njit(cache=True, nogil=True)
def log_likelihood(scores: Float64s, tags: Int8s, offsets: Int64s, transitions: Float64s) -> float:
    """Log probability of the given tags of all segments."""
    alpha = np.zeros((len(scores), 2))
    out = 0.0
    for i in range(len(offsets) - 1):
        begin, end = offsets[i], offsets[i + 1]
        if begin == end:
            continue
        out -= _forward(scores, begin, end, transitions, alpha)
        for t in range(begin, end):
            out += scores[t] * tags[t]
            if t > begin:
                out += transitions[tags[t - 1], tags[t]]
    return out


@njit(cache=True, nogil=True)
def train_epoch(
    features: Int32s,
    tags: Int8s,
    offsets: Int64s,
    order: Int64s,
    weights: Float32s,
    squares: Float32s,
    transitions: Float64s,
    transition_squares: Float64s,
    rate: float,
) -> None:
    """One pass of AdaGrad (Duchi et al. 2011) over the segments in `order`, on the log-likelihood.

    `squares` and `transition_squares`, sums of squared gradients, begin above 0.
    """
    longest = 0
    for i in range(len(offsets) - 1):
        longest = max(longest, offsets[i + 1] - offsets[i])
    alpha, beta, scores = np.zeros((longest, 2)), np.zeros((longest, 2)), np.zeros(longest)
    expected = np.zeros((2, 2))
    for i in order:
        begin, size = offsets[i], offsets[i + 1] - offsets[i]
        if size == 0:
            continue
        for t in range(size):
            scores[t] = 0.0
            for j in range(features.shape[1]):
                if features[begin + t, j] >= 0:
                    scores[t] += weights[features[begin + t, j]]
        total = _forward(scores, 0, size, transitions, alpha)
        _backward(scores, 0, size, transitions, beta)
        expected[:] = 0.0
        for t in range(size):
            step = tags[begin + t] - np.exp(alpha[t, 1] + beta[t, 1] - total)
            for j in range(features.shape[1]):
                k = features[begin + t, j]
                if k < 0:
                    continue
                squares[k] += step * step
                weights[k] += rate * step / np.sqrt(squares[k])
            if t == 0:
                continue
            expected[tags[begin + t - 1], tags[begin + t]] -= 1.0
            for a in range(2):
                for b in range(2):
                    expected[a, b] += np.exp(alpha[t - 1, a] + transitions[a, b] + b * scores[t] + beta[t, b] - total)
        for a in range(2):
            for b in range(2):
                transition_squares[a, b] += expected[a, b] ** 2
                transitions[a, b] -= rate * expected[a, b] / np.sqrt(transition_squares[a, b])
