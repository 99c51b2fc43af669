"""`assay pair add`, step after step. What is done lies in a hidden folder of the data folder until all is put in its place."""

import fcntl
import hashlib
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from app import __version__
from app.corpus.building import Origin, build_language, build_pair
from app.corpus.own_pair.cleaning import CleanText, clean_text
from app.corpus.own_pair.expecting import FEWEST_LABELS, Expectation
from app.corpus.own_pair.labels import LabelledText, labelled_text
from app.corpus.own_pair.learning import Recipe, batch_of, features_of, learn_predictor, learn_word_tagger, recipe_for
from app.engine import Engine
from app.errors import InputError
from app.journal import FileJournal
from app.predictors import save_model
from app.predictors.training import TrainingSet
from app.predictors.word_tags.model import save_word_tagger
from app.registry.artifacts import LocalArtifacts
from app.resources.lexical_table import LexicalTable
from app.resources.manifest import MANIFEST, Manifest, read_manifest
from app.settings import Settings
from app.shell.output import progress_bar, say
from app.shell.own_pair.folders import check_pair_is_new, engine_of, free_languages, publish
from app.shell.own_pair.reading import checksums, label_columns, parallel_rows
from app.text.languages import LanguagePair

__all__ = ["Wish", "add_pair"]

TAGGER: Final = "tagger"
# Post-edits of which fewer cannot tell right words from wrong ones.
FEWEST_POST_EDITS: Final = 100


@dataclass(frozen=True)
class Wish:
    """What somebody has of a pair and wants made of it."""

    pair: LanguagePair
    texts: tuple[str, ...]
    labels: str | None = None
    label: str | None = None
    column: str | None = None
    licence: str = "private"
    replace: bool = False

    @property
    def command(self) -> str:
        """As a manifest names it, which says nothing of the machine."""
        return f"assay pair add {self.pair}"


def add_pair(settings: Settings, wish: Wish) -> None:
    """Make all that can be made and put it into the data folder; InputError before anything is there that would be in the way."""
    check_pair_is_new(settings, wish.pair, wish.replace)
    labelled = None if wish.labels is None else labelled_text(label_columns(wish.labels), wish.label, wish.column)
    rows = parallel_rows(wish.texts, wish.pair)
    with _work_folder(settings, wish) as work:
        steps = _Steps(settings, wish, work, time.monotonic())
        steps.build(steps.clean(rows, labelled))
        models = steps.learn(labelled)
        steps.put_in_place(models)
    say(
        f"{wish.pair} is there: assay quality FILE --pair {wish.pair}"
        if labelled is not None and models
        else f"{wish.pair} has no predictor yet: assay features FILE --pair {wish.pair} computes features, assay train makes a "
        "predictor of labelled segments, and so does this command with --labels and --replace"
    )
    say("a running server reads it at its next start")


@contextmanager
def _work_folder(settings: Settings, wish: Wish) -> Iterator[Path]:
    """Where this very wish is worked on, by one process at a time; removed once it is fulfilled or refused."""
    files = [*wish.texts, *([wish.labels] if wish.labels else [])]
    asked_for = (__version__, str(wish.pair), checksums(files), wish.label, wish.column, wish.licence)
    digest = hashlib.sha256(repr(asked_for).encode()).hexdigest()[:16]
    folder = settings.data_dir / f".pair-{digest}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("wb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError("invalid-request", "another process is doing the same at this moment") from None
        try:
            yield folder
        except InputError:
            shutil.rmtree(folder, ignore_errors=True)
            raise
    shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True)
class _Steps:
    """The steps over one folder; each says what it found, and how long that took."""

    settings: Settings
    wish: Wish
    work: Path
    begun: float

    @property
    def resources(self) -> Path:
        return self.work / "resources"

    @property
    def models(self) -> LocalArtifacts:
        return LocalArtifacts(self.work / "models")

    def say(self, text: str) -> None:
        say(f"{time.monotonic() - self.begun:6.1f} s  {text}")

    def clean(self, rows: Iterator[tuple[str, str]], labelled: LabelledText | None) -> CleanText:
        """The text that is worth learning from."""
        held = frozenset(" ".join(source.split()) for source in labelled.sources) if labelled is not None else frozenset[str]()
        text = clean_text(self.wish.pair, rows, held)
        left_out = ", ".join(f"{count:,} {reason}" for reason, count in text.left_out.items() if count)
        self.say(f"text: {len(text):,} segments; left out: {left_out or 'nothing'}")
        return text

    def build(self, text: CleanText) -> None:
        """Language models and counts of both sides, alignment, lexical tables and index; what a killed run finished is kept."""
        pair, origin = self.wish.pair, Origin(self.wish.command, checksums(self.wish.texts), self.wish.licence)
        for code, texts in ((pair.source, text.sources), (pair.target, text.targets)):
            self._build_language(code, texts, origin)
        folder = self.resources / str(pair)
        manifest = self._done(folder) or build_pair(pair, text.sources, text.targets, folder, origin, replace=True)
        for direction in (pair, pair.reversed):
            table = LexicalTable.load(folder / f"lex.{direction}.safetensors")
            self.say(f"lexical table {direction}: {len(table.source):,} words, {len(table.target):,} translations")
        self.say(f"corpus index: {manifest.statistics['segments']:,} segments")

    def _build_language(self, code: str, texts: Sequence[str], origin: Origin) -> None:
        folder, before = self.resources / code, self.settings.own_resources_dir / code
        if (before / TAGGER).is_dir() and not (folder / TAGGER).is_dir():
            shutil.copytree(before / TAGGER, folder / TAGGER)
        kept = (before / MANIFEST).is_file() and not self._may_replace(code)
        if kept and self._done(folder) is None:
            shutil.copytree(before, folder, dirs_exist_ok=True)
        manifest = self._done(folder) or build_language(code, texts, folder, origin, replace=True)
        ngrams = manifest.statistics["ngrams"]
        vocabulary = ngrams[0] if isinstance(ngrams, Sequence) else ngrams
        self.say(
            f"language model of {code}: {manifest.statistics['segments']:,} segments, {manifest.statistics['tokens']:,} words, "
            f"a vocabulary of {vocabulary:,}{'; the one that is there, which other pairs use' if kept else ''}"
        )

    def _may_replace(self, code: str) -> bool:
        """Whether a language's own model may be written anew: other pairs' models were trained with the one that is there."""
        return self.wish.replace and code in free_languages(self.settings, self.wish.pair)

    @staticmethod
    def _done(folder: Path) -> Manifest | None:
        return read_manifest(folder) if (folder / MANIFEST).is_file() else None

    def learn(self, labelled: LabelledText | None) -> list[str]:
        """A predictor, and where there are post-edits a word tagger; their names."""
        if labelled is None:
            self.say("no labels: no predictor (--labels FILE makes one)")
            return []
        self.say(f"labels: {len(labelled):,} of {labelled.label}, from the column {labelled.column}")
        if len(labelled) < FEWEST_LABELS:
            self.say(
                f"too few labels for a predictor: {len(labelled)}, and {FEWEST_LABELS} are the fewest to learn from and measure on"
            )
            return []
        engine = engine_of(self.settings, self.resources)
        names = [self._learn_predictor(engine, labelled)]
        tagger = self._learn_tagger(engine, labelled)
        return names if tagger is None else [*names, tagger]

    def _learn_predictor(self, engine: Engine, labelled: LabelledText) -> str:
        pair, recipe = self.wish.pair, recipe_for(len(labelled))
        rows, features = self._rows(engine, labelled, recipe)

        def tell(expectation: Expectation) -> None:
            for sentence in expectation.sentences(labelled.label):
                self.say(sentence)

        with progress_bar("predictor") as report:
            journal = FileJournal(self.work / "predictor.journal", report)
            try:
                model = learn_predictor(pair, labelled.label, rows, features, recipe, self.wish.licence, journal, tell)
            finally:
                journal.close()
        recorded = replace(model, card=replace(model.card, resources=engine.trained_with(pair, features)))
        self.models.save(recorded.card.id, lambda folder: save_model(recorded, folder), replace=True)
        self.say(f"predictor {recorded.card.id}: {len(features)} features, learner {recipe.learner}")
        return recorded.card.id

    def _rows(self, engine: Engine, labelled: LabelledText, recipe: Recipe) -> tuple[TrainingSet, list[str]]:
        loaded, path = engine.pair_resources(self.wish.pair), self.work / "features.npz"
        if not path.is_file():
            matrix = features_of(batch_of(self.wish.pair, labelled.sources, labelled.translations), recipe, loaded)
            scratch = self.work / "unfinished.npz"
            np.savez(scratch, values=matrix.values, ids=np.array([feature.id for feature in matrix.features]))
            scratch.replace(path)
        with np.load(path) as kept:
            values, ids = kept["values"], kept["ids"].tolist()
        assert self.wish.labels is not None
        ((name, digest),) = checksums([self.wish.labels]).items()
        return TrainingSet(values, labelled.labels, name, digest, "features from resources of other segments"), ids

    def _learn_tagger(self, engine: Engine, labelled: LabelledText) -> str | None:
        """The name of a word tagger, None where none can be made; it says why."""
        pair, name = self.wish.pair, f"{self.wish.pair}-words"
        if labelled.post_edits is None or len(labelled) < FEWEST_POST_EDITS:
            self.say(f"no word tagger: it learns from post-edits, {FEWEST_POST_EDITS} at least")
            return None
        if any(entry.scope == str(pair) for entry in engine.registry.shipped_taggers):
            self.say("no word tagger: the one that ships goes on")
            return None
        assert self.wish.labels is not None
        ((data, digest),) = checksums([self.wish.labels]).items()
        batch, loaded = batch_of(pair, labelled.sources, labelled.translations), engine.pair_resources(pair)
        try:
            tagger = learn_word_tagger(batch, labelled.post_edits, loaded, name, data, digest, self.wish.licence)
        except InputError as error:
            self.say(f"no word tagger: {error.detail}")
            return None
        used = engine.trained_with(pair, [*tagger.card.word_features, *tagger.card.gap_features])
        recorded = replace(tagger, card=replace(tagger.card, resources=used))
        self.models.save(name, lambda folder: save_word_tagger(recorded, folder), replace=True)
        words = recorded.card.accuracy["words"]
        self.say(f"word tagger {name}: MCC {words['mcc']:.2f} of words, {words['bad']:.0%} of which are BAD")
        return name

    def put_in_place(self, models: Sequence[str]) -> None:
        """Languages, then the pair, then what answers for it."""
        pair, own = self.wish.pair, self.settings.own_resources_dir
        for code in (pair.source, pair.target):
            if not (own / code / MANIFEST).is_file() or self._may_replace(code):
                publish(self.resources / code, own / code, self.wish.replace)
        publish(self.resources / str(pair), own / str(pair), self.wish.replace)
        trained = LocalArtifacts(self.settings.trained_models_dir)
        for name in models:
            trained.save(name, _copied(self.models.folder(name)), self.wish.replace)
        self.say(f"wrote {own / str(pair)}{''.join(f', {self.settings.trained_models_dir / name}' for name in models)}")


def _copied(source: Path) -> Callable[[Path], None]:
    def copy(folder: Path) -> None:
        shutil.copytree(source, folder, dirs_exist_ok=True)

    return copy
