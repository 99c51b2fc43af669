"""The kinds of side information. A new kind needs one declaration here and nothing else."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Final, Literal, NotRequired, get_args

import numpy as np
from pydantic import ConfigDict, Field, FiniteFloat
from typing_extensions import TypedDict

from app.errors import InputError
from app.text.feature_columns.columns import components
from app.text.log_probs import check_log_probs
from app.text.n_best import NBestLists
from app.text.packed_texts import PackedTexts
from app.text.reading.checking import check_segments
from app.text.side_information.kind import Cut, Kind, Location
from app.text.side_information.trees import check_trees, parts_of_trees

__all__ = [
    "BACK_TRANSLATIONS",
    "KINDS",
    "N_BEST",
    "PASSES",
    "PSEUDO_REFERENCES",
    "SAMPLES",
    "SEARCH",
    "SOURCE_TREES",
    "TOKENS",
    "TOKEN_ENTROPIES",
    "TOKEN_LOG_PROBS",
    "TRANSLATION_TREES",
    "FromSystem",
    "ListEntry",
    "LogProbs",
]

# Products and squares of larger numbers overflow; decoders give smaller ones.
LARGEST: Final = 1e12
Numbers = tuple[tuple[float, ...], ...]
Texts = tuple[tuple[str, ...], ...]
LogProbs = Annotated[list[FiniteFloat], Field(description="Natural logs, one per token of the MT system, then the end of sentence")]
SearchName = Literal["hypotheses", "nodes", "discarded", "pruned", "recombined", "phrases", "longest_phrase", "unknown_words"]
# Fields that a loaded translation system can fill.
FromSystem = Literal["pseudo_references", "back_translation", "n_best"]
FeatureName = Annotated[str, Field(min_length=1, max_length=100)]
Components = Annotated[list[FiniteFloat], Field(max_length=100)]


class ListEntry(TypedDict):
    """One hypothesis of an n-best list."""

    __pydantic_config__ = ConfigDict(extra="forbid", strict=True)  # type: ignore[misc]

    text: str
    score: FiniteFloat
    features: NotRequired[Annotated[dict[FeatureName, Components], Field(max_length=100)]]


def _numbers(cell: str, location: Location) -> list[float]:
    try:
        return [float(part) for part in cell.split()]
    except ValueError:
        raise InputError("invalid-table", f"{location[-1]} must be numbers with blanks between", location) from None


def _check_entropies(rows: Numbers, longest: int, first: int) -> None:
    for row, values in enumerate(rows, first):
        if not 0 < len(values) <= longest or min(values) < 0:
            detail = f"{len(values)} numbers; give one per token, 1 to {longest}, none below 0"
            raise InputError("missing-evidence", detail, ("segments", row, "token_entropies"))
        if max(values) > LARGEST:
            raise InputError("missing-evidence", f"an entropy must be at most {LARGEST:g}", ("segments", row, "token_entropies"))


def _check_passes(rows: tuple[Numbers, ...], longest: int, first: int) -> None:
    for row, passes in enumerate(rows, first):
        check_log_probs(passes, ("segments", row, "passes"), longest)


def _check_texts(field: str, rows: Texts, longest: int, first: int) -> None:
    for row, texts in enumerate(rows, first):
        check_segments(texts, longest, ("segments", row, field))


def _check_lists(lists: NBestLists, longest: int, first: int) -> None:
    for row, hypotheses in enumerate(lists, first):
        check_segments((lists.texts[h] for h in hypotheses), longest, ("segments", row, "n_best"), "text")
    if (fault := lists.unequal_components()) is not None:
        row = int(lists.segments[fault.row])
        place = ("segments", first + row, "n_best", fault.row - int(lists.offsets[row]))
        raise InputError("missing-evidence", fault.detail, place)
    large = np.maximum(np.abs(lists.scores), np.fmax.reduce(np.abs(lists.features), axis=1, initial=0.0)) > LARGEST
    if lists.sparse is not None:
        large[lists.sparse.row_of_entries()[np.abs(lists.sparse.values) > LARGEST]] = True
    if large.any():
        h = int(np.argmax(large))
        row = int(lists.segments[h])
        location = ("segments", first + row, "n_best", h - int(lists.offsets[row]))
        raise InputError("missing-evidence", f"scores and features must be from {-LARGEST:g} to {LARGEST:g}", location)


def _check_counts(rows: tuple[Mapping[str, float], ...], longest: int, first: int) -> None:
    for row, counts in enumerate(rows, first):
        if any(value < 0 for value in counts.values()):
            raise InputError("missing-evidence", "counts must be at minimum 0", ("segments", row, "search"))
        if any(value > LARGEST for value in counts.values()):
            raise InputError("missing-evidence", f"counts must be at most {LARGEST:g}", ("segments", row, "search"))


def _cut_texts(rows: Texts, cut: Cut) -> Texts:
    return tuple(tuple(cut.text(row, text) for text in texts) for row, texts in enumerate(rows))


def _cut_lists(lists: NBestLists, cut: Cut) -> NBestLists:
    if lists.texts.longest <= cut.shortest:
        return lists
    rows = lists.segments.tolist()
    texts = PackedTexts.of(cut.text(row, text) for row, text in zip(rows, lists.texts, strict=True))
    return replace(lists, texts=texts)


def _counts_by_row(column: Sequence[Sequence[Any]]) -> list[str]:
    """``1`` and ``2``: values that every segment has at minimum."""
    minimum = min((len(row) for row in column), default=0)
    return [str(count) for count in (1, 2) if count <= minimum]


def _parts_of_passes(column: tuple[Numbers, ...]) -> list[str]:
    return _counts_by_row([[log_probs for log_probs in passes if log_probs] for passes in column])


def _parts_of_lists(lists: NBestLists) -> list[str]:
    """Least numbers of hypotheses, and the components ``name.0`` that every hypothesis has."""
    minimum = int(lists.lengths.min(initial=2)) if len(lists) else 0
    complete = np.asarray(~np.isnan(lists.features).any(axis=0))
    keys = [f"{name}.{number}" for (name, number), has in zip(components(lists.names), complete.tolist(), strict=True) if has]
    return [*(str(count) for count in (1, 2) if count <= minimum), *keys]


def _parts_of_search(column: tuple[Mapping[str, float], ...]) -> frozenset[str]:
    """Names of the counts that every segment has."""
    return frozenset.intersection(*map(frozenset, column)) if column else frozenset()


def _lists(rows: Sequence[Any]) -> NBestLists:
    return rows if isinstance(rows, NBestLists) else NBestLists.from_json(rows)


TOKENS: Final[Kind[Texts]] = Kind(
    "tokens",
    "tokens of the MT system",
    Annotated[list[str], Field(description="The MT system's own tokens, with @@ or ▁, for word-level quality")],
    partial(_check_texts, "tokens"),
    example=["a", "b", "c", "."],
    read=lambda cell, location: cell.split(),
    file="tokens",
    with_feedback=True,
)
TOKEN_LOG_PROBS: Final[Kind[Numbers]] = Kind(
    "token_log_probs",
    "token log-probabilities",
    LogProbs,
    lambda rows, longest, first: check_log_probs(rows, ("segments",), longest, first),
    example=[-0.5, -0.1],
    code="log-prob-mismatch",
    absent="this feature set needs token_log_probs for every segment",
    read=_numbers,
    file="log_probs",
    with_feedback=True,
)
TOKEN_ENTROPIES: Final[Kind[Numbers]] = Kind(
    "token_entropies",
    "token entropies",
    Annotated[list[FiniteFloat], Field(description="Nats, one per token of the MT system")],
    _check_entropies,
    example=[0.1],
)
PASSES: Final[Kind[tuple[Numbers, ...]]] = Kind(
    "passes",
    "log-probabilities of several passes",
    Annotated[list[LogProbs], Field(max_length=100, description="Log-probabilities in several passes")],
    _check_passes,
    example=[[-0.1], [-0.2]],
    parts=_parts_of_passes,
)
SAMPLES: Final[Kind[Texts]] = Kind(
    "samples",
    "several translations by the same system",
    Annotated[list[str], Field(max_length=100, description="Translations sampled from the same system")],
    partial(_check_texts, "samples"),
    example=["a b", "a c"],
    parts=_counts_by_row,
    cut=_cut_texts,
)
N_BEST: Final[Kind[NBestLists]] = Kind(
    "n_best",
    "n-best list",
    Annotated[list[ListEntry], Field(max_length=1000, description="The decoder's n-best list, best first")],
    _check_lists,
    example=[{"text": "a b", "score": -1.0}, {"text": "a c", "score": -2.0}],
    column=_lists,
    select=NBestLists.rows,
    join=NBestLists.joined,
    as_json=NBestLists.as_json,
    parts=_parts_of_lists,
    cut=_cut_lists,
)
SEARCH: Final[Kind[tuple[Mapping[str, float], ...]]] = Kind(
    "search",
    "decoder search statistics",
    Annotated[dict[SearchName, FiniteFloat], Field(description="Counts of the decoder's search")],
    _check_counts,
    example=dict.fromkeys(get_args(SearchName), 4),
    parts=_parts_of_search,
)
PSEUDO_REFERENCES: Final[Kind[Texts]] = Kind(
    "pseudo_references",
    "pseudo-references",
    Annotated[list[str], Field(max_length=64, description="Translations by other systems")],
    partial(_check_texts, "pseudo_references"),
    example=["a b"],
    parts=_counts_by_row,
    cut=_cut_texts,
)
BACK_TRANSLATIONS: Final[Kind[tuple[str, ...]]] = Kind(
    "back_translations",
    "back-translation",
    Annotated[str, Field(description="The translation, translated back")],
    lambda rows, longest, first: check_segments(rows, longest, ("segments",), "back_translation", first),
    example="a b",
    field="back_translation",
    cut=lambda rows, cut: tuple(cut.text(row, text) for row, text in enumerate(rows)),
    in_source_language=True,
)
SOURCE_TREES: Final[Kind[tuple[str, ...]]] = Kind(
    "source_trees",
    "tree of the source",
    Annotated[str, Field(description="Constituents of the source in brackets, (S (NP (PRP we)) (VP (VBP go)))")],
    lambda rows, longest, first: check_trees("source_tree", rows, first),
    example="(S (NP (PRP a)) (VP (VB b)))",
    field="source_tree",
    read=lambda cell, location: cell,
    parts=parts_of_trees,
)
TRANSLATION_TREES: Final[Kind[tuple[str, ...]]] = Kind(
    "translation_trees",
    "tree of the translation",
    Annotated[str, Field(description="Constituents of the translation in brackets")],
    lambda rows, longest, first: check_trees("translation_tree", rows, first),
    example="(S (NP (PRP a)) (VP (VB b)))",
    field="translation_tree",
    read=lambda cell, location: cell,
    parts=parts_of_trees,
)
KINDS: Final[tuple[Kind[Any], ...]] = (
    TOKENS,
    TOKEN_LOG_PROBS,
    TOKEN_ENTROPIES,
    PASSES,
    SAMPLES,
    N_BEST,
    SEARCH,
    PSEUDO_REFERENCES,
    BACK_TRANSLATIONS,
    SOURCE_TREES,
    TRANSLATION_TREES,
)
