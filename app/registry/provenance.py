"""Files that models were trained with, and cautions about other loaded files.

A model's card maps the files under its features to their SHA-256: ``ro/lm.binary``, ``ro-en/lex.ro-en.safetensors``, and
``models/ro-en-words`` for a word tagger. Loaded files are compared by name. Another language model changes the features, and a
predictor then answers confidently and wrongly. A manifest can declare a file equal to another, as own taggers are to UDPipe's;
then either counts as the file of the training.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from app.features import Alternatives, CheckpointNeed, Need, PairResources, Resource, needs_of
from app.features.word_level import WORD_FEATURES
from app.predictors import Model
from app.predictors.cross_encoder import PIECES, CrossEncoder
from app.predictors.word_tags import WordTagger
from app.registry.models import ModelRegistry
from app.resources.checkpoints import Checkpoints, forbids_commerce

__all__ = ["cautions", "differences", "files_used", "licence_cautions", "licences_used"]

Checksums = Mapping[str, str]
# Field of a pair's resources by need.
FIELDS: Final[Mapping[Need, str]] = {
    Resource.SOURCE_LANGUAGE_MODEL: "source_model",
    Resource.TARGET_LANGUAGE_MODEL: "target_model",
    Resource.SOURCE_NGRAM_COUNTS: "source_counts",
    Resource.TARGET_NGRAM_COUNTS: "target_counts",
    Resource.LEXICAL_TABLE: "lexical_table",
    Resource.REVERSE_LEXICAL_TABLE: "reverse_table",
    Resource.SOURCE_TAGGER: "source_tagger",
    Resource.TARGET_TAGGER: "target_tagger",
    Resource.SOURCE_PARSER: "source_tagger",
    Resource.TARGET_PARSER: "target_tagger",
    Resource.TARGET_TAG_MODEL: "target_tag_model",
    Resource.CORPUS_INDEX: "corpus_index",
    Resource.BAGS_OF_WORDS: "bags_of_words",
    Resource.SOURCE_GRAMMAR: "source_grammar",
    Resource.TARGET_GRAMMAR: "target_grammar",
    Resource.SOURCE_NAMES: "source_names",
    Resource.TARGET_NAMES: "target_names",
}
# At most this many differing files are listed.
FILE_LIMIT: Final = 3


def files_used(features: Iterable[str], resources: PairResources, registry: ModelRegistry) -> dict[str, str]:
    """Names and SHA-256 of the files that features are computed from, sorted.

    Word taggers of the features, the cross-encoder and checkpoints are among the files.
    """
    names = list(features)
    needs = {*needs_of(names), *(need for name in names if name in WORD_FEATURES for need in WORD_FEATURES[name].needs)}
    needs |= {alternative for need in needs if isinstance(need, Alternatives) for alternative in need.needs}
    judges = {Resource.WORD_TAGGER: resources.word_tagger, Resource.NMT_WORD_TAGGER: resources.nmt_word_tagger}
    taggers = [judge for need, judge in judges.items() if need in needs and isinstance(judge, WordTagger)]
    needs |= {need for judge in taggers for need in judge.needs}
    files = {resources.files[field] for need, field in FIELDS.items() if need in needs and field in resources.files}
    digests = {f"models/{judge.card.id}": registry.tagger_checksum(judge.card.id) for judge in taggers}
    if Resource.CROSS_ENCODER in needs and isinstance(resources.cross_encoder, CrossEncoder):
        card = resources.cross_encoder.card
        digests[f"models/{card.id}"] = registry.cross_encoders.checksum(card.id)
        digests[f"models/{card.id}/{PIECES}"] = card.pieces_sha256
    for need in needs:
        if isinstance(need, CheckpointNeed) and (checkpoint := resources.checkpoints.usable.get(need.name)) is not None:
            digests |= {f"checkpoints/{need.name}/{name}": digest for name, digest in checkpoint.card.files.items()}
    return dict(sorted([*files, *((name, digest) for name, digest in digests.items() if digest is not None)]))


def licences_used(features: Iterable[str], checkpoints: Checkpoints) -> dict[str, str]:
    """Licences of the usable checkpoints that features need, by the checkpoints' names."""
    usable = checkpoints.usable
    names = [need.name for need in needs_of(features) if isinstance(need, CheckpointNeed)]
    return {name: usable[name].card.licence for name in names if name in usable}


def licence_cautions(model: str, licences: Mapping[str, str]) -> list[str]:
    """Cautions about checkpoints of a `model` whose licences forbid commercial use."""
    return [
        f"{model} uses the checkpoint {name}; its licence {licence} forbids commercial use"
        for name, licence in licences.items()
        if forbids_commerce(licence)
    ]


def differences(model: Model | WordTagger, resources: PairResources, registry: ModelRegistry) -> list[str]:
    """Names of the files on a model's card that are loaded with other contents, or not loaded."""
    features = model.card.features if isinstance(model, Model) else (*model.card.word_features, *model.card.gap_features)
    digests = files_used(features, resources, registry)
    return [name for name, digest in model.card.resources.items() if digest not in (digests.get(name), resources.equals.get(name))]


def cautions(model: Model | WordTagger, resources: PairResources, registry: ModelRegistry) -> list[str]:
    """A caution that lists the differing files under a model; empty if all files are those of its card."""
    files = differences(model, resources, registry)
    if not files:
        return []
    names = ", ".join(files[:FILE_LIMIT]) + (f" and {len(files) - FILE_LIMIT} more" if len(files) > FILE_LIMIT else "")
    return [
        f"The loaded resources differ from those that {model.card.id} was trained with ({names}), so its scores may be far off. "
        "Restore the files that its card names, or train it again."
    ]
