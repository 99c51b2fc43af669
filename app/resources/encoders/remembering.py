"""An encoder that remembers texts: a translator changes the translation and not the source."""

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Final

import numpy as np

from app.arrays import Bools, Float32s
from app.resources.encoders.encoder import EncodedTokens, Encoder
from app.resources.encoders.sharing import SharedEncoding

__all__ = ["RememberingEncoder"]

REMEMBERED: Final = 20_000
TOKENS: Final = 30_000


class RememberingEncoder:
    """Another encoder, asked only for texts that it has not encoded lately, for token vectors by so many `threads` together.

    With 384 dimensions 20,000 texts are 30 MB, and the 30,000 tokens that were asked for last 46 MB.
    """

    def __init__(self, encoder: Encoder, most: int = REMEMBERED, most_tokens: int = TOKENS, threads: int = 1) -> None:
        self._encoder = encoder
        self._most = most
        self._lock = threading.Lock()
        self._most_tokens = most_tokens
        self._count = 0
        self._tokens: OrderedDict[bytes, EncodedTokens] = OrderedDict()
        self._vectors: OrderedDict[bytes, Float32s] = OrderedDict()
        self._shared = SharedEncoding(encoder.encode_tokens, self._keep, threads)

    @property
    def name(self) -> str:
        """That of the encoder."""
        return self._encoder.name

    @property
    def checksum(self) -> str:
        """That of the encoder's weights."""
        return self._encoder.checksum

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._encoder.dimensions

    @property
    def longest(self) -> int:
        """Most tokens of a text."""
        return self._encoder.longest

    @property
    def languages(self) -> frozenset[str]:
        """Those of the encoder."""
        return self._encoder.languages

    def encode(self, texts: Sequence[str]) -> Float32s:
        """The vector of each text, of length 1; each text that is new is encoded once."""
        keys = [_key(text) for text in texts]
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        new: dict[bytes, str] = {}
        with self._lock:
            for place, key in enumerate(keys):
                vector = self._vectors.get(key)
                if vector is None:
                    new[key] = texts[place]
                else:
                    self._vectors.move_to_end(key)
                    vectors[place] = vector
        if not new:
            return vectors
        # A copy of each, since a row would keep all others in memory.
        encoded = {key: vector.copy() for key, vector in zip(new, self._encoder.encode(list(new.values())), strict=True)}
        for place, key in enumerate(keys):
            if key in encoded:
                vectors[place] = encoded[key]
        with self._lock:
            self._vectors.update(encoded)
            while len(self._vectors) > self._most:
                self._vectors.popitem(last=False)
        return vectors

    def cut(self, texts: Sequence[str]) -> Bools:
        """Whether a text is longer than what is looked at; shape (n,)."""
        return self._encoder.cut(texts)

    def begin(self, texts: Sequence[str]) -> None:
        """Let threads that are idle encode the tokens of texts, which will be asked for soon."""
        keys = [_key(text) for text in texts]
        with self._lock:
            new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._tokens}
        self._shared.begin(new)

    def encode_tokens(self, texts: Sequence[str]) -> EncodedTokens | None:
        """The vectors of the tokens of each text, or None where the encoder has none; each text that is new is encoded once."""
        keys = [_key(text) for text in texts]
        parts: dict[bytes, EncodedTokens] = {}
        with self._lock:
            for key in keys:
                if key in self._tokens:
                    self._tokens.move_to_end(key)
                    parts[key] = self._tokens[key]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in parts}
        if new:
            encoded = self._shared.encode(new)
            if encoded is None:
                return None
            parts |= encoded
        return EncodedTokens.joined([parts[key] for key in keys], self.dimensions)

    def _keep(self, encoded: Mapping[bytes, EncodedTokens]) -> None:
        with self._lock:
            for key in encoded.keys() - self._tokens.keys():
                self._tokens[key] = encoded[key]
                self._count += len(encoded[key].vectors)
            while self._count > self._most_tokens and self._tokens:
                self._count -= len(self._tokens.popitem(last=False)[1].vectors)


def _key(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
