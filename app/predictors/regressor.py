"""What serves a learner."""

from typing import Protocol

from app.arrays import Float64s

__all__ = ["Regressor"]


class Regressor(Protocol):
    """What serves a learner: standardised features (n, k) to standardised mean and variance (n,)."""

    def predict(self, x: Float64s) -> tuple[Float64s, Float64s]:
        """Mean and variance of a new label."""
        ...

    def means(self, x: Float64s) -> Float64s:
        """The means alone, which may cost less."""
        ...

    def arrays(self) -> dict[str, Float64s]:
        """What is stored."""
        ...
