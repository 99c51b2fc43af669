"""Weights of a linear tagger and optionally of a parser, on disk and in memory."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from app.arrays import Int8s, Int32s
from app.errors import InputError
from app.resources.linear_tagger.parse_kernels import ACTIONS, parse_tokens
from app.resources.linear_tagger.tag_kernels import TAGS, tag_tokens
from app.resources.linear_tagger.words import packed_words
from app.running.deadline import check_deadline
from app.text.batch import TokenColumn

__all__ = ["LINEAR_TAGGER", "LinearModel", "load_linear_model", "save_linear_model"]

LINEAR_TAGGER: Final = "tagger.safetensors"
# Version of the features; files of another version are refused.
FORMAT: Final = 1
# Segments between two checks of the deadline.
GROUP_SIZE: Final = 2000


@dataclass(frozen=True)
class LinearModel:
    """Weights of tags, shape (2^b + 17,), and of the parser's actions, shape (2^b + 3,), or None without a parser."""

    tags: Int8s
    heads: Int8s | None = None

    def annotate(self, column: TokenColumn, parse: bool) -> tuple[Int8s, Int32s | None]:
        """Number of each token's tag, and with `parse` the index of its head in the segment, -1 for a root; (tokens,) each."""
        parts, ids, offsets = packed_words(column), column.ids.astype(np.int32, copy=False), column.offsets
        tags = np.empty(len(ids), np.int8)
        heads = np.empty(len(ids), np.int32) if parse and self.heads is not None else None
        for row in range(0, len(column), GROUP_SIZE):
            check_deadline()
            bounds = offsets[row : row + GROUP_SIZE + 1]
            group, group_offsets = slice(bounds[0], bounds[-1]), bounds - bounds[0]
            tags[group] = tag_tokens(parts, ids[group], group_offsets, self.tags)
            if heads is not None:
                heads[group] = parse_tokens(parts, ids[group], tags[group], group_offsets, self.heads)
        return tags, heads


def _fits(weights: Int8s, choices: int) -> bool:
    slots = len(weights) - choices
    return weights.dtype == np.int8 and weights.ndim == 1 and slots > 0 and slots & (slots - 1) == 0


def load_linear_model(path: Path) -> LinearModel:
    """Read a ``tagger.safetensors``; InputError if it is no such file."""
    try:
        arrays = load(path.read_bytes())
    except SafetensorError:
        raise InputError("invalid-table", f"{path.name} is no safetensors file") from None
    tags, heads, version = arrays.get("tags"), arrays.get("heads"), arrays.get("format")
    if tags is None or version is None or not _fits(tags, TAGS) or (heads is not None and not _fits(heads, ACTIONS)):
        raise InputError(
            "invalid-table", f"{path.name} does not hold the weights of a tagger; `assay resources tagger` writes such files"
        )
    if version.tolist() != [FORMAT]:
        raise InputError("invalid-table", f"{path.name} has format {version.tolist()}, not [{FORMAT}]; build it again")
    return LinearModel(tags, heads)


def save_linear_model(model: LinearModel, path: Path) -> None:
    """Write a file for `load_linear_model`."""
    arrays: dict[str, np.ndarray] = {"format": np.array([FORMAT], np.int32), "tags": model.tags}
    if model.heads is not None:
        arrays["heads"] = model.heads
    path.write_bytes(save(arrays))
