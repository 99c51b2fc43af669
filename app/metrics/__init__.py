"""Hypotheses and references into sufficient statistics, and those into scores with intervals.

BLEU, chrF and TER give sacreBLEU's numbers; SIMPBLEU has all 64 variants.
"""

from app.metrics.definition import Metric
from app.metrics.registry import METRICS, MetricEntry, metric_named
from app.metrics.scoring import (
    Significance,
    SystemScore,
    check_aligned,
    score_systems,
    scores_of_statistics,
    segment_statistics,
)
from app.metrics.simpbleu import VARIANTS, simpbleu_score

__all__ = [
    "METRICS",
    "VARIANTS",
    "Metric",
    "MetricEntry",
    "Significance",
    "SystemScore",
    "check_aligned",
    "metric_named",
    "score_systems",
    "scores_of_statistics",
    "segment_statistics",
    "simpbleu_score",
]
