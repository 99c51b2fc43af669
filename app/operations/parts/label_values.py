"""Check of values against the scale of their label."""

from typing import Protocol

from app.errors import InputError

__all__ = ["check_labels"]


class ScaledLabel(Protocol):
    """A label with a scale, as `app.predictors.Label`, which commands for a server do not import."""

    def misfit(self, value: float) -> str | None:
        """Reason why the label cannot have a value; None if it can."""


def check_labels(label: ScaledLabel, values: list[float], *place: str | int) -> None:
    """InputError with the place of the first value that the label cannot have."""
    for number, value in enumerate(values):
        misfit = label.misfit(value)
        if misfit is not None:
            raise InputError("invalid-training-data", misfit, (*place, number, "label"))
