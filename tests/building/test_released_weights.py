"""The table of pieces that is built from a weights file of released layers."""

from pathlib import Path

import numpy as np
import pytest

from app.resources.pieces.table import block_vectors
from scripts.encoder.pieces import table_of
from scripts.encoder.weights_file import read_weights_file
from tests.building.tiny_weights import PIECES, TinyWeights

WEIGHTS = TinyWeights()
COUNTS = np.arange(len(PIECES), 0.0, -1.0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("weights")


def test_frequent_pieces_have_their_vectors_and_others_nearly_theirs(folder: Path) -> None:
    path = WEIGHTS.write(folder)
    table, frequent = table_of(read_weights_file(path), COUNTS, frequent=12), np.argsort(-COUNTS, kind="stable")[:12]
    assert tuple(table.pieces) == tuple(PIECES)
    found, expected = table.vectors(np.arange(len(PIECES), dtype=np.int32)), WEIGHTS.matrices["emb.word"][: len(PIECES)]
    assert found[frequent] == pytest.approx(expected[frequent], abs=1e-6)
    # So few vectors have a centre for each of their parts.
    assert found == pytest.approx(expected, abs=2e-3)


def test_equal_files_give_equal_tables(folder: Path) -> None:
    path = WEIGHTS.write(folder)
    first, second = (table_of(read_weights_file(path), COUNTS, frequent=12) for _ in range(2))
    assert first.choices.tolist() == second.choices.tolist() and first.centres.tolist() == second.centres.tolist()


def test_every_matrix_has_its_numbers(folder: Path) -> None:
    file = read_weights_file(WEIGHTS.write(folder))
    assert file.blocks.keys() == WEIGHTS.matrices.keys() and file.floats.keys() == WEIGHTS.floats.keys()
    for name, matrix in WEIGHTS.matrices.items():
        assert block_vectors(file.blocks[name]) == pytest.approx(matrix, abs=1e-6)
