"""The one object that owns loaded resources and predictors, and does the work."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from app.arrays import Float64s, Int64s
from app.engine.segments import Options, QualityAnswer, Segments, WordAnswer
from app.errors import InputError
from app.features import (
    Feature,
    FeatureMatrix,
    FeatureSet,
    Need,
    PairResources,
    Resource,
    View,
    exact_set,
    feature_set,
    features_of_view,
    refusal,
    split_available,
)
from app.features.black_box.grammar import begin_tagging
from app.features.warnings import segment_warnings
from app.metrics import Metric, Significance, TrainedMetric, load_trained_metrics, metrics_named, score_systems
from app.metrics.meta_evaluation.correlation import warm_up_agreements
from app.planning.acceptance import bad_probability
from app.planning.confidence import confidence_of
from app.predictors import Evaluation, Model, evaluate_uncertainty, load_models
from app.predictors.active_learning import select_segments
from app.predictors.word_tags import WordTagger, load_word_taggers
from app.ranking import Ranking, rank_systems
from app.registry.drift import DriftMonitor
from app.registry.models import ModelRegistry
from app.resources.loading import LoadedResources, load_resources
from app.resources.tagging_process import TaggingProcess
from app.text import LanguagePair, SegmentBatch, tokeniser_for
from app.text.side_information import TOKEN_LOG_PROBS, SideInformation
from app.text.word_count import word_count

__all__ = ["Engine"]

# What no feature can be computed of without tags.
TAGGING = frozenset({Resource.SOURCE_TAGGER, Resource.TARGET_TAGGER, Resource.WORD_TAGGER, Resource.NMT_WORD_TAGGER})
WARM_METRICS = (
    "bleu",
    "bleu|tok:intl",
    "chrf++",
    "ter",
    "wer",
    "per",
    "nist",
    "simpbleu:PABC4",
    "order:kendall",
    "order:recpef|stem:en",
)


# About five rows per feature.
ROWS_FOR_MANY_FEATURES = 500
WARM_SETS = ("all-blackbox", "glassbox-smt", "glassbox-nmt", "text-only+words", "document")
WARM_EVIDENCE = SideInformation(
    tokens=(("a", "b", "c", "."),),
    token_entropies=((0.1,),),
    passes=(((-0.1,), (-0.2,)),),
    samples=(("a b", "a c"),),
    n_best=[[{"text": "a b", "score": -1.0}, {"text": "a c", "score": -2.0}]],
    search=({},),
    pseudo_references=(("a b",),),
    back_translations=("a b",),
)


class Engine:
    """Resources and predictors, loaded once and read by any number of threads."""

    def __init__(
        self,
        resources: LoadedResources,
        models: Mapping[str, Model],
        trained: Path | None = None,
        metric_folders: Sequence[Path] = (),
        word_taggers: Mapping[str, WordTagger] | None = None,
        shipped: Path | None = None,
    ) -> None:
        self.resources = resources
        self.registry = ModelRegistry(models, word_taggers or {}, trained, shipped)
        self.drift = DriftMonitor()
        self._metric_folders = metric_folders
        self._trained_metrics = load_trained_metrics(*metric_folders)

    @classmethod
    def load(cls, resources: Path, models: Path, trained: Path | None = None, tagging: TaggingProcess | None = None) -> "Engine":
        """Load everything under the folders, verify checksums and compile every kernel; `tagging` may take work off threads."""
        folders = [folder / "metrics" for folder in (models, trained) if folder is not None]
        engine = cls(load_resources(resources, tagging), load_models(models), trained, folders, load_word_taggers(models), models)
        engine.registry.refresh()
        engine.warm_up()
        return engine

    def warm_up(self) -> None:
        """Run each compiled kernel once, so that no request waits for a compiler."""
        for pair in self.resources.pairs:
            for sent in (
                Segments(pair, ["a b c ."], ["a b c ."], WARM_EVIDENCE.extended(token_log_probs=[[-0.5, -0.1]])),
                Segments(pair, [], []),
            ):
                for name in WARM_SETS if len(sent) else ("quest-baseline-17",):
                    self.features(sent, name)
            if any(each.card.pair == str(pair) for each in self.registry.word_taggers.values()):
                self.word_tags(Segments(pair, ["a b c ."], ["a b c ."], WARM_EVIDENCE.extended(token_log_probs=[[-0.5] * 5])))
        hypotheses, references = {"a": ["a b c d", "b.c-d"], "b": ["a", ""]}, {"r": ["a c b d", "b c"]}
        trained = self._trained_metrics.items()
        wanted = self.metrics((*WARM_METRICS, *(f"trained:{name}" for name, each in trained if not each.needs_tags)))
        score_systems(wanted, hypotheses, references, significance=Significance(samples=10, test="randomisation", trials=10))
        score_systems(wanted, hypotheses, {"r": ["a c b d", "b c"], "s": ["a c", "b"]})
        tagged = self.metrics([f"trained:{name}|factored:yes" for name, each in trained if each.needs_tags])
        score_systems(tagged, {"a": ["a|X b|Y"]}, {"r": ["a|X c|Y"]})
        warm_up_agreements()

    @property
    def models(self) -> Mapping[str, Model]:
        """Every predictor of segments by id."""
        return self.registry.models

    @property
    def trained_metrics(self) -> Mapping[str, TrainedMetric]:
        """Every trained metric by id."""
        return self._trained_metrics

    def metrics(self, names: Sequence[str]) -> dict[str, Metric]:
        """Metrics by name; trained metrics that are not known yet are looked for once more."""
        try:
            return metrics_named(names, self._trained_metrics)
        except InputError:
            self._trained_metrics = load_trained_metrics(*self._metric_folders)
            return metrics_named(names, self._trained_metrics)

    def pair_resources(self, pair: LanguagePair) -> PairResources:
        """What features of `pair` may use; InputError names the pairs that are loaded."""
        if pair not in self.resources.pairs:
            raise InputError(
                "unknown-language-pair",
                f"loaded pairs are {', '.join(map(str, self.resources.pairs)) or 'none'}",
                ("source_language",),
            )
        texts, tokens = self.registry.judges(pair)
        return replace(PairResources.of(self.resources, pair), word_tagger=texts, nmt_word_tagger=tokens)

    def batch(self, sent: Segments) -> SegmentBatch:
        """Tokenise what was sent."""
        return SegmentBatch.build(
            tokeniser_for(sent.pair.source),
            tokeniser_for(sent.pair.target),
            sent.sources,
            sent.translations,
            sent.side_information,
        )

    def features(self, sent: Segments, asked: str | FeatureSet) -> FeatureMatrix:
        """The values of a feature set; features whose needs are neither loaded nor sent are left out and named."""
        wanted = feature_set(asked) if isinstance(asked, str) else asked
        return features_of_view(self._view(sent), wanted)

    def check_feature_set(self, pair: LanguagePair, wanted: FeatureSet, sent: frozenset[Need]) -> tuple[Feature, ...]:
        """The features of a set that can be computed for a pair and what is sent; InputError where none is or one is required."""
        kept, left_out = split_available(wanted, self.pair_resources(pair), sent)
        if not kept:
            raise refusal(left_out[0].missing)
        return kept

    def model_for(self, pair: LanguagePair, model: str | None, label: str | None, sent: frozenset[Need]) -> Model:
        """The predictor called `model`, or the best one for the pair, the label and what is loaded and sent."""
        return self.registry.model(self.pair_resources(pair), model, label, sent)

    def quality(
        self, sent: Segments, model: str | None = None, label: str | None = None, options: Options | None = None
    ) -> QualityAnswer:
        """Predict the quality of every segment, and what else is wanted of it."""
        options = options or Options()
        chosen = self.model_for(sent.pair, model, label, sent.sent)
        view = self._view(sent)
        values = self._values(chosen, view)
        self.drift.count(chosen, values)
        prediction = chosen.predict(values, options.interval)
        tagger = self.registry.best_word_tagger(view.resources, sent.sent) if options.words else None
        return QualityAnswer(
            chosen,
            prediction,
            confidence_of(chosen.label, prediction.mean),
            [word_count(sent.pair.source, text) for text in sent.sources],
            view.source.lengths,
            view.target.lengths,
            options,
            chosen.contributions(values) if options.explain else None,
            None if tagger is None else WordAnswer(tagger, tagger.tag(view), view.batch.cased_translation, sent.translations),
            segment_warnings(view) if options.warnings else None,
            None if options.at_worst is None else bad_probability(chosen, prediction.mean, prediction.std, options.at_worst),
        )

    def _values(self, model: Model, view: View) -> Float64s:
        wanted = exact_set(model.card.id, model.card.features)
        if TAGGING.intersection(wanted.needs):
            begin_tagging(view)
        return features_of_view(view, wanted, strict=True).values

    def _view(self, sent: Segments) -> View:
        return View(self.batch(sent), self.pair_resources(sent.pair))

    def word_tagger_for(self, pair: LanguagePair, name: str | None, sent: frozenset[Need]) -> WordTagger:
        """The word tagger called `name`, or the best one for the pair and what is loaded and sent."""
        return self.registry.word_tagger(self.pair_resources(pair), name, sent)

    def word_tags(self, sent: Segments, model: str | None = None) -> WordAnswer:
        """Say of every word and every gap of the translations whether it is OK."""
        tagger, view = self.word_tagger_for(sent.pair, model, sent.sent), self._view(sent)
        return WordAnswer(tagger, tagger.tag(view), view.batch.cased_translation, sent.translations)

    def rank(
        self,
        pair: LanguagePair,
        sources: Sequence[str],
        candidates: Sequence[Mapping[str, str]],
        model: str | None = None,
        label: str | None = None,
    ) -> tuple[Model, Ranking]:
        """Order the candidates (system: text) of each source by predicted quality."""
        chosen, scores, stds = self.candidate_scores(pair, sources, candidates, model, label)
        return chosen, rank_systems([list(row) for row in candidates], scores, stds, chosen.label.higher_is_better)

    def candidate_scores(
        self,
        pair: LanguagePair,
        sources: Sequence[str],
        candidates: Sequence[Mapping[str, str]],
        model: str | None = None,
        label: str | None = None,
    ) -> tuple[Model, Float64s, Float64s]:
        """Predicted score and standard deviation of every candidate, segment after segment."""
        repeated = [source for source, row in zip(sources, candidates, strict=True) for _ in row]
        texts = [text for row in candidates for text in row.values()]
        answer = self.quality(Segments(pair, repeated, texts), model, label)
        return answer.model, answer.prediction.mean, answer.prediction.std

    def evaluate(self, sent: Segments, gold: Sequence[float], model: str | None, label: str | None) -> tuple[Model, Evaluation]:
        """Measure a model, and how far its intervals can be trusted, on labelled segments."""
        chosen = self.model_for(sent.pair, model, label, sent.sent)
        values = self._values(chosen, self._view(sent))
        labels = np.array(gold, np.float64)
        return chosen, evaluate_uncertainty(
            labels, lambda coverage: chosen.predict(values, coverage), chosen.label.higher_is_better
        )

    def model_features(self, sent: Segments, model: str) -> Float64s:
        """The features that a model looks at; shape (n, k)."""
        return self._values(self.model_for(sent.pair, model, None, sent.sent), self._view(sent))

    def select(
        self, sent: Segments, count: int, strategy: str, model: str | None = None, label: str | None = None
    ) -> tuple[Model, Int64s, Float64s]:
        """The segments of a pool without labels that are worth annotating next, best first, and what each is worth."""
        chosen = self.model_for(sent.pair, model, label, sent.sent)
        return chosen, *select_segments(chosen, self._values(chosen, self._view(sent)), count, strategy)

    def default_feature_set(self, sent: frozenset[Need], rows: int) -> str:
        """The set that predictors are trained on where none is named: the wide one where there are rows enough for it."""
        name = "text-only+words" if rows >= ROWS_FOR_MANY_FEATURES else "quest-baseline-17"
        if TOKEN_LOG_PROBS not in sent:
            return name
        return f"{name.removesuffix('+words')}+nmt-glassbox-10" + ("+words" if name.endswith("+words") else "")
