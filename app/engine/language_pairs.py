"""Which language pairs are answered for: what something was built for, and what an encoder of sentences knows."""

from types import MappingProxyType
from typing import Final

from app.engine.provenance import cautions, licence_cautions, resources_of, resources_of_any, resources_of_set
from app.errors import InputError
from app.features import PairResources
from app.predictors import Model
from app.predictors.word_tags import WordTagger
from app.registry.models import ModelRegistry
from app.resources.encoders import Encoder
from app.resources.loading import Resources
from app.text import LanguagePair, tag_name
from app.text.languages import ANY_PAIR, base_language

__all__ = ["cautions_of", "check_accurate", "encodes", "is_answered", "pair_resources", "pairs_there", "why_unanswered"]

# Kinds of languages that lists of languages name as a whole, or by another name.
LISTED_AS: Final = MappingProxyType({"nb": "no", "nn": "no", "fil": "tl", "prs": "fa"})


def _spoken(tag: str) -> str:
    """The language as lists of encoders name it."""
    language = base_language(tag)
    return LISTED_AS.get(language, language)


def encodes(resources: Resources, pair: LanguagePair) -> bool:
    """Whether an encoder of sentences is loaded that knows both languages, so far as it says which it knows."""
    if resources.encoder is None:
        return False
    languages = resources.encoder.languages
    return not languages or {_spoken(pair.source), _spoken(pair.target)} <= languages


def check_accurate(resources: Resources, registry: ModelRegistry) -> None:
    """InputError unless an encoder is loaded, and a judge that reads its vectors."""
    if (encoder := resources.encoder) is None:
        raise InputError("missing-encoder", "no encoder of sentences is loaded, which the profile accurate asks", ("profile",))
    if registry.sentence_judges.of(encoder) is None:
        broken = "; ".join(f"{name}: {reason}" for name, reason in registry.sentence_judges.broken.items())
        detail = f"no judge of the vectors of {encoder.name} can be asked, which the profile accurate needs"
        raise InputError("missing-encoder", f"{detail} ({broken})" if broken else detail, ("profile",))


def is_answered(resources: Resources, pair: LanguagePair) -> bool:
    """Whether something was built for a pair, or the encoder knows both languages."""
    return pair in resources.pairs or encodes(resources, pair)


def why_unanswered(pair: LanguagePair, resources: Resources, encoder: Encoder | None, broken: str | None) -> str:
    """Why no encoder answers for a pair that nothing was built for, and what would be answered.

    `resources` are those of the profile that was asked, `encoder` is what `accurate` asks, `broken` may say why there is none.
    """
    if encoder is None:
        why = f"none can be used: {broken}" if broken else "none is loaded (ASSAY_ENCODER)"
        return f"where nothing was built an encoder of sentences answers for any two of its languages, but {why}"
    unknown = [tag for tag in (pair.source, pair.target) if encoder.languages and _spoken(tag) not in encoder.languages]
    if unknown:
        names = " and ".join(map(tag_name, unknown))
        return f"the encoder {encoder.name} does not know {names}; it answers for any two of {' '.join(sorted(encoder.languages))}"
    if resources.encoder is None:
        return f"the profile fast asks no encoder of sentences, and nothing else answers; the profile accurate answers {pair}"
    return f"the encoder {encoder.name} knows both languages"


def pairs_there(resources: Resources, wanted: LanguagePair | None) -> str:
    """What an error says where a pair is not there, or it is not clear which one is wanted: those that are, and the way out."""
    loaded = f"loaded pairs are {', '.join(map(str, resources.pairs)) or 'none'}"
    other = None if wanted is None else wanted.reversed.nearest(resources.pairs)
    reverse = "" if other is None else f"; {other} is the other way round"
    made = "" if wanted is None else f" {wanted} FILE"
    return f"{loaded}{reverse}; assay pair add{made} makes one of your own text"


def pair_resources(resources: Resources, registry: ModelRegistry, pair: LanguagePair) -> PairResources:
    """What features of a pair that `is_answered` may use."""
    if pair not in resources.pairs:
        return resources_of_any(pair, registry, resources.encoder, resources.checkpoints)
    return resources_of_set(resources.sets(pair)[0], registry, resources.encoder, resources.checkpoints)


def cautions_of(model: Model | WordTagger, resources: Resources, registry: ModelRegistry) -> list[str]:
    """What to know of a model's answers: that its resources are not those of its training, and what licences forbid."""
    licences = licence_cautions(model.card.id, model.card.licences) if isinstance(model, Model) else []
    return [*licences, *_cautions_of_resources(model, resources, registry)]


def _cautions_of_resources(model: Model | WordTagger, resources: Resources, registry: ModelRegistry) -> list[str]:
    if model.card.pair == ANY_PAIR:
        there = resources.pairs
        return cautions(model, pair_resources(resources, registry, there[0]), registry) if there else []
    pair = LanguagePair.parse(model.card.pair)
    if pair not in resources.pairs:
        return []
    usual = pair_resources(resources, registry, pair)
    return cautions(model, resources_of(model, usual, resources, registry), registry)
