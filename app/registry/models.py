"""All predictors that are loaded, and which of them answers a request."""

import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from app.errors import InputError
from app.features import CATALOGUE, SENT, Need, PairResources, exact_set, is_loaded, required
from app.predictors import Model, load_model
from app.predictors.labels import label_named
from app.predictors.word_tags import WordTagger
from app.registry.promotions import Promotions
from app.registry.rows import ROWS_FILE, KeptRows, read_rows
from app.text.languages import LanguagePair

__all__ = ["ModelRegistry"]


class ModelRegistry:
    """Predictors of segments and of words by id; those that jobs train into the folder `trained` are found when asked for."""

    def __init__(
        self, models: Mapping[str, Model], word_taggers: Mapping[str, WordTagger], trained: Path | None, shipped: Path | None = None
    ) -> None:
        self.models: Mapping[str, Model] = dict(models)
        self.word_taggers: Mapping[str, WordTagger] = dict(word_taggers)
        self._trained = trained
        self._shipped = shipped
        self.promotions = Promotions(trained)
        self._judges: dict[LanguagePair, tuple[WordTagger | None, WordTagger | None]] = {}
        self._lock = threading.Lock()
        self._best: dict[tuple[LanguagePair, str | None, frozenset[Need]], Model] = {}

    def judges(self, pair: LanguagePair) -> tuple[WordTagger | None, WordTagger | None]:
        """The word taggers of a pair that features may ask: one that sees the texts, one that sees the MT system's tokens too."""
        if pair not in self._judges:
            found: dict[bool, WordTagger] = {}
            for each in self.word_taggers.values():
                nmt = Need.TOKENS in each.needs
                if each.card.pair == str(pair) and _mcc(each) >= (_mcc(found[nmt]) if nmt in found else -1.0):
                    found[nmt] = each
            self._judges[pair] = found.get(False), found.get(True)
        return self._judges[pair]

    def refresh(self) -> None:
        """Load predictors that jobs have trained since the last look."""
        if self._trained is None or not self._trained.is_dir():
            return
        with self._lock:
            for path in sorted(self._trained.iterdir()):
                if path.name not in self.models and (path / "card.json").is_file():
                    self.models = {**self.models, path.name: load_model(path)}
                    self._best = {}

    def model(self, known: PairResources, name: str | None, label: str | None, sent: frozenset[Need]) -> Model:
        """The predictor called `name`, or the best one for the pair, the label and what is loaded and sent."""
        if label is not None:
            label_named(label)
        if name is None:
            return self._promoted(known, label or "hter", sent) or self._best_model(known, label, sent)
        if name not in self.models:
            self.refresh()
        if name not in self.models:
            fitting = [each for each, model in self.models.items() if model.card.pair == str(known.pair)]
            raise InputError("unknown-model", f"models for {known.pair} are {', '.join(fitting) or 'none'}", ("model",))
        found = self.models[name]
        if found.card.pair != str(known.pair):
            raise InputError("model-for-another-pair", f"this model is for {found.card.pair}, not {known.pair}", ("model",))
        if label is not None and found.card.label != label:
            raise InputError("unknown-model", f"this model predicts {found.card.label}, not {label}", ("label",))
        missing = self.missing(found, known, sent)
        if missing is Need.TOKEN_LOG_PROBS:
            raise InputError(
                "log-prob-mismatch", "this model needs token_log_probs with every segment", ("segments", 0, "token_log_probs")
            )
        if missing is not None:
            required(None, missing)
        return found

    def missing(self, model: Model, known: PairResources, sent: frozenset[Need]) -> Need | None:
        """The first thing that the model's features need and that is neither loaded nor sent."""
        return _first_missing(exact_set(model.card.id, model.card.features).needs, known, sent)

    def _promoted(self, known: PairResources, label: str, sent: frozenset[Need]) -> Model | None:
        """The model that was promoted, where what it needs is there."""
        name = self.promotions.current(str(known.pair), label)
        if name is None:
            return None
        if name not in self.models:
            self.refresh()
        found = self.models.get(name)
        return found if found is not None and _computable([found]) and self.missing(found, known, sent) is None else None

    def versions(self, name: str) -> list[Model]:
        """All versions of one line: the model, those it came from, and those that came from these; the oldest first."""
        line = {name}
        while True:
            more = {each.card.id for each in self.models.values() if each.card.parent in line}
            parents = [self.models[each].card.parent for each in line & self.models.keys()]
            more |= {parent for parent in parents if parent is not None and parent in self.models}
            if more <= line:
                return sorted((self.models[each] for each in line), key=lambda each: (each.card.version, each.card.id))
            line |= more

    def rows(self, model: Model) -> KeptRows:
        """The rows that a model was trained on; InputError where they were not kept."""
        own = (self._trained or Path()) / model.card.id / ROWS_FILE
        shared = (self._shipped or Path()) / f"{model.card.pair}-rows" / ROWS_FILE
        if self._trained is not None and own.is_file():
            return read_rows(own)
        if self._shipped is not None and model.card.parent is None and shared.is_file():
            return read_rows(shared)
        raise InputError("invalid-job", "the rows of this model were not kept; ask for the method adapt", ("base",))

    def _best_model(self, known: PairResources, label: str | None, sent: frozenset[Need]) -> Model:
        best, asked = self._best, (known.pair, label, sent)
        if asked not in best:
            best[asked] = self._find_best_model(known, label or "hter", sent)
        return best[asked]

    def _find_best_model(self, known: PairResources, label: str, sent: frozenset[Need]) -> Model:
        # Shipped and hand-made cards alike: the higher measured correlation wins, then the name.
        of_pair = [each for each in self.models.values() if each.card.pair == str(known.pair)]
        # The next version of a model answers when it is promoted, not before.
        first = [each for each in of_pair if each.card.parent is None]
        fitting = [each for each in _computable(first) if each.card.label == label and self.missing(each, known, sent) is None]
        if not fitting:
            labels = sorted({each.card.label for each in of_pair})
            raise InputError("unknown-model", f"labels with a model for {known.pair} are {', '.join(labels) or 'none'}", ("label",))
        return max(fitting, key=lambda each: (float(each.card.accuracy["pearson"]), each.card.id))

    def word_tagger(self, known: PairResources, name: str | None, sent: frozenset[Need]) -> WordTagger:
        """The word tagger called `name`, or the best one for the pair and what is loaded and sent."""
        of_pair = [each for each in self.word_taggers.values() if each.card.pair == str(known.pair)]
        asked = [each for each in of_pair if name is None or each.card.id == name]
        if not asked:
            names = ", ".join(each.card.id for each in of_pair) or "none"
            raise InputError("unknown-model", f"word taggers for {known.pair} are {names}", ("model",))
        missing = {each.card.id: _first_missing(each.needs, known, sent) for each in asked}
        fitting = [each for each in asked if missing[each.card.id] is None]
        if not fitting:
            required(None, next(need for need in missing.values() if need is not None))
        return max(fitting, key=lambda each: (_mcc(each), each.card.id))

    def best_word_tagger(self, known: PairResources, sent: frozenset[Need]) -> WordTagger | None:
        """The best word tagger for the pair and what is loaded and sent, None where there is none."""
        try:
            return self.word_tagger(known, None, sent)
        except InputError:
            return None


def _mcc(tagger: WordTagger) -> float:
    return float(tagger.card.accuracy["words"]["mcc"])


def _computable(models: Iterable[Model]) -> list[Model]:
    """Models all of whose features are known here; those of a package that is gone are not."""
    return [each for each in models if all(name in CATALOGUE for name in each.card.features)]


def _first_missing(needs: Sequence[Need], known: PairResources, sent: frozenset[Need]) -> Need | None:
    return next((need for need in needs if not (need in sent if need in SENT else is_loaded(need, known))), None)
