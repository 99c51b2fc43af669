"""Metrics for scoring texts: the catalogue, trained metrics, and imported checkpoints."""

from collections.abc import Sequence

from app.engine.engine import Engine
from app.engine.neural_metric import NeuralMetric
from app.metrics import Metric, metrics_named

__all__ = ["scoring_metrics"]


def scoring_metrics(engine: Engine, names: Sequence[str], sources: Sequence[str] | None) -> dict[str, Metric]:
    """Metrics by name for segments with these sources; InputError for a name that is unknown, repeated, or lacks sources."""

    def neural(name: str) -> Metric:
        return NeuralMetric(engine.resources.checkpoints.checkpoint(name), sources).beside(sources)

    return metrics_named(names, engine.registry.metrics, neural)
