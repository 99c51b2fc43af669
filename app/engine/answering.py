"""The choice of an answer: a model, the resources of its training, and a view of the segments. Every request is chosen for here."""

from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from app.engine.bounding import BoundedSegments, bounded
from app.engine.profiles import Profile, uses_networks
from app.engine.segments import Segments
from app.errors import InputError
from app.features import Need, PairResources, View
from app.features.neural import NEURAL as CHECKPOINT_FEATURES
from app.metrics.registry import NEURAL
from app.predictors import Model
from app.predictors.word_tags import WordTagger
from app.registry.models import ModelRegistry
from app.registry.pair_resources import pair_resources, training_resources
from app.resources.checkpoints import Checkpoints
from app.resources.loading import Resources
from app.text import LanguagePair, SegmentBatch, tokeniser_for

__all__ = ["Answering", "Loaded", "view_of"]

ModelT = TypeVar("ModelT", Model, WordTagger)


@dataclass(frozen=True)
class Answering(Generic[ModelT]):
    """A model, the `segments` of a request, and the `view` of their first tokens with the resources of the model's training."""

    model: ModelT
    segments: Segments
    bounds: BoundedSegments
    view: View


@dataclass(frozen=True)
class Loaded:
    """Resources, registry and profile from which a model is chosen."""

    resources: Resources
    registry: ModelRegistry
    profile: Profile

    def resources_of(self, pair: LanguagePair) -> PairResources:
        """Resources for the features of a pair; the user's own set wins over the shipped one."""
        return pair_resources(self.resources, self.registry, pair)

    def predictor(self, pair: LanguagePair, name: str | None, label: str | None, given: frozenset[Need]) -> Model:
        """The predictor called `name`, or the best one for pair, label, loaded resources and `given` side information."""
        return self._predictor(self.resources_of(pair), name, label, given)

    def word_tagger(self, pair: LanguagePair, name: str | None, given: frozenset[Need]) -> WordTagger:
        """The word tagger called `name`, or the best one for pair, loaded resources and `given` side information."""
        return self.registry.word_tagger(self.resources_of(pair), name, given)

    def choose(self, segments: Segments, name: str | None, label: str | None) -> Answering[Model]:
        """The predictor called `name`, or the best one for the segments, with its view of them."""
        bounds, usual = bounded(segments), self.resources_of(segments.pair)
        return self._answering(self._predictor(usual, name, label, segments.given), usual, segments, bounds)

    def choose_word_tagger(self, segments: Segments, name: str | None) -> Answering[WordTagger]:
        """The word tagger called `name`, or the best one for the segments, with its view of them."""
        bounds, usual = bounded(segments), self.resources_of(segments.pair)
        return self._answering(self.registry.word_tagger(usual, name, segments.given), usual, segments, bounds)

    def _predictor(self, usual: PairResources, name: str | None, label: str | None, evidence: frozenset[Need]) -> Model:
        if name is not None:
            _check_predictor(name, usual)
        elif not uses_networks(None, self.profile, [usual.pair], self.resources.pairs):
            usual = replace(usual, encoder=None, sentence_judge=None, checkpoints=Checkpoints())
        return self.registry.model(usual, name, label, evidence)

    def _answering(self, model: ModelT, usual: PairResources, segments: Segments, bounds: BoundedSegments) -> Answering[ModelT]:
        resources = training_resources(model, usual, self.resources, self.registry)
        return Answering(model, segments, bounds, view_of(bounds, resources))


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
