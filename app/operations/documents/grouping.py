"""Segments of requests by document: names, chunks of whole documents, and labels of documents."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from app.arrays import Float64s, Int64s
from app.engine.segments import Segments
from app.errors import InputError
from app.operations.operation import CHUNK_CHARACTERS, Json
from app.text.tokenisation import Tokeniser, tokeniser_for

__all__ = [
    "DOCUMENTS", "Means", "check_documents", "cut_documents", "document_means", "parts_of", "places_of",
    "rows_of_documents",
    "token_weights",
]  # fmt: skip

# The column of a chunk with the document of each segment.
DOCUMENTS: Final = "documents"
# Features of a document are computed at once.
MOST_SEGMENTS: Final = 5000
Means: TypeAlias = Literal["weighted", "plain"]


def check_documents(names: Sequence[str | None], field: str) -> None:
    """InputError for a segment without a document, and for a document of more than `MOST_SEGMENTS` segments."""
    sizes: dict[str, int] = {}
    for row, name in enumerate(names):
        if name is None:
            raise InputError("missing-evidence", "name the document of each segment", (field, row, "document"))
        sizes[name] = sizes.get(name, 0) + 1
        if sizes[name] > MOST_SEGMENTS:
            detail = f"document {name[:40]} has more than {MOST_SEGMENTS} segments; divide it"
            raise InputError("invalid-request", detail, (field, row, "document"))


def rows_of_documents(names: Sequence[str | None]) -> dict[str | None, list[int]]:
    """Rows of each document, in the order of the first ones."""
    rows: dict[str | None, list[int]] = {}
    for row, name in enumerate(names):
        rows.setdefault(name, []).append(row)
    return rows


def places_of(documents: Sequence[Sequence[int]]) -> Int64s:
    """Number of the document of each row, by the rows of each document; shape (n,)."""
    places = np.empty(sum(map(len, documents)), np.int64)
    for number, rows in enumerate(documents):
        places[list(rows)] = number
    return places


def cut_documents(columns: Mapping[str, Any], names: Sequence[str], chunk_rows: int) -> list[tuple[int, Json]]:
    """Chunks of whole documents: at most `chunk_rows` rows, unless a document has more. None is left out."""
    columns = {name: values for name, values in {**columns, DOCUMENTS: list(names)}.items() if values is not None}
    chunks: list[tuple[int, Json]] = []
    pending: list[int] = []
    characters = 0
    for rows in rows_of_documents(names).values():
        size = sum(len(columns["sources"][row]) + len(columns["translations"][row]) for row in rows)
        if pending and (len(pending) + len(rows) > chunk_rows or characters + size > CHUNK_CHARACTERS):
            chunks.append((len(pending), _selected(columns, pending)))
            pending, characters = [], 0
        pending, characters = [*pending, *rows], characters + size
    return [*chunks, (len(pending), _selected(columns, pending))] if pending else chunks


def _selected(columns: Mapping[str, Any], rows: Sequence[int]) -> Json:
    return {
        name: {key: [part[row] for row in rows] for key, part in values.items()}
        if isinstance(values, dict)
        else [values[row] for row in rows]
        for name, values in columns.items()
    }


def parts_of(segments: Segments, documents: Iterable[Sequence[int]]) -> list[Segments]:
    """The segments of each document, by their rows."""
    return [
        Segments(
            segments.pair,
            [segments.sources[row] for row in rows],
            [segments.translations[row] for row in rows],
            segments.side_information.rows(np.array(rows, np.int64)),
        )
        for rows in documents
    ]


def token_weights(segments: Segments) -> Float64s:
    """Tokens of each translation, at least 1: an empty translation has the weight of one token; shape (n,)."""
    tokenise: Tokeniser = tokeniser_for(segments.pair.target)
    return np.array([max(1, len(tokenise(text))) for text in segments.translations], np.float64)


def document_means(values: Float64s, places: Int64s, weights: Float64s, means: str) -> Float64s:
    """Means of `values` (n,) over documents, by the document of each row; `means` is weighted or plain. Shape (documents,)."""
    weights = np.ones(len(values)) if means == "plain" else weights
    return np.asarray(np.bincount(places, weights * values) / np.bincount(places, weights))
