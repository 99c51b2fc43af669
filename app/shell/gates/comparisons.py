"""Gates on comparisons with a baseline: no system worse, or every system better."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from app.errors import InputError

__all__ = ["ComparisonGates", "check_comparison"]

SYSTEM_MINIMUM = 2


@dataclass(frozen=True)
class ComparisonGates:
    """`not_worse` forbids significant losses, `better` requires significant gains."""

    not_worse: bool = False
    better: bool = False

    def __bool__(self) -> bool:
        return self.not_worse or self.better

    def failures(self, verdict: Mapping[str, Any]) -> list[str]:
        """The sentence of a verdict that fails a gate."""
        fails = verdict["outcome"] != "better" if self.better else self.not_worse and verdict["outcome"] == "worse"
        return [verdict["sentence"]] if fails else []


def check_comparison(gates: ComparisonGates, systems: Collection[str], remedy: str) -> None:
    """Raise InputError if a gate compares systems and fewer than two exist."""
    if gates and len(systems) < SYSTEM_MINIMUM:
        option = "--fail-if-worse" if gates.not_worse else "--fail-unless-better"
        raise InputError("invalid-request", f"this compares systems with a baseline; give two or more systems{remedy}", (option,))
