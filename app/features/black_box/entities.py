"""Named entities of both sides by class: persons, locations and organizations."""

from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.features.declaration import Family, FeatureGroup
from app.features.lexical_links import target_links
from app.features.needs import Resource, required
from app.features.plans.formulas import part
from app.features.view import View, ratio
from app.resources.linear_tagger.names import ENTITY_CLASSES, Entities

__all__ = ["ENTITIES"]

ENTITIES: Final = FeatureGroup("Named entities by class", "Specia et al. 2013, QuEst")
NAMES: Final = (Resource.SOURCE_NAMES, Resource.TARGET_NAMES)


def _source_entities(view: View) -> Entities:
    return required(view.resources.source_names, Resource.SOURCE_NAMES).entities(view.batch.cased_source)


def _target_entities(view: View) -> Entities:
    return required(view.resources.target_names, Resource.TARGET_NAMES).entities(view.batch.cased_translation)


def _counts(entities: Entities, n: int) -> Float64s:
    """Numbers of entities by segment and class."""
    size = len(ENTITY_CLASSES)
    return np.bincount(entities.segments * size + entities.classes, minlength=n * size).reshape(n, size).astype(np.float64)


def _differences(view: View) -> Float64s:
    """Differences of the numbers of a class, over the larger number of entities of any class."""
    source, target = (_counts(view.cached(side), len(view)) for side in (_source_entities, _target_entities))
    return ratio(np.abs(source - target), np.maximum(source.sum(axis=1), target.sum(axis=1)))


def _pairs(view: View) -> Int64s:
    """Pairs of source and target entity with linked or equal words, each once; shape (pairs, 2)."""
    source, target = view.cached(_source_entities), view.cached(_target_entities)
    target_tokens = np.flatnonzero(target.of_tokens >= 0)
    places = view.cached(target_links).place[target_tokens]
    linked = places >= 0
    tokens = target_tokens[linked]
    sources = view.source.offsets[view.target.segments[tokens]] + places[linked]
    pairs = np.column_stack([source.of_tokens[sources], target.of_tokens[tokens]])
    pairs = np.concatenate([pairs[pairs[:, 0] >= 0], _equal_words(view)])
    return np.unique(pairs, axis=0)


def _equal_words(view: View) -> Int64s:
    """Pairs of entities that share a word, since tables know few names."""
    source, target = view.cached(_source_entities), view.cached(_target_entities)
    by_word: dict[tuple[int, int], list[int]] = {}
    for token in np.flatnonzero(source.of_tokens >= 0).tolist():
        key = int(view.source.segments[token]), int(view.source.hashes[view.source.ids[token]])
        entities = by_word.setdefault(key, [])
        if not entities or entities[-1] != source.of_tokens[token]:
            entities.append(int(source.of_tokens[token]))
    pairs = [
        (entity, int(target.of_tokens[token]))
        for token in np.flatnonzero(target.of_tokens >= 0).tolist()
        for entity in by_word.get((int(view.target.segments[token]), int(view.target.hashes[view.target.ids[token]])), ())
    ]
    return np.array(pairs, np.int64).reshape(-1, 2)


def _aligned(view: View) -> Float64s:
    """Share of entities of a class with a linked entity of this class, over the larger number of the class."""
    source, target = view.cached(_source_entities), view.cached(_target_entities)
    pairs, n, size = view.cached(_pairs), len(view), len(ENTITY_CLASSES)
    pairs = pairs[source.classes[pairs[:, 0]] == target.classes[pairs[:, 1]]]
    # An entity counts once, however many entities of the opposite side it is linked to.
    aligned_entities = [np.unique(pairs[:, side]) for side in (0, 1)]
    numbers = [
        np.bincount(side.segments[rows] * size + side.classes[rows], minlength=n * size).reshape(n, size)
        for side, rows in zip((source, target), aligned_entities, strict=True)
    ]
    return ratio(np.minimum(*numbers).astype(np.float64), np.maximum(_counts(source, n), _counts(target, n)))


for k, word in enumerate(("persons", "locations", "organizations")):
    ENTITIES.add(
        str(1116 + k),
        f"{word}_difference",
        f"Absolute difference of the numbers of {word}, over the larger number of named entities",
        Family.ADEQUACY,
        part(_differences, k),
        *NAMES,
    )
for k, word in enumerate(("persons", "locations", "organizations")):
    ENTITIES.add(
        str(1119 + k),
        f"aligned_{word}",
        f"Number of {word} that are linked to {word}, over the larger number of {word}",
        Family.ADEQUACY,
        part(_aligned, k),
        *NAMES,
        Resource.LEXICAL_TABLE,
    )
