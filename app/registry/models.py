"""Everything trained that answers: predictors, word taggers and metrics by name, and which of them answers a request."""

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from pathlib import Path
from typing import Final

from app.errors import InputError
from app.features import Need, PairResources, feature_called, missing, needs_of, refusal
from app.metrics import TrainedMetric, read_trained_metric
from app.predictors import Label, Model, Scale, load_model
from app.predictors.labels import label_named
from app.predictors.word_tags import WordTagger, load_word_tagger
from app.registry.artifacts import LocalArtifacts
from app.registry.collection import Collection, Some
from app.registry.drift import DriftMonitor
from app.registry.entry import Entry, metric_entry, predictor_entry, word_tagger_entry
from app.registry.promotions import PROMOTIONS, Promotion, Promotions
from app.registry.remembered import Remembered
from app.registry.rows import ROWS_FILE, KeptRows, read_rows
from app.registry.sentence_judges import SentenceJudges
from app.text.languages import ANY_PAIR, LanguagePair
from app.text.side_information.kinds import TOKEN_LOG_PROBS, TOKENS

__all__ = ["ModelRegistry"]

Judges = tuple[WordTagger | None, WordTagger | None]
# The label of predictors where none is asked for.
USUAL_LABEL: Final = "hter"
# The folder of trained metrics among models.
METRICS: Final = "metrics"


class ModelRegistry:
    """What ships in one folder and what was trained here in another; new models, metrics and promotions are seen as they come.

    What changes while a process runs is all here: what is loaded, who was promoted, and the counts of drift.
    """

    def __init__(self, shipped: Path | None = None, trained: Path | None = None) -> None:
        folders = [folder for folder in (shipped, trained) if folder is not None]
        stores = [LocalArtifacts(folder) for folder in folders]
        self._shipped, self._trained = shipped, trained
        self._predictors = Collection(predictor_entry, load_model, stores)
        self._word_taggers = Collection(word_tagger_entry, load_word_tagger, stores)
        self.sentence_judges = SentenceJudges(stores)
        metric_stores = [LocalArtifacts(folder / METRICS) for folder in folders]
        self._metrics = Collection(metric_entry, read_trained_metric, metric_stores, last_wins=True)
        self.promotions, self.drift = Promotions(trained), DriftMonitor()
        self._best: Remembered[tuple[LanguagePair, tuple[bool, frozenset[str]], str, frozenset[Need]], Model] = Remembered(
            self._predictors
        )
        self._judges: Remembered[LanguagePair, Judges] = Remembered(self._word_taggers)
        # What features ask of taggers is part of a model; which are named and answer is the caller's.
        self._shown_taggers = self._word_taggers
        self._counts: Callable[[str], bool] = lambda name: True

    @property
    def version(self) -> int:
        """A number that grows when predictors come, go or change."""
        return self._predictors.version

    def seen_by(self, visible: Callable[[str], bool], counts: Callable[[str], bool] | None = None) -> "ModelRegistry":
        """The same registry for whoever may only see some predictors and word taggers: no other is named or answers there.

        Where some of these are only for who names them, `counts` says which may answer and be promoted otherwise.
        """
        view = copy(self)
        view._predictors = Some(self._predictors, visible)
        view._shown_taggers = Some(self._word_taggers, visible)
        view._counts = counts or visible
        view._best = Remembered(view._predictors)
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
    def entries(self) -> list[Entry]:
        """What is known of everything, without loading it: predictors, word taggers, metrics."""
        return [entry for part in self._collections for entry in part.entries.values()]

    def is_taken(self, name: str) -> bool:
        """Whether something is called so here, or has its folder there, whoever may see it."""
        folders = (folder for folder in (self._shipped, self._trained) if folder is not None)
        return (
            name == METRICS
            or any(entry.id == name for entry in self.entries)
            or any((folder / name).exists() for folder in folders)
        )

    @property
    def broken(self) -> dict[str, str]:
        """What lies in the folders and cannot be used, and why."""
        return {**self.broken_models, **self.broken_metrics}

    @property
    def broken_models(self) -> dict[str, str]:
        """The same of predictors, word taggers and the record of promotions."""
        self.promotions.entries()
        record = {} if self.promotions.broken is None else {PROMOTIONS: self.promotions.broken}
        return {**self._predictors.broken, **self._word_taggers.broken, **self.sentence_judges.broken, **record}

    @property
    def broken_metrics(self) -> dict[str, str]:
        """The same of trained metrics."""
        return dict(self._metrics.broken)

    def leave_out_tagger(self, name: str, error: Exception) -> None:
        """Leave out a word tagger that was loaded and fails at work, until it changes."""
        self._word_taggers.leave_out(name, error)

    def leave_out_metric(self, name: str, error: Exception) -> None:
        """The same of a trained metric."""
        self._metrics.leave_out(name, error)

    @property
    def has_any(self) -> bool:
        """Whether a predictor answers for any pair."""
        return any(self._counts(entry.id) for entry in self._entries_of(ANY_PAIR))

    @property
    def _collections(self) -> "tuple[Collection[Model], Collection[WordTagger], Collection[TrainedMetric]]":
        return self._predictors, self._shown_taggers, self._metrics

    def load(self, pairs: Iterable[LanguagePair] | None = None) -> None:
        """Load now what answers for these pairs, or everything; what is broken is left out."""
        scopes = None if pairs is None else {str(pair) for pair in pairs}
        self.sentence_judges.load()
        for part in (self._predictors, self._word_taggers):
            for entry in part.entries.values():
                if scopes is None or entry.scope in scopes:
                    part.get(entry.id)
        self._metrics.values()

    def judges(self, pair: LanguagePair) -> Judges:
        """The word taggers of a pair that features may ask: one that sees the texts, one that sees the MT system's tokens too."""
        return self._judges.get(pair, lambda: self._find_judges(pair))

    def _find_judges(self, pair: LanguagePair) -> Judges:
        best: dict[bool, WordTagger] = {}
        for tagger in self._taggers_of(pair):
            nmt = TOKENS in tagger.needs
            if nmt not in best or _mcc(tagger) >= _mcc(best[nmt]):
                best[nmt] = tagger
        return best.get(False), best.get(True)

    def model(self, resources: PairResources, name: str | None, label: str | None, given: frozenset[Need]) -> Model:
        """The predictor called `name`, or the best one for the pair, the label and what is loaded and given."""
        if label is not None and all(entry.label != label for entry in self._predictors.entries.values()):
            label_named(label)
        if name is None:
            return self._promoted(resources, label or USUAL_LABEL, given) or self._best_model(resources, label, given)
        model = self.models.get(name)
        if model is None:
            raise self._unknown(name, resources.pair)
        if model.card.pair not in (str(resources.pair), ANY_PAIR):
            raise InputError("model-for-another-pair", f"this model is for {model.card.pair}, not {resources.pair}", ("model",))
        if label is not None and model.card.label != label:
            raise InputError("unknown-model", f"this model predicts {model.card.label}, not {label}", ("label",))
        lacking = self.missing(model, resources, given)
        if lacking is TOKEN_LOG_PROBS:
            raise InputError(
                "log-prob-mismatch", "this model needs token_log_probs with every segment", ("segments", 0, "token_log_probs")
            )
        if lacking is not None:
            raise refusal(lacking, resources.checkpoints)
        return model

    def label(self, pair: str, name: str, model: str | None = None) -> Label:
        """What judgements of a label mean: as the model does that was judged, or else the models of the pair, or as usual.

        InputError where nobody says it, or where models of the pair do not agree.
        """
        entries = [entry for entry in self._predictors.entries.values() if entry.scope == pair and entry.label == name]
        judged = [entry for entry in entries if entry.id == model]
        scales = {_scale_of(entry) for entry in judged or entries}
        if len(scales) > 1:
            detail = f"models of {pair} have {name} on several scales; name the one that is judged"
            raise InputError("invalid-request", detail, ("model",))
        return label_named(name, next(iter(scales), None))

    def _unknown(self, name: str, pair: LanguagePair) -> InputError:
        reason = self._predictors.broken.get(name)
        if reason is not None:
            return InputError("unknown-model", f"this model is broken: {reason}", ("model",))
        of_any = self._entries_of(ANY_PAIR)
        names = ", ".join(entry.id for entry in (*self._entries_of(str(pair)), *of_any)) or "none"
        return InputError("unknown-model", f"models for {pair} are {names}", ("model",))

    def missing(self, model: Model, resources: PairResources, given: frozenset[Need]) -> Need | None:
        """The first thing that the model's features need and that is neither loaded nor given."""
        return missing(model.needs, resources, given)

    def fitting(self, resources: PairResources, label: str | None, given: frozenset[Need]) -> list[Model]:
        """The predictors of a pair, and of a label where one is named, that can answer from what is loaded and given.

        Those of any pair are among them where the pair has none of its own.
        """
        entries = self._computable(self._entries_of(str(resources.pair)), label, resources, given)
        entries = entries or self._computable(self._entries_of(ANY_PAIR), label, resources, given)
        return [model for entry in entries if (model := self.models.get(entry.id)) is not None]

    def _entries_of(self, scope: str) -> list[Entry]:
        return [entry for entry in self._predictors.entries.values() if entry.scope == scope]

    def _computable(
        self, entries: Iterable[Entry], label: str | None, resources: PairResources, given: frozenset[Need]
    ) -> list[Entry]:
        return [entry for entry in entries if label in (None, entry.label) and _can_answer(entry, resources, given)]

    def _promoted(self, resources: PairResources, label: str, given: frozenset[Need]) -> Model | None:
        """The model that was promoted, where what it needs is there."""
        name = self.promotions.current(str(resources.pair), label)
        entry = None if name is None else self._predictors.entries.get(name)
        return self.models.get(entry.id) if entry is not None and _can_answer(entry, resources, given) else None

    def _best_model(self, resources: PairResources, label: str | None, given: frozenset[Need]) -> Model:
        wanted = label or USUAL_LABEL
        loaded = (resources.encoder is not None, frozenset(resources.checkpoints.usable))
        return self._best.get((resources.pair, loaded, wanted, given), lambda: self._find_best(resources, wanted, given))

    def _find_best(self, resources: PairResources, label: str, given: frozenset[Need]) -> Model:
        of_pair, of_any = self._entries_of(str(resources.pair)), self._entries_of(ANY_PAIR)
        fitting = self._usable(of_pair, label, resources, given) or self._usable(of_any, label, resources, given)
        # Shipped and hand-made cards alike: the higher measured correlation wins, then the name.
        for entry in sorted(fitting, key=lambda entry: (float(entry.accuracy["pearson"]), entry.id), reverse=True):
            model = self.models.get(entry.id)
            if model is not None:
                return model
        labels = ", ".join(sorted({str(entry.label) for entry in of_pair or self._usable(of_any, None, resources, given)}))
        if not labels:
            ways = f"assay train makes one of labelled segments, or assay pair add {resources.pair} with --labels FILE --replace"
            raise InputError("unknown-model", f"no model for {resources.pair} yet: {ways}", ("label",))
        raise InputError("unknown-model", f"labels with a model for {resources.pair} are {labels}", ("label",))

    def _usable(self, entries: Iterable[Entry], label: str | None, resources: PairResources, given: frozenset[Need]) -> list[Entry]:
        # The next version of a model answers when it is promoted, not before.
        first = [entry for entry in entries if entry.parent is None and self._counts(entry.id)]
        return self._computable(first, label, resources, given)

    def word_tagger(self, resources: PairResources, name: str | None, given: frozenset[Need]) -> WordTagger:
        """The word tagger called `name`, or the best one for the pair and what is loaded and given."""
        of_pair = [tagger for tagger in self._taggers_of(resources.pair) if tagger.card.id in self._shown_taggers]
        named = [tagger for tagger in of_pair if name is None or tagger.card.id == name]
        if not named:
            names = ", ".join(tagger.card.id for tagger in of_pair) or "none"
            raise InputError("unknown-model", f"word taggers for {resources.pair} are {names}", ("model",))
        lacking = [missing(tagger.needs, resources, given) for tagger in named]
        fitting = [tagger for tagger, need in zip(named, lacking, strict=True) if need is None]
        if not fitting:
            raise refusal(next(need for need in lacking if need is not None))
        return max(fitting, key=lambda tagger: (_mcc(tagger), tagger.card.id))

    def tagger_checksum(self, name: str) -> str | None:
        """SHA-256 of what a word tagger learned, whoever may see it; None where there is none of that name."""
        return entry.checksum if (entry := self._word_taggers.entries.get(name)) is not None else None

    def best_word_tagger(self, resources: PairResources, given: frozenset[Need]) -> WordTagger | None:
        """The best word tagger for the pair and what is loaded and given, None where there is none."""
        try:
            return self.word_tagger(resources, None, given)
        except InputError:
            return None

    @property
    def shipped_taggers(self) -> list[Entry]:
        """Word taggers that ship."""
        return [entry for entry in self._word_taggers.entries.values() if entry.numbers.parent.parent == self._shipped]

    def _taggers_of(self, pair: LanguagePair) -> list[WordTagger]:
        # One that came later would change the features of predictors that are there.
        shipped = [entry for entry in self.shipped_taggers if entry.scope == str(pair)]
        names = [entry.id for entry in shipped or self._word_taggers.entries.values() if entry.scope == str(pair)]
        return [tagger for name in names if (tagger := self._word_taggers.get(name)) is not None]

    def versions(self, name: str) -> list[Model]:
        """All versions of one line: the model, those it came from, and those that came from these; the oldest first."""
        entries = self._predictors.entries
        line = {name}
        while True:
            children = {entry.id for entry in entries.values() if entry.parent in line}
            parents = {entries[member].parent for member in line if member in entries}
            more = children | {parent for parent in parents if parent is not None and parent in entries}
            if more <= line:
                models = [model for member in line if (model := self.models.get(member)) is not None]
                return sorted(models, key=lambda model: (model.card.version, model.card.id))
            line |= more

    def with_descendants(self, names: Iterable[str]) -> list[str]:
        """These models, there or not, and the versions that came from them, sorted."""
        entries, line = self._predictors.entries.values(), set(names)
        while more := {entry.id for entry in entries if entry.parent in line} - line:
            line |= more
        return sorted(line)

    def current(self, pair: str, label: str) -> str | None:
        """The model that was promoted for a pair and label, if one was."""
        return self.promotions.current(pair, label)

    def promote(self, model: Model, reason: str) -> Promotion:
        """Let a model answer for its pair and label from now on, wherever no other is named and what it needs is there."""
        return self.promotions.promote(model.card.pair, model.card.label, model.card.id, reason)

    def roll_back(self, model: Model, reason: str) -> Promotion:
        """Return to what answered before a model was promoted; InputError where it does not answer by promotion."""
        pair, label = model.card.pair, model.card.label
        if self.current(pair, label) != model.card.id:
            raise InputError("not-promoted", "only the model that was promoted last can be rolled back", ("model",))
        return self.promotions.roll_back(pair, label, reason)

    def rows(self, model: Model) -> KeptRows:
        """The rows that a model was trained on; InputError where they were not kept."""
        own = self._trained / model.card.id / ROWS_FILE if self._trained is not None else None
        shared = self._shipped / f"{model.card.pair}-rows" / ROWS_FILE if self._shipped is not None else None
        if own is not None and own.is_file():
            return read_rows(own)
        if shared is not None and model.card.parent is None and shared.is_file():
            return read_rows(shared)
        raise InputError("invalid-job", "the rows of this model were not kept; ask for the method adapt", ("base",))


def _scale_of(entry: Entry) -> Scale | None:
    kept = entry.details.get("scale")
    return None if kept is None else Scale(**{**kept, "classes": tuple(kept["classes"])})


def _mcc(tagger: WordTagger) -> float:
    return float(tagger.card.accuracy["words"]["mcc"])


def _can_answer(entry: Entry, resources: PairResources, given: frozenset[Need]) -> bool:
    """Whether its features are known here (those of a package that is gone are not) and can be computed."""
    names = entry.details["features"]
    return all(feature_called(name) is not None for name in names) and missing(needs_of(names), resources, given) is None
