"""Graphs in ONNX: those with numbers in other files, and damaged ones, are refused."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.resources.graphs import graph_of_file
from app.resources.graphs.external_data import DamagedModelError, names_files
from app.settings import ROOT

GRAPH = ROOT / "models" / "cross-e5-small" / "network.onnx"


def part(number: int, data: bytes) -> bytes:
    """A field of a message of Protocol Buffers."""
    assert len(data) < 128
    return bytes([number << 3 | 2, len(data)]) + data


def external() -> bytes:
    """A graph, merged into the one before it, with a tensor whose numbers are in /etc/passwd."""
    place = part(13, part(1, b"location") + part(2, b"/etc/passwd"))
    return part(7, part(5, part(8, b"words2") + place + bytes([14 << 3, 1])))


@pytest.mark.parametrize(
    ("message", "before", "after"),
    [("damaged, or no model in ONNX", b"\x80\x04ccos\nsystem\n", b""), ("weights are in other files", b"", external())],
)
def test_what_cannot_be_used_is_refused_by_name(tmp_path: Path, message: str, before: bytes, after: bytes) -> None:
    pytest.importorskip("onnxruntime")
    path = tmp_path / "network.onnx"
    path.write_bytes(before + GRAPH.read_bytes() + after)
    with pytest.raises(ValueError, match=rf"network\.onnx is .*{message}"):
        graph_of_file(path)


@pytest.mark.parametrize("content", [b"", b"\x08\x07"])
def test_a_file_without_a_graph_is_refused(tmp_path: Path, content: bytes) -> None:
    pytest.importorskip("onnxruntime")
    (tmp_path / "network.onnx").write_bytes(content)
    with pytest.raises(ValueError, match=r"network\.onnx"):
        graph_of_file(tmp_path / "network.onnx")


def test_tensors_in_other_files_are_found_at_every_depth() -> None:
    inner = part(5, part(13, b""))
    subgraph = part(7, part(1, part(5, part(6, inner))))
    function = part(25, b"").replace(bytes([25 << 3 & 255 | 2]), bytes([(25 << 3 & 127 | 2) | 128, 1]))
    assert names_files(memoryview(subgraph)) and not names_files(memoryview(part(7, b"") + function))
    assert not names_files(memoryview(GRAPH.read_bytes()))


@given(st.binary(max_size=200))
def test_what_is_no_model_is_said_to_be_none(data: bytes) -> None:
    with suppress(DamagedModelError):
        names_files(memoryview(data))
