"""Gate on the predicted quality of a document, `--fail-below`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from app.errors import InputError
from app.planning.numerals import number_of
from app.shell.gates.report import Case
from app.shell.output import counted

__all__ = ["DocumentLimit", "document_case"]


@dataclass(frozen=True)
class DocumentLimit:
    """The weighted score of a document must be no worse than `value`; without a `label`, in the unit of the label that answers."""

    label: str | None
    value: float

    @classmethod
    def read(cls, text: str | None, label: str | None) -> Self | None:
        """Parse ``VALUE`` or ``LABEL=VALUE``. InputError if it is no number or names another label than `label`."""
        if text is None:
            return None
        name, separator, number = text.rpartition("=")
        value = number_of(number)
        if value is None or (separator and not name):
            raise InputError("invalid-request", "a gate is VALUE or LABEL=VALUE, as 30% or hter=0.3", ("--fail-below",))
        if name and label not in (None, name):
            raise InputError("invalid-request", f"the gate is on {name}, and --label is {label}", ("--fail-below",))
        return cls(name or label, value)

    def failures(self, answer: Mapping[str, Any]) -> list[str]:
        """A sentence if the document of an answer is worse than the limit, or has no score."""
        score = answer["document"]["weighted_score"]
        higher = answer["direction"] == "higher is better"
        if score is not None and (score >= self.value if higher else score <= self.value):
            return []
        return [f"the document has {_measured(answer)}, {'below' if higher else 'above'} {self.value:g}"]


def _measured(answer: Mapping[str, Any]) -> str:
    """Label, weighted score, unit and direction of a document."""
    score = answer["document"]["weighted_score"]
    return f"{answer['label']} {'of no segment' if score is None else f'{score:.4f}'} ({answer['unit']}, {answer['direction']})"


def document_case(answer: Mapping[str, Any], subject: str, limit: DocumentLimit | None) -> Case:
    """The case of a document; it fails if the document is worse than the limit."""
    output = f"{_measured(answer)}, {counted(answer['document']['segments'], 'segment')}, {answer['model']}"
    return Case(subject, answer["label"], [] if limit is None else limit.failures(answer), output)
