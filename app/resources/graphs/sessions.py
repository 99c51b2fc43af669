"""Sessions of onnxruntime: graphs run on one core and may not name further files."""

import mmap
from pathlib import Path
from typing import Any

from app.resources.graphs.external_data import DamagedModelError, names_files
from app.running.extras import package_of

__all__ = ["graph_of_file", "open_graph", "session_options"]


def session_options(onnxruntime: Any) -> Any:
    """Options for one core without spinning threads. Errors are raised, so the library prints nothing.

    Some builds of onnxruntime report their use to their maker, unless a program turns that off.
    """
    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return options


def open_graph(onnxruntime: Any, path: Path) -> Any:
    """A session of the graph in a file; ValueError with the reason if it cannot be loaded."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as bytes_in_file:
            has_external_data = _names_files(bytes_in_file)
    except ValueError:
        # An empty file cannot be mapped.
        has_external_data = None
    if has_external_data is None:
        raise ValueError(f"{path.name} is damaged, or no model in ONNX")
    if has_external_data:
        raise ValueError(f"{path.name} is a model whose weights are in other files; one file is accepted")
    try:
        return onnxruntime.InferenceSession(str(path), session_options(onnxruntime), providers=["CPUExecutionProvider"])
    except Exception:
        # onnxruntime raises exceptions without a common class.
        raise ValueError(f"onnxruntime does not load {path.name}") from None


def graph_of_file(path: Path) -> Any:
    """A session of the graph in a file; ValueError with the reason if it cannot be loaded, InputError without onnxruntime."""
    return open_graph(package_of("onnxruntime", "onnx"), path)


def _names_files(bytes_in_file: mmap.mmap) -> bool | None:
    """True if a graph has weights in other files; None for damaged bytes."""
    with memoryview(bytes_in_file) as data:
        try:
            return names_files(data)
        except DamagedModelError:
            # The error ends here, since its frames hold parts of the bytes, which could not be unmapped.
            return None
