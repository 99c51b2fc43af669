"""Metrics turn hypotheses and references into sufficient statistics, and statistics into scores with confidence intervals.

BLEU, chrF and TER give sacreBLEU's numbers; SIMPBLEU has all 64 variants. BEER and ROSE are trained on judgements.
"""

from app.metrics.catalogue import register_all
from app.metrics.definition import Metric, PreparedMetric
from app.metrics.files import use_metric_files
from app.metrics.learnt.artifact import TrainedMetric, load_trained_metrics, read_trained_metric, save_trained_metric
from app.metrics.lexical.simpbleu import VARIANTS, simpbleu_score
from app.metrics.registry import METRICS, MetricEntry, MetricRequest, metric_named, metrics_named, register_metric
from app.metrics.scoring import (
    EMPTY_POLICIES,
    TESTS,
    Significance,
    SystemScore,
    check_aligned,
    drop_empty,
    run_summaries,
    score_systems,
    scores_of_statistics,
    segment_statistics,
)
from app.metrics.significance.runs import RunSummary

__all__ = [
    "EMPTY_POLICIES",
    "METRICS",
    "TESTS",
    "VARIANTS",
    "Metric",
    "MetricEntry",
    "MetricRequest",
    "PreparedMetric",
    "RunSummary",
    "Significance",
    "SystemScore",
    "TrainedMetric",
    "check_aligned",
    "drop_empty",
    "load_trained_metrics",
    "metric_named",
    "metrics_named",
    "read_trained_metric",
    "register_metric",
    "run_summaries",
    "save_trained_metric",
    "score_systems",
    "scores_of_statistics",
    "segment_statistics",
    "simpbleu_score",
    "use_metric_files",
]

register_all()
