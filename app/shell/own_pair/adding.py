"""The steps of `assay pair add`. Results stay in a hidden folder of the data folder until the last step publishes them."""

import fcntl
import hashlib
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import numpy as np

from app import __version__
from app.building.building import Origin, build_language, build_pair
from app.building.own_pair.cleaning import CleanText, clean_text
from app.building.own_pair.expecting import FEWEST_LABELS, Expectation
from app.building.own_pair.labels import LabelledText, labelled_text
from app.building.own_pair.learning import LearningPlan, batch_of, features_of, learn_predictor, learn_word_tagger, recipe_for
from app.engine import Engine
from app.errors import InputError
from app.predictors import Label, save_model
from app.predictors.training import TrainingSet
from app.predictors.word_tags.model import save_word_tagger
from app.registry.artifacts import LocalArtifacts
from app.registry.entry import PREDICTOR
from app.registry.models import USUAL_LABEL, ModelRegistry
from app.registry.provenance import files_used
from app.resources.lexical_table import LexicalTable
from app.resources.manifest import MANIFEST, Manifest, read_manifest
from app.running.journal import FileJournal
from app.settings import Settings
from app.shell.output import progress_bar, say
from app.shell.own_pair.folders import (
    OF_OTHER_SEGMENTS,
    check_pair_is_new,
    engine_of,
    free_languages,
    models_of_pair,
    own_pairs,
    publish,
    remove_models,
    tagger_name,
)
from app.shell.own_pair.reading import checksums, label_columns, parallel_rows
from app.shell.scales import ScaleOptions, label_declared
from app.text.languages import LanguagePair

__all__ = ["Wish", "add_pair"]

TAGGER: Final = "tagger"
# Suffix of a predictor's name if `assay train` has used the name.
OF_PAIR: Final = "pair"
# Minimum of post-edits for a word tagger.
FEWEST_POST_EDITS: Final = 100


@dataclass(frozen=True)
class Wish:
    """Texts and labels of a pair, and the choices of `assay pair add`."""

    pair: LanguagePair
    texts: tuple[str, ...]
    labels: str | None = None
    label: str | None = None
    column: str | None = None
    licence: str = "private"
    replace: bool = False
    scale: ScaleOptions = field(default_factory=ScaleOptions)
    topics: bool = False

    @property
    def command(self) -> str:
        """The command in manifests, without paths of this machine."""
        return f"assay pair add {self.pair}{' --topics' * self.topics}"

    def labelled_text(self) -> LabelledText | None:
        """Labelled segments on the declared scale, or None without a table of labels."""
        if self.labels is None:
            return None
        return labelled_text(label_columns(self.labels), self.label, self.column, lambda name: label_declared(name, self.scale))


def add_pair(settings: Settings, wish: Wish) -> None:
    """Build resources, and models from labels, and publish them in the data folder. InputError if the pair exists already."""
    check_pair_is_new(settings, wish.pair, wish.replace)
    labelled_rows = wish.labelled_text()
    rows = parallel_rows(wish.texts, wish.pair)
    with _work_folder(settings, wish) as work:
        steps = _Steps(settings, wish, work, time.monotonic())
        steps.build(steps.clean(rows, labelled_rows))
        models = steps.learn(labelled_rows)
        steps.put_in_place(models)
    if labelled_rows is not None and models:
        say(_ready_message(settings, wish.pair, models[0], labelled_rows.label))
    else:
        say(_missing_message(settings, wish.pair))
    say("a running server reads it at its next start")


def _ready_message(settings: Settings, pair: LanguagePair, names: str, label: Label) -> str:
    """A message with the command that asks the new predictor. It has --label or --model if the defaults differ."""
    command = f"{pair} is there: assay quality FILE --pair {pair}"
    if label.name != USUAL_LABEL:
        command = f"{command} --label {label.name}"
    first = engine_of(settings, settings.own_resources_dir).model_for(pair, None, label.name, frozenset()).card.id
    if first == names:
        return command
    return f"{command} --model {names} (without --model {first} answers: it was measured to be better, or was promoted)"


def _missing_message(settings: Settings, pair: LanguagePair) -> str:
    """A message if no predictor is new: earlier predictors of the pair, or the ways to train one."""
    registry = ModelRegistry(settings.models_dir, settings.trained_models_dir)
    predictors = sorted(entry.id for entry in registry.entries if entry.kind == PREDICTOR and entry.scope == str(pair))
    if predictors:
        return f"{pair} has no new predictor; its other predictors answer as before: {', '.join(predictors)}"
    return (
        f"{pair} has no predictor yet: assay features FILE --pair {pair} computes features, assay train makes a predictor of "
        "labelled segments, and so does this command with --labels and --replace"
    )


@contextmanager
def _work_folder(settings: Settings, wish: Wish) -> Iterator[Path]:
    """Lock the work folder of this wish; remove it when the work succeeds or is refused."""
    files = [*wish.texts, *([wish.labels] if wish.labels else [])]
    request = (__version__, str(wish.pair), checksums(files), wish.label, wish.column, wish.licence, wish.scale, wish.topics)
    digest = hashlib.sha256(repr(request).encode()).hexdigest()[:16]
    folder = settings.data_dir / f".pair-{digest}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("wb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError("invalid-request", "another process adds this pair; wait for its end") from None
        try:
            yield folder
        except InputError:
            shutil.rmtree(folder, ignore_errors=True)
            raise
    shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True)
class _Steps:
    """Steps over one folder; each prints its result and the time since the start."""

    settings: Settings
    wish: Wish
    work: Path
    begin: float

    @property
    def resources(self) -> Path:
        return self.work / "resources"

    @property
    def models(self) -> LocalArtifacts:
        return LocalArtifacts(self.work / "models")

    def say(self, text: str) -> None:
        say(f"{time.monotonic() - self.begin:6.1f} s  {text}")

    def clean(self, rows: Iterator[tuple[str, str]], labels: LabelledText | None) -> CleanText:
        """Clean parallel text, without the labelled sources."""
        held_sources = frozenset(" ".join(source.split()) for source in labels.sources) if labels is not None else frozenset[str]()
        text = clean_text(self.wish.pair, rows, held_sources)
        omissions = ", ".join(f"{count:,} {reason}" for reason, count in text.left_out.items() if count)
        self.say(f"text: {len(text):,} segments; left out: {omissions or 'nothing'}")
        return text

    def build(self, text: CleanText) -> None:
        """Build language models and counts of both sides, alignment, lexical tables and index; reuse results of a killed run."""
        pair, origin = self.wish.pair, Origin(self.wish.command, checksums(self.wish.texts), self.wish.licence)
        for code, texts in ((pair.source, text.sources), (pair.target, text.targets)):
            self._build_language(code, texts, origin)
        folder = self.resources / str(pair)
        manifest = self._finished_manifest(folder) or build_pair(
            pair, text.sources, text.targets, folder, origin, True, self.wish.topics
        )
        for direction in (pair, pair.reversed):
            table = LexicalTable.load(folder / f"lex.{direction}.safetensors")
            self.say(f"lexical table {direction}: {len(table.source):,} words, {len(table.target):,} translations")
        bags = "; topics, triggers and a word lexicon" * self.wish.topics
        self.say(f"corpus index: {manifest.statistics['segments']:,} segments{bags}")

    def _build_language(self, code: str, texts: Sequence[str], origin: Origin) -> None:
        folder, before = self.resources / code, self.settings.own_resources_dir / code
        if (before / TAGGER).is_dir() and not (folder / TAGGER).is_dir():
            shutil.copytree(before / TAGGER, folder / TAGGER)
        has_model = (before / MANIFEST).is_file() and not self._may_replace(code)
        if has_model and self._finished_manifest(folder) is None:
            shutil.copytree(before, folder, dirs_exist_ok=True)
        manifest = self._finished_manifest(folder) or build_language(code, texts, folder, origin, replace=True)
        ngrams = manifest.statistics["ngrams"]
        vocabulary = ngrams[0] if isinstance(ngrams, Sequence) else ngrams
        self.say(
            f"language model of {code}: {manifest.statistics['segments']:,} segments, {manifest.statistics['tokens']:,} words, "
            f"a vocabulary of {vocabulary:,}{'; the one that is there, which other pairs use' if has_model else ''}"
        )

    def _may_replace(self, code: str) -> bool:
        """Return True if the language model may be replaced: no other pair uses it."""
        return self.wish.replace and code in free_languages(self.settings, self.wish.pair)

    @staticmethod
    def _finished_manifest(folder: Path) -> Manifest | None:
        return read_manifest(folder) if (folder / MANIFEST).is_file() else None

    def learn(self, labels: LabelledText | None) -> list[str]:
        """Train a predictor, and a word tagger from post-edits; return their names."""
        if labels is None:
            self.say("no labels: no predictor (--labels FILE makes one)")
            return []
        self.say(f"labels: {len(labels):,} of {labels.label.name}, from the column {labels.column}")
        if len(labels) < FEWEST_LABELS:
            self.say(
                f"too few labels for a predictor: {len(labels)}, and {FEWEST_LABELS} are the fewest to learn from and measure on"
            )
            return []
        engine = engine_of(self.settings, self.resources)
        names = [self._learn_predictor(engine, labels)]
        tagger = self._learn_tagger(engine, labels)
        return names if tagger is None else [*names, tagger]

    def _learn_predictor(self, engine: Engine, labels: LabelledText) -> str:
        pair, recipe = self.wish.pair, recipe_for(len(labels))
        rows, features = self._rows(engine, labels, recipe)

        def tell(expectation: Expectation) -> None:
            for sentence in expectation.sentences(labels.label.name):
                self.say(sentence)

        with progress_bar("predictor") as report:
            journal = FileJournal(self.work / "predictor.journal", report)
            try:
                model = learn_predictor(pair, labels.label, rows, features, recipe, self.wish.licence, journal, tell)
            finally:
                journal.close()
        digests = files_used(features, engine.pair_resources(pair), engine.registry)
        saved_model = replace(model, card=replace(model.card, id=self._free_name(model.card.id), resources=digests))
        self.models.save(saved_model.card.id, lambda folder: save_model(saved_model, folder), replace=True)
        self.say(f"predictor {saved_model.card.id}: {len(features)} features, learner {recipe.learner}")
        return saved_model.card.id

    def _free_name(self, name: str) -> str:
        """A name that differs from models of `assay train`."""
        models_folder = self.settings.trained_models_dir
        is_foreign = (models_folder / name).exists() and name not in models_of_pair(
            ModelRegistry(None, models_folder), self.wish.pair
        )
        return f"{name}-{OF_PAIR}" if is_foreign else name

    def _rows(self, engine: Engine, labels: LabelledText, recipe: LearningPlan) -> tuple[TrainingSet, list[str]]:
        resources, path = engine.pair_resources(self.wish.pair), self.work / "features.npz"
        if not path.is_file():
            matrix = features_of(batch_of(self.wish.pair, labels.sources, labels.translations), recipe, resources)
            scratch = self.work / "unfinished.npz"
            np.savez(scratch, values=matrix.values, ids=np.array([feature.id for feature in matrix.features]))
            scratch.replace(path)
        with np.load(path) as arrays:
            values, ids = arrays["values"], arrays["ids"].tolist()
        assert self.wish.labels is not None
        ((name, digest),) = checksums([self.wish.labels]).items()
        return TrainingSet(values, labels.labels, name, digest, OF_OTHER_SEGMENTS), ids

    def _learn_tagger(self, engine: Engine, labels: LabelledText) -> str | None:
        """Train a word tagger and return its name. Otherwise print the reason and return None."""
        pair, name = self.wish.pair, tagger_name(self.wish.pair)
        if labels.post_edits is None or len(labels) < FEWEST_POST_EDITS:
            self.say(f"no word tagger: it learns from post-edits, {FEWEST_POST_EDITS} at least")
            return None
        if any(entry.scope == str(pair) for entry in engine.registry.shipped_taggers):
            self.say("no word tagger: the one that ships goes on")
            return None
        assert self.wish.labels is not None
        ((data, digest),) = checksums([self.wish.labels]).items()
        batch, resources = batch_of(pair, labels.sources, labels.translations), engine.pair_resources(pair)
        try:
            tagger = learn_word_tagger(batch, labels.post_edits, resources, name, data, digest, self.wish.licence)
        except InputError as error:
            self.say(f"no word tagger: {error.detail}")
            return None
        digests = files_used([*tagger.card.word_features, *tagger.card.gap_features], resources, engine.registry)
        saved_tagger = replace(tagger, card=replace(tagger.card, resources=digests))
        self.models.save(name, lambda folder: save_word_tagger(saved_tagger, folder), replace=True)
        words = saved_tagger.card.accuracy["words"]
        self.say(f"word tagger {name}: MCC {words['mcc']:.2f} of words, {words['bad']:.0%} of which are BAD")
        return name

    def put_in_place(self, models: Sequence[str]) -> None:
        """Publish languages, then the pair, then its models. Earlier models of `assay pair add` are removed."""
        pair, resources_folder = self.wish.pair, self.settings.own_resources_dir
        before = next((own_pair for own_pair in own_pairs(self.settings) if own_pair.pair == pair), None)
        for code in (pair.source, pair.target):
            if not (resources_folder / code / MANIFEST).is_file() or self._may_replace(code):
                publish(self.resources / code, resources_folder / code, self.wish.replace)
        publish(self.resources / str(pair), resources_folder / str(pair), self.wish.replace)
        artifacts = LocalArtifacts(self.settings.trained_models_dir)
        for name in models:
            artifacts.save(name, _copied(self.models.folder(name)), self.wish.replace)
        self.say(
            f"wrote {resources_folder / str(pair)}{''.join(f', {self.settings.trained_models_dir / name}' for name in models)}"
        )
        earlier = models_of_pair(ModelRegistry(None, self.settings.trained_models_dir), pair)
        for folder in remove_models(self.settings, [name for name in earlier if name not in models]):
            self.say(f"removed {folder}, an earlier model of this pair")
        if before is not None and before.trained:
            self.say(f"kept {', '.join(before.trained)}: trained with the earlier resources; train them again with assay train")


def _copied(source: Path) -> Callable[[Path], None]:
    def copy(folder: Path) -> None:
        shutil.copytree(source, folder, dirs_exist_ok=True)

    return copy
