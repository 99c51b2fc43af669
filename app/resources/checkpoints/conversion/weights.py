"""The tensors of a checkpoint, read so that nothing can run: safetensors, or pickles by PyTorch's weights-only reader."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from app.arrays import Float32s
from app.resources.checkpoints.conversion.refusal import needed_package, refused

__all__ = ["Weights", "checkpoint_file", "read_weights"]

INDEX: Final = "model.safetensors.index.json"
# In the order in which they are looked for: those that cannot hold code first.
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
    """Tensors by name, each an array of 32-bit floats; `settings` are what a Lightning checkpoint says of its model."""

    def __init__(self, tensors: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
        self._tensors = tensors
        self.settings: Final = settings
        self.used: Final[set[str]] = set()

    def __getitem__(self, name: str) -> Float32s:
        tensor = self._tensors[name]
        self.used.add(name)
        if hasattr(tensor, "detach"):
            tensor = tensor.detach().float().numpy()
        return np.ascontiguousarray(tensor, np.float32)

    def __iter__(self) -> Iterator[str]:
        return iter(self._tensors)

    def __len__(self) -> int:
        return len(self._tensors)

    def shaped(self, name: str, *shape: int) -> Float32s:
        """A tensor of a shape (-1: any length); InputError names one that is missing, of another shape, or holds no numbers."""
        if name not in self._tensors:
            raise refused(f"the checkpoint lacks the tensor {name}, or is of another architecture")
        array = self[name]
        if array.ndim != len(shape) or any(wanted not in (-1, size) for wanted, size in zip(shape, array.shape, strict=True)):
            sizes = " by ".join("any" if size < 0 else str(size) for size in shape)
            raise refused(f"the tensor {name} is {array.shape}, and {sizes} is expected")
        if not np.isfinite(array).all():
            raise refused(f"the tensor {name} holds numbers that are not finite")
        return array


def checkpoint_file(path: Path) -> Path:
    """The file with the tensors: the path itself, or what lies in the folder; InputError where there is none."""
    if path.is_file():
        return path
    if not path.is_dir():
        raise refused(f"{path} is neither a file nor a folder")
    for name in FILES:
        if (path / name).is_file():
            return path / name
    raise refused(f"{path} holds none of {', '.join(FILES)}")


def read_weights(file: Path) -> Weights:
    """The tensors in a file; InputError where it is damaged, or holds anything that is code."""
    if file.name == INDEX:
        return Weights(_in_pieces(file), {})
    if file.suffix == ".safetensors":
        return Weights(_safe(file), {})
    return _pickled(file)


def _safe(file: Path) -> dict[str, Any]:
    from safetensors import SafetensorError

    # PyTorch's reader, where it is there, knows of 16-bit formats that NumPy does not have.
    try:
        from safetensors.torch import load_file
    except ImportError:
        from safetensors.numpy import load_file  # type: ignore[assignment]
    try:
        return dict(load_file(file))
    except (SafetensorError, OSError, KeyError, TypeError):
        raise refused(f"{file.name} is damaged, or not in the format of safetensors") from None


def _in_pieces(index: Path) -> dict[str, Any]:
    try:
        names = sorted({str(name) for name in json.loads(index.read_bytes())["weight_map"].values()})
    except (ValueError, KeyError, AttributeError, TypeError):
        raise refused(f"{index.name} is damaged") from None
    tensors: dict[str, Any] = {}
    for name in names:
        if Path(name).name != name or not (index.parent / name).is_file():
            raise refused(f"{index.name} names {name}, which is not beside it")
        tensors |= _safe(index.parent / name)
    return tensors


def _pickled(file: Path) -> Weights:
    torch: Any = needed_package("torch")
    try:
        content = torch.load(file, map_location="cpu", weights_only=True)
    except Exception as error:
        raise _not_weights(torch, file, error) from None
    if not isinstance(content, dict):
        raise refused(f"{file.name} holds no tensors by name")
    settings = content.get("hyper_parameters")
    state = content.get("state_dict", content)
    if not isinstance(state, dict):
        raise refused(f"{file.name} holds no tensors by name")
    tensors = {str(name): tensor for name, tensor in state.items() if isinstance(tensor, torch.Tensor)}
    return Weights(tensors, settings if isinstance(settings, dict) else {})


def _not_weights(torch: Any, file: Path, error: Exception) -> Exception:
    """Whether a file holds code, or is damaged: what it would have called is read without calling it."""
    try:
        called = sorted(map(str, torch.serialization.get_unsafe_globals_in_checkpoint(file)))
    except Exception:
        called = []
    if called:
        names = ", ".join(called[:5])
        return refused(
            f"{file.name} holds code that reading it would run ({names}); only tensors are read, best of all in safetensors"
        )
    if type(error).__name__ == "UnpicklingError" and "weights_only" in str(error):
        return refused(
            f"{file.name} is damaged, or holds code that reading it would run; only tensors are read, best of all in safetensors"
        )
    return refused(f"{file.name} is damaged, or no checkpoint of PyTorch")
