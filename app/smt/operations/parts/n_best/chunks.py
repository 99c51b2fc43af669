"""N-best lists as the chunks of a job: JSON, with numbers packed as bytes."""

import base64
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from app.arrays import Float64s
from app.operations.operation import Json
from app.operations.parts.costs.cost import amount_of_texts
from app.running.rates import Amount
from app.text.feature_columns.sparse import SparseColumns
from app.text.n_best import NBestLists
from app.text.packed_texts import PackedTexts
from app.text.ragged import offsets_of

__all__ = ["amount_of_chunk", "chunks_of_lists", "lists_of_chunk"]

# Hypotheses of a chunk, however few segments they are of.
MOST_HYPOTHESES: Final = 20_000


def chunks_of_lists(lists: NBestLists, rows: int | None, columns: Mapping[str, Any] | None = None) -> list[tuple[int, Json]]:
    """Chunks of at most `rows` segments, and of what `columns` have of each: lists, or named lists of them; None is left out.

    Alignments are left out. Without `rows`, one chunk holds the lists as they are, for steps of one process.
    """
    chunks, begin = [], 0
    if rows is None:
        parts = {name: _part(column, 0, len(lists)) for name, column in (columns or {}).items() if column is not None}
        return [(len(lists), {"n_best": lists, **parts})]
    while begin < len(lists):
        full = int(np.searchsorted(lists.offsets, lists.offsets[begin] + MOST_HYPOTHESES, "right")) - 1
        end = min(max(begin + 1, full), begin + rows, len(lists))
        part = {name: _part(column, begin, end) for name, column in (columns or {}).items() if column is not None}
        chunks.append((end - begin, {"n_best": _packed_lists(lists.rows(np.arange(begin, end))), **part}))
        begin = end
    return chunks


def _part(column: Any, begin: int, end: int) -> Any:
    if isinstance(column, Mapping):
        return {name: list(part[begin:end]) for name, part in column.items()}
    return list(column[begin:end])


def lists_of_chunk(chunk: Mapping[str, Any]) -> NBestLists:
    """The lists of a chunk."""
    packed_lists = chunk["n_best"]
    if isinstance(packed_lists, NBestLists):
        return packed_lists
    scores, names = _unpacked(packed_lists["scores"]), tuple(packed_lists["names"])
    features = _unpacked(packed_lists["features"]).reshape(len(scores), len(names))
    texts = PackedTexts.of(packed_lists["texts"])
    return NBestLists(
        offsets_of(packed_lists["lengths"]), texts, scores, names, features, sparse=_sparse(packed_lists.get("sparse"))
    )


def _sparse(packed_columns: Json | None) -> SparseColumns | None:
    if packed_columns is None:
        return None
    columns, values = _unpacked(packed_columns["columns"]).astype(np.int32), _unpacked(packed_columns["values"])
    return SparseColumns(
        tuple(packed_columns["names"]), offsets_of(_unpacked(packed_columns["lengths"]).astype(np.int64)), columns, values
    )


def amount_of_chunk(chunk: Mapping[str, Any]) -> Amount:
    """Each hypothesis is a segment, so is a list without any, and its own characters count."""
    texts: Sequence[str] = chunk["n_best"]["texts"]
    amount = amount_of_texts(texts)
    return Amount(amount.segments + chunk["n_best"]["lengths"].count(0), amount.characters)


def _packed_lists(lists: NBestLists) -> Json:
    sparse = lists.sparse
    sparse_fields = (
        {}
        if sparse is None
        else {
            "sparse": {
                "names": list(sparse.names),
                "lengths": _packed(np.diff(sparse.offsets).astype(np.float64)),
                "columns": _packed(sparse.columns.astype(np.float64)),
                "values": _packed(sparse.values),
            }
        }
    )
    return {
        "lengths": lists.lengths.tolist(),
        "texts": list(lists.texts),
        "scores": _packed(lists.scores),
        "names": list(lists.names),
        "features": _packed(lists.features),
        **sparse_fields,
    }


def _packed(numbers: Float64s) -> str:
    return base64.b64encode(zlib.compress(np.ascontiguousarray(numbers, "<f8").tobytes(), 1)).decode("ascii")


def _unpacked(text: str) -> Float64s:
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), "<f8").astype(np.float64)
