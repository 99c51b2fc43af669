"""Texts to score: systems, references and sources of one length, without skipped segments."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from app.errors import InputError
from app.metrics import Metric, drop_empty

__all__ = ["ScoredTexts", "scored_texts", "texts_by_segment"]

Lists = Mapping[str, Sequence[str]]
# A name that no system and no reference can have.
SOURCES: Final = "\0"


@dataclass(frozen=True)
class ScoredTexts:
    """Named lists of one length; `empty` is how many segments are empty somewhere, which are gone where they are left out."""

    systems: Lists
    references: Lists
    sources: Sequence[str] | None
    empty: int


def scored_texts(
    systems: Lists, references: Lists, sources: Sequence[str] | None, policy: str, metrics: Mapping[str, Metric]
) -> ScoredTexts:
    """The texts by the policy for empty segments; InputError where lists differ in length, or a metric lacks references."""
    if not references:
        for name, metric in metrics.items():
            if metric.needs_references:
                kind = name.partition(":")[0]
                raise InputError(
                    "empty-input", f"{kind} compares with references, of which at least one is needed", ("references",)
                )
    first = next(iter({**references, **systems}.values()))
    if sources is not None and len(sources) != len(first):
        kind = "reference" if references else "system"
        raise InputError(
            "unequal-lengths", f"this list has {len(sources)} segments but the first {kind} has {len(first)}", ("sources",)
        )
    beside = {**references, **({} if sources is None else {SOURCES: sources})}
    try:
        scored_systems, remaining_texts, empty = drop_empty(systems, beside, policy)
    except InputError as error:
        if sources is not None and error.where[:2] == ("references", len(references)):
            raise InputError(error.code, error.detail, ("sources", *error.where[2:])) from None
        raise
    remaining = dict(remaining_texts)
    return ScoredTexts(scored_systems, remaining, remaining.pop(SOURCES, None), empty)


def texts_by_segment(chunk: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Texts of each segment, for readers of segment scores who have no files."""
    systems = list(_by_segment(chunk["systems"]))
    references = list(_by_segment(chunk["references"])) or [{}] * len(systems)
    rows: list[dict[str, Any]] = [
        {"systems": system, "references": reference} for system, reference in zip(systems, references, strict=True)
    ]
    for row, source in zip(rows, chunk.get("sources") or (), strict=False):
        row["source"] = source
    return rows


def _by_segment(lists_by_name: Mapping[str, Sequence[str]]) -> Iterable[dict[str, str]]:
    return (dict(zip(lists_by_name, texts, strict=True)) for texts in zip(*lists_by_name.values(), strict=True))
