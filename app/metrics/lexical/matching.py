"""Clipped n-gram matches of many hypotheses, on all processors."""

from functools import partial
from typing import Final

import numpy as np

from app.arrays import Int32s, Int64s
from app.metrics.lexical.clipped_kernel import match_references
from app.running.threads.blocks import in_blocks
from app.text.ragged import offsets_of

__all__ = ["clipped_matches"]

# Symbols that one processor counts at once.
BLOCK: Final = 1 << 17


def clipped_matches(
    hypothesis: Int64s | Int32s,
    hypothesis_offsets: Int64s,
    reference: Int64s | Int32s,
    reference_offsets: Int64s,
    reference_of: Int64s,
    order: int,
) -> Int64s:
    """Clipped matches of each hypothesis for n-grams of 1 to `order` symbols; int64, shape (h, order).

    Hypothesis i belongs to reference ``reference_of[i]``. Time and memory are linear in the symbols.
    """
    rows = np.argsort(reference_of, kind="stable")
    begins = offsets_of(np.bincount(reference_of, minlength=len(reference_offsets) - 1))
    out = np.zeros((len(reference_of), order), np.int64)
    sizes = offsets_of(np.diff(hypothesis_offsets)[rows])[begins[1:]] + reference_offsets[1:]
    count = partial(match_references, hypothesis, hypothesis_offsets, reference, reference_offsets, rows, begins, order, out)
    in_blocks(count, sizes, BLOCK)
    return out
