"""Sparse features of derivations by name."""

from collections.abc import Iterable, Sequence

from app.smt.decoder.derivation import Derivation, Phrase
from app.smt.decoder.system import System

__all__ = ["features_of_phrase", "sparse_of_list"]


def sparse_of_list(system: System, derivations: Sequence[Derivation], complete: bool = True) -> list[dict[str, float]]:
    """Nonzero features of each derivation of a list; each phrase is computed once.

    The end is a boundary only if the sentences are `complete`.
    """
    sparse = system.sparse
    of_phrases: dict[int, list[tuple[str, float]]] = {}
    results = []
    for derivation in derivations:
        values: dict[str, float] = {}
        for phrase in derivation.phrases:
            if id(phrase) not in of_phrases:
                of_phrases[id(phrase)] = features_of_phrase(system, phrase)
            _add(values, of_phrases[id(phrase)])
        sides = [(phrase.source, phrase.words) for phrase in derivation.phrases] if sparse.boundaries else []
        for feature in sparse.boundaries if sides else ():
            _add(values, ((name, 1.0) for name in feature.names(sides, complete)))
        results.append(values)
    return results


def features_of_phrase(system: System, phrase: Phrase) -> list[tuple[str, float]]:
    """Name and value of each feature of a phrase in any context."""
    if phrase.row >= 0:
        names = system.sparse.names.names
        rows = system.rows.sparse
        return [] if rows is None else [(names[number], value) for number, value in rows.of_row(phrase.row)]
    # A copied unknown word links to itself, and translations from markup have no links.
    links = [(0, 0)] if phrase.unknown and phrase.words else []
    return [(name, 1.0) for name in system.sparse.names_of_pair(phrase.source, phrase.words, links)]


def _add(values: dict[str, float], increments: Iterable[tuple[str, float]]) -> None:
    for name, value in increments:
        values[name] = values.get(name, 0.0) + value
