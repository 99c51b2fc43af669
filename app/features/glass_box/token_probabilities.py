"""A neural system's view of its own tokens: log-probabilities, entropies, several passes, several samples.

Log-probabilities are natural logs, one per token of the system, end of sentence last.
"""

from itertools import combinations
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.features.black_box.comparisons import lower_texts, metric_scores
from app.features.declaration import Family, FeatureGroup
from app.features.needs import PartNeed
from app.features.plans.formulas import part
from app.features.view import View
from app.text.side_information.kinds import PASSES, SAMPLES, TOKEN_ENTROPIES, TOKEN_LOG_PROBS

__all__ = ["TOKEN_PROBABILITIES"]

TOKEN_PROBABILITIES: Final = FeatureGroup(
    "Token probabilities of a neural system", "Fomicheva et al. 2020, Unsupervised quality estimation for NMT"
)
STATISTICS: Final = (
    ("mean", "Mean token log-probability"),
    ("sum", "Sum of token log-probabilities"),
    ("min", "Smallest token log-probability"),
    ("max", "Largest token log-probability"),
    ("std", "Standard deviation of token log-probabilities (of the population)"),
    ("below_1", "Share of tokens with log-probability below -1"),
    ("below_2", "Share of tokens with log-probability below -2"),
    ("last", "Log-probability of the end of sentence"),
    ("percentile_10", "10th percentile of token log-probabilities, linearly interpolated"),
    ("percentile_25", "25th percentile of token log-probabilities, linearly interpolated"),
)


def _flatten(rows: tuple[tuple[float, ...], ...], field: str) -> tuple[Float64s, Int64s, Int64s]:
    """All numbers, the offset and the count of each segment; InputError for a segment without numbers."""
    lengths = np.array([len(row) for row in rows], np.int64)
    if (lengths == 0).any():
        at = int(np.argmin(lengths))
        raise InputError("log-prob-mismatch", f"{field} needs at least one number", ("segments", at, field))
    flat = np.array([value for row in rows for value in row], np.float64)
    return flat, np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64), lengths


def _log_prob_statistics(view: View) -> Float64s:
    """Columns in the order of STATISTICS; (n, 10)."""
    flat, begins, lengths = _flatten(view.beside(TOKEN_LOG_PROBS), "token_log_probs")
    n = len(lengths)
    total = np.add.reduceat(flat, begins)
    mean = total / lengths
    segment = np.repeat(np.arange(n), lengths)
    sorted_values = flat[np.lexsort((flat, segment))]
    columns = (
        mean,
        total,
        sorted_values[begins],
        sorted_values[begins + lengths - 1],
        _spread(flat, mean, segment, lengths),
        np.bincount(segment, weights=flat < -1, minlength=n) / lengths,
        np.bincount(segment, weights=flat < -2, minlength=n) / lengths,
        flat[begins + lengths - 1],
        _percentile(sorted_values, begins, lengths, 0.10),
        _percentile(sorted_values, begins, lengths, 0.25),
    )
    return np.stack(columns, axis=1)


def _spread(flat: Float64s, mean: Float64s, segment: Int64s, lengths: Int64s) -> Float64s:
    deviations = flat - mean[segment]
    return np.sqrt(np.bincount(segment, weights=deviations**2, minlength=len(lengths)) / lengths)


def _percentile(sorted_values: Float64s, begins: Int64s, lengths: Int64s, share: float) -> Float64s:
    place = share * (lengths - 1)
    low = np.floor(place).astype(np.int64)
    high = np.minimum(low + 1, lengths - 1)
    a, b = sorted_values[begins + low], sorted_values[begins + high]
    return np.asarray(a + (b - a) * (place - low))


def _entropy_statistics(view: View) -> Float64s:
    """Mean, largest, standard deviation; (n, 3)."""
    flat, begins, lengths = _flatten(view.beside(TOKEN_ENTROPIES), "token_entropies")
    mean = np.add.reduceat(flat, begins) / lengths
    segment = np.repeat(np.arange(len(lengths)), lengths)
    return np.stack([mean, np.maximum.reduceat(flat, begins), _spread(flat, mean, segment, lengths)], axis=1)


def _pass_statistics(view: View) -> Float64s:
    """Mean over passes of the mean log-probability, its variance, and 1 less their quotient; (n, 3)."""
    out = np.zeros((len(view), 3))
    rows = view.beside(PASSES)
    for i, passes in enumerate(rows):
        means = np.array([np.mean(log_probs) for log_probs in passes if len(log_probs)])
        if not len(means):
            continue
        mean, variance = float(means.mean()), float(means.var())
        out[i] = mean, variance, 1 - mean / variance if variance > 0 else 0.0
    return out


# Passes that nearly agree would make the quotient arbitrarily large.
LARGEST_COMBINATION: Final = 1e6
# Compared pairs of samples: ten samples have 45.
MOST_PAIRS: Final = 45


def _sample_statistics(view: View) -> Float64s:
    """Mean chrF between all pairs of samples, and between the translation and each; (n, 2), 0 for too few samples."""
    lists, (_, texts) = view.beside(SAMPLES), view.cached(lower_texts)
    out = np.zeros((len(view), 2))
    pairs = [(i, a, b) for i, row in enumerate(lists) for a, b in list(combinations(row, 2))[:MOST_PAIRS]]
    sample_triples = [(i, text, sample) for i, (text, row) in enumerate(zip(texts, lists, strict=True)) for sample in row]
    for k, triples in enumerate((pairs, sample_triples)):
        if triples:
            rows = np.array([i for i, _, _ in triples])
            scores = metric_scores("chrf", [a for _, a, _ in triples], [b for _, _, b in triples])
            out[:, k] = np.bincount(rows, scores, len(view)) / np.maximum(np.bincount(rows, minlength=len(view)), 1)
    return out


A_PASS: Final = PartNeed(PASSES, ("1",), "a pass for every segment")
TWO_PASSES: Final = PartNeed(PASSES, ("2",), "two passes for every segment")
A_SAMPLE: Final = PartNeed(SAMPLES, ("1",), "a sample for every segment")
TWO_SAMPLES: Final = PartNeed(SAMPLES, ("2",), "two samples for every segment")

add = TOKEN_PROBABILITIES.add
# fmt: off
for k, (name, text) in enumerate(STATISTICS):
    add(f"nmt.{name}", f"nmt_{name}", text, Family.CONFIDENCE, part(_log_prob_statistics, k), TOKEN_LOG_PROBS)
for k, (name, text) in enumerate((
    ("mean", "Mean token entropy"), ("max", "Largest token entropy"), ("std", "Standard deviation of token entropies"),
)):
    add(f"nmt.entropy_{name}", f"nmt_entropy_{name}", text, Family.CONFIDENCE, part(_entropy_statistics, k), TOKEN_ENTROPIES)
add("nmt.passes_mean", "nmt_passes_mean", "Mean token log-probability, mean over several passes (D-TP)", Family.CONFIDENCE,
    part(_pass_statistics, 0), PASSES, A_PASS)
add("nmt.passes_variance", "nmt_passes_variance", "Variance of the mean token log-probability over several passes (D-Var)",
    Family.CONFIDENCE, part(_pass_statistics, 1), PASSES, TWO_PASSES)
add("nmt.passes_combination", "nmt_passes_combination", "1 less D-TP over D-Var (D-Combo), at most a million", Family.CONFIDENCE,
    lambda v: np.minimum(v.cached(_pass_statistics)[:, 2], LARGEST_COMBINATION), PASSES, TWO_PASSES)
add("nmt.samples_likeness", "nmt_samples_likeness", "Mean chrF between pairs of sampled translations (D-Lex-Sim)",
    Family.CONFIDENCE, part(_sample_statistics, 0), SAMPLES, TWO_SAMPLES)
add("nmt.samples_agreement", "nmt_samples_agreement", "Mean chrF of the translation against sampled translations",
    Family.CONFIDENCE, part(_sample_statistics, 1), SAMPLES, A_SAMPLE)
# fmt: on
