"""Gates of `assay score`: limits and comparisons that fail a CI job, and the report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from app.errors import InputError
from app.planning.numerals import decimal_of

__all__ = ["Gates", "Limit", "junit_report", "read_gates", "rows_for_gates"]


@dataclass(frozen=True)
class Limit:
    """The score of a metric that every system must reach, or must not exceed if lower is better."""

    metric: str
    value: float


@dataclass(frozen=True)
class Gates:
    """Conditions on every system by every metric: limits of scores, and the test against the baseline.

    A corrected p below `alpha` is significant. `not_worse` forbids significant losses; `better` requires significant gains.
    """

    limits: Sequence[Limit] = ()
    not_worse: bool = False
    better: bool = False
    alpha: float = 0.05

    def failures(self, rows: Sequence[Mapping[str, Any]]) -> list[str]:
        """Failures in rows of `rows_for_gates`, one sentence each."""
        return [message for row in rows for message in self.of_row(row)]

    def of_row(self, row: Mapping[str, Any]) -> list[str]:
        """Failures of one system by one metric."""
        messages = []
        higher = row["direction"] == "higher is better"
        for limit in self.limits:
            # NaN reaches no limit.
            is_reached = row["score"] >= limit.value if higher else row["score"] <= limit.value
            if limit.metric == row["metric"] and not is_reached:
                side = "below" if higher else "above"
                messages.append(f"{row['system']} has {row['metric']} {row['score']:.2f}, {side} {limit.value:g}")
        if (self.not_worse or self.better) and "corrected_p_value" in row:
            difference, p_value = row["difference"], row["corrected_p_value"]
            gain, significant = difference if higher else -difference, p_value < self.alpha
            result = f"{row['metric']} {difference:+.2f} (p = {p_value:.4f})"
            if self.not_worse and significant and gain < 0:
                messages.append(f"{row['system']} is worse by {result}")
            elif self.better and not (significant and gain > 0):
                messages.append(f"{row['system']} is not significantly better by {result}")
        return messages


def read_gates(texts: Sequence[str], metrics: Sequence[str], not_worse: bool, better: bool, alpha: float) -> Gates:
    """Parse limits ``METRIC=VALUE``. InputError if the metric is not scored or the value is no number."""
    return Gates([_limit(text, metrics) for text in texts], not_worse, better, alpha)


def _limit(text: str, metrics: Sequence[str]) -> Limit:
    metric, _, value = text.rpartition("=")
    limit = decimal_of(value)
    if limit is None:
        raise InputError("invalid-request", "a gate is METRIC=VALUE, as bleu=30", ("--fail-below",))
    fitting = [name for name in metrics if name == metric] or [name for name in metrics if name.partition("|")[0] == metric.lower()]
    if not fitting:
        metric_list = ", ".join(metrics)
        raise InputError("invalid-request", f"the gate's metric is not scored; scored are {metric_list}", ("--fail-below",))
    if len(fitting) > 1:
        raise InputError("invalid-request", f"{metric} may be {' or '.join(fitting)}; write its whole name", ("--fail-below",))
    return Limit(fitting[0], limit)


def rows_for_gates(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rows for gates, one for each system and metric: means over runs if runs exist, without saved scores."""
    rows = [row for row in answer["metrics"] if not row.get("stored")]
    if not answer.get("runs"):
        return rows
    metrics = {row["metric"]: {name: row[name] for name in ("unit", "direction", "signature")} for row in answer["metrics"]}
    return [{**row, "score": row["mean"], **metrics[row["metric"]]} for row in answer["runs"] if not row.get("stored")]


def junit_report(rows: Sequence[Mapping[str, Any]], gates: Gates) -> str:
    """JUnit's XML of rows of `rows_for_gates`: one test case per system and metric, as CI servers show them."""
    all_failures = [gates.of_row(row) for row in rows]
    suite = Element("testsuite", name="assay score", tests=str(len(rows)), failures=str(sum(map(bool, all_failures))), errors="0")
    for row, messages in zip(rows, all_failures, strict=True):
        case = SubElement(suite, "testcase", classname=row["system"], name=row["metric"])
        for message in messages:
            SubElement(case, "failure", message=message)
        out = SubElement(case, "system-out")
        out.text = f"{row['score']:.4f} {row['unit']} ({row['direction']}) {row['signature']}"
    indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(suite, encoding="unicode")
