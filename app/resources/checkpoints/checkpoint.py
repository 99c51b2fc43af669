"""An imported checkpoint: its card, and, once somebody asks, its tables, graph, head and tokeniser."""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from json import dumps
from pathlib import Path
from typing import Any, Final

import numpy as np

from app.arrays import Float32s
from app.errors import InputError
from app.resources.checkpoints.card import CheckpointCard, read_card
from app.resources.checkpoints.head import Head
from app.resources.checkpoints.network import Network
from app.resources.checkpoints.scorers import Parts, Remembered, Scored, scorer_of, width_of_head
from app.resources.checkpoints.sequences import Sequences
from app.resources.encoders.onnx.sessions import open_graph
from app.resources.lazy import Lazy
from app.resources.manifest import checksum
from app.running.deadline import check_deadline

__all__ = ["DECODER", "ENCODER", "HEAD", "TOKENISER", "WORDS", "Checkpoint", "Row", "unusable"]

ENCODER, DECODER, HEAD, WORDS, TOKENISER = "encoder.onnx", "decoder.onnx", "head.safetensors", "words.npy", "tokenizer.json"
# Scores that are kept: whoever looks at a document again, or changes one segment of it, waits for what is new.
REMEMBERED: Final = 20_000
# A translation with its source and its reference, where there are such.
Row = tuple[str | None, str, str | None]


def unusable(name: str, why: object) -> InputError:
    """The error about a checkpoint that cannot be used."""
    return InputError("missing-checkpoint", f"the checkpoint {name!r} of ASSAY_CHECKPOINTS cannot be used: {why}")


class Checkpoint:
    """A model that scores translations, loaded once when it is first asked, then read by any number of threads."""

    def __init__(self, folder: Path) -> None:
        """InputError names the folder and what is wrong with its card or its files."""
        self.name: Final = folder.name
        try:
            self.card: Final = read_card(folder)
            _check_files(folder, self.card)
        except (ValueError, OSError) as error:
            raise unusable(folder.name, _reason(error)) from None
        self._folder = folder
        self._parts = Lazy(self._load)
        self._lock = threading.Lock()
        self._scored: OrderedDict[bytes, Scored] = OrderedDict()

    @property
    def checksum(self) -> str:
        """SHA-256 of the encoder's graph, which says which weights they were."""
        return self.card.files[ENCODER]

    def load(self) -> None:
        """Read the weights; InputError names the checkpoint and says what is damaged, or what must be installed."""
        self._parts()

    def scores(self, rows: Iterable[Row]) -> Iterator[Scored]:
        """The score of each row, one after the other; InputError where nobody waits any more.

        Rows with the same source or reference cost less where they stand together, and rows that were scored lately nothing.
        """
        parts = self._parts()
        vectors = Remembered(parts)
        for source, translation, reference in rows:
            check_deadline()
            source = None if self.card.source == "unused" else source
            reference = None if self.card.reference == "unused" else reference
            yield self._score(parts, vectors, (source, translation, reference))

    def _score(self, parts: Parts, vectors: Remembered, row: Row) -> Scored:
        key = blake2b(dumps(row).encode("ascii"), digest_size=16).digest()
        with self._lock:
            if key in self._scored:
                self._scored.move_to_end(key)
                return self._scored[key]
        source, translation, reference = row
        try:
            scored = scorer_of(self.card.architecture)(parts, vectors, source, translation, reference)
        except ValueError as error:
            raise unusable(self.name, error) from None
        if not np.isfinite(scored.score):
            raise unusable(self.name, "a score is no finite number")
        with self._lock:
            self._scored[key] = scored
            if len(self._scored) > REMEMBERED:
                self._scored.popitem(last=False)
        return scored

    def _load(self) -> Parts:
        try:
            import onnxruntime
            import tokenizers
        except ImportError:
            raise unusable(self.name, "onnxruntime and tokenizers are not installed; pip install assay[onnx]") from None
        try:
            for name, digest in self.card.files.items():
                if checksum(self._folder / name) != digest:
                    raise ValueError(f"{name} is damaged: it has not the SHA-256 of the card")
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
            # Without a class of its own.
            raise ValueError(f"{TOKENISER} is none of the library tokenizers") from None
        width = width_of_head(card.architecture)
        head = None if width is None else Head(arrays, card.activation, card.final_activation)
        if head is not None and width is not None and head.width != width * card.dimensions:
            raise ValueError(f"the head takes {head.width} numbers, and {width * card.dimensions} come out of the encoder")
        return Parts(card, network, Sequences(card, tokeniser), head)


def _check_files(folder: Path, card: CheckpointCard) -> None:
    """ValueError where a file is missing, or is a link to somewhere else."""
    wanted = {ENCODER, HEAD, WORDS, TOKENISER} | ({DECODER} if card.architecture == "metricx" else set())
    if card.files.keys() != wanted:
        raise ValueError(f"its card names other files than {', '.join(sorted(wanted))}")
    if card.name != folder.name:
        raise ValueError(f"its card is that of {card.name!r}")
    for name in sorted(wanted):
        if not (folder / name).is_file():
            raise ValueError(f"there is no {name}")
        if not (folder / name).resolve().is_relative_to(folder.resolve()):
            raise ValueError(f"{name} lies outside the folder")


def _arrays(path: Path) -> dict[str, Float32s]:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        arrays = load_file(path)
    except SafetensorError:
        raise ValueError(f"{path.name} is not in the format of safetensors") from None
    if any(array.dtype != np.float32 for array in arrays.values()):
        raise ValueError(f"{path.name} holds other numbers than 32-bit floats")
    return arrays


def _words(path: Path) -> Float32s:
    """The table of words, which stays on disk until its rows are asked for."""
    try:
        words = np.load(path, mmap_mode="r", allow_pickle=False)
    except (EOFError, ValueError):
        raise ValueError(f"{path.name} is no table of NumPy's") from None
    if not isinstance(words, np.ndarray) or words.ndim != 2 or words.dtype != np.float32:
        raise ValueError(f"{path.name} is no table of 32-bit floats")
    return words


def _reason(error: Exception) -> str:
    return (error.strerror or "it cannot be read") if isinstance(error, OSError) else str(error)
