"""The one object that owns resources, predictors and metrics, and does the work."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np

from app.arrays import Float64s, Int64s
from app.engine.bounding import BoundedSegments, bounded
from app.engine.empty_translations import with_worst_where_empty
from app.engine.evidence import EvidenceSource, open_evidence
from app.engine.feature_choice import usual_feature_set
from app.engine.language_pairs import cautions_of, check_accurate, is_answered, pair_resources, pairs_there, why_unanswered
from app.engine.model_values import check_predictor, model_values, rows_cut
from app.engine.provenance import files_used, resources_of
from app.engine.segments import Assessment, Options, Segments, TaggedWords
from app.engine.warming import warm_up
from app.engine.word_tags import tagged_words
from app.errors import InputError
from app.features import (
    Feature,
    FeatureMatrix,
    FeatureSet,
    Need,
    PairResources,
    View,
    feature_set,
    features_of_view,
    refusal,
    split_available,
)
from app.features.evidence import segment_reasons
from app.features.warnings import segment_warnings
from app.metrics import (
    Metric,
    RunSummary,
    Significance,
    SystemScore,
    TrainedMetric,
    metrics_named,
    run_summaries,
    scores_of_statistics,
    segment_statistics,
)
from app.planning.acceptance import bad_probability
from app.planning.confidence import confidence_of
from app.planning.system_selection import Ranking, rank_systems
from app.predictors import Evaluation, Model, evaluate_uncertainty
from app.predictors.active_learning import select_segments
from app.predictors.word_tags import WordTagger
from app.registry.models import ModelRegistry
from app.resources.checkpoints import Checkpoints
from app.resources.encoders import ChosenEncoder
from app.resources.loading import Resources, open_resources
from app.resources.tagger import TaggerChoice
from app.text import LanguagePair, SegmentBatch, tokeniser_for
from app.text.word_count import word_count

__all__ = ["Engine"]

Profile = Literal["fast", "accurate"]  # Without encoder and checkpoints, or with those that are loaded.


class Engine:
    """Resources, predictors and metrics, read by any number of threads. What changes while it runs is in its `registry`."""

    def __init__(
        self,
        resources: Resources,
        registry: ModelRegistry,
        profile: Profile = "accurate",
        encoder: ChosenEncoder | None = None,
        whole: "Engine | None" = None,
        systems: EvidenceSource | None = None,
    ) -> None:
        self.resources, self.registry, self.profile = resources, registry, profile
        self.encoder, self.systems = encoder or ChosenEncoder(), systems or open_evidence(resources.systems)
        self._whole = whole  # What this one, which asks no encoder, is the profile `fast` of.

    @classmethod
    def open(
        cls,
        resources: Path,
        models: Path,
        trained: Path | None = None,
        tagging: TaggerChoice | None = None,
        own_resources: Path | None = None,
        profile: Profile = "accurate",
        encoder: str = "none",
        encoder_threads: int = 1,
        checkpoints: Path | None = None,
    ) -> "Engine":
        """See what lies under the folders, for commands: each part is loaded, and its checksums verified, when first asked for.

        `own_resources` are what users built; `profile` is what answers where a request names none.
        """
        loaded, chosen = open_resources(resources, tagging, own_resources), ChosenEncoder(encoder, encoder_threads)
        return cls(replace(loaded, checkpoints=Checkpoints(checkpoints)), ModelRegistry(models, trained), profile, chosen)

    @classmethod
    def load(
        cls,
        resources: Path,
        models: Path,
        trained: Path | None = None,
        tagging: TaggerChoice | None = None,
        pairs: Sequence[LanguagePair] | None = None,
        own_resources: Path | None = None,
        profile: Profile = "accurate",
        encoder: str = "none",
        encoder_threads: int = 1,
        checkpoints: Path | None = None,
        for_requests: bool = True,
    ) -> "Engine":
        """`open`, with everything loaded (or what `pairs` need), and `for_requests` every kernel compiled, so that none waits.

        What cannot be loaded, or fails at its first work, is left out and stops nothing else; of named pairs it is an InputError.
        """
        engine = cls.open(resources, models, trained, tagging, own_resources, profile, encoder, encoder_threads, checkpoints)
        for pair in pairs or ():
            engine.check_pair(pair)
        if pairs is None:
            engine.resources = engine.resources.sound()
        else:
            engine.resources.load(pairs)
        engine.registry.load(pairs)
        engine.resources.checkpoints.warm_up()
        engine.encoder.warm_up()
        engine._with_encoder()
        warm_up(engine, pairs, for_requests)
        return engine

    def at(self, profile: Profile | None) -> "Engine":
        """The same in a profile, or its own: `fast` asks neither encoder nor checkpoints; InputError for `accurate` without one."""
        if profile is None:
            return self
        if profile == "accurate":
            check_accurate(self._with_encoder(), self.registry)
            return Engine(self.resources, self.registry, profile, systems=self.systems)
        return Engine(self.resources.without_networks, self.registry, profile, whole=self._whole or self, systems=self.systems)

    def seen_by(self, registry: ModelRegistry) -> "Engine":
        """The same with another view of what was trained."""
        return Engine(self.resources, registry, self.profile, self.encoder, self._whole, self.systems)

    def _with_encoder(self) -> Resources:
        """The resources, with the encoder that was chosen, which is loaded when a pair is first asked for."""
        if self.resources.encoder is None and (encoder := self.encoder.encoder()) is not None:
            self.resources = replace(self.resources, encoder=encoder)
        return self.resources

    @property
    def models(self) -> Mapping[str, Model]:
        """Every predictor of segments by id."""
        return self.registry.models

    @property
    def trained_metrics(self) -> Mapping[str, TrainedMetric]:
        """Every trained metric by id."""
        return self.registry.metrics

    def metrics(self, names: Sequence[str]) -> dict[str, Metric]:
        """Metrics by name, trained ones among them; InputError where one is unknown or named twice."""
        return metrics_named(names, self.trained_metrics)

    def statistics(
        self, metrics: Mapping[str, Metric], systems: Mapping[str, Sequence[str]], references: Mapping[str, Sequence[str]]
    ) -> list[dict[str, Float64s]]:
        """Per metric, the sufficient statistics (n, s) of every system."""
        return segment_statistics(metrics, systems, references)

    def scores(
        self,
        metrics: Mapping[str, Metric],
        statistics: Sequence[Mapping[str, Float64s]],
        references: int,
        segments: bool = False,
        significance: Significance | None = None,
    ) -> list[SystemScore]:
        """Scores from statistics, metric by metric; of segments, and with intervals and tests, where these are wanted."""
        return scores_of_statistics(metrics, statistics, references, segments, significance)

    def runs(
        self, metrics: Mapping[str, Metric], statistics: Sequence[Mapping[str, Float64s]], significance: Significance
    ) -> list[RunSummary]:
        """Systems over their runs, metric by metric; nothing where no runs are named."""
        return run_summaries(metrics, statistics, significance)

    def check_pair(self, pair: LanguagePair) -> None:
        """InputError that names the pairs there are, unless this is one, or the encoder knows both languages."""
        if not is_answered(self._with_encoder(), pair):
            raise InputError("unknown-language-pair", self.pairs_there(pair), ("source_language",))

    def pairs_there(self, wanted: LanguagePair | None) -> str:
        """What an error says where a pair is not there, or it is not clear which one is wanted: those that are, and the way out."""
        there, whole = pairs_there(self.resources, wanted), self._whole or self
        if wanted is None or is_answered(self._with_encoder(), wanted):
            return there
        return f"{there}; {why_unanswered(wanted, self.resources, whole._with_encoder().encoder, whole.encoder.broken)}"

    def pair_resources(self, pair: LanguagePair) -> PairResources:
        """What features of `pair` may use; InputError names the pairs there are."""
        self.check_pair(pair)
        return pair_resources(self._with_encoder(), self.registry, pair)

    def trained_with(self, pair: LanguagePair, features: Sequence[str]) -> dict[str, str]:
        """Names and SHA-256 of the files that features of a pair are computed from, as the card of a new model has them."""
        return files_used(features, self.pair_resources(pair), self.registry)

    def cautions(self, *models: Model | WordTagger) -> list[str]:
        """What to know of the answers of models of pairs that are loaded: whether their resources are those of their training."""
        return [caution for model in models for caution in cautions_of(model, self._with_encoder(), self.registry)]

    def _resources_of(self, model: Model | WordTagger, usual: PairResources) -> PairResources:
        return resources_of(model, usual, self.resources, self.registry)

    def batch(self, segments: Segments) -> SegmentBatch:
        """Tokenise what was segments."""
        return SegmentBatch.build(
            tokeniser_for(segments.pair.source),
            tokeniser_for(segments.pair.target),
            segments.sources,
            segments.translations,
            segments.side_information,
        )

    def features(self, segments: Segments, wanted: str | FeatureSet) -> FeatureMatrix:
        """The values of a feature set; features whose needs are neither loaded nor sent are left out and named."""
        chosen = feature_set(wanted) if isinstance(wanted, str) else wanted
        looked_at = bounded(segments)
        matrix = features_of_view(self._view(looked_at, self.pair_resources(segments.pair)), chosen)
        return replace(matrix, truncated=looked_at.truncated) if looked_at.truncated else matrix

    def check_feature_set(self, pair: LanguagePair, wanted: FeatureSet, given: frozenset[Need]) -> tuple[Feature, ...]:
        """The features of a set that can be computed for a pair and what is given; InputError where none is or one is required."""
        there, left_out = split_available(wanted, self.pair_resources(pair), given)
        if not there:
            raise refusal(left_out[0].missing, self.pair_resources(pair))
        return there

    def model_for(self, pair: LanguagePair, model: str | None, label: str | None, given: frozenset[Need]) -> Model:
        """The predictor called `model`, or the best one for the pair, the label and what is loaded and given."""
        return self._chosen(self.pair_resources(pair), model, label, given)

    def _chosen(self, resources: PairResources, model: str | None, label: str | None, given: frozenset[Need]) -> Model:
        """Where nothing but the engine's own profile says `fast`, a named model answers, and a pair that has no other one."""
        check_predictor(model, resources)
        if self.profile == "fast" and model is None and resources.pair in self.resources.pairs:
            resources = replace(resources, encoder=None, sentence_judge=None, checkpoints=Checkpoints())
        return self.registry.model(resources, model, label, given)

    def fitting_models(self, pair: LanguagePair, label: str | None, given: frozenset[Need]) -> list[Model]:
        """All predictors of a pair, and of a label where one is named, that can answer from what is loaded and given."""
        return self.registry.fitting(self.pair_resources(pair), label, given)

    def quality(
        self, segments: Segments, model: str | None = None, label: str | None = None, options: Options | None = None
    ) -> Assessment:
        """Predict the quality of every segment, and what else is wanted of it."""
        options = options or Options()
        resources = self.pair_resources(segments.pair)
        chosen = self._chosen(resources, model, label, segments.given)
        resources = self._resources_of(chosen, resources)
        looked_at = bounded(segments)
        view = self._view(looked_at, resources)
        values = model_values(chosen, view)
        drift = self.registry.drift.count(chosen, values)
        prediction = with_worst_where_empty(chosen, chosen.predict(values, options.interval), view)
        tagger = self.registry.best_word_tagger(resources, segments.given) if options.words or options.explain else None
        tagged = None if tagger is None else self._words(tagger, view, looked_at)
        warned = segment_warnings(view) if options.warnings or options.explain else ()
        terms = options.terms.of_label(chosen.label)
        return Assessment(
            chosen,
            prediction,
            confidence_of(chosen.label, prediction.mean),
            [word_count(segments.pair.source, text) for text in segments.sources],
            looked_at.whole_source_tokens(view.source.lengths),
            looked_at.whole_translation_tokens(view.target.lengths),
            replace(options, terms=terms),
            chosen.contributions(values) if options.explain else None,
            tagged if options.words else None,
            warned if options.warnings else None,
            None if terms.at_worst is None else bad_probability(chosen, prediction.mean, prediction.std, terms.at_worst),
            segment_reasons(view, tagged.tags if tagged else None, warned) if options.explain else None,
            looked_at.truncated | rows_cut(chosen, view),
            drift,
        )

    def _view(self, looked_at: BoundedSegments, resources: PairResources) -> View:
        return View(self.batch(looked_at.segments), resources)

    def _model_and_values(self, segments: Segments, model: str | None, label: str | None) -> tuple[Model, Float64s]:
        resources = self.pair_resources(segments.pair)
        chosen = self._chosen(resources, model, label, segments.given)
        return chosen, model_values(chosen, self._view(bounded(segments), self._resources_of(chosen, resources)))

    def word_tagger_for(self, pair: LanguagePair, name: str | None, given: frozenset[Need]) -> WordTagger:
        """The word tagger called `name`, or the best one for the pair and what is loaded and given."""
        return self.registry.word_tagger(self.pair_resources(pair), name, given)

    def word_tags(self, segments: Segments, model: str | None = None) -> TaggedWords:
        """Say of every word and every gap of the translations whether it is OK."""
        resources = self.pair_resources(segments.pair)
        tagger = self.registry.word_tagger(resources, model, segments.given)
        looked_at = bounded(segments)
        return self._words(tagger, self._view(looked_at, self._resources_of(tagger, resources)), looked_at)

    def rank(
        self,
        pair: LanguagePair,
        sources: Sequence[str],
        candidates: Sequence[Mapping[str, str]],
        model: str | None = None,
        label: str | None = None,
        options: Options | None = None,
    ) -> tuple[Assessment, Ranking]:
        """Order the candidates (system: text) of each source by predicted quality; these are assessed segment after segment."""
        repeated = [source for source, row in zip(sources, candidates, strict=True) for _ in row]
        texts = [text for row in candidates for text in row.values()]
        answer = self.quality(Segments(pair, repeated, texts), model, label, options)
        names, p, higher = [list(row) for row in candidates], answer.prediction, answer.model.label.higher_is_better
        return answer, rank_systems(names, p.mean, p.std, higher)

    def evaluate(self, segments: Segments, gold: Sequence[float], model: str | None, label: str | None) -> tuple[Model, Evaluation]:
        """Measure a model, and how far its intervals can be trusted, on labelled segments."""
        chosen, values = self._model_and_values(segments, model, label)
        labels, higher = np.array(gold, np.float64), chosen.label.higher_is_better
        return chosen, evaluate_uncertainty(labels, lambda coverage: chosen.predict(values, coverage), higher)

    def model_features(self, segments: Segments, model: str) -> Float64s:
        """The features that a model looks at; shape (n, k)."""
        return self._model_and_values(segments, model, None)[1]

    def select(
        self, segments: Segments, count: int, strategy: str, model: str | None = None, label: str | None = None
    ) -> tuple[Model, Int64s, Float64s]:
        """The segments of a pool without labels that are worth annotating next, best first, and what each is worth."""
        chosen, values = self._model_and_values(segments, model, label)
        return chosen, *select_segments(chosen, values, count, strategy)

    def default_feature_set(self, given: frozenset[Need], rows: int) -> str:
        """The set that predictors are trained on where none is named: the wide one where there are rows enough for it."""
        return usual_feature_set(given, rows)

    def _words(self, tagger: WordTagger, view: View, looked_at: BoundedSegments) -> TaggedWords:
        return tagged_words(tagger, view, looked_at, revise=self.profile != "fast")
