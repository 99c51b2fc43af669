"""Adam (Kingma and Ba 2015), for word vectors with few rows per batch."""

from typing import Final

import numpy as np

from app.smt.lists.reranking.neural.network import Floats, Gradients

__all__ = ["Adam"]

MOMENTS: Final = (0.9, 0.999)
SMALLEST: Final = 1e-6


class Adam:
    """First and second moments of derivatives; a batch updates only the rows of its words."""

    def __init__(self, weights: dict[str, Floats]) -> None:
        self._weights = weights
        self._first = {name: np.zeros_like(array) for name, array in weights.items()}
        self._second = {name: np.zeros_like(array) for name, array in weights.items()}
        self._steps = 0

    def step(self, slopes: Gradients, rate: float) -> None:
        """Move the weights against their derivatives."""
        self._steps += 1
        first_decay, second_decay = MOMENTS
        size = np.float32(rate * np.sqrt(1 - second_decay**self._steps) / (1 - first_decay**self._steps))
        for name, derivatives in slopes.items():
            rows, slope = derivatives if isinstance(derivatives, tuple) else (slice(None), derivatives)
            first = self._first[name][rows] * np.float32(first_decay) + np.float32(1 - first_decay) * slope
            second = self._second[name][rows] * np.float32(second_decay) + np.float32(1 - second_decay) * slope * slope
            self._first[name][rows], self._second[name][rows] = first, second
            self._weights[name][rows] -= size * first / (np.sqrt(second) + np.float32(SMALLEST))
