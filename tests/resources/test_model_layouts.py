"""What a KenLM binary points to is held to the table that it points into, each kind of number by its own reason."""

import struct
from pathlib import Path

import pytest

from app.errors import InputError
from app.resources.language_models import open_language_model
from app.resources.language_models.header import read_header
from app.resources.language_models.layout import ProbingLayout, TrieLayout, probing_layout, trie_layout

DATA = Path(__file__).parent / "data"
PROBING = ("probing.binary", "rest-probing.binary")
TRIES = ("trie.binary", "quantised.binary", "array.binary", "quantised-array.binary")


def refused(tmp_path: Path, name: str, at: int, value: bytes, reason: str) -> None:
    raw = (DATA / name).read_bytes()
    (tmp_path / "made").write_bytes(raw[:at] + value + raw[at + len(value) :])
    with pytest.raises(InputError, match=rf"^made .*{reason}.*; language models are"):
        open_language_model(tmp_path / "made")


def layout_of_trie(name: str) -> TrieLayout:
    head = read_header(DATA / name)
    assert head is not None
    return trie_layout(DATA / name, head)


def layout_of_probing(name: str) -> ProbingLayout:
    head = read_header(DATA / name)
    assert head is not None
    return probing_layout(head)


@pytest.mark.parametrize("name", TRIES)
def test_a_trie_is_held_to_its_own_tables(tmp_path: Path, name: str) -> None:
    layout = layout_of_trie(name)
    number = struct.Struct("<Q")
    refused(tmp_path, name, layout.vocabulary, number.pack(2**40), "words beside <unk>")
    refused(tmp_path, name, layout.vocabulary + 16, number.pack(0), "not in order")
    refused(tmp_path, name, layout.unigrams + 8 + 16 * 5, number.pack(2**40), "words point outside")
    refused(tmp_path, name, layout.unigrams + 8 + 16 * 44, number.pack(99), "words point outside")
    for n, table in enumerate(layout.tables, 2):
        refused(tmp_path, name, table.start + 2 * (table.width // 8), b"\xff" * 8, f"{n}-grams")
        if table.offsets:
            refused(tmp_path, name, table.offsets_start, number.pack(1), "not in order from 0")
    refused(tmp_path, name, layout.end, b"<UNK>", "words are not where")


@pytest.mark.parametrize("name", PROBING)
def test_probing_tables_have_an_end(tmp_path: Path, name: str) -> None:
    layout = layout_of_probing(name)
    refused(tmp_path, name, layout.bound + 4, struct.pack("<I", 46), "ends at word 46")
    refused(tmp_path, name, layout.vocabulary.start + 8, struct.pack("<I", 44), "has word 44")
    for order, table in enumerate(layout.tables, 1):
        full = b"\x01" * (table.end - table.start)
        refused(tmp_path, name, table.start, full, f"table {order} has no empty bucket")


@pytest.mark.parametrize("name", [*PROBING, *TRIES])
@pytest.mark.parametrize(("at", "value"), [(100, b"\x02"), (104, b"\x07")])
def test_a_header_of_no_version_is_refused(tmp_path: Path, name: str, at: int, value: bytes) -> None:
    refused(tmp_path, name, at, value, "another version")
