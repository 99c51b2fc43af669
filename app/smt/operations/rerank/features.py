"""Features that a reranking computes: requested features, and features with weights that can be computed."""

from collections.abc import Sequence
from typing import Final

from app.engine import Engine
from app.errors import InputError
from app.operations.operation import Json
from app.running.journal import SILENT, Journal
from app.smt.lists.reranking.columns import COLUMNS, specs_of, with_features, with_values
from app.smt.lists.reranking.evidence import RerankingResources
from app.smt.operations.parts.n_best.fields import QUALITY
from app.smt.operations.parts.n_best.quality_columns import quality_features
from app.text import LanguagePair
from app.text.n_best import NBestLists

__all__ = ["SETS_OF_FEATURES", "is_computable", "listed_with_features", "specs_in"]

QUALITY_SET: Final = "quality"
# Names that stand for several features, as somebody may ask for them.
SETS_OF_FEATURES: Final = ("thesis", "posteriors", "noisy-channel", QUALITY_SET)


def specs_in(features: Sequence[str]) -> list[str]:
    """Features with the names of sets put asunder."""
    return [spec for name in specs_of(features) for spec in (QUALITY if name == QUALITY_SET else (name,))]


def is_computable(name: str) -> bool:
    """Return True if a feature of this name can be computed for lists without it."""
    return name.split("|")[0] in COLUMNS or name in QUALITY


def listed_with_features(
    engine: Engine, params: Json, lists: NBestLists, sources: Sequence[str] | None, journal: Journal = SILENT
) -> tuple[NBestLists, list[str]]:
    """Lists with requested features and computable weighted ones, and the names of all computed features.

    InputError where sources, languages or resources that this needs are not there.
    """
    specs = specs_in(params["features"])
    weighted = params["weights"] or {}
    specs += [name for name in weighted if name not in specs and name not in lists.names and is_computable(name)]
    pair = None
    if params["source_language"] is not None:
        tags = LanguagePair(params["source_language"], params["target_language"])
        pair = tags.nearest(engine.resources.pairs) or tags
    quality_specs = [spec for spec in specs if spec in QUALITY]
    computed_specs = [spec for spec in specs if spec not in QUALITY]
    if computed_specs:
        lists = with_features(lists, computed_specs, _loaded(engine, pair), sources, journal)
    if quality_specs:
        if pair is None:
            raise InputError("invalid-request", "predicted quality needs source and target language (--pair)", ("source_language",))
        # Jobs of earlier versions have no such parameter.
        profile_engine = engine.at(params.get("profile"))
        values = quality_features(profile_engine, pair, lists, sources, quality_specs, params["model"], params["label"])
        lists = with_values(lists, quality_specs, values)
    return lists, specs


def _loaded(engine: Engine, pair: LanguagePair | None) -> RerankingResources:
    """Resources of a pair that features of hypotheses need."""
    if pair is None:
        return RerankingResources()
    resources = engine.pair_resources(pair)
    models = {} if resources.target_model is None else {resources.target_model.order: resources.target_model}
    tags = {} if resources.target_tag_model is None else {resources.target_tag_model.order: resources.target_tag_model}
    return RerankingResources(models, tags, resources.target_tagger, resources.lexical_table, resources.reverse_table)
