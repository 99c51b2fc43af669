"""Graphs in ONNX with a dynamic length, exported by PyTorch from modules that hold a checkpoint's weights."""

import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from app.resources.checkpoints.conversion.refusal import needed_package, refused
from app.resources.checkpoints.conversion.weights import Weights

__all__ = ["write_graph"]

OPSET: Final = 17
# A protocol buffer ends at two gigabytes; names and nodes take the rest.
LARGEST: Final = 2**31 - 10_000_000


def write_graph(
    path: Path,
    weights: Weights,
    prefix: str,
    modules: Mapping[str, Any],
    forward: Callable[..., Any],
    inputs: Mapping[str, tuple[Any, Mapping[int, str]]],
) -> None:
    """Export `forward`, a function over `modules`, as a graph with one output, `vectors` (batch, length, d).

    The modules take the tensors under `prefix`; their own may be empty (the device meta). An input has an example and the names of
    its dynamic axes. Equal weights give equal bytes. InputError names a tensor that is absent or of another shape.
    """
    torch = needed_package("torch")
    needed_package("onnx")

    class Network(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            for name, module in modules.items():
                self.add_module(name, module)

        def forward(self, *values: Any) -> Any:
            return forward(*values)

    network = Network().eval()
    shapes = {name: tensor.shape for name, tensor in network.state_dict().items()}
    if 4 * sum(shape.numel() for shape in shapes.values()) > LARGEST:
        raise refused("the encoder has more than 2 GB of weights beside its table of words, the limit of a graph in ONNX")
    tensors = {name: torch.from_numpy(weights.shaped(prefix + name, *shape)) for name, shape in shapes.items()}
    network.load_state_dict(tensors, assign=True)
    with warnings.catch_warnings(), torch.no_grad():
        # The exporter of TorchScript needs no package beside onnx; PyTorch warns that another one is the default.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            network,
            tuple(example for example, _ in inputs.values()),
            str(path),
            input_names=list(inputs),
            output_names=["vectors"],
            dynamic_axes={name: dict(axes) for name, (_, axes) in inputs.items()} | {"vectors": {0: "batch", 1: "length"}},
            opset_version=OPSET,
            dynamo=False,
        )
