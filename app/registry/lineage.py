"""Versions of models: ancestors and descendants, by the parents on their cards."""

from collections.abc import Iterable, Mapping

from app.registry.entry import RegistryEntry

__all__ = ["ids_of_versions", "with_descendants"]


def ids_of_versions(entries: Mapping[str, RegistryEntry], name: str) -> set[str]:
    """Ids of a model, its ancestors and its descendants."""
    line = {name}
    while True:
        children = {entry.id for entry in entries.values() if entry.parent in line}
        parents = {entries[member].parent for member in line if member in entries}
        relatives = children | {parent for parent in parents if parent is not None and parent in entries}
        if relatives <= line:
            return line
        line |= relatives


def with_descendants(entries: Iterable[RegistryEntry], names: Iterable[str]) -> list[str]:
    """Ids of models, existing or not, with all versions trained from them, sorted."""
    entries, line = list(entries), set(names)
    while new_ids := {entry.id for entry in entries if entry.parent in line} - line:
        line |= new_ids
    return sorted(line)
