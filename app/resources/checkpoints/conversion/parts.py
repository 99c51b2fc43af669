"""What importing any architecture ends with: a table of words, tokens around texts, what the card says."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from app.arrays import Float32s
from app.resources.checkpoints.card import Architecture
from app.resources.checkpoints.conversion.bert import BertSizes
from app.resources.checkpoints.conversion.refusal import refused
from app.resources.checkpoints.conversion.texts import Tokeniser

__all__ = ["Imported", "special_tokens", "words_of"]


@dataclass(frozen=True)
class Imported:
    """What was written into a folder beside its card: `arrays` of head and places, and what is not usual of the card."""

    architecture: Architecture
    origin: str
    arrays: Mapping[str, Float32s]
    card: Mapping[str, Any]


def special_tokens(tokeniser: Tokeniser, sizes: BertSizes) -> dict[str, Any]:
    """The tokens around texts, and how places are counted, as the card has them."""
    roberta = sizes.first_place > 0
    return {
        "begin": tokeniser.number("<s>" if roberta else "[CLS]"),
        "end": tokeniser.number("</s>" if roberta else "[SEP]"),
        "pad": sizes.pad,
        "separators": 2 if roberta else 1,
        "first_place": sizes.first_place,
        "padding_has_no_place": roberta,
    }


def words_of(folder: Path, words: Float32s, tokeniser: Tokeniser) -> None:
    """Write the table's rows of the tokens that there are; InputError where there are more tokens than rows."""
    if tokeniser.size > len(words):
        raise refused(f"the tokeniser has {tokeniser.size} tokens and the checkpoint {len(words)} words: they are of two models")
    np.save(folder / "words.npy", words[: tokeniser.size], allow_pickle=False)
