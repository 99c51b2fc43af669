"""Graphs in ONNX, node by node, with a dynamic length and weights inside."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from app.arrays import Float32s
from app.resources.checkpoints.conversion.refusal import needed_package, refused

__all__ = ["Graph"]

OPSET: Final = 17
FORMAT: Final = 8
# Protocol buffers end at two gigabytes; names and nodes take the rest.
LARGEST: Final = 2**31 - 10_000_000


class Graph:
    """A graph that is being written; nodes and constants get names in their order, so equal weights give equal bytes."""

    def __init__(self) -> None:
        self._onnx: Any = needed_package("onnx")
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._bytes = 0

    def constant(self, array: Any) -> str:
        """A constant."""
        name = f"c{len(self._constants)}"
        self._bytes += array.nbytes
        if self._bytes > LARGEST:
            raise refused("the encoder has more than 2 GB of weights beside its table of words, more than a graph in ONNX can hold")
        self._constants.append(self._onnx.numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def number(self, value: float) -> str:
        """A constant that is one number."""
        return self.constant(np.array(value, np.float32))

    def node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """The output of one more node."""
        name = f"n{len(self._nodes)}"
        self._nodes.append(self._onnx.helper.make_node(kind, inputs, [name], **attributes))
        return name

    def linear(self, x: str, weight: Float32s, bias: Float32s | None = None) -> str:
        """``x @ weight.T + bias``, as PyTorch keeps them."""
        product = self.node("MatMul", x, self.constant(weight.T))
        return product if bias is None else self.node("Add", product, self.constant(bias))

    def layer_norm(self, x: str, weight: Float32s, bias: Float32s, epsilon: float) -> str:
        """Mean 0 and variance 1 over the last axis, then scaled and moved."""
        return self.node("LayerNormalization", x, self.constant(weight), self.constant(bias), axis=-1, epsilon=epsilon)

    def gelu(self, x: str) -> str:
        """``x * P(X <= x)`` of the normal distribution."""
        half = self.node("Mul", x, self.number(0.5))
        tail = self.node("Erf", self.node("Mul", x, self.number(float(np.sqrt(0.5)))))
        return self.node("Mul", half, self.node("Add", tail, self.number(1.0)))

    def gelu_new(self, x: str) -> str:
        """The same by the hyperbolic tangent, as Google's models approximate it."""
        cube = self.node("Mul", self.node("Mul", x, x), x)
        inner = self.node("Add", x, self.node("Mul", cube, self.number(0.044715)))
        tail = self.node("Tanh", self.node("Mul", inner, self.number(float(np.sqrt(2 / np.pi)))))
        return self.node("Mul", self.node("Mul", x, self.number(0.5)), self.node("Add", tail, self.number(1.0)))

    def activated(self, x: str, name: str) -> str:
        """An activation by the name that configurations have for it: gelu, gelu_new or relu."""
        if name == "relu":
            return self.node("Relu", x)
        return self.gelu(x) if name == "gelu" else self.gelu_new(x)

    def attention(self, query: str, key: str, value: str, heads: int, scale: float, bias: str | None = None) -> str:
        """Attention of several heads; (b, n, h * k) each, to (b, n, h * k)."""
        split = self.constant(np.array([0, 0, heads, -1], np.int64))
        rows = self.node("Transpose", self.node("Reshape", query, split), perm=[0, 2, 1, 3])
        columns = self.node("Transpose", self.node("Reshape", key, split), perm=[0, 2, 3, 1])
        values = self.node("Transpose", self.node("Reshape", value, split), perm=[0, 2, 1, 3])
        scores = self.node("MatMul", rows, columns)
        if scale != 1:
            scores = self.node("Mul", scores, self.number(scale))
        if bias is not None:
            scores = self.node("Add", scores, bias)
        mixed = self.node("MatMul", self.node("Softmax", scores, axis=-1), values)
        together = self.constant(np.array([0, 0, -1], np.int64))
        return self.node("Reshape", self.node("Transpose", mixed, perm=[0, 2, 1, 3]), together)

    def write(self, path: Path, inputs: Sequence[tuple[str, str, Sequence[int | str]]], output: str, width: int) -> None:
        """Write the model with inputs (name, ``float`` or ``int64``, shape) and one output (batch, length, `width`)."""
        helper, kinds = self._onnx.helper, {"float": self._onnx.TensorProto.FLOAT, "int64": self._onnx.TensorProto.INT64}
        self._nodes.append(helper.make_node("Identity", [output], ["vectors"]))
        graph = helper.make_graph(
            self._nodes,
            "encoder",
            [helper.make_tensor_value_info(name, kinds[kind], list(shape)) for name, kind, shape in inputs],
            [helper.make_tensor_value_info("vectors", kinds["float"], ["batch", "length", width])],
            self._constants,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="assay")
        model.ir_version = FORMAT
        path.write_bytes(model.SerializeToString(deterministic=True))
