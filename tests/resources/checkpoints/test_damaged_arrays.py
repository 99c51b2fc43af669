"""Arrays of a loaded checkpoint whose file is damaged or of another type: each ends as an error that names the file."""

import json
import struct
from pathlib import Path

import pytest

pytest.importorskip("safetensors")

from app.resources.checkpoints import checkpoint


def safetensors_of(kind: str, shape: list[int], data: bytes) -> bytes:
    header = json.dumps({"a": {"dtype": kind, "shape": shape, "data_offsets": [0, len(data)]}}).encode()
    return struct.pack("<Q", len(header)) + header + data


def npy_of(descr: str, shape: str, data: bytes = b"") -> bytes:
    header = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


@pytest.mark.parametrize("kind, shape", [("BF16", [2]), ("F8_E4M3", [4]), ("F64", [1]), ("XX", [1])])
def test_heads_of_other_types_are_refused(tmp_path: Path, kind: str, shape: list[int]) -> None:
    file = tmp_path / "head.safetensors"
    file.write_bytes(safetensors_of(kind, shape, bytes(8 if kind == "F64" else 4)))
    with pytest.raises(ValueError, match=r"head\.safetensors"):
        checkpoint._arrays(file)


@pytest.mark.parametrize(
    "content",
    [
        npy_of("[(" * 2000, "(1,)"),
        npy_of("'<f4'", "(True, True)", bytes(4)),
        npy_of("'|O'", "(1, 1)", bytes(8)),
        b"PK\3\4" + bytes(50),
        b"",
    ],
    ids=["unclosed", "logical-shape", "objects", "archive", "empty"],
)
def test_damaged_tables_of_words_are_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "words.npy"
    file.write_bytes(content)
    with pytest.raises(ValueError, match=r"words\.npy"):
        checkpoint._words(file)
