"""Trained predictors, word taggers and metrics by name, and the choice of one for a request."""

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from pathlib import Path
from typing import Final

from app.errors import InputError
from app.features import Evidence, Need, PairResources, missing, refusal
from app.metrics import TrainedMetric, read_trained_metric
from app.predictors import Label, Model, load_model
from app.predictors.labels import LABELS, label_named
from app.predictors.word_tags import WordTagger, load_word_tagger
from app.registry.answer_cache import AnswerCache
from app.registry.artifacts import LocalArtifacts
from app.registry.collection import Collection, StoreWatch, VisibleCollection
from app.registry.cross_encoders import CrossEncoders
from app.registry.drift import DriftMonitor
from app.registry.entry import RegistryEntry, best_first, can_answer, metric_entry, predictor_entry, scale_of, word_tagger_entry
from app.registry.lineage import ids_of_versions, with_descendants
from app.registry.promotions import PROMOTIONS, Promotion, Promotions
from app.registry.refusals import labels_at_hand
from app.registry.rows import TrainingRows, read_rows, rows_file
from app.registry.standing import TrainingDistribution, TrainingDistributions
from app.text.languages import ANY_PAIR, LanguagePair
from app.text.side_information.kinds import TOKEN_LOG_PROBS, TOKENS

__all__ = ["ModelRegistry"]

Judges = tuple[WordTagger | None, WordTagger | None]
RequestKey = tuple[LanguagePair, tuple[bool, frozenset[str]], str, Evidence, bool]
# Label of predictors for requests without a label.
USUAL_LABEL: Final = "hter"
# The folder of trained metrics among models.
METRICS: Final = "metrics"
OF_DOCUMENTS: Final = "this model is of documents; it answers for quality with level document and for evaluate"
OF_SEGMENTS: Final = "this model is of segments; for documents name a model that was trained with documents"


class ModelRegistry:
    """Shipped models in one folder and models trained here in another; new models, metrics and promotions appear at once.

    The registry holds all state that changes while a process runs: loaded models, promotions and the counts of drift.
    """

    def __init__(self, shipped: Path | None = None, trained: Path | None = None) -> None:
        folders = [path for path in (shipped, trained) if path]
        self._watch, of_metrics = (StoreWatch([LocalArtifacts(path / part) for path in folders]) for part in ("", METRICS))
        self._shipped_folder, self._trained_folder = shipped, trained
        self._predictors = Collection(predictor_entry, load_model, self._watch)
        self._word_taggers = Collection(word_tagger_entry, load_word_tagger, self._watch)
        self.cross_encoders = CrossEncoders(self._watch)
        self._metrics = Collection(metric_entry, read_trained_metric, of_metrics, last_wins=True)
        self.promotions, self.drift, self._distributions = Promotions(trained), DriftMonitor(), TrainingDistributions()
        self._best: AnswerCache[RequestKey, Model] = AnswerCache(lambda: self._predictors.version)
        self._judges: AnswerCache[LanguagePair, Judges] = AnswerCache(lambda: self._word_taggers.version)
        # Features use all taggers, since these are part of a model; a caller sees and names only some.
        self._shown_taggers = self._word_taggers
        self._counts: Callable[[str], bool] = lambda name: True

    @property
    def version(self) -> int:
        """A number that grows when predictors come, go or change."""
        return self._predictors.version

    @property
    def state(self) -> tuple[object, ...]:
        """A value that changes when a predictor, word tagger, network or promotion changes, after one look at each folder."""
        look = self._watch.look()
        parts = self._predictors, self._word_taggers, self.cross_encoders
        return (*(part.version_at(look) for part in parts), self.promotions.stamp)

    def view(self, visible: Callable[[str], bool], counts: Callable[[str], bool] | None = None) -> "ModelRegistry":
        """A view of the registry with the `visible` predictors and word taggers: no other one is listed or answers.

        A visible model without `counts` answers only requests that name it, and cannot be promoted.
        """
        view = copy(self)
        view._predictors = VisibleCollection(self._predictors, visible)
        view._shown_taggers = VisibleCollection(self._word_taggers, visible)
        view._counts = counts or visible
        view._best = AnswerCache(lambda: view._predictors.version)
        view.promotions = self.promotions.of(view._counts)
        return view

    @property
    def models(self) -> Mapping[str, Model]:
        """Every predictor of segments by id."""
        return self._predictors

    @property
    def word_taggers(self) -> Mapping[str, WordTagger]:
        """Every word tagger by id."""
        return self._shown_taggers

    @property
    def metrics(self) -> Mapping[str, TrainedMetric]:
        """Every trained metric by id."""
        return self._metrics

    @property
    def entries(self) -> list[RegistryEntry]:
        """Entries of predictors, word taggers and metrics, read without loading them."""
        collections = (self._predictors.entries, self._shown_taggers.entries, self._metrics.entries)
        return [entry for entries in collections for entry in entries.values()]

    def is_taken(self, name: str) -> bool:
        """Return True for the name of an artifact or folder, visible or not."""
        folders = (folder for folder in (self._shipped_folder, self._trained_folder) if folder is not None)
        names = {METRICS, *(entry.id for entry in self.entries)}
        return name in names or any((folder / name).exists() for folder in folders)

    @property
    def broken(self) -> dict[str, str]:
        """Reasons by name of all broken artifacts."""
        return {**self.broken_models, **self.broken_metrics}

    @property
    def broken_models(self) -> dict[str, str]:
        """Reasons by name of broken predictors, word taggers, networks and records of promotions."""
        self.promotions.entries()
        record = {} if self.promotions.broken is None else {PROMOTIONS: self.promotions.broken}
        parts = self._predictors, self._word_taggers, self.cross_encoders
        return {name: reason for part in parts for name, reason in part.broken.items()} | record

    @property
    def broken_metrics(self) -> dict[str, str]:
        """Reasons by name of broken trained metrics."""
        return dict(self._metrics.broken)

    def leave_out_tagger(self, name: str, error: Exception) -> None:
        """Leave out a loaded word tagger that fails at work, until it changes."""
        self._word_taggers.leave_out(name, error)

    def leave_out_metric(self, name: str, error: Exception) -> None:
        """Leave out a loaded trained metric that fails at work, until it changes."""
        self._metrics.leave_out(name, error)

    @property
    def has_general_model(self) -> bool:
        """True if a predictor answers for every language pair."""
        return any(self._counts(entry.id) for entry in self._entries_of(ANY_PAIR))

    def load(self, pairs: Iterable[LanguagePair] | None = None, networks: bool = True) -> None:
        """Load the artifacts of `pairs`, or all, and with `networks` the cross-encoder; broken ones are left out."""
        scopes = None if pairs is None else {str(pair) for pair in pairs}
        if networks:
            self.cross_encoders.first()
        for part in (self._predictors, self._word_taggers):
            for entry in part.entries.values():
                if scopes is None or entry.scope in scopes:
                    part.get(entry.id)
        self._metrics.values()

    def judges(self, pair: LanguagePair) -> Judges:
        """Word taggers of a pair for features: one that reads the texts, one that also reads the tokens of the MT system."""
        return self._judges.get(pair, lambda: self._find_judges(pair))

    def _find_judges(self, pair: LanguagePair) -> Judges:
        best: dict[bool, WordTagger] = {}
        for tagger in self._taggers_of(pair):
            nmt = TOKENS in tagger.needs
            if nmt not in best or _mcc(tagger) >= _mcc(best[nmt]):
                best[nmt] = tagger
        return best.get(False), best.get(True)

    def model(
        self, resources: PairResources, name: str | None, label: str | None, evidence: Evidence, documents: bool = False
    ) -> Model:
        """The predictor called `name`, or the best one for pair, label, resources and `evidence`, of `documents` if asked."""
        labels = {entry.label or "" for entry in self._predictors.entries.values()}
        if label and label not in labels | LABELS.keys():
            raise InputError("unknown-model", f"labels of models are {', '.join(sorted(labels)) or 'none'}", ("label",))
        if name is None:
            promoted_model = None if documents else self._promoted(resources, label or USUAL_LABEL, evidence)
            return promoted_model or self._best_model(resources, label, evidence, documents)
        model = self.models.get(name)
        if model is None:
            raise self._unknown(name, resources.pair)
        if model.card.pair not in (str(resources.pair), ANY_PAIR):
            raise InputError("model-for-another-pair", f"this model is for {model.card.pair}, not {resources.pair}", ("model",))
        if bool(model.card.documents) != documents:
            raise InputError("unknown-model", OF_DOCUMENTS if model.card.documents else OF_SEGMENTS, ("model",))
        if label is not None and model.card.label != label:
            raise InputError("unknown-model", f"this model predicts {model.card.label}, not {label}", ("label",))
        lacking = self.missing(model, resources, evidence)
        if lacking is TOKEN_LOG_PROBS:
            place = ("segments", 0, "token_log_probs")
            raise InputError("log-prob-mismatch", "this model needs token_log_probs with every segment", place)
        if lacking is not None:
            raise refusal(lacking, resources.checkpoints)
        return model

    def label(self, pair: str, name: str, model: str | None = None) -> Label:
        """The label of judgements: that of the judged model, else that of the pair's models, else the usual one.

        InputError for an unknown label, or if models of the pair have it on several scales.
        """
        entries = [entry for entry in self._predictors.entries.values() if entry.scope == pair and entry.label == name]
        model_entries = [entry for entry in entries if entry.id == model]
        scales = {scale_of(entry) for entry in model_entries or entries}
        if len(scales) > 1:
            detail = f"models of {pair} have {name} on several scales; name the model of the judgement"
            raise InputError("invalid-request", detail, ("model",))
        return label_named(name, next(iter(scales), None))

    def _unknown(self, name: str, pair: LanguagePair) -> InputError:
        reason = self._predictors.broken.get(name)
        if reason is not None:
            return InputError("unknown-model", f"this model is broken: {reason}", ("model",))
        general_entries = self._entries_of(ANY_PAIR)
        names = ", ".join(entry.id for entry in (*self._entries_of(str(pair)), *general_entries)) or "none"
        return InputError("unknown-model", f"models for {pair} are {names}", ("model",))

    def missing(self, model: Model, resources: PairResources, evidence: Evidence) -> Need | None:
        """The first need of the model's features that is neither loaded nor given; None if none is missing."""
        return missing(model.needs, resources, evidence)

    def fitting(self, resources: PairResources, label: str | None, evidence: Evidence, documents: bool = False) -> list[Model]:
        """Predictors of a pair, and of a label unless it is None, whose needs are loaded or given; of `documents` or segments.

        Labels without such a predictor get the predictors of any pair.
        """
        of_pair, general_entries = self._entries_of(str(resources.pair), documents), self._entries_of(ANY_PAIR, documents)
        entries = self._computable(of_pair, label, resources, evidence)
        labels, general = {entry.label for entry in entries}, self._computable(general_entries, label, resources, evidence)
        entries += [entry for entry in general if entry.label not in labels]
        return [model for entry in entries if (model := self.models.get(entry.id)) is not None]

    def _entries_of(self, scope: str, documents: bool = False) -> list[RegistryEntry]:
        entries = (entry for entry in self._predictors.entries.values() if entry.scope == scope)
        return [entry for entry in entries if bool(entry.details.get("documents")) == documents]

    def _computable(
        self, entries: Iterable[RegistryEntry], label: str | None, resources: PairResources, evidence: Evidence
    ) -> list[RegistryEntry]:
        return [entry for entry in entries if label in (None, entry.label) and can_answer(entry, resources, evidence)]

    def _promoted(self, resources: PairResources, label: str, evidence: Evidence) -> Model | None:
        """The promoted model, if its needs are loaded or given."""
        name = self.promotions.current(str(resources.pair), label)
        entry = None if name is None else self._predictors.entries.get(name)
        return self.models.get(entry.id) if entry is not None and can_answer(entry, resources, evidence) else None

    def _best_model(self, resources: PairResources, label: str | None, evidence: Evidence, documents: bool) -> Model:
        name, networks = label or USUAL_LABEL, (resources.cross_encoder is not None, frozenset(resources.checkpoints.usable))
        key = (resources.pair, networks, name, evidence, documents)
        return self._best.get(key, lambda: self._find_best(resources, name, evidence, documents))

    def _find_best(self, resources: PairResources, label: str, evidence: Evidence, documents: bool) -> Model:
        of_pair, general_entries = self._entries_of(str(resources.pair), documents), self._entries_of(ANY_PAIR, documents)
        pair_entries = self._usable(of_pair, label, resources, evidence)
        for entry in best_first(pair_entries, self._usable(general_entries, label, resources, evidence)):
            model = self.models.get(entry.id)
            if model is not None:
                return model
        labelled_entries = [*of_pair, *self._usable(general_entries, None, resources, evidence)]
        if not labelled_entries:
            way = f"assay train makes one of labelled segments, or assay pair add {resources.pair} with --labels FILE --replace"
            way = "assay train with --documents makes one" if documents else way
            kind = "model of documents" if documents else "model"
            raise InputError("unknown-model", f"no {kind} for {resources.pair} yet: {way}", ("label",))
        kind, labels = "models of documents" if documents else "a model", labels_at_hand(labelled_entries, resources, evidence)
        raise InputError("unknown-model", f"labels with {kind} for {resources.pair} are {labels}", ("label",))

    def _usable(
        self, entries: Iterable[RegistryEntry], label: str | None, resources: PairResources, evidence: Evidence
    ) -> list[RegistryEntry]:
        # The next version of a model answers only after its promotion.
        first = [entry for entry in entries if entry.parent is None and self._counts(entry.id)]
        return self._computable(first, label, resources, evidence)

    def word_tagger(self, resources: PairResources, name: str | None, evidence: Evidence) -> WordTagger:
        """The word tagger called `name`, or the best one for pair, loaded resources and `evidence`."""
        of_pair = [tagger for tagger in self._taggers_of(resources.pair) if tagger.card.id in self._shown_taggers]
        matches = [tagger for tagger in of_pair if name is None or tagger.card.id == name]
        if not matches:
            tagged_pairs = ", ".join(sorted({str(entry.scope) for entry in self._shown_taggers.entries.values()}))
            names = ", ".join(tagger.card.id for tagger in of_pair) or f"none; pairs with one are {tagged_pairs or 'none'}"
            raise InputError("unknown-model", f"word taggers for {resources.pair} are {names}", ("model",))
        lacking = [missing(tagger.needs, resources, evidence) for tagger in matches]
        fitting = [tagger for tagger, need in zip(matches, lacking, strict=True) if need is None]
        if not fitting:
            raise refusal(next(need for need in lacking if need is not None))
        return max(fitting, key=lambda tagger: (_mcc(tagger), tagger.card.id))

    def tagger_checksum(self, name: str) -> str | None:
        """SHA-256 of a word tagger's arrays, also of an invisible one; None for an unknown name."""
        return entry.checksum if (entry := self._word_taggers.entries.get(name)) is not None else None

    def best_word_tagger(self, resources: PairResources, evidence: Evidence) -> WordTagger | None:
        """The best word tagger for pair, loaded resources and `evidence`; None without one."""
        try:
            return self.word_tagger(resources, None, evidence)
        except InputError:
            return None

    @property
    def shipped_taggers(self) -> list[RegistryEntry]:
        """Entries of the shipped word taggers."""
        return [entry for entry in self._word_taggers.entries.values() if entry.numbers.parent.parent == self._shipped_folder]

    def _taggers_of(self, pair: LanguagePair) -> list[WordTagger]:
        # A later tagger would change the features of existing predictors.
        shipped_entries = [entry for entry in self.shipped_taggers if entry.scope == str(pair)]
        names = [entry.id for entry in shipped_entries or self._word_taggers.entries.values() if entry.scope == str(pair)]
        return [tagger for name in names if (tagger := self._word_taggers.get(name)) is not None]

    def versions(self, name: str) -> list[Model]:
        """All versions of a model, ancestors and descendants, from the oldest on."""
        names = ids_of_versions(self._predictors.entries, name)
        models = [model for member in names if (model := self.models.get(member)) is not None]
        return sorted(models, key=lambda model: (model.card.version, model.card.id))

    def with_descendants(self, names: Iterable[str]) -> list[str]:
        """Ids of models, existing or not, with all versions trained from them, sorted."""
        return with_descendants(self._predictors.entries.values(), names)

    def current(self, pair: str, label: str) -> str | None:
        """The promoted model of a pair and label; None without one."""
        return self.promotions.current(pair, label)

    def promote(self, model: Model, reason: str) -> Promotion:
        """Let a model of segments answer requests of its pair and label that name no model, if its needs are loaded or given."""
        if model.card.documents:
            raise InputError("unknown-model", "a model of documents cannot be promoted; name it in requests", ("model",))
        return self.promotions.promote(model.card.pair, model.card.label, model.card.id, reason)

    def roll_back(self, model: Model, reason: str) -> Promotion:
        """Undo the promotion of a model; InputError unless it is the promoted model."""
        pair, label = model.card.pair, model.card.label
        if self.current(pair, label) != model.card.id:
            raise InputError("not-promoted", "only the model that was promoted last can be rolled back", ("model",))
        return self.promotions.roll_back(pair, label, reason)

    def rows(self, model: Model) -> TrainingRows:
        """The training rows of a model; InputError if they were not stored."""
        if (path := rows_file(model.card, self._trained_folder, self._shipped_folder)) is None:
            raise InputError("invalid-job", "the rows of this model were not kept; ask for the method adapt", ("base",))
        return read_rows(path)

    def distribution(self, model: Model) -> TrainingDistribution:
        """Training distribution of a model's features, from its rows or else its deciles."""
        return self._distributions.of(model, rows_file(model.card, self._trained_folder, self._shipped_folder))


def _mcc(tagger: WordTagger) -> float:
    return float(tagger.card.accuracy["words"]["mcc"])
