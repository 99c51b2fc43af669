"""The linear layers behind an encoder, computed by NumPy."""

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from app.arrays import Float32s

__all__ = ["ACTIVATIONS", "Head"]


def _sigmoid(values: Float32s) -> Float32s:
    # The hyperbolic tangent does not overflow.
    return np.asarray(0.5 * (np.tanh(0.5 * values) + 1), np.float32)


ACTIVATIONS: Final[Mapping[str, Callable[[Float32s], Float32s]]] = {"": lambda values: values, "tanh": np.tanh, "sigmoid": _sigmoid}


class Head:
    """Linear layers ``weight.0, bias.0, weight.1, …`` with an activation between them and another at the end."""

    def __init__(self, arrays: Mapping[str, Float32s], activation: str, final_activation: str) -> None:
        """ValueError where a layer is missing or does not fit the one before, or an activation is unknown."""
        self._layers: list[tuple[Float32s, Float32s]] = []
        while (weight := arrays.get(f"weight.{len(self._layers)}")) is not None:
            bias = arrays.get(f"bias.{len(self._layers)}")
            if weight.ndim != 2 or bias is None or bias.shape != (weight.shape[0],):
                raise ValueError("a weight of the head is no matrix with its bias")
            if self._layers and weight.shape[1] != self._layers[-1][0].shape[0]:
                raise ValueError("layers of the head do not fit one another")
            self._layers.append((weight, bias))
        if not self._layers or self._layers[-1][0].shape[0] != 1:
            raise ValueError("the head does not end in one number")
        if {activation, final_activation} - ACTIVATIONS.keys():
            raise ValueError(f"an activation of the head is unknown; they are {', '.join(filter(None, ACTIVATIONS))}")
        self._activation, self._final_activation = ACTIVATIONS[activation], ACTIVATIONS[final_activation]

    @property
    def width(self) -> int:
        """Numbers in the input."""
        return int(self._layers[0][0].shape[1])

    def __call__(self, vector: Float32s) -> float:
        """The score of a vector."""
        for weight, bias in self._layers[:-1]:
            vector = self._activation(weight @ vector + bias)
        weight, bias = self._layers[-1]
        return float(self._final_activation(weight @ vector + bias)[0])
