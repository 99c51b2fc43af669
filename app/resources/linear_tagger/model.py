"""The weights of a tagger, and of a parser where there is one, as they lie on disk and in memory."""

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
# What the keys mean: a file of other features is of no use.
FORMAT: Final = 1
# Segments that are annotated between two looks at the deadline.
AT_ONCE: Final = 2000


@dataclass(frozen=True)
class LinearModel:
    """Weights of tags, 2^b + 17 of them, and of the parser's actions, 2^b + 3, none where it does not parse."""

    tags: Int8s
    heads: Int8s | None = None

    def annotate(self, column: TokenColumn, parse: bool) -> tuple[Int8s, Int32s | None]:
        """Number of the tag of each token; where `parse`, the place of its head in the segment too, -1 of a root."""
        parts, ids, offsets = packed_words(column), column.ids.astype(np.int32, copy=False), column.offsets
        tags = np.empty(len(ids), np.int8)
        heads = np.empty(len(ids), np.int32) if parse and self.heads is not None else None
        for row in range(0, len(column), AT_ONCE):
            check_deadline()
            ends = offsets[row : row + AT_ONCE + 1]
            inside, own = slice(ends[0], ends[-1]), ends - ends[0]
            tags[inside] = tag_tokens(parts, ids[inside], own, self.tags)
            if heads is not None:
                heads[inside] = parse_tokens(parts, ids[inside], tags[inside], own, self.heads)
        return tags, heads


def _fits(weights: Int8s, choices: int) -> bool:
    slots = len(weights) - choices
    return weights.dtype == np.int8 and weights.ndim == 1 and slots > 0 and slots & (slots - 1) == 0


def load_linear_model(path: Path) -> LinearModel:
    """Read a ``tagger.safetensors``; InputError where it is none."""
    try:
        arrays = load(path.read_bytes())
    except SafetensorError:
        raise InputError("invalid-table", f"{path.name} is not a file of safetensors") from None
    tags, heads, version = arrays.get("tags"), arrays.get("heads"), arrays.get("format")
    if tags is None or version is None or not _fits(tags, TAGS) or (heads is not None and not _fits(heads, ACTIONS)):
        raise InputError(
            "invalid-table", f"{path.name} does not hold the weights of a tagger; `assay resources tagger` writes such files"
        )
    if version.tolist() != [FORMAT]:
        raise InputError("invalid-table", f"{path.name} is of format {version.tolist()}, not [{FORMAT}]; build it again")
    return LinearModel(tags, heads)


def save_linear_model(model: LinearModel, path: Path) -> None:
    """Write the file that `load_linear_model` reads."""
    arrays: dict[str, np.ndarray] = {"format": np.array([FORMAT], np.int32), "tags": model.tags}
    if model.heads is not None:
        arrays["heads"] = model.heads
    path.write_bytes(save(arrays))
