"""Sparse features of derivations by name: of one from its words and links, of many faster from table rows."""

from collections.abc import Iterable, Sequence

from app.smt.decoder.derivation import Derivation, Phrase
from app.smt.decoder.sparse.names import Origin
from app.smt.decoder.system import System

__all__ = ["features_of_phrase", "sparse_of_derivation", "sparse_of_list", "sparse_score"]


def sparse_of_derivation(system: System, phrases: Sequence[Phrase], complete: bool = True) -> dict[str, float]:
    """Nonzero features of a derivation, computed from its phrases and the tables' own columns alone.

    The end is a boundary only if the sentence is `complete`.
    """
    values: dict[str, float] = {}
    sparse = system.sparse
    if complete and not phrases:
        return values
    for phrase in phrases:
        _add(values, ((name, 1.0) for name in sparse.names_of_pair(phrase.source, phrase.words, _links(system, phrase))))
        if phrase.row >= 0 and system.rows.sparse is not None:
            row_features = ((sparse.names.names[n], n, value) for n, value in system.rows.sparse.of_row(phrase.row))
            _add(values, ((name, value) for name, n, value in row_features if sparse.names.origins[n] is Origin.TABLE))
    sides = [(phrase.source, phrase.words) for phrase in phrases]
    for feature in sparse.boundaries:
        _add(values, ((name, 1.0) for name in feature.names(sides, complete)))
    return values


def _links(system: System, phrase: Phrase) -> list[tuple[int, int]]:
    """Word links of a phrase; a copied unknown word links to itself, and translations from markup have none."""
    if phrase.row >= 0:
        places = system.rows.links[system.rows.link_offsets[phrase.row] : system.rows.link_offsets[phrase.row + 1]].tolist()
        return list(zip(places[::2], places[1::2], strict=True))
    return [(0, 0)] if phrase.unknown and phrase.words else []


def sparse_of_list(system: System, derivations: Sequence[Derivation]) -> list[dict[str, float]]:
    """Nonzero features of each derivation of a list; each phrase is computed once."""
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
            _add(values, ((name, 1.0) for name in feature.names(sides)))
        results.append(values)
    return results


def features_of_phrase(system: System, phrase: Phrase) -> list[tuple[str, float]]:
    """Name and value of each feature of a phrase in any context."""
    if phrase.row >= 0:
        names = system.sparse.names.names
        rows = system.rows.sparse
        return [] if rows is None else [(names[number], value) for number, value in rows.of_row(phrase.row)]
    pair = system.sparse.names_of_pair(phrase.source, phrase.words, _links(system, phrase))
    return [(name, 1.0) for name in pair]


def sparse_score(system: System, values: dict[str, float]) -> float:
    """Contribution of sparse features to the model score."""
    return sum(value * system.sparse_weights.by_name.get(name, 0.0) for name, value in values.items())


def _add(values: dict[str, float], increments: Iterable[tuple[str, float]]) -> None:
    for name, value in increments:
        values[name] = values.get(name, 0.0) + value
