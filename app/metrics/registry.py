"""Metrics by the names that requests use.

A name is a metric, a variant where it has some, and options in the form signatures have:
``bleu|tok:zh|case:lc``, ``simpbleu:PABC4|alpha:3``, ``order:kendall``, ``rose:rank|lang:de``.

Installed packages add metrics of their own through the entry point group ``assay.metrics``: each
entry point names a `MetricEntry`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Any, Final

from app.errors import InputError
from app.metrics.definition import Metric
from app.metrics.learnt.artifact import TrainedMetric
from app.metrics.options import Option, parse_options

__all__ = ["METRICS", "NEURAL", "MetricEntry", "MetricRequest", "metric_named", "metrics_named", "register_metric"]

# What names of metrics by imported checkpoints begin with; it is in the catalogue only where there are some.
NEURAL: Final = "neural"
Neural = Callable[[str], Metric]
NONE_TRAINED: Final[Mapping[str, TrainedMetric]] = MappingProxyType({})


@dataclass(frozen=True)
class MetricRequest:
    """What a name asks for: the variant, the value of every option, and the trained metrics that are loaded."""

    variant: str
    options: Mapping[str, Any]
    trained: Mapping[str, TrainedMetric]


@dataclass(frozen=True)
class MetricEntry:
    """What a metric is called, what it measures, the options it takes, and how it is made.

    `make` raises InputError (``unknown-metric``) where a variant is not one of `variants`.
    """

    name: str
    description: str
    options: Mapping[str, Option]
    source: str
    make: Callable[[MetricRequest], Metric]
    variants: str = field(default="")


_ENTRIES: dict[str, MetricEntry] = {}
METRICS: Final[Mapping[str, MetricEntry]] = MappingProxyType(_ENTRIES)


def register_metric(entry: MetricEntry) -> None:
    """Add a metric; ValueError where its name is taken or cannot be written in requests."""
    if entry.name in _ENTRIES or not entry.name or set(entry.name) & set(":|= "):
        raise ValueError(f"a metric cannot be called {entry.name!r}: the name is taken or has one of : | = or a blank")
    _ENTRIES[entry.name] = entry


def register_installed() -> None:
    """Add the metrics of installed packages."""
    for point in entry_points(group="assay.metrics"):
        register_metric(point.load())


def metric_named(name: str, trained: Mapping[str, TrainedMetric] = NONE_TRAINED, neural: Neural | None = None) -> Metric:
    """The metric that `name` describes; InputError says which metrics, variants and options there are.

    `neural` gives the metric of an imported checkpoint, where these may be asked.
    """
    head, *pairs = name.split("|")
    kind, separator, variant = head.partition(":")
    if kind == NEURAL:
        if neural is None:
            raise InputError("unknown-metric", "neural metrics score in POST /v1/score, its jobs and assay score alone")
        parse_options(kind, {}, pairs)
        return neural(variant)
    entry = METRICS.get(kind)
    if entry is None or (separator and not entry.variants):
        detail = f"{head} is none of the metrics, which are {', '.join(METRICS)}; a variant follows a colon, as in simpbleu:PABC4"
        raise InputError("unknown-metric", detail)
    return entry.make(MetricRequest(variant, parse_options(kind, entry.options, pairs), trained))


def metrics_named(
    names: Iterable[str], trained: Mapping[str, TrainedMetric] = NONE_TRAINED, neural: Neural | None = None
) -> dict[str, Metric]:
    """Metrics by the names that were asked for; InputError where one is unknown or asked for twice."""
    metrics: dict[str, Metric] = {}
    for place, name in enumerate(names):
        if name in metrics:
            raise InputError("invalid-request", "this metric is asked for twice", ("metrics", place))
        try:
            metrics[name] = metric_named(name, trained, neural)
        except InputError as error:
            raise InputError(error.code, error.detail, error.where or ("metrics", place)) from None
    return metrics
