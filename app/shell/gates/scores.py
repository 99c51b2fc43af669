"""Gates of `assay score`: limits of scores, and comparisons with a baseline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.errors import InputError
from app.operations.parts.scoring.score_rows import rows_of_systems
from app.planning.numerals import decimal_of
from app.shell.gates.comparisons import ComparisonGates
from app.shell.gates.report import Case

__all__ = ["Limit", "ScoreGates", "read_limits"]


@dataclass(frozen=True)
class Limit:
    """The score of a metric that every system must reach, or must not exceed if lower is better."""

    metric: str
    value: float

    def failures(self, row: Mapping[str, Any]) -> list[str]:
        """A sentence if the score of a row is worse than the limit."""
        if self.metric != row["metric"]:
            return []
        higher = row["direction"] == "higher is better"
        # NaN reaches no limit.
        if row["score"] >= self.value if higher else row["score"] <= self.value:
            return []
        return [f"{row['system']} has {row['metric']} {row['score']:.2f}, {'below' if higher else 'above'} {self.value:g}"]


@dataclass(frozen=True)
class ScoreGates:
    """Limits of scores, and comparisons with the baseline. With `exempts_baseline`, limits do not concern the baseline."""

    limits: Sequence[Limit]
    comparisons: ComparisonGates
    exempts_baseline: bool

    def cases(self, answer: Mapping[str, Any]) -> list[Case]:
        """A case for each system and metric, over runs if runs exist, without saved scores."""
        verdicts = {(verdict["system"], verdict["metric"]): verdict for verdict in answer.get("verdicts", ())}
        exempt_systems = {verdict["baseline"] for verdict in verdicts.values()} if self.exempts_baseline else set()
        cases = []
        for row in rows_of_systems(answer["metrics"], answer.get("runs", ())):
            if row.get("stored"):
                continue
            verdict = verdicts.get((row["system"], row["metric"]))
            limits = () if row["system"] in exempt_systems else self.limits
            failures = [sentence for limit in limits for sentence in limit.failures(row)]
            output = f"{row['score']:.4f} {row['unit']} ({row['direction']}) {row['signature']}"
            if verdict is not None:
                failures += self.comparisons.failures(verdict)
                output += f"\n{verdict['sentence']}"
            cases.append(Case(row["system"], row["metric"], failures, output))
        return cases


def read_limits(texts: Sequence[str], metrics: Sequence[str]) -> list[Limit]:
    """Parse limits ``METRIC=VALUE``. InputError if the metric is not scored or the value is no number."""
    return [_limit(text, metrics) for text in texts]


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
