"""The tensors of a checkpoint, read without running code: safetensors, or pickles by PyTorch's weights-only reader."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from app.arrays import Float32s
from app.resources.checkpoints.conversion.refusal import needed_package, refused

__all__ = ["Weights", "checkpoint_file", "read_weights"]

INDEX: Final = "model.safetensors.index.json"
# The first of these is read; formats that cannot hold code stand first.
FILES: Final = (
    "model.safetensors",
    INDEX,
    "checkpoints/model.safetensors",
    "checkpoints/model.ckpt",
    "model.ckpt",
    "pytorch_model.bin",
    "0_Transformer/model.safetensors",
    "0_Transformer/pytorch_model.bin",
)


class Weights(Mapping[str, Any]):
    """Tensors by name, each an array of 32-bit floats; `settings` are a Lightning checkpoint's hyperparameters."""

    def __init__(self, tensors: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
        self._tensors = tensors
        self.settings: Final = settings

    def __getitem__(self, name: str) -> Float32s:
        tensor = self._tensors[name]
        if hasattr(tensor, "detach"):
            tensor = tensor.detach().float().numpy()
        return np.ascontiguousarray(tensor, np.float32)

    def __iter__(self) -> Iterator[str]:
        return iter(self._tensors)

    def __len__(self) -> int:
        return len(self._tensors)

    def shaped(self, name: str, *shape: int) -> Float32s:
        """A tensor of a shape (-1: any length); InputError where it is absent, of another shape, or not finite."""
        if name not in self._tensors:
            raise refused(f"the checkpoint lacks the tensor {name}, or is of another architecture")
        array = self[name]
        if array.ndim != len(shape) or any(expected not in (-1, size) for expected, size in zip(shape, array.shape, strict=True)):
            sizes = " by ".join("any" if size < 0 else str(size) for size in shape)
            raise refused(f"the tensor {name} is {array.shape}, and {sizes} is expected")
        if not np.isfinite(array).all():
            raise refused(f"the tensor {name} holds numbers that are not finite")
        return array


def checkpoint_file(path: Path) -> Path:
    """The file with the tensors: the path itself, or a file in its folder; InputError where there is none."""
    if path.is_file():
        return path
    if not path.is_dir():
        raise refused(f"{path} is neither a file nor a folder")
    for name in FILES:
        if (path / name).is_file():
            return path / name
    raise refused(f"{path} holds none of {', '.join(FILES)}")


def read_weights(file: Path) -> Weights:
    """The tensors in a file; InputError where it is damaged, or holds code."""
    if file.name == INDEX:
        return Weights(_sharded(file), {})
    if file.suffix == ".safetensors":
        return Weights(_safetensors(file), {})
    return _pickled(file)


def _safetensors(file: Path) -> dict[str, Any]:
    from safetensors import SafetensorError

    needed_package("torch")
    # NumPy lacks some 16-bit formats that PyTorch's reader knows.
    from safetensors.torch import load_file

    try:
        return dict(load_file(file))
    except (SafetensorError, OSError, KeyError, TypeError):
        raise refused(f"{file.name} is damaged, or is no file of safetensors") from None


def _sharded(index: Path) -> dict[str, Any]:
    try:
        names = sorted({str(name) for name in json.loads(index.read_bytes())["weight_map"].values()})
    except (ValueError, KeyError, AttributeError, TypeError):
        raise refused(f"{index.name} is damaged") from None
    tensors: dict[str, Any] = {}
    for name in names:
        if Path(name).name != name or not (index.parent / name).is_file():
            raise refused(f"{index.name} names {name}, which is not beside it")
        tensors |= _safetensors(index.parent / name)
    return tensors


def _pickled(file: Path) -> Weights:
    torch: Any = needed_package("torch")
    try:
        content = torch.load(file, map_location="cpu", weights_only=True)
    except Exception:
        raise _unreadable(torch, file) from None
    if not isinstance(content, dict):
        raise refused(f"{file.name} holds no tensors by name")
    settings = content.get("hyper_parameters")
    state = content.get("state_dict", content)
    if not isinstance(state, dict):
        raise refused(f"{file.name} holds no tensors by name")
    tensors = {str(name): tensor for name, tensor in state.items() if isinstance(tensor, torch.Tensor)}
    return Weights(tensors, settings if isinstance(settings, dict) else {})


def _unreadable(torch: Any, file: Path) -> Exception:
    """The error about a file that holds code or is damaged; functions that it would call are read, and not run."""
    try:
        functions = sorted(map(str, torch.serialization.get_unsafe_globals_in_checkpoint(file)))
    except Exception:
        functions = []
    if functions:
        reason = f"holds code that reading it would run ({', '.join(functions[:5])})"
    else:
        reason = "is damaged, holds code, or is no checkpoint of PyTorch"
    return refused(f"{file.name} {reason}; only tensors are read, preferably in safetensors")
