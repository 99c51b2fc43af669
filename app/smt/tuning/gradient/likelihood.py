"""Maximum likelihood of references, or of oracles, in the lists: Song's thesis §2.1.2, (2.9) to (2.11).

Och and Ney 2002. Probabilities are softmaxes of weighted sums over a list; equal texts add up.
"""

from typing import Any, Final

import numpy as np

from app.arrays import Bools, Float64s
from app.errors import InputError
from app.metrics import metric_named
from app.running.journal import Journal
from app.smt.tuning.gradient.ascent import Objective, climb, scaled
from app.smt.tuning.gradient.posterior_kernels import posteriors
from app.smt.tuning.method import IterationScore, Settings, TuningData, TuningMethod, TuningOutcome
from app.smt.tuning.pool import TuningPool
from app.smt.tuning.work import MOVE
from app.text.reading.options import Choice, Number

__all__ = ["LIKELIHOOD", "likelihood", "targets", "tune_likelihood"]

# Segment scores with a smaller difference are equal.
MARGIN: Final = 1e-12


def likelihood(pool: TuningPool, target_mask: Bools, l2: float) -> Objective:
    """Return the objective: mean log-probability of the target hypotheses of a list, minus ``l2 / 2 · |w|²``.

    `target_mask` (h, r) marks the targets for each of r references. A list counts by the mean over its references with targets.
    """
    segments = pool.segment_of
    present = np.column_stack([np.bincount(segments, target_mask[:, r], len(pool)) > 0 for r in range(target_mask.shape[1])])
    shares = present / np.maximum(present.sum(1), 1)[:, None] / max(int(present.any(1).sum()), 1)

    def objective(weights: Float64s) -> tuple[float, Float64s]:
        totals = pool.features @ weights
        probabilities, log_all = posteriors(totals, pool.offsets)
        value, by_score = 0.0, -probabilities * shares.sum(1)[segments]
        for r in range(target_mask.shape[1]):
            target_probabilities, log_wanted = posteriors(np.where(target_mask[:, r], totals, -np.inf), pool.offsets)
            rows = present[:, r]
            value += float(shares[rows, r] @ (log_wanted[rows] - log_all[rows]))
            by_score += target_probabilities * shares[:, r][segments]
        return value - l2 / 2 * float(weights @ weights), pool.features.gathered(by_score) - l2 * weights

    return objective


def targets(data: TuningData, criterion: str, by: str) -> Bools:
    """Mark the target hypotheses (h, r): copies of the first reference, of every reference, or the oracle of each list.

    The oracle is the best by the tuned metric, or by WER. InputError if texts are missing, or no list contains its reference.
    """
    pool = data.pool
    if criterion == "oracle":
        gains = pool.gains if by == "metric" else -_word_errors(data)
        best = np.maximum.reduceat(gains, pool.offsets[:-1])
        return np.asarray(gains >= best[pool.segment_of] - MARGIN)[:, None]
    texts, references = _texts(data)
    words = [tuple(text.split()) for text in texts]
    of_segment = pool.segment_of.tolist()
    rows = [[tuple(text.split()) for text in reference] for reference in references[: 1 if criterion == "reference" else None]]
    mask = np.array([[words[h] == row[i] for row in rows] for h, i in enumerate(of_segment)], np.bool_)
    if not mask.any():
        detail = "no list contains its reference; use target:oracle"
        raise InputError("missing-evidence", detail, ("references",))
    return mask


def _word_errors(data: TuningData) -> Float64s:
    texts, references = _texts(data)
    wer = metric_named("wer|tok:none")
    return wer.segment_scores(wer.prepare(references).statistics(texts, data.pool.segment_of))


def _texts(data: TuningData) -> tuple[Any, Any]:
    if data.texts is None or not data.references:
        raise InputError("missing-evidence", "this target needs the texts of hypotheses and references", ("references",))
    return data.texts, data.references


def tune_likelihood(data: TuningData, settings: Settings, rng: np.random.Generator, journal: Journal) -> TuningOutcome:
    """Return the weights of maximum likelihood; nothing is random."""
    work = scaled(data)
    target_mask = targets(data, settings["target"], settings["by"])
    curve = [IterationScore(0, work.pool.score(work.start))]
    data.watch(curve[0])
    objective = likelihood(work.pool, target_mask, settings["l2"])
    weights = journal.recall(lambda: climb(objective, work.start, settings["steps"], journal, 0.5))
    if not weights.any():
        weights = work.start
    curve.append(IterationScore(1, work.pool.score(weights)))
    data.watch(curve[1])
    list_count = int((np.bincount(work.pool.segment_of, target_mask.any(1), len(work.pool)) > 0).sum())
    return TuningOutcome(work.unscaled(weights), curve, {"lists_with_targets": list_count, "log_likelihood": objective(weights)[0]})


LIKELIHOOD: Final = TuningMethod(
    "likelihood",
    "maximum likelihood of references or of the best of each list",
    {
        "target": Choice({"reference": "reference", "references": "references", "oracle": "oracle"}, "oracle"),
        "by": Choice({"metric": "metric", "wer": "wer"}, "metric"),
        "l2": Number(0, 100, 0.001),
        "steps": Number(1, 1000, 100, is_whole=True),
    },
    tune_likelihood,
    "Och and Ney 2002; Song 2015, (2.9)-(2.11)",
    lambda settings, sizes: MOVE * settings["steps"] * sizes.values,
)
