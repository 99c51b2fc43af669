"""Scores stored for later comparisons: a paired test needs no output of the system.

A document of these names the system, the references by checksum, and has each metric's signature and the sufficient statistics of
every segment. Anybody may have written a stored file: its statistics must be possible for the metric.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Final, Literal

import numpy as np
from pydantic import AfterValidator, Field, ValidationError
from typing_extensions import TypedDict

from app.arrays import Float64s
from app.errors import InputError
from app.metrics import Metric, Significance
from app.metrics.plausible import LARGEST_STATISTIC
from app.operations.operation import Body
from app.operations.parts.limits import RequestLimits
from app.operations.parts.names import PlainName, SystemName, plain
from app.operations.validation import explain_fault

__all__ = [
    "LARGEST_FILE",
    "StoredAnswer",
    "StoredMetric",
    "StoredScores",
    "beside_stored",
    "check_stored",
    "read_stored",
    "runs_of",
    "stored_of",
]

# 100,000 segments by three metrics have about a tenth of it.
LARGEST_FILE: Final = 100_000_000
PLACE: Final = ("significance", "stored")

Number = Annotated[float, Field(ge=-LARGEST_STATISTIC, le=LARGEST_STATISTIC, allow_inf_nan=False)]


class StoredReferences(Body):
    """References that the scores were computed against."""

    count: Annotated[int, Field(ge=1, le=1000)]
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$", description="Hash of all segments, each after its length")]


class StoredMetric(Body):
    """A system by one metric: for each of its runs a row of sufficient statistics for every segment."""

    metric: PlainName
    signature: Annotated[str, Field(min_length=1, max_length=1000), AfterValidator(plain)]
    statistics: Annotated[list[list[list[Number]]], Field(min_length=1)]


class StoredScores(Body):
    """A system's scores as `store` answered them; they take the place of a baseline among the systems."""

    format: Literal["assay-scores"]
    version: Literal[1]
    system: SystemName
    segments: Annotated[int, Field(ge=1)]
    references: StoredReferences
    metrics: Annotated[list[StoredMetric], Field(min_length=1, max_length=80)]


class StoredReferencesAnswer(TypedDict):
    """References that the scores were computed against."""

    count: int
    sha256: str


class StoredMetricAnswer(TypedDict):
    """For each run of the system, sufficient statistics of every segment."""

    metric: str
    signature: str
    statistics: list[list[list[float]]]


class StoredAnswer(TypedDict):
    """Scores to store for later comparisons, as `significance.stored`."""

    format: str
    version: int
    system: str
    segments: int
    references: StoredReferencesAnswer
    metrics: list[StoredMetricAnswer]


Statistics = Sequence[Mapping[str, Float64s]]
References = Mapping[str, Sequence[str]]


def read_stored(raw: bytes) -> StoredScores:
    """Stored scores of a file; InputError names the fault."""
    if len(raw) > LARGEST_FILE:
        raise InputError("invalid-request", f"stored scores have at most {LARGEST_FILE} bytes", ("stored",))
    try:
        return StoredScores.model_validate_json(raw)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        if first["type"] == "json_invalid":
            detail = "these are no stored scores: not JSON, or only the beginning of it"
            raise InputError("invalid-request", detail, ("stored",)) from None
        raise InputError("invalid-request", explain_fault(first), ("stored", *first["loc"])) from None


def runs_of(stored: StoredScores | None) -> int:
    """Number of stored runs of the metric with the most runs."""
    return 0 if stored is None else max(len(entry.statistics) for entry in stored.metrics)


def check_stored(stored: StoredScores | None, systems: int, limits: RequestLimits) -> int:
    """Number of segments over all runs; InputError if they exceed the limit beside the scores of `systems`."""
    if stored is None:
        return 0
    runs = runs_of(stored)
    if systems + runs > limits.systems:
        detail = f"{runs} runs are stored beside {systems} systems; at most {limits.systems} are accepted together"
        raise InputError("too-many-segments", detail, (*PLACE, "metrics"))
    return max(sum(map(len, entry.statistics)) for entry in stored.metrics)


def checksum_of(references: References) -> str:
    """SHA-256 of references in their order; each list and each segment behind its length."""
    digest = hashlib.sha256()
    for segments in references.values():
        digest.update(b"%d\n" % len(segments))
        for text in segments:
            raw = text.encode("utf-8", "surrogatepass")
            digest.update(b"%d\n" % len(raw) + raw)
    return digest.hexdigest()


def stored_of(
    name: str, metrics: Mapping[str, Metric], statistics: Statistics, references: References, runs: Mapping[str, Sequence[str]]
) -> StoredAnswer:
    """Scores of a system, by its name or that of its runs; InputError for an unknown name."""
    members = runs.get(name, [name])
    if any(member not in statistics[0] for member in members):
        raise InputError(
            "invalid-request", f"what is stored is one of the systems: {', '.join([*runs, *statistics[0]])}", ("store",)
        )
    return {
        "format": "assay-scores",
        "version": 1,
        "system": name,
        "segments": len(statistics[0][members[0]]),
        "references": {"count": len(references), "sha256": checksum_of(references)},
        "metrics": [
            {
                "metric": text,
                "signature": metric.signature(len(references)),
                "statistics": [_shortest(of_systems[member]) for member in members],
            }
            for (text, metric), of_systems in zip(metrics.items(), statistics, strict=True)
        ],
    }


def _shortest(rows: Float64s) -> list[list[float]]:
    """Counts as whole numbers, which are shorter."""
    shortest: list[list[float]] = (rows.astype(np.int64) if (rows % 1 == 0).all() else rows).tolist()
    return shortest


def beside_stored(
    stored: StoredScores, metrics: Mapping[str, Metric], statistics: Statistics, references: References, significance: Significance
) -> tuple[Statistics, Significance, frozenset[str]]:
    """Statistics with those that were stored before them, tests against these, and what they are called among the systems.

    A name that is taken gets ``(stored)`` behind it. InputError where they cannot be compared, or cannot be at all.
    """
    systems = list(statistics[0])
    _check_references(stored, references, len(statistics[0][systems[0]]))
    rows = _statistics_of(stored, metrics, statistics, len(references))
    runs = dict(significance.runs or {})
    name = _free(stored.system, {*systems, *runs})
    count = len(rows[0])
    members = [name] if count == 1 else [_free(f"{name} {run + 1}", {*systems, *runs}) for run in range(count)]
    significance_rows = [
        {**dict(zip(members, of_stored, strict=True)), **of_systems} for of_stored, of_systems in zip(rows, statistics, strict=True)
    ]
    if runs or count > 1:
        runs = {name: members, **runs}
    return significance_rows, replace(significance, baseline=name, runs=runs or None), frozenset((name, *members))


def _free(name: str, used_names: set[str]) -> str:
    while name in used_names:
        name += " (stored)"
    return name


def _check_references(stored: StoredScores, references: References, segments: int) -> None:
    if stored.segments != segments:
        raise InputError("invalid-request", f"scores of {stored.segments} segments are stored, and here are {segments}", PLACE)
    if stored.references.count != len(references) or stored.references.sha256 != checksum_of(references):
        raise InputError("invalid-request", "the stored scores were computed against other references", PLACE)


def _statistics_of(
    stored: StoredScores, metrics: Mapping[str, Metric], statistics: Statistics, references: int
) -> list[list[Float64s]]:
    """Per metric that is asked for, the statistics (n, s) of every run."""
    by_metric: dict[tuple[str, str], int] = {}
    for place, entry in enumerate(stored.metrics):
        key = (_kind(entry.metric), entry.signature)
        if key in by_metric or len(entry.statistics) != len(stored.metrics[0].statistics):
            fault = "this metric is stored twice" if key in by_metric else "metrics have different numbers of runs"
            raise InputError("invalid-request", fault, (*PLACE, "metrics", place))
        by_metric[key] = place
    rows = []
    for (text, metric), of_systems in zip(metrics.items(), statistics, strict=True):
        signature = metric.signature(references)
        place = by_metric.get((_kind(text), signature), -1)
        if place < 0:
            raise InputError("invalid-request", _not_stored(stored, text, signature), PLACE)
        first_statistics = next(iter(of_systems.values()))
        place_of_statistics = (*PLACE, "metrics", place, "statistics")
        rows.append(
            [
                _array(run, metric, first_statistics, references, (*place_of_statistics, k))
                for k, run in enumerate(stored.metrics[place].statistics)
            ]
        )
    return rows


def _kind(metric: str) -> str:
    return metric.partition("|")[0]


def _not_stored(stored: StoredScores, metric: str, signature: str) -> str:
    known_signatures = [entry.signature for entry in stored.metrics if _kind(entry.metric) == _kind(metric)]
    if known_signatures:
        return f"{metric} is stored with another signature, {known_signatures[0]}; here it is {signature}"
    return f"{metric} is not stored; stored are {', '.join(entry.metric for entry in stored.metrics)}"


def _array(run: list[list[float]], metric: Metric, statistics: Float64s, references: int, field: tuple[str | int, ...]) -> Float64s:
    """The statistics (n, s) of a run; `here` are those of a system that is scored now."""
    if len(run) != len(statistics):
        raise InputError("invalid-request", f"there are {len(run)} rows for {len(statistics)} segments", field)
    wrong = next((place for place, row in enumerate(run) if len(row) != statistics.shape[1]), None)
    if wrong is not None:
        raise InputError(
            "invalid-request", f"this row has not {statistics.shape[1]} numbers, as {metric.name} has", (*field, wrong)
        )
    rows = np.array(run, np.float64)
    possible = metric.plausible_rows(rows, references)
    if references == 1:
        reference_columns = list(metric.reference_columns(statistics.shape[1]))
        possible = possible & (rows[:, reference_columns] == statistics[:, reference_columns]).all(1)
    if not possible.all():
        place = int(np.argmin(possible))
        raise InputError("invalid-request", f"{metric.name} cannot have counted these numbers", (*field, place))
    return rows
