"""Sparse features of derivations by name: of one from its words and links alone, of many sooner from what is known of rows."""

from collections.abc import Iterable, Sequence

from app.smt.decoder.derivation import Derivation, Phrase
from app.smt.decoder.sparse.names import Origin
from app.smt.decoder.system import System

__all__ = ["features_of_phrase", "sparse_of_derivation", "sparse_of_list", "sparse_score"]


def sparse_of_derivation(system: System, phrases: Sequence[Phrase], whole: bool = True) -> dict[str, float]:
    """The value of each feature that is not 0, computed from nothing else than the derivation and its tables' own columns.

    Unless it is the `whole` sentence, its end is no boundary.
    """
    values: dict[str, float] = {}
    sparse = system.sparse
    if whole and not phrases:
        return values
    for phrase in phrases:
        _add(values, ((name, 1.0) for name in sparse.names_of_pair(phrase.source, phrase.words, _links(system, phrase))))
        if phrase.row >= 0 and system.rows.sparse is not None:
            own = ((sparse.names.names[n], n, value) for n, value in system.rows.sparse.of_row(phrase.row))
            _add(values, ((name, value) for name, n, value in own if sparse.names.origins[n] is Origin.TABLE))
    sides = [(phrase.source, phrase.words) for phrase in phrases]
    for feature in sparse.boundaries:
        _add(values, ((name, 1.0) for name in feature.names(sides, whole)))
    return values


def _links(system: System, phrase: Phrase) -> list[tuple[int, int]]:
    """Links of a phrase as its table has them; an unknown word that is copied is linked to itself, what markup gave is not."""
    if phrase.row >= 0:
        places = system.rows.links[system.rows.link_offsets[phrase.row] : system.rows.link_offsets[phrase.row + 1]].tolist()
        return list(zip(places[::2], places[1::2], strict=True))
    return [(0, 0)] if phrase.unknown and phrase.words else []


def sparse_of_list(system: System, derivations: Sequence[Derivation]) -> list[dict[str, float]]:
    """The same of each derivation of a list, whose phrases are looked at once."""
    sparse = system.sparse
    of_phrases: dict[int, list[tuple[str, float]]] = {}
    made = []
    for derivation in derivations:
        values: dict[str, float] = {}
        for phrase in derivation.phrases:
            if id(phrase) not in of_phrases:
                of_phrases[id(phrase)] = features_of_phrase(system, phrase)
            _add(values, of_phrases[id(phrase)])
        sides = [(phrase.source, phrase.words) for phrase in derivation.phrases] if sparse.boundaries else []
        for feature in sparse.boundaries if sides else ():
            _add(values, ((name, 1.0) for name in feature.names(sides)))
        made.append(values)
    return made


def features_of_phrase(system: System, phrase: Phrase) -> list[tuple[str, float]]:
    """Name and value of each feature of a phrase wherever it stands."""
    if phrase.row >= 0:
        names = system.sparse.names.names
        rows = system.rows.sparse
        return [] if rows is None else [(names[number], value) for number, value in rows.of_row(phrase.row)]
    pair = system.sparse.names_of_pair(phrase.source, phrase.words, _links(system, phrase))
    return [(name, 1.0) for name in pair]


def sparse_score(system: System, values: dict[str, float]) -> float:
    """What sparse features add to the model score."""
    return sum(value * system.sparse_weights.by_name.get(name, 0.0) for name, value in values.items())


def _add(values: dict[str, float], more: Iterable[tuple[str, float]]) -> None:
    for name, value in more:
        values[name] = values.get(name, 0.0) + value
