"""Registry of metrics by the names of requests.

A name consists of a metric, a variant if the metric has variants, and options in the syntax of signatures:
``bleu|tok:zh|case:lc``, ``simpbleu:PABC4|alpha:3``, ``order:kendall``, ``rose:rank|lang:de``.

Installed packages add metrics through the entry point group ``assay.metrics``. An entry point names a `MetricEntry`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from app.errors import InputError
from app.metrics.definition import Metric
from app.metrics.learnt.artifact import TrainedMetric
from app.metrics.signatures import check_constants, split_constants
from app.text.reading.options import Option, parse_options

__all__ = [
    "METRICS",
    "NEURAL",
    "OUTSIDE",
    "TERMS",
    "MetricEntry",
    "MetricRequest",
    "metric_named",
    "metrics_named",
    "register_metric",
]

# Prefix of the names of imported checkpoints' metrics; the catalogue lists it only if a checkpoint is installed.
NEURAL: Final = "neural"
TERMS: Final = "terms"
# Metrics that are made from more than their names; the catalogue lists none of them. Messages for callers who cannot make them.
OUTSIDE: Final = {
    NEURAL: "neural metrics work in score, mbr, oracle and tune on lists",
    TERMS: "terms works in score, with a glossary, a language pair and sources",
}
# Functions of variants, by the name of a metric outside of the catalogue.
Makers = Mapping[str, Callable[[str], Metric]]
NO_MAKERS: Final[Makers] = MappingProxyType({})
NO_TRAINED_METRICS: Final[Mapping[str, TrainedMetric]] = MappingProxyType({})


@dataclass(frozen=True)
class MetricRequest:
    """A parsed name: the variant, the value of every option, and the loaded trained metrics by id."""

    variant: str
    options: Mapping[str, Any]
    trained: Mapping[str, TrainedMetric]


@dataclass(frozen=True)
class MetricEntry:
    """A metric of the catalogue: name, description, options, source, and the function that makes it.

    `make` raises InputError (``unknown-metric``) for a variant outside `variants`.
    """

    name: str
    description: str
    options: Mapping[str, Option]
    source: str
    make: Callable[[MetricRequest], Metric]
    variants: str = field(default="")


_ENTRIES: dict[str, MetricEntry] = {}
METRICS: Final[Mapping[str, MetricEntry]] = MappingProxyType(_ENTRIES)


# Families of neural metrics, whose names people write without an import.
NEURAL_FAMILIES: Final = ("comet", "bleurt", "metricx", "transquest")
IMPORT_HINT: Final = (
    "{name} is a neural metric, and Assay brings no checkpoint; import yours with assay resources import-checkpoint CHECKPOINT "
    "--name {family} --licence LICENCE --out checkpoints, set ASSAY_CHECKPOINTS=checkpoints, and ask for neural:{family}"
)


def register_metric(entry: MetricEntry) -> None:
    """Add a metric; ValueError if its name is taken or has a character that separates parts of names."""
    if entry.name in _ENTRIES or not entry.name or set(entry.name) & set(":|= "):
        raise ValueError(f"a metric cannot be called {entry.name!r}: the name is taken or has one of : | = or a blank")
    _ENTRIES[entry.name] = entry


def metric_named(
    name: str, trained_metrics: Mapping[str, TrainedMetric] = NO_TRAINED_METRICS, makers: Makers = NO_MAKERS
) -> Metric:
    """The metric that `name` describes; InputError lists the metrics, variants and options.

    `makers` return metrics of `OUTSIDE`, such as that of an imported checkpoint.
    """
    head, *pairs = name.split("|")
    kind, separator, variant = head.partition(":")
    if kind in OUTSIDE:
        if kind not in makers:
            raise InputError("unknown-metric", OUTSIDE[kind])
        metric = makers[kind](variant)
        check_constants(metric, head, {}, pairs)
        return metric
    entry = METRICS.get(kind)
    if entry is None and (family := next((name for name in NEURAL_FAMILIES if name in kind.lower()), None)):
        raise InputError("unknown-metric", IMPORT_HINT.format(name=head, family=family))
    if entry is None or (separator and not entry.variants):
        detail = f"{head} is no metric; metrics are {', '.join(METRICS)}; a variant follows a colon, as in simpbleu:PABC4"
        raise InputError("unknown-metric", detail)
    of_options, constants = split_constants(entry.options, pairs)
    options = parse_options(kind, entry.options, of_options, "unknown-metric", "|case:lc")
    metric = entry.make(MetricRequest(variant, options, trained_metrics))
    check_constants(metric, head, entry.options, constants)
    return metric


def metrics_named(
    names: Iterable[str], trained_metrics: Mapping[str, TrainedMetric] = NO_TRAINED_METRICS, makers: Makers = NO_MAKERS
) -> dict[str, Metric]:
    """Metrics by the requested names; InputError if a name is unknown or repeated."""
    metrics: dict[str, Metric] = {}
    for place, name in enumerate(names):
        if name in metrics:
            raise InputError("invalid-request", "this metric is asked for twice", ("metrics", place))
        try:
            metrics[name] = metric_named(name, trained_metrics, makers)
        except InputError as error:
            raise InputError(error.code, error.detail, error.where or ("metrics", place)) from None
    return metrics
