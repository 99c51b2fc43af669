"""The weights file of released layers: damaged and foreign files, and the table of pieces that is built from one."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import InputError
from scripts.encoder.pieces import table_of
from scripts.encoder.weights_file import read_weights_file
from tests.building.tiny_weights import PIECES, TinyWeights

WEIGHTS = TinyWeights()
COUNTS = np.arange(len(PIECES), 0.0, -1.0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("weights")


def test_damaged_and_foreign_files_are_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "e5-small-q4.bin"
    cases = {
        "no such file": b"PK\x03\x04" + WEIGHTS.data[4:],
        "ends too soon": WEIGHTS.data[:3],
        "impossible sizes": WEIGHTS.data[:8] + b"\xff" * 28 + WEIGHTS.data[36:],
        "a damaged tensor": WEIGHTS.data[:-10_000],
        "cannot be read": None,
    }
    for message, data in cases.items():
        path.unlink(missing_ok=True)
        if data is not None:
            path.write_bytes(data)
        with pytest.raises(InputError, match=message) as caught:
            read_weights_file(path)
        assert caught.value.code == "missing-resource" and "e5-small-q4.bin" in caught.value.detail


@given(st.integers(0, 2200), st.binary(min_size=1, max_size=8))
@settings(max_examples=40)
def test_whatever_is_changed_a_file_is_read_or_refused(folder: Path, place: int, change: bytes) -> None:
    path = folder / "e5-small-q4.bin"
    path.unlink(missing_ok=True)
    path.write_bytes(WEIGHTS.data[:place] + change + WEIGHTS.data[place + len(change) :])
    try:
        file = read_weights_file(path)
    except InputError as error:
        assert error.code == "missing-resource"
    else:
        assert len(file.blocks) > 1


def test_frequent_pieces_have_their_vectors_and_others_nearly_theirs(folder: Path) -> None:
    path = WEIGHTS.write(folder)
    table, frequent = table_of(read_weights_file(path), COUNTS, frequent=12), np.argsort(-COUNTS, kind="stable")[:12]
    assert table.pieces == tuple(PIECES)
    found, expected = table.vectors(np.arange(len(PIECES), dtype=np.int32)), WEIGHTS.matrices["emb.word"][: len(PIECES)]
    assert found[frequent] == pytest.approx(expected[frequent], abs=1e-6)
    # So few vectors have a centre for each of their parts.
    assert found == pytest.approx(expected, abs=2e-3)


def test_equal_files_give_equal_tables(folder: Path) -> None:
    path = WEIGHTS.write(folder)
    first, second = (table_of(read_weights_file(path), COUNTS, frequent=12) for _ in range(2))
    assert first.choices.tolist() == second.choices.tolist() and first.centres.tolist() == second.centres.tolist()
