"""Documents as rows to learn from."""

import hashlib
from collections.abc import Sequence
from typing import Final

import numpy as np

from app.arrays import Int64s
from app.engine.segments import Segments
from app.features import exact_set
from app.operations.documents.grouping import DOCUMENTS, document_means, parts_of, places_of, rows_of_documents, token_weights
from app.operations.operation import Context, Json
from app.operations.train.built_from import SOURCE_COUNTS, count_built_from

__all__ = ["document_groups", "document_rows"]

# Documents of several systems have a source text in common. Shorter segments are common to different texts too.
SHARED_CHARACTERS: Final = 40


def document_rows(context: Context, segments: Segments, chunk: Json) -> Json:
    """Features and labels of the documents of a chunk, which are complete."""
    features = exact_set("asked", context.params["features"])
    rows = list(rows_of_documents(chunk[DOCUMENTS]).values())
    labels = np.array(chunk["labels"], np.float64)
    held_out = chunk.get("held_out") or [False] * len(segments)
    return {
        "values": [context.engine.features(part, features).values[0].tolist() for part in parts_of(segments, rows)],
        "labels": document_means(labels, places_of(rows), token_weights(segments), context.params["documents"]).tolist(),
        "held": [False] * len(rows),
        "held_out": [held_out[part[0]] for part in rows],
        "feedback": [None] * len(rows),
        "tasks": [],
        "shared": [_keys(segments, part) for part in rows],
        "pair": str(segments.pair),
        "sources": len(segments),
        SOURCE_COUNTS: count_built_from(context, segments.pair, segments.sources),
    }


def _keys(segments: Segments, rows: Sequence[int]) -> list[str]:
    """Hashes of the longer sources of a document."""
    sources = {segments.sources[row] for row in rows}
    texts = sorted(text for text in sources if len(text) >= SHARED_CHARACTERS)
    return [hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest() for text in texts]


def document_groups(keys: Sequence[Sequence[str]]) -> Int64s:
    """Group of each document, so that documents with a longer source in common are in one; shape (n,)."""
    parents = list(range(len(keys)))

    def root(number: int) -> int:
        while parents[number] != number:
            parents[number] = parents[parents[number]]
            number = parents[number]
        return number

    first: dict[str, int] = {}
    for number, names in enumerate(keys):
        for name in names:
            parents[root(number)] = root(first.setdefault(name, number))
    return np.array([root(number) for number in range(len(keys))], np.int64)
