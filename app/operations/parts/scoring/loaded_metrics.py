"""Metrics that score texts: the catalogue, trained metrics, and imported checkpoints."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from app.errors import InputError
from app.metrics import Metric, TrainedMetric, metrics_named
from app.metrics.registry import NEURAL, OUTSIDE, TERMS

if TYPE_CHECKING:
    from app.engine import Engine
    from app.resources.terminology import Terminology

__all__ = ["TrainedMetrics", "scoring_metrics"]


class TrainedMetrics(Mapping[str, TrainedMetric]):
    """Trained metrics of an engine by id. Most requests name none, so that their commands start without a registry."""

    def __init__(self, engine: "Engine") -> None:
        self._engine = engine

    def __getitem__(self, name: str) -> TrainedMetric:
        return self._engine.registry.metrics[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._engine.registry.metrics)

    def __len__(self) -> int:
        return len(self._engine.registry.metrics)


def scoring_metrics(
    engine: "Engine", names: Sequence[str], sources: Sequence[str] | None, terminology: "Terminology | None" = None
) -> dict[str, Metric]:
    """Metrics by name for segments with these sources; InputError for a name that is unknown, repeated, or lacks sources.

    A terminology is that of the metric `terms`.
    """

    def neural(name: str) -> Metric:
        from app.engine.neural_metric import NeuralMetric

        return NeuralMetric(engine.resources.checkpoints.checkpoint(name), sources).with_sources(sources)

    def terms(variant: str) -> Metric:
        if variant or terminology is None:
            raise InputError("unknown-metric", "terms has no variants" if variant else OUTSIDE[TERMS])
        from app.metrics.terms import TermAccuracy

        return TermAccuracy(terminology).with_sources(sources)

    return metrics_named(names, TrainedMetrics(engine), {NEURAL: neural, TERMS: terms})
