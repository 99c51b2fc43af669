"""What models were trained with, and what is said where something else is loaded.

A model's card maps the files that its features were computed from to their SHA-256: ``ro/lm.binary``,
``ro-en/lex.ro-en.safetensors``, and ``models/ro-en-words`` for a word tagger that was asked. The same names are looked for among
what is loaded. With another language model features are other numbers, to which a predictor answers confidently and wrongly.
Where a manifest says that one file stands for another, as our own taggers do for UDPipe's, either is what a model was trained with.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from app.features import CheckpointNeed, Need, PairResources, Resource, needs_of
from app.features.word_level import WORD_FEATURES
from app.predictors import Model
from app.predictors.sentences import Judge
from app.predictors.word_tags import WordTagger
from app.registry.models import ModelRegistry
from app.resources.checkpoints import Checkpoints, forbids_commerce

__all__ = ["cautions", "differences", "files_used", "licence_cautions", "licences_used"]

Checksums = Mapping[str, str]
# The field of a pair's resources that each need stands for.
FIELDS: Final[Mapping[Need, str]] = {
    Resource.SOURCE_LANGUAGE_MODEL: "source_model",
    Resource.TARGET_LANGUAGE_MODEL: "target_model",
    Resource.SOURCE_NGRAM_COUNTS: "source_counts",
    Resource.LEXICAL_TABLE: "lexical_table",
    Resource.REVERSE_LEXICAL_TABLE: "reverse_table",
    Resource.SOURCE_TAGGER: "source_tagger",
    Resource.TARGET_TAGGER: "target_tagger",
    Resource.SOURCE_PARSER: "source_tagger",
    Resource.TARGET_PARSER: "target_tagger",
    Resource.TARGET_TAG_MODEL: "target_tag_model",
    Resource.CORPUS_INDEX: "corpus_index",
}
# Of many files that differ so many are named.
NAMED: Final = 3


def files_used(features: Iterable[str], resources: PairResources, registry: ModelRegistry) -> dict[str, str]:
    """Names and SHA-256 of the files that features are computed from, sorted.

    With those of what they ask: word taggers, the encoder of sentences and its judge, checkpoints.
    """
    names = list(features)
    needs = {*needs_of(names), *(need for name in names if name in WORD_FEATURES for need in WORD_FEATURES[name].needs)}
    judges = {Resource.WORD_TAGGER: resources.word_tagger, Resource.NMT_WORD_TAGGER: resources.nmt_word_tagger}
    taggers = [judge for need, judge in judges.items() if need in needs and isinstance(judge, WordTagger)]
    needs |= {need for judge in taggers for need in judge.needs}
    files = {resources.files[field] for need, field in FIELDS.items() if need in needs and field in resources.files}
    digests = {f"models/{judge.card.id}": registry.tagger_checksum(judge.card.id) for judge in taggers}
    if Resource.ENCODER in needs and resources.encoder is not None:
        digests[f"encoders/{resources.encoder.name}"] = resources.encoder.checksum
    if Resource.SENTENCE_JUDGE in needs and isinstance(resources.sentence_judge, Judge):
        digests[f"models/{resources.sentence_judge.card.id}"] = registry.sentence_judges.checksum(resources.sentence_judge.card.id)
    for need in needs:
        if isinstance(need, CheckpointNeed) and (checkpoint := resources.checkpoints.usable.get(need.name)) is not None:
            digests |= {f"checkpoints/{need.name}/{name}": digest for name, digest in checkpoint.card.files.items()}
    return dict(sorted([*files, *((name, digest) for name, digest in digests.items() if digest is not None)]))


def licences_used(features: Iterable[str], checkpoints: Checkpoints) -> dict[str, str]:
    """The licences of checkpoints that features ask, by the checkpoints' names; of those that are there."""
    there = checkpoints.usable
    names = [need.name for need in needs_of(features) if isinstance(need, CheckpointNeed)]
    return {name: there[name].card.licence for name in names if name in there}


def licence_cautions(who: str, licences: Mapping[str, str]) -> list[str]:
    """What whoever reads answers of `who` is to know of the licences of checkpoints that it asks."""
    return [
        f"{who} asks the checkpoint {name}, whose licence, {licence}, forbids commercial use"
        for name, licence in licences.items()
        if forbids_commerce(licence)
    ]


def differences(model: Model | WordTagger, resources: PairResources, registry: ModelRegistry) -> list[str]:
    """Names of the files that a model was trained with and that are loaded as others, or not at all."""
    features = model.card.features if isinstance(model, Model) else (*model.card.word_features, *model.card.gap_features)
    loaded = files_used(features, resources, registry)
    return [name for name, digest in model.card.resources.items() if digest not in (loaded.get(name), resources.equals.get(name))]


def cautions(model: Model | WordTagger, resources: PairResources, registry: ModelRegistry) -> list[str]:
    """What whoever reads a model's answers should know of the resources under it; nothing where they are those of its card."""
    others = differences(model, resources, registry)
    if not others:
        return []
    named = ", ".join(others[:NAMED]) + (f" and {len(others) - NAMED} more" if len(others) > NAMED else "")
    return [
        f"{model.card.id} was trained with other resources than are loaded ({named}): its answers may be far off; "
        "put back the files that its card names, or train it again"
    ]
