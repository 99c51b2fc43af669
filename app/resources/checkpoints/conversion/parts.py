"""Parts that every imported architecture has: a table of words, special tokens, a head, members of the card."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from app.arrays import Float32s
from app.resources.checkpoints.card import Architecture
from app.resources.checkpoints.checkpoint import WORDS
from app.resources.checkpoints.conversion.refusal import refused
from app.resources.checkpoints.conversion.texts import CheckpointTokeniser
from app.resources.checkpoints.conversion.weights import Weights

__all__ = ["CheckpointParts", "head_layers", "write_words"]


@dataclass(frozen=True)
class CheckpointParts:
    """The result of an import beside its graphs: `arrays` of the head and of positions, and unusual members of the card."""

    architecture: Architecture
    origin: str
    arrays: Mapping[str, Float32s]
    card: Mapping[str, Any]


def head_layers(weights: Weights, names: Sequence[str], width: int) -> dict[str, Float32s]:
    """Linear layers of a head that takes `width` numbers, as ``weight.0, bias.0, weight.1, …``; InputError unless it gives one."""
    arrays: dict[str, Float32s] = {}
    for number, name in enumerate(names):
        weight = weights.shaped(f"{name}.weight", -1, width)
        width = len(weight)
        arrays[f"weight.{number}"], arrays[f"bias.{number}"] = weight, weights.shaped(f"{name}.bias", width)
    if width != 1:
        raise refused(f"{names[-1]} has {width} labels: a regression has one")
    return arrays


def write_words(folder: Path, words: Float32s, tokeniser: CheckpointTokeniser) -> None:
    """Write the rows of the tokeniser's tokens; InputError where the table has fewer rows than tokens."""
    if tokeniser.size > len(words):
        raise refused(f"the tokeniser has {tokeniser.size} tokens and the checkpoint {len(words)} words: they are of two models")
    np.save(folder / WORDS, words[: tokeniser.size], allow_pickle=False)
