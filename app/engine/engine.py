"""The engine: resources, models and metrics behind the operations on quality, words, features, ranking and evaluation."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from app.arrays import Float64s
from app.engine.assessment import assess
from app.engine.bounding import bounded
from app.engine.candidates import JointAssessment, ModelChoice, assess_candidates
from app.engine.documents import DocumentAssessment, assess_documents
from app.engine.evidence import EvidenceSource, open_evidence
from app.engine.model_choice import Answering, Inventory, view_of
from app.engine.predicting import checkpoints_of, model_values
from app.engine.profiles import ChosenNetwork, NetworkChoice, Profile, check_accurate, uses_networks
from app.engine.segments import Assessment, Options, Segments, TaggedWords
from app.engine.served_pairs import ServedPairs
from app.engine.word_tags import tagged_words
from app.errors import InputError
from app.features import (
    Evidence,
    Feature,
    FeatureMatrix,
    FeatureSet,
    PairResources,
    feature_set,
    features_of_view,
    missing,
    refusal,
    split_available,
)
from app.features.cross_encoder import cross_cut_rows
from app.metrics import Metric, metrics_named
from app.planning.system_selection import Ranking, rank_systems
from app.predictors import Model
from app.predictors.cross_encoder import CrossEncoder
from app.predictors.word_tags import WordTagger
from app.registry.models import ModelRegistry
from app.resources.checkpoints import Checkpoints
from app.resources.loading import Resources, open_resources
from app.resources.tagger import TaggerChoice
from app.resources.tagging_process import TaggingProcess
from app.settings import Settings
from app.text import LanguagePair

__all__ = ["Engine"]


class Engine:
    """Resources, predictors and metrics, read by any number of threads. Its `registry` holds all state that changes."""

    def __init__(
        self,
        resources: Resources,
        registry: ModelRegistry,
        profile: Profile = "accurate",
        network: ChosenNetwork | None = None,
        full_engine: "Engine | None" = None,
        systems: EvidenceSource | None = None,
    ) -> None:
        self.resources, self.registry, self.profile = resources, registry, profile
        self.network, self.systems = network or ChosenNetwork(), systems or open_evidence(resources.systems)
        # The engine with networks that this engine is the profile `fast` of.
        self._full_engine = full_engine
        self._profiles: dict[Profile, Engine] = {}
        self._known_inventory: Inventory | None = None

    @classmethod
    def open(
        cls,
        resources: Path,
        models: Path,
        trained_models: Path | None = None,
        tagging: TaggerChoice | None = None,
        own_resources: Path | None = None,
        profile: Profile = "accurate",
        encoder: NetworkChoice = "none",
        encoder_threads: int = 1,
        checkpoints: Path | None = None,
    ) -> "Engine":
        """Open the folders of resources and models; each part loads, and its checksums are verified, at its first use.

        `own_resources` holds the resources that users built; `profile` answers requests that name no profile.
        """
        opened_resources = replace(open_resources(resources, tagging, own_resources), checkpoints=Checkpoints(checkpoints))
        return cls(opened_resources, ModelRegistry(models, trained_models), profile, ChosenNetwork(encoder, encoder_threads))

    @classmethod
    def of_settings(cls, settings: Settings, tagging: TaggingProcess | None = None) -> "Engine":
        """Open the folders that settings name; `tagging` is a process that runs UDPipe's taggers, None for this process."""
        return cls.open(
            settings.resources_dir,
            settings.models_dir,
            settings.trained_models_dir,
            TaggerChoice.of(settings.linear_taggers, tagging),
            own_resources=settings.own_resources_dir,
            profile=settings.profile,
            encoder=settings.encoder,
            encoder_threads=settings.encoding_threads,
            checkpoints=settings.checkpoints,
        )

    def load(self, pairs: Sequence[LanguagePair] | None = None) -> None:
        """Load every part, or the parts of `pairs`, with the networks.

        A part that fails to load is left out; a part of `pairs` that fails is an InputError.
        """
        for pair in pairs or ():
            self.served_pairs.require(pair)
        if pairs is None:
            self.resources = self.resources.sound()
        else:
            self.resources.load(pairs)
        self.resources.checkpoints.warm_up()
        self.network.warm_up(self.registry)
        self.registry.load(pairs, networks=False)
        self._with_network()

    def at(self, profile: Profile | None) -> "Engine":
        """The engine in a profile, or in its own for None; InputError for `accurate` without a network."""
        if profile is None:
            return self
        if profile == "accurate":
            check_accurate(self._with_network(), self.network_fault)
        resources = self.resources if profile == "accurate" else self.resources.without_networks
        engine = self._profiles.get(profile)
        if engine is None or engine.resources is not resources:
            network, full_engine = (self.network, None) if profile == "accurate" else (None, self._full_engine or self)
            engine = Engine(resources, self.registry, profile, network, full_engine, self.systems)
            self._profiles[profile] = engine
        return engine

    def with_registry(self, registry: ModelRegistry) -> "Engine":
        """The engine with another view of the trained models."""
        return Engine(self.resources, registry, self.profile, self.network, self._full_engine, self.systems)

    def _with_network(self) -> Resources:
        """The resources with the cross-encoder of the settings, which loads at its first use."""
        if self.network.choice == "auto" and (network := self.cross_encoder) is not self.resources.cross_encoder:
            self.resources = replace(self.resources, cross_encoder=network)
        return self.resources

    @property
    def network_fault(self) -> str | None:
        """The reason why no network of the settings can be asked; None if one can, or none is named."""
        return self.network.fault(self.registry)

    @property
    def _inventory(self) -> Inventory:
        resources, inventory = self._with_network(), self._known_inventory
        if inventory is None or inventory.resources is not resources:
            self._known_inventory = inventory = Inventory(resources, self.registry, self.profile, self.served_pairs)
        return inventory

    @property
    def served_pairs(self) -> ServedPairs:
        """Language pairs that the engine answers for."""
        full = self._full_engine or self
        return ServedPairs(self._with_network(), lambda: (full._with_network().cross_encoder, full.network_fault))

    @property
    def cross_encoder(self) -> CrossEncoder | None:
        """The cross-encoder of the settings; None if there is none, or it cannot be used."""
        return self.network.of(self.registry)

    @property
    def models(self) -> Mapping[str, Model]:
        """Every predictor of segments by id."""
        return self.registry.models

    def metrics(self, names: Sequence[str]) -> dict[str, Metric]:
        """Metrics by name, trained ones among them; InputError for an unknown or repeated name."""
        return metrics_named(names, self.registry.metrics)

    def pair_resources(self, pair: LanguagePair) -> PairResources:
        """Resources that features of a pair may use; InputError for a pair that the engine does not serve."""
        return self._inventory.resources_of(pair)

    def uses_networks(self, profile: Profile | None, pairs: Iterable[LanguagePair]) -> bool:
        """Return True if networks may answer a request for these pairs with this profile and no model."""
        return self.resources.cross_encoder is not None and uses_networks(profile, self.profile, pairs, self.resources.pairs)

    # Models

    def cautions(self, *models: Model | WordTagger) -> list[str]:
        """Cautions for readers of the models' answers: a network that cannot be asked, licences, and changed resources."""
        fault = self.network_fault if self.profile == "accurate" else None
        of_network = [] if fault is None else [f"the cross-encoder cannot be used, so that others answer in its place: {fault}"]
        of_models = [caution for model in models for caution in self._inventory.cautions(model)]
        return [*of_network, *of_models]

    def model_for(
        self, pair: LanguagePair, model: str | None, label: str | None, evidence: Evidence, documents: bool = False
    ) -> Model:
        """The predictor called `model`, or the best one for pair, label, loaded resources and `evidence`.

        It is a predictor of `documents`, or of segments.
        """
        return self._inventory.predictor(pair, model, label, evidence, documents)[0]

    def fitting_models(self, pair: LanguagePair, label: str | None, evidence: Evidence, documents: bool = False) -> list[Model]:
        """All predictors of a pair, or of one of its labels, that loaded resources and `evidence` suffice for."""
        return self.registry.fitting(self.pair_resources(pair), label, evidence, documents)

    def checkpoints_asked(self, pair: LanguagePair, model: str | None, label: str | None) -> int:
        """The number of checkpoints that score each segment for a model, or for the best model where `model` is None."""
        if not self.resources.checkpoints.without_references:
            return 0
        try:
            predictor = self.models.get(model) if model is not None else self.model_for(pair, None, label, frozenset())
        except InputError:
            # The answer itself raises this error.
            return 0
        return 0 if predictor is None else len(checkpoints_of(predictor))

    def word_tagger_for(self, pair: LanguagePair, name: str | None, evidence: Evidence) -> WordTagger:
        """The word tagger called `name`, or the best one for pair, loaded resources and `evidence`."""
        return self._inventory.word_tagger(pair, name, evidence)[0]

    def fitting_word_taggers(self, pair: LanguagePair, evidence: Evidence) -> list[WordTagger]:
        """All word taggers that can answer for a pair and `evidence`; InputError if none can."""
        best, resources = self._inventory.word_tagger(pair, None, evidence)
        taggers = [tagger for tagger in self.registry.word_taggers.values() if tagger.card.pair == best.card.pair]
        return [tagger for tagger in taggers if missing(tagger.needs, resources, evidence) is None]

    # Answers

    def features(self, segments: Segments, features: str | FeatureSet, model: str | None = None) -> FeatureMatrix:
        """Values of a feature set; features without their needs are left out and named.

        With a `model`, its features get the values that it predicts from, by the resources of its training.
        """
        features = feature_set(features) if isinstance(features, str) else features
        bounds, resources = bounded(segments), self.pair_resources(segments.pair)
        if model is not None:
            resources = self._inventory.predictor(segments.pair, model, None, segments.evidence)[1]
        view = view_of(bounds, resources)
        matrix = features_of_view(view, features)
        return replace(matrix, truncated=bounds.truncated | cross_cut_rows(view))

    def check_feature_set(self, pair: LanguagePair, features: FeatureSet, evidence: Evidence) -> tuple[Feature, ...]:
        """Features of a set that can be computed for a pair; InputError where none can, or a required one cannot."""
        usable_features, missing_features = split_available(features, self.pair_resources(pair), evidence)
        if not usable_features:
            raise refusal(missing_features[0].missing, self.resources.checkpoints)
        return usable_features

    def answering(self, segments: Segments, model: str | None = None, label: str | None = None) -> Answering[Model]:
        """The predictor that answers for segments, with its view of them."""
        return Answering.by_predictor(self._inventory, segments, model, label)

    def quality(
        self, segments: Segments, model: str | None = None, label: str | None = None, options: Options | None = None
    ) -> Assessment:
        """Predict the quality of every segment, with the parts that `options` ask for."""
        answering = self.answering(segments, model, label)
        return assess(answering, options or Options())

    def document_quality(
        self, documents: Sequence[Segments], model: str | None = None, label: str | None = None, interval: float = 0.9
    ) -> DocumentAssessment:
        """Predict the quality of every document, one or more of one pair, from its segments."""
        return assess_documents(self._inventory, documents, model, label, interval)

    def rank(
        self,
        pair: LanguagePair,
        sources: Sequence[str],
        candidates: Sequence[Mapping[str, str]],
        model: str | None = None,
        label: str | None = None,
        options: Options | None = None,
        baseline: str | None = None,
        models: ModelChoice | None = None,
    ) -> tuple[JointAssessment, Ranking]:
        """Order the candidates (system: text) of each source by predicted quality; they are assessed source after source.

        `models` assess them in place of one `model`. Systems are compared with `baseline`, by default the first.
        """
        source_rows = [source for source, row in zip(sources, candidates, strict=True) for _ in row]
        segments = Segments(pair, source_rows, [text for row in candidates for text in row.values()])
        names = [list(row) for row in candidates]
        systems = [system for row in names for system in row]

        def assess_rows(part: Segments, name: str | None, part_options: Options) -> Assessment:
            return self.quality(part, name, label, part_options)

        answer = assess_candidates(segments, systems, models or (model,), options or Options(), assess_rows)
        higher = answer.models[0].label.higher_is_better
        empty = [not text.strip() for row in candidates for text in row.values()]
        return answer, rank_systems(names, answer.mean, answer.std, higher, answer.error_mask, baseline, empty)

    def model_features(self, segments: Segments, model: str) -> Float64s:
        """Values of a model's features; shape (n, k)."""
        answering = self.answering(segments, model)
        return model_values(answering.model, answering.view)

    def word_tags(self, segments: Segments, model: str | None = None) -> TaggedWords:
        """Tag every word and every gap of the translations as OK or BAD."""
        answering = Answering.by_word_tagger(self._inventory, segments, model)
        return tagged_words(answering.model, answering.view, answering.bounds, answering.inventory.corrects_words)
