"""Regressors: the served form of a learner."""

from typing import Protocol

from app.arrays import Float64s

__all__ = ["Regressor"]


class Regressor(Protocol):
    """A regressor: standardised features (n, k) to standardised mean and variance (n,)."""

    def predict(self, x: Float64s) -> tuple[Float64s, Float64s]:
        """Mean and variance of a new label."""
        ...

    def arrays(self) -> dict[str, Float64s]:
        """Arrays to store, by name."""
        ...

    def means(self, x: Float64s) -> Float64s:
        """Means alone, which can be cheaper."""
        return self.predict(x)[0]

    def relevance(self) -> Float64s | None:
        """Relevance of each feature (k,), in no particular unit; None for learners without one."""
        return None

    def slopes(self) -> Float64s | None:
        """Change of the mean per unit of each feature (k,), None if it depends on other features."""
        return None
