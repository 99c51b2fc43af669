"""Token vectors that are remembered are those of the encoder, each text encoded once, and no more of them kept than allowed."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.resources.encoders import EncodedTokens
from app.resources.encoders.remembering import RememberingEncoder
from tests.features.hashed_words import HashedWords

TEXTS = st.lists(st.sampled_from(["", "a", "a b", "c d e", "b a"]), max_size=5)


@dataclass(frozen=True)
class Counted(HashedWords):
    """Says what it was asked for."""

    asked_for: list[str] = field(default_factory=list)

    def encode_tokens(self, texts: Sequence[str]) -> EncodedTokens:
        self.asked_for.extend(texts)
        return super().encode_tokens(texts)


@given(st.lists(TEXTS, max_size=6), st.integers(0, 20))
def test_remembered_tokens_are_those_of_the_encoder(calls: list[list[str]], most: int) -> None:
    remembering, plain = RememberingEncoder(Counted(), token_limit=most), HashedWords()
    for texts in calls:
        got, expected = remembering.encode_tokens(texts), plain.encode_tokens(texts)
        assert got is not None and got.pieces == expected.pieces
        for name in ("vectors", "offsets", "spans"):
            mine, theirs = getattr(got, name), getattr(expected, name)
            assert mine.dtype == theirs.dtype and mine.shape == theirs.shape and np.array_equal(mine, theirs)
        assert sum(len(part.vectors) for part in remembering._tokens.values()) == remembering._count <= most


def test_a_text_is_encoded_once() -> None:
    counted = Counted()
    remembering = RememberingEncoder(counted)
    remembering.encode_tokens(["a b", "c", "a b"])
    remembering.encode_tokens(["c", "d"])
    assert counted.asked_for == ["a b", "c", "d"]
