"""An imported checkpoint: its card at once, its tables, graph, head and tokeniser at the first request."""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from json import dumps
from pathlib import Path
from tokenize import TokenError
from typing import Any, Final
from zipfile import BadZipFile

import numpy as np

from app.arrays import Float32s
from app.errors import InputError
from app.resources.checkpoints.card import CheckpointCard, read_card
from app.resources.checkpoints.head import Head
from app.resources.checkpoints.network import Network
from app.resources.checkpoints.scorers import CheckpointScore, Parts, VectorCache, scorer_of, width_of_head
from app.resources.checkpoints.sequences import Sequences
from app.resources.graphs import open_graph
from app.resources.lazy import Lazy
from app.resources.manifest import checksum
from app.running.deadline import check_deadline

__all__ = ["DECODER", "ENCODER", "HEAD", "TOKENISER", "WORDS", "Checkpoint", "Row", "unusable"]

ENCODER, DECODER, HEAD, WORDS, TOKENISER = "encoder.onnx", "decoder.onnx", "head.safetensors", "words.npy", "tokenizer.json"
# Scores in the cache: a document that comes again with one segment changed costs one score.
CACHED_SCORES: Final = 20_000
# Source (or None), translation, reference (or None).
Row = tuple[str | None, str, str | None]


def unusable(name: str, reason: object) -> InputError:
    """The error about a checkpoint that cannot be used."""
    return InputError("missing-checkpoint", f"the checkpoint {name!r} of ASSAY_CHECKPOINTS cannot be used: {reason}")


class Checkpoint:
    """A model that scores translations; the first request loads it, and any number of threads read it."""

    def __init__(self, folder: Path) -> None:
        """InputError names the folder and the error in its card or files."""
        self.name: Final = folder.name
        try:
            self.card: Final = read_card(folder)
            _check_files(folder, self.card)
        except (ValueError, OSError) as error:
            raise unusable(folder.name, _reason(error)) from None
        self._folder = folder
        self._parts = Lazy(self._load)
        self._lock = threading.Lock()
        self._cache: OrderedDict[bytes, CheckpointScore] = OrderedDict()

    @property
    def checksum(self) -> str:
        """SHA-256 of the encoder's graph, which identifies the weights."""
        return self.card.files[ENCODER]

    def load(self) -> None:
        """Read the weights; InputError names the checkpoint, and the damaged file or the absent package."""
        self._parts()

    def vectors(self) -> VectorCache:
        """A cache of texts' vectors for one thread."""
        return VectorCache(self._parts())

    def scores(self, rows: Iterable[Row], vectors: VectorCache | None = None) -> Iterator[CheckpointScore]:
        """Yield the score of each row; InputError after the deadline.

        Rows with a source or reference in the cache `vectors` cost less, and rows in the cache of scores nothing.
        """
        parts = self._parts()
        vectors = vectors or VectorCache(parts)
        for source, translation, reference in rows:
            check_deadline()
            source = None if self.card.source == "unused" else source
            reference = None if self.card.reference == "unused" else reference
            yield self._score(parts, vectors, (source, translation, reference))

    def _score(self, parts: Parts, vectors: VectorCache, row: Row) -> CheckpointScore:
        key = blake2b(dumps(row).encode("ascii"), digest_size=16).digest()
        with self._lock:
            if key in self._cache:
                self._cache.move_to_end(key)
                return self._cache[key]
        source, translation, reference = row
        try:
            result = scorer_of(self.card.architecture)(parts, vectors, source, translation, reference)
        except ValueError as error:
            raise unusable(self.name, error) from None
        if not np.isfinite(result.score):
            raise unusable(self.name, "a score is not finite")
        with self._lock:
            self._cache[key] = result
            if len(self._cache) > CACHED_SCORES:
                self._cache.popitem(last=False)
        return result

    def _load(self) -> Parts:
        try:
            import onnxruntime
            import tokenizers
        except ImportError:
            raise unusable(self.name, "onnxruntime and tokenizers are not installed; pip install assay[onnx]") from None
        try:
            for name, digest in self.card.files.items():
                if checksum(self._folder / name) != digest:
                    raise ValueError(f"{name} is damaged: its SHA-256 is not the card's")
            return self._opened(onnxruntime, tokenizers)
        except (ValueError, OSError) as error:
            raise unusable(self.name, _reason(error)) from None

    def _opened(self, onnxruntime: Any, tokenizers: Any) -> Parts:
        card, folder = self.card, self._folder
        arrays = _arrays(folder / HEAD)
        words = _words(folder / WORDS)
        decoder = open_graph(onnxruntime, folder / DECODER) if DECODER in card.files else None
        network = Network(card, words, arrays, open_graph(onnxruntime, folder / ENCODER), decoder)
        try:
            tokeniser = tokenizers.Tokenizer.from_file(str(folder / TOKENISER))
            tokeniser.no_padding()
            tokeniser.no_truncation()
        except Exception:
            # tokenizers raises no class of its own.
            raise ValueError(f"{TOKENISER} is no tokeniser of the library tokenizers") from None
        width = width_of_head(card.architecture)
        head = None if width is None else Head(arrays, card.activation, card.final_activation)
        if head is not None and width is not None and head.width != width * card.dimensions:
            raise ValueError(f"the head takes {head.width} numbers, and the encoder gives {width * card.dimensions}")
        return Parts(card, network, Sequences(card, tokeniser), head)


def _check_files(folder: Path, card: CheckpointCard) -> None:
    """ValueError where a file is missing, or a link leads out of the folder."""
    expected = {ENCODER, HEAD, WORDS, TOKENISER} | ({DECODER} if card.architecture == "metricx" else set())
    if card.files.keys() != expected:
        raise ValueError(f"its card does not name the files {', '.join(sorted(expected))}")
    if card.name != folder.name:
        raise ValueError(f"its card belongs to {card.name!r}")
    for name in sorted(expected):
        if not (folder / name).is_file():
            raise ValueError(f"there is no {name}")
        if not (folder / name).resolve().is_relative_to(folder.resolve()):
            raise ValueError(f"{name} lies outside the folder")


def _arrays(path: Path) -> dict[str, Float32s]:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        arrays = load_file(path)
    # The library has no NumPy type for some of its formats, and then fails by a TypeError or an AttributeError.
    except (SafetensorError, TypeError, AttributeError):
        raise ValueError(f"{path.name} is no file of safetensors with 32-bit floats") from None
    if any(array.dtype != np.float32 for array in arrays.values()):
        raise ValueError(f"{path.name} holds numbers that are not 32-bit floats")
    return arrays


def _words(path: Path) -> Float32s:
    """The table of words; its rows stay on disk until a text has them."""
    try:
        words = np.load(path, mmap_mode="r", allow_pickle=False)
    # NumPy reads the header as Python, and a file that begins like an archive as one: each has errors of its own.
    except (EOFError, ValueError, TypeError, TokenError, BadZipFile):
        raise ValueError(f"{path.name} is no array of NumPy") from None
    if not isinstance(words, np.ndarray) or words.ndim != 2 or words.dtype != np.float32:
        raise ValueError(f"{path.name} is no table of 32-bit floats")
    return words


def _reason(error: Exception) -> str:
    return (error.strerror or "a file is unreadable") if isinstance(error, OSError) else str(error)
