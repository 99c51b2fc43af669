"""Imported checkpoints give their libraries' scores, and damaged files are refused by name."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.errors import InputError
from app.resources.checkpoints import Checkpoint, Checkpoints
from app.resources.checkpoints.network import relative_buckets
from app.resources.checkpoints.sequences import _shortened
from app.running.deadline import Deadline, until

DATA = Path(__file__).parent / "data"
EXPECTED: dict[str, list[list[Any]]] = json.loads((DATA / "expected.json").read_text("utf-8"))


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(DATA / "comet-estimator", tmp_path / "comet-estimator"))


def change_card(folder: Path, **members: object) -> None:
    card = json.loads((folder / "card.json").read_text("utf-8"))
    (folder / "card.json").write_text(json.dumps({**card, **members}), "utf-8")


@pytest.mark.parametrize("name", EXPECTED)
def test_scores_are_those_of_the_library(name: str) -> None:
    """`expected.json` has scores by unbabel-comet, transformers and others (make_checkpoints.py)."""
    rows = EXPECTED[name]
    scores = [scored.score for scored in Checkpoint(DATA / name).scores(tuple(row[:3]) for row in rows)]  # type: ignore[misc]
    assert np.abs(np.array(scores) - [row[3] for row in rows]).max() < 1e-4
    assert np.std(scores) > 1e-2, "equal scores show nothing"


def test_every_architecture_has_expected_scores() -> None:
    assert {path.parent.name for path in DATA.glob("*/card.json")} == set(EXPECTED)


def test_score_is_independent_of_other_rows() -> None:
    checkpoint = Checkpoint(DATA / "comet-estimator")
    rows = [tuple(row[:3]) for row in EXPECTED["comet-estimator"]]
    together = [scored.score for scored in checkpoint.scores(rows)]  # type: ignore[arg-type]
    assert [next(checkpoint.scores([row])).score for row in reversed(rows)] == together[::-1]  # type: ignore[list-item]


def test_long_texts_are_cut_and_marked() -> None:
    checkpoint = Checkpoint(DATA / "comet-estimator")
    (short, long) = checkpoint.scores([("das Haus", "the house", "a house"), ("das Haus", "the house " * 2000, "a house")])
    (longer,) = checkpoint.scores([("das Haus", "the house " * 4000, "a house")])
    assert not short.cut and long.cut and longer == long


def test_halves_of_surrogate_pairs_are_scored() -> None:
    assert np.isfinite(next(Checkpoint(DATA / "comet-referenceless").scores([("a\ud800", "\udfff", None)])).score)


def test_scores_end_with_the_deadline() -> None:
    deadline = Deadline()
    scores = Checkpoint(DATA / "comet-referenceless").scores([("a", "b", None)] * 3)
    next(scores)
    deadline.give_up()
    with until(deadline), pytest.raises(InputError, match="caller has closed the connection"):
        next(scores)


@pytest.mark.parametrize("name", ["encoder.onnx", "head.safetensors", "words.npy", "tokenizer.json"])
@pytest.mark.parametrize("damage", ["missing", "cut", "changed"])
def test_damaged_files_are_refused_by_name(copy: Path, name: str, damage: str) -> None:
    file = copy / name
    raw = file.read_bytes()
    file.unlink()
    if damage == "cut":
        file.write_bytes(raw[: len(raw) // 2])
    elif damage == "changed":
        file.write_bytes(raw[:-1] + bytes([raw[-1] ^ 1]))
    with pytest.raises(InputError, match=f"'comet-estimator' of ASSAY_CHECKPOINTS cannot be used: .*{name}"):
        Checkpoint(copy).load()


def replace_file(folder: Path, name: str, raw: bytes) -> None:
    """Replace a file and its checksum in the card, so that its content is checked."""
    from app.resources.manifest import checksum

    (folder / name).write_bytes(raw)
    files = json.loads((folder / "card.json").read_text("utf-8"))["files"]
    change_card(folder, files={**files, name: checksum(folder / name)})


@pytest.mark.parametrize("name", ["encoder.onnx", "head.safetensors", "words.npy", "tokenizer.json"])
@pytest.mark.parametrize("raw", [b"", b"\x80\x04cos\nsystem\n(S'true'\ntR.", b"{}"])
def test_files_of_another_kind_are_refused_by_name(copy: Path, name: str, raw: bytes) -> None:
    replace_file(copy, name, raw)
    with pytest.raises(InputError, match=r"'comet-estimator' of ASSAY_CHECKPOINTS cannot be used: "):
        Checkpoint(copy).load()


def test_pickled_tables_are_not_unpickled(copy: Path) -> None:
    np.save(copy / "words.npy", np.array([print], object), allow_pickle=True)
    replace_file(copy, "words.npy", (copy / "words.npy").read_bytes())
    with pytest.raises(InputError, match="cannot be used"):
        Checkpoint(copy).load()


@pytest.mark.parametrize(
    "members",
    [
        {"architecture": "ranking"}, {"format": 2}, {"name": "another"}, {"longest": 10**9}, {"longest": 65}, {"more": 1},
        {"dimensions": 8}, {"begin": 4000}, {"activation": "relu"}, {"files": {}}, {"first_place": 6}, {"buckets": 8},
    ],
)  # fmt: skip
def test_unfit_cards_are_refused(copy: Path, members: dict[str, object]) -> None:
    change_card(copy, **members)
    with pytest.raises(InputError, match="'comet-estimator' of ASSAY_CHECKPOINTS cannot be used"):
        list(Checkpoint(copy).scores([("a", "b", "c")]))


def test_links_out_of_the_folder_are_refused(copy: Path, tmp_path: Path) -> None:
    (copy / "words.npy").rename(tmp_path / "words.npy")
    (copy / "words.npy").symlink_to(tmp_path / "words.npy")
    with pytest.raises(InputError, match="outside"):
        Checkpoint(copy)


def test_broken_checkpoints_are_excluded(copy: Path) -> None:
    shutil.copytree(DATA / "comet-referenceless", copy.parent / "comet-referenceless")
    (copy / "encoder.onnx").write_bytes(b"x")
    checkpoints = Checkpoints(copy.parent)
    assert set(checkpoints.usable) == {"comet-estimator", "comet-referenceless"}
    checkpoints.warm_up()
    assert set(checkpoints.usable) == {"comet-referenceless"}
    assert "encoder.onnx is damaged" in checkpoints.broken["comet-estimator"]
    with pytest.raises(InputError, match=r"encoder\.onnx is damaged"):
        checkpoints.checkpoint("comet-estimator")
    with pytest.raises(InputError, match="checkpoints here are comet-referenceless"):
        checkpoints.checkpoint("another")
    assert Checkpoints(None).usable == {} and Checkpoints(copy.parent / "nothing").usable == {}


@pytest.mark.parametrize("room", range(12))
def test_pairs_are_cut_token_by_token(room: int) -> None:
    """The longer text, or the second of equal ones, loses a token until both fit."""
    for first in range(8):
        for second in range(8):
            first_length, second_length = first, second
            while first_length + second_length > room:
                if first_length > second_length:
                    first_length -= 1
                else:
                    second_length -= 1
            assert _shortened(first, second, room) == (first_length, second_length)


def test_distances_have_the_buckets_of_t5() -> None:
    """Values by transformers' T5Attention._relative_position_bucket (32 buckets, to 128)."""
    row = relative_buckets(200, 32, 128)[0]
    assert row[:12].tolist() == [0, 17, 18, 19, 20, 21, 22, 23, 24, 24, 24, 24]
    assert row[[15, 16, 22, 23, 31, 32, 45, 46, 63, 64, 90, 91, 127, 128, 199]].tolist() == [25, 26, 26, 27, 27, 28, 28, 29, 29, 30, 30, 31, 31, 31, 31]  # fmt: skip
    column = relative_buckets(200, 32, 128)[:, 0]
    assert (column[1:] == row[1:] - 16).all()
