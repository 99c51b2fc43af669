"""Encoders in folders: against the same network in NumPy, and what is refused."""

import json
import shutil
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InputError
from app.resources.encoders import ChosenEncoder
from app.resources.encoders.onnx import ExportedEncoder, open_exported
from app.resources.encoders.onnx.external_data import DamagedModelError, names_files

pytest.importorskip("onnxruntime")
pytest.importorskip("tokenizers")

SHIPPED = Path(__file__).parent / "data" / "tiny-onnx"
MODEL = (SHIPPED / "model.onnx").read_bytes()
WORDS = json.loads((SHIPPED / "tokenizer.json").read_text())["model"]["vocab"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SHIPPED, tmp_path / "mine"))


def hidden(ids: list[int]) -> np.ndarray:
    weights = np.load(SHIPPED / "weights.npz")
    x = weights["words"][ids] + weights["places"][: len(ids)] + weights["types"][0]
    scores = (x @ weights["query"]) @ (x @ weights["key"]).T
    shares = np.exp(scores - scores.max(1, keepdims=True))
    return np.tanh(x + (shares / shares.sum(1, keepdims=True)) @ (x @ weights["value"]))


def ids(*words: str) -> list[int]:
    return [WORDS[word] for word in ("<s>", "query", ":", *words, "</s>")]


def unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


def write(folder: Path, name: str, content: object) -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(json.dumps(content))


def test_vectors_are_the_means_of_those_that_numpy_finds(folder: Path) -> None:
    encoder = open_exported(folder)
    expected = [unit(hidden(ids("the", "cat", "sleeps", ".")).mean(0)), unit(hidden(ids()).mean(0))]
    texts = ["The cat sleeps.", ""]
    assert np.allclose(encoder.encode(texts), expected, atol=1e-6)
    assert np.array_equal(encoder.encode(texts[:1]), encoder.encode(texts[::-1])[1:])
    assert encoder.dimensions == 16 and encoder.longest == 12 and encoder.name == "mine" and len(encoder.checksum) == 64
    tokens = encoder.encode_tokens(["\ud800 Cat sleeps", ""])
    assert tokens is not None and tokens.offsets.tolist() == [0, 3, 3]
    assert tokens.pieces[1:] == ("cat", "sleeps") and tokens.spans.tolist()[1:] == [[2, 5], [6, 12]]
    assert np.allclose(tokens.vectors, hidden(ids("<unk>", "cat", "sleeps"))[3:-1], atol=1e-6)


def test_pooling_prefix_and_length_are_the_folders(folder: Path) -> None:
    write(folder, "1_Pooling/config.json", {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False})
    write(folder, "config_sentence_transformers.json", {"prompts": {}})
    write(folder, "sentence_bert_config.json", {"max_seq_length": 4})
    encoder = open_exported(folder)
    assert encoder.cut(["the cat", "the cat ."]).tolist() == [False, True]
    assert np.allclose(encoder.encode(["the cat ."])[0], unit(hidden([0, WORDS["the"], WORDS["cat"], 2])[0]), atol=1e-6)


def test_the_setting_may_name_a_folder(folder: Path) -> None:
    chosen = ChosenEncoder(str(folder))
    chosen.warm_up()
    assert chosen.required().encode(["a", "a"]).shape == (2, 16)
    assert chosen.card is not None and chosen.card.name == "mine" and chosen.card.licence == "unknown"


def link(folder: Path) -> None:
    (folder.parent / "elsewhere.onnx").write_bytes(MODEL)
    (folder / "model.onnx").unlink()
    (folder / "model.onnx").symlink_to(folder.parent / "elsewhere.onnx")


BROKEN = {
    "lacks tokenizer.json": lambda folder: (folder / "tokenizer.json").unlink(),
    "holds no model": lambda folder: (folder / "model.onnx").unlink(),
    "model.onnx outside itself": link,
    "damaged, or no model in ONNX": lambda folder: (folder / "model.onnx").write_bytes(b"\x80\x04ccos\nsystem\n" + MODEL),
    "does not load": lambda folder: (folder / "model.onnx").write_bytes(MODEL.replace(b"Softmax", b"Sxftmax")),
    "tokenizer.json that is damaged": lambda folder: (folder / "tokenizer.json").write_bytes(b"{}"),
    "config.json that is not JSON": lambda folder: (folder / "config.json").write_bytes(b"{"),
    "outputs sentence_embedding": lambda folder: (folder / "model.onnx").write_bytes(MODEL.replace(b"last_hidden_state", b"lost_hidden_state")),
    "other inputs": lambda folder: (folder / "model.onnx").write_bytes(MODEL.replace(b"token_type_ids", b"token_tipe_ids")),
    "layer after pooling": lambda folder: write(folder, "modules.json", [{"type": "sentence_transformers.models.Dense"}]),
    "mean and cls are": lambda folder: write(folder, "1_Pooling/config.json", {"pooling_mode_mean_tokens": False}),
    "weights are in other files": lambda folder: (folder / "model.onnx").write_bytes(MODEL + external()),
}  # fmt: skip


def part(number: int, data: bytes) -> bytes:
    """A field of a message of Protocol Buffers."""
    assert len(data) < 128
    return bytes([number << 3 | 2, len(data)]) + data


def external() -> bytes:
    """A graph, merged into the one before it, with a tensor whose numbers are in /etc/passwd."""
    place = part(13, part(1, b"location") + part(2, b"/etc/passwd"))
    return part(7, part(5, part(8, b"words2") + place + bytes([14 << 3, 1])))


@pytest.mark.parametrize("message", BROKEN)
def test_what_cannot_be_used_is_refused_by_name(folder: Path, message: str) -> None:
    BROKEN[message](folder)
    with pytest.raises(InputError, match=message) as caught:
        open_exported(folder)
    assert caught.value.code == "missing-resource" and "'mine'" in caught.value.detail


def test_tensors_in_other_files_are_found_at_every_depth() -> None:
    inner = part(5, part(13, b""))
    subgraph = part(7, part(1, part(5, part(6, inner))))
    function = part(25, b"").replace(bytes([25 << 3 & 255 | 2]), bytes([(25 << 3 & 127 | 2) | 128, 1]))
    assert names_files(memoryview(subgraph)) and not names_files(memoryview(part(7, b"") + function))
    assert not names_files(memoryview(MODEL))


@given(st.binary(max_size=200))
def test_what_is_no_model_is_said_to_be_none(data: bytes) -> None:
    with suppress(DamagedModelError):
        names_files(memoryview(data))


@pytest.fixture(scope="module")
def shipped() -> ExportedEncoder:
    return open_exported(SHIPPED)


@given(st.text(max_size=20))
def test_every_text_has_a_vector(shipped: ExportedEncoder, text: str) -> None:
    assert np.isclose(np.linalg.norm(shipped.encode([text])), 1, atol=1e-5)
