"""What serves a learner."""

from typing import Protocol

from app.arrays import Float64s

__all__ = ["Regressor"]


class Regressor(Protocol):
    """What serves a learner: standardised features (n, k) to standardised mean and variance (n,)."""

    def predict(self, x: Float64s) -> tuple[Float64s, Float64s]:
        """Mean and variance of a new label."""
        ...

    def arrays(self) -> dict[str, Float64s]:
        """What is stored."""
        ...

    def means(self, x: Float64s) -> Float64s:
        """The means alone, which may cost less."""
        return self.predict(x)[0]

    def relevance(self) -> Float64s | None:
        """How much each feature counts (k,), in no particular unit, where the learner says so."""
        return None

    def slopes(self) -> Float64s | None:
        """How far one unit of each feature moves the mean (k,), where that does not depend on the other features."""
        return None
