"""Encoder of a folder: a graph in onnxruntime, a tokeniser, and the mean or the first vector of the last layer."""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from app.arrays import Bools, Float32s, Int64s
from app.resources.encoders.batches import unit_vectors
from app.resources.encoders.encoder import EncodedTokens
from app.resources.encoders.onnx.folder import ExportedFolder, read_folder, unusable
from app.resources.encoders.onnx.sessions import open_graph
from app.running.deadline import check_deadline

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

__all__ = ["ExportedEncoder", "open_exported"]

# Outputs of exports: the sentence's vector of sentence-transformers, and the vectors of tokens.
SENTENCE: Final = "sentence_embedding"
TOKENS: Final = ("last_hidden_state", "token_embeddings")
INPUTS: Final = frozenset({"input_ids", "attention_mask", "token_type_ids"})


class ExportedEncoder:
    """Encoder with a graph. Each run has one text, since batches and padding change the rounding of its vector."""

    languages: Final[frozenset[str]] = frozenset()
    table: Final = None

    def __init__(self, folder: ExportedFolder, session: "InferenceSession", tokeniser: "Tokenizer", checksum: str) -> None:
        self._folder = folder
        self._session = session
        self._tokeniser = tokeniser
        self.name: Final = folder.name
        self.checksum: Final = checksum
        self.longest: Final = folder.longest
        self._inputs = [value.name for value in session.get_inputs()]
        outputs = [value.name for value in session.get_outputs()]
        self._token_output = next((name for name in TOKENS if name in outputs), None)
        self._output = SENTENCE if SENTENCE in outputs else self._token_output or ""
        if not self._output:
            raise unusable(folder.name, f"has a model without one of the outputs {SENTENCE}, {', '.join(TOKENS)}")
        if folder.dense and self._output != SENTENCE:
            raise unusable(folder.name, f"has a layer after pooling (modules.json), so its model needs the output {SENTENCE}")
        if not {"input_ids"} <= set(self._inputs) <= INPUTS:
            raise unusable(folder.name, f"has a model with other inputs than {', '.join(sorted(INPUTS))}")
        self.dimensions: Final = int(self._vector(self._encoding("a")).shape[0])

    def encode(self, texts: Sequence[str]) -> Float32s:
        """Unit vector of each text; shape (n, d)."""
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        for place, text in enumerate(texts):
            check_deadline()
            vectors[place] = self._vector(self._encoding(text))
        return unit_vectors(vectors)

    def cut(self, texts: Sequence[str]) -> Bools:
        """Mask of the texts with more tokens than the limit; shape (n,)."""
        return np.array([bool(self._encoding(text).overflowing) for text in texts], np.bool_)

    def begin(self, texts: Sequence[str]) -> None:
        """Do nothing: this encoder works on request only."""

    def encode_tokens(self, texts: Sequence[str]) -> EncodedTokens | None:
        """Vectors of the last layer for the tokens of each text; None if the graph has no such output."""
        if self._token_output is None:
            return None
        vectors: list[Float32s] = [np.empty((0, self._width()), np.float32)]
        pieces: list[str] = []
        spans: list[tuple[int, int]] = []
        ends = [0]
        prefix_length = len(self._folder.prefix)
        for text in texts:
            check_deadline()
            encoding = self._encoding(text)
            indices = [
                place
                for place, (special, (_, end)) in enumerate(zip(encoding.special_tokens_mask, encoding.offsets, strict=True))
                if not special and end > prefix_length
            ]
            vectors.append(self._run(encoding, self._token_output)[0][indices])
            pieces += [encoding.tokens[place] for place in indices]
            spans += [
                (max(encoding.offsets[place][0] - prefix_length, 0), encoding.offsets[place][1] - prefix_length)
                for place in indices
            ]
            ends.append(ends[-1] + len(indices))
        places: Int64s = np.array(spans, np.int64).reshape(-1, 2)
        return EncodedTokens(np.concatenate(vectors), np.array(ends, np.int64), tuple(pieces), places)

    def _width(self) -> int:
        return int(self._run(self._encoding("a"), self._token_output or "").shape[2])

    def _encoding(self, text: str) -> "Encoding":
        # tokenizers refuses halves of surrogate pairs.
        return self._tokeniser.encode(self._folder.prefix + text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))

    def _run(self, encoding: "Encoding", output: str) -> Float32s:
        values = {"input_ids": encoding.ids, "attention_mask": [1] * len(encoding.ids), "token_type_ids": encoding.type_ids}
        inputs = {name: np.array([values[name]], np.int64) for name in self._inputs}
        result: Float32s = np.asarray(self._session.run([output], inputs)[0], np.float32)
        return result

    def _vector(self, encoding: "Encoding") -> Float32s:
        result = self._run(encoding, self._output)[0]
        if self._output == SENTENCE:
            return result
        vector: Float32s = result[0] if self._folder.pooling == "cls" else result.mean(axis=0)
        return vector


def open_exported(path: Path) -> ExportedEncoder:
    """The encoder of a folder; InputError names the folder, and the unusable file or the missing package."""
    folder = read_folder(path)
    try:
        import onnxruntime
        import tokenizers
    except ImportError:
        raise unusable(folder.name, "needs the packages onnxruntime and tokenizers; pip install assay[onnx]") from None
    rules = folder.tokeniser.read_bytes()
    checksum = sha256(folder.model.read_bytes())
    checksum.update(rules)
    # tokenizers raises exceptions without a common class.
    try:
        tokeniser = tokenizers.Tokenizer.from_str(rules.decode("utf-8"))
        tokeniser.no_padding()
        tokeniser.enable_truncation(folder.longest)
    except Exception:
        raise unusable(folder.name, "has a tokenizer.json that is damaged") from None
    try:
        session = open_graph(onnxruntime, folder.model)
    except ValueError as error:
        raise unusable(folder.name, f"has an unusable model: {error}") from None
    return ExportedEncoder(folder, session, tokeniser, checksum.hexdigest())
