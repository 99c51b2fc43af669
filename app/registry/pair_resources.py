"""The resources of a language pair that features may use, with the word taggers and the network of the registry.

A pair can have several sets of resources: those that ship, and those that users built. A model is computed with the set that it
was trained with.
"""

from dataclasses import replace

from app.features import PairResources
from app.predictors import Model
from app.predictors.word_tags import WordTagger
from app.registry.models import ModelRegistry
from app.registry.provenance import cautions, differences, licence_cautions
from app.resources.loading import Resources
from app.resources.pair_sets import PairSet
from app.text.languages import ANY_PAIR, LanguagePair

__all__ = ["cautions_of_model", "pair_resources", "training_resources"]


def pair_resources(resources: Resources, registry: ModelRegistry, pair: LanguagePair) -> PairResources:
    """The first set of a pair's resources, a user's own before those that ship; networks alone without a set."""
    if pair in resources.pairs:
        return _of_set(resources.sets(pair)[0], resources, registry)
    return _with_networks(PairResources(pair), resources)


def training_resources(
    model: Model | WordTagger, usual: PairResources, resources: Resources, registry: ModelRegistry
) -> PairResources:
    """The set of a pair's resources with the fewest files that differ from the model's card; `usual` where several have as few."""
    sets = resources.sets(usual.pair) if usual.pair in resources.pairs else ()
    if len(sets) <= 1 or not differences(model, usual, registry):
        return usual
    networks = replace(resources, cross_encoder=usual.cross_encoder, checkpoints=usual.checkpoints)
    candidates = [usual, *(_of_set(pair_set, networks, registry) for pair_set in sets[1:])]
    return min(candidates, key=lambda candidate: len(differences(model, candidate, registry)))


def _of_set(pair_set: PairSet, resources: Resources, registry: ModelRegistry) -> PairResources:
    texts, tokens = registry.judges(pair_set.pair)
    taggers = replace(PairResources.of_set(pair_set), word_tagger=texts, nmt_word_tagger=tokens)
    return _with_networks(taggers, resources)


def _with_networks(pair_resources: PairResources, resources: Resources) -> PairResources:
    return replace(pair_resources, cross_encoder=resources.cross_encoder, checkpoints=resources.checkpoints)


def cautions_of_model(model: Model | WordTagger, resources: Resources, registry: ModelRegistry) -> list[str]:
    """Cautions for readers of a model's answers: restrictive licences, and resources other than those of its training."""
    licences = licence_cautions(model.card.id, model.card.licences) if isinstance(model, Model) else []
    return [*licences, *_cautions_of_resources(model, resources, registry)]


def _cautions_of_resources(model: Model | WordTagger, resources: Resources, registry: ModelRegistry) -> list[str]:
    if model.card.pair == ANY_PAIR:
        pairs = resources.pairs
        return cautions(model, pair_resources(resources, registry, pairs[0]), registry) if pairs else []
    pair = LanguagePair.parse(model.card.pair)
    # A pair without resources of its own has the network alone.
    usual = pair_resources(resources, registry, pair)
    return cautions(model, training_resources(model, usual, resources, registry), registry)
