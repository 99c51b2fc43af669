"""Gates of `assay score`: what makes a CI job fail, and its report."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from app.errors import InputError

__all__ = ["Gate", "failures", "junit_report", "read_gates"]


@dataclass(frozen=True)
class Gate:
    """The score that every system must reach (or, where lower is better, stay below) by a metric."""

    metric: str
    limit: float


def read_gates(texts: Sequence[str], wanted: Sequence[str]) -> list[Gate]:
    """``METRIC=VALUE`` each; InputError where the metric is not scored."""
    gates = []
    for text in texts:
        metric, _, value = text.rpartition("=")
        try:
            limit = float(value)
        except ValueError:
            raise InputError("invalid-request", "a gate is METRIC=VALUE, as bleu=30", ("--fail-below",)) from None
        fitting = [name for name in wanted if name == metric or name.partition("|")[0] == metric]
        if not fitting:
            scored = ", ".join(wanted)
            raise InputError("invalid-request", f"the gate's metric is not scored; scored are {scored}", ("--fail-below",))
        gates.append(Gate(fitting[0], limit))
    return gates


def failures(rows: Sequence[dict[str, Any]], gates: Sequence[Gate], alpha: float | None) -> list[str]:
    """What failed, a sentence each; `alpha` is None where losses against the baseline are let pass."""
    return [message for row in rows for message in _failures(row, gates, alpha)]


def _failures(row: dict[str, Any], gates: Sequence[Gate], alpha: float | None) -> list[str]:
    messages = []
    higher = row["direction"] == "higher is better"
    for gate in gates:
        if gate.metric == row["metric"] and (row["score"] < gate.limit if higher else row["score"] > gate.limit):
            side = "below" if higher else "above"
            messages.append(f"{row['system']} has {row['metric']} {row['score']:.2f}, {side} {gate.limit:g}")
    if alpha is not None and "p_value" in row:
        p_value = row["corrected_p_value"]
        if p_value < alpha and (row["difference"] < 0) == higher and row["difference"] != 0:
            messages.append(f"{row['system']} is worse by {row['metric']} {row['difference']:+.2f} (p = {p_value:.4f})")
    return messages


def junit_report(rows: Sequence[dict[str, Any]], gates: Sequence[Gate], alpha: float | None) -> str:
    """JUnit's XML: one test case per system and metric, as CI servers show them."""
    all_failures = [_failures(row, gates, alpha) for row in rows]
    suite = Element("testsuite", name="assay score", tests=str(len(rows)), failures=str(sum(map(bool, all_failures))), errors="0")
    for row, messages in zip(rows, all_failures, strict=True):
        case = SubElement(suite, "testcase", classname=row["system"], name=row["metric"])
        for message in messages:
            SubElement(case, "failure", message=message)
        out = SubElement(case, "system-out")
        out.text = f"{row['score']:.4f} {row['unit']} ({row['direction']}) {row['signature']}"
    indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(suite, encoding="unicode")
