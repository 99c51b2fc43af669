"""The choice of an answer, once for each request: a model, the resources of its training, and a view of the segments."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

from app.engine.bounding import BoundedSegments, bounded
from app.engine.profiles import Profile, uses_networks
from app.engine.segments import Segments
from app.engine.served_pairs import ServedPairs
from app.errors import InputError
from app.features import Evidence, PairResources, View
from app.features.neural import NEURAL as CHECKPOINT_FEATURES
from app.metrics.registry import NEURAL
from app.predictors import Model
from app.predictors.word_tags import WordTagger
from app.registry.answer_cache import AnswerCache
from app.registry.models import ModelRegistry
from app.registry.pair_resources import cautions_of_model, pair_resources, training_resources
from app.resources.loading import Resources
from app.text import LanguagePair, SegmentBatch, tokeniser_for

__all__ = ["Answering", "Inventory", "view_of"]

ModelT = TypeVar("ModelT", Model, WordTagger)


@dataclass(frozen=True)
class Inventory:
    """Resources, registry and profile from which a model is chosen.

    Choices are found once, and again after a change of the registry.
    """

    resources: Resources
    registry: ModelRegistry
    profile: Profile
    pairs: ServedPairs

    @cached_property
    def _answers(self) -> AnswerCache[Any, Any]:
        # A checkpoint that fails at work is usable no more.
        return AnswerCache(lambda: (self.registry.state, tuple(self.resources.checkpoints.usable)))

    @property
    def corrects_words(self) -> bool:
        """True if the cross-encoder corrects tags of words."""
        return self.profile != "fast"

    def resources_of(self, pair: LanguagePair) -> PairResources:
        """Resources for the features of a pair; the user's own set wins over the shipped one. InputError for an unserved pair."""
        return self._answers.get(pair, lambda: self._resources_of(pair))  # type: ignore[no-any-return]

    def _resources_of(self, pair: LanguagePair) -> PairResources:
        self.pairs.require(pair)
        return pair_resources(self.resources, self.registry, pair)

    def cautions(self, model: Model | WordTagger) -> list[str]:
        """Cautions about the licences of a model, and about resources that differ from those of its training."""
        # The entry holds the model, so that no other one gets its number.
        _, cautions = self._answers.get(id(model), lambda: (model, cautions_of_model(model, self.resources, self.registry)))
        return cautions  # type: ignore[no-any-return]

    def predictor(
        self, pair: LanguagePair, name: str | None, label: str | None, evidence: Evidence, documents: bool = False
    ) -> tuple[Model, PairResources]:
        """The predictor called `name`, or the best one for pair, label and `evidence`; with the resources of its training.

        It is a predictor of `documents`, or of segments.
        """
        key = "predictor", pair, name, label, evidence, documents
        return self._answers.get(key, lambda: self._predictor(pair, name, label, evidence, documents))  # type: ignore[no-any-return]

    def _predictor(
        self, pair: LanguagePair, name: str | None, label: str | None, evidence: Evidence, documents: bool
    ) -> tuple[Model, PairResources]:
        resources = self.resources
        if name is None and not uses_networks(None, self.profile, [pair], resources.pairs):
            resources = resources.without_networks
        self.pairs.require(pair)
        usual = pair_resources(resources, self.registry, pair)
        if name is not None:
            _check_predictor(name, usual)
        model = self.registry.model(usual, name, label, evidence, documents)
        return model, training_resources(model, usual, resources, self.registry)

    def word_tagger(self, pair: LanguagePair, name: str | None, evidence: Evidence) -> tuple[WordTagger, PairResources]:
        """The word tagger called `name`, or the best one for pair and `evidence`; with the resources of its training."""
        key = "word tagger", pair, name, evidence
        return self._answers.get(key, lambda: self._word_tagger(pair, name, evidence))  # type: ignore[no-any-return]

    def _word_tagger(self, pair: LanguagePair, name: str | None, evidence: Evidence) -> tuple[WordTagger, PairResources]:
        usual = self.resources_of(pair)
        tagger = self.registry.word_tagger(usual, name, evidence)
        return tagger, training_resources(tagger, usual, self.resources, self.registry)


@dataclass(frozen=True)
class Answering(Generic[ModelT]):
    """A model, the `resources` of its training, and the segments of a request with their first tokens."""

    inventory: Inventory
    model: ModelT
    resources: PairResources
    segments: Segments
    bounds: BoundedSegments

    @classmethod
    def by_predictor(cls, inventory: Inventory, segments: Segments, name: str | None, label: str | None) -> "Answering[Model]":
        """The answer of the predictor called `name`, or of the best one for the segments."""
        model, resources = inventory.predictor(segments.pair, name, label, segments.evidence)
        return Answering(inventory, model, resources, segments, bounded(segments))

    @classmethod
    def by_word_tagger(cls, inventory: Inventory, segments: Segments, name: str | None) -> "Answering[WordTagger]":
        """The answer of the word tagger called `name`, or of the best one for the segments."""
        tagger, resources = inventory.word_tagger(segments.pair, name, segments.evidence)
        return Answering(inventory, tagger, resources, segments, bounded(segments))

    @cached_property
    def view(self) -> View:
        """Tokenised segments with the resources of the model's training."""
        return view_of(self.bounds, self.resources)


def view_of(bounds: BoundedSegments, resources: PairResources) -> View:
    """Tokenised segments with the resources of their pair."""
    segments = bounds.segments
    source, target = tokeniser_for(segments.pair.source), tokeniser_for(segments.pair.target)
    batch = SegmentBatch.build(source, target, segments.sources, segments.translations, segments.side_information)
    return View(batch, resources)


def _check_predictor(name: str, resources: PairResources) -> None:
    """InputError for a neural metric, whose scores have no intervals; the error names the command that trains a predictor on it."""
    if not name.startswith(f"{NEURAL}:"):
        return
    checkpoint = name.removeprefix(f"{NEURAL}:")
    if (reason := resources.checkpoints.obstacle(checkpoint)) is not None:
        raise InputError("missing-checkpoint", reason, ("model",))
    command = f"assay train FILE --pair {resources.pair} --label LABEL --feature-set {CHECKPOINT_FEATURES}{checkpoint}"
    detail = (
        f"{name} is a metric: POST /v1/score gives its scores, and nothing says how far they may be off; "
        f"{command}, or a job train with this feature_set, makes a predictor of it that has intervals, from labelled segments"
    )
    raise InputError("unknown-model", detail, ("model",))
