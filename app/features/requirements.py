"""The first need of a feature that is neither loaded for a language pair nor sent with the segments."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from app.features.needs import Alternatives, CheckpointNeed, Evidence, Need, PartNeed, Resource
from app.features.view import PairResources
from app.resources.tagger import Tagger
from app.text.side_information import Kind

__all__ = ["missing"]


def _parser(tagger: Tagger | None) -> Tagger | None:
    return tagger if tagger is not None and tagger.parses else None


LOADERS: Final[Mapping[Resource, Callable[[PairResources], object]]] = {
    Resource.SOURCE_LANGUAGE_MODEL: lambda resources: resources.source_model,
    Resource.TARGET_LANGUAGE_MODEL: lambda resources: resources.target_model,
    Resource.SOURCE_NGRAM_COUNTS: lambda resources: resources.source_counts,
    Resource.TARGET_NGRAM_COUNTS: lambda resources: resources.target_counts,
    Resource.LEXICAL_TABLE: lambda resources: resources.lexical_table,
    Resource.REVERSE_LEXICAL_TABLE: lambda resources: resources.reverse_table,
    Resource.SOURCE_TAGGER: lambda resources: resources.source_tagger,
    Resource.TARGET_TAGGER: lambda resources: resources.target_tagger,
    Resource.SOURCE_PARSER: lambda resources: _parser(resources.source_tagger),
    Resource.TARGET_PARSER: lambda resources: _parser(resources.target_tagger),
    Resource.TARGET_TAG_MODEL: lambda resources: resources.target_tag_model,
    Resource.CORPUS_INDEX: lambda resources: resources.corpus_index,
    Resource.BAGS_OF_WORDS: lambda resources: resources.bags_of_words,
    Resource.SOURCE_GRAMMAR: lambda resources: resources.source_grammar,
    Resource.TARGET_GRAMMAR: lambda resources: resources.target_grammar,
    Resource.SOURCE_NAMES: lambda resources: resources.source_names,
    Resource.TARGET_NAMES: lambda resources: resources.target_names,
    Resource.WORD_TAGGER: lambda resources: resources.word_tagger,
    Resource.NMT_WORD_TAGGER: lambda resources: resources.nmt_word_tagger,
    Resource.CROSS_ENCODER: lambda resources: resources.cross_encoder,
}


def missing(needs: Iterable[Need], resources: PairResources, evidence: Evidence) -> Need | None:
    """The first of `needs` that is neither loaded for the pair nor given with the segments; None if all are met."""
    return next((need for need in needs if not _is_met(need, resources, evidence)), None)


def _is_met(need: Need, resources: PairResources, evidence: Evidence) -> bool:
    if isinstance(need, Alternatives):
        return any(_is_met(alternative, resources, evidence) for alternative in need.needs)
    if isinstance(need, PartNeed):
        return need.is_met(evidence)
    if isinstance(need, CheckpointNeed):
        return resources.checkpoints.obstacle(need.name) is None
    return need in evidence if isinstance(need, Kind) else LOADERS[need](resources) is not None
