"""Bracketing preorderers as artifacts: training on files of word-aligned text, and their weights on disk."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

import numpy as np

from app import __version__
from app.arrays import Int64s
from app.errors import InputError
from app.resources.tagger import Tagger
from app.running.deadline import check_deadline
from app.smt.preordering.bracketing import AnnotatedWords, BracketingModel, BracketingOptions, learn_bracketing
from app.smt.preordering.gold import mean_places
from app.smt.reordering.models.artifacts import Arrays, load_artifact, save_artifact
from app.smt.reordering.models.classes import classes_of
from app.smt.reordering.models.stored import Models
from app.smt.reordering.models.training import checksums, read_sentences
from app.smt.reordering.treebank import LINKED_WORDS, LONGEST, SHORTEST
from app.smt.reordering.units import Attachment

__all__ = [
    "BRACKETING", "BracketingCard", "BracketingTraining", "columns_of", "learn_mean", "load_bracketing", "save_bracketing",
    "train_bracketing_on_files",
]  # fmt: skip

BRACKETING: Final = "bracketing.safetensors"
Watch = Callable[[int, int], None]


@dataclass(frozen=True)
class BracketingTraining:
    """Options of a training: those of learning, and the side of unaligned words.

    The weights are the mean of `models` trainings with successive seeds. With a `language`, words have tags of its tagger.
    """

    learning: BracketingOptions
    attach: Attachment = "right"
    models: Models = 1
    language: str | None = None

    @property
    def columns(self) -> int:
        """Columns of a sentence: words, perhaps tags."""
        return 1 if self.language is None else 2


@dataclass(frozen=True)
class BracketingCard:
    """Description of weights: options, training sentences and their words, those left out by reason, checksums of the data."""

    options: BracketingTraining
    sentences: int
    words: int
    omissions: Mapping[str, int]
    data: Mapping[str, str]
    licence: str
    assay: str
    sha256: str = ""
    format: Literal["assay-bracketing-preorderer"] = "assay-bracketing-preorderer"
    version: Literal[1] = 1


def columns_of(words: Sequence[str], classes: Sequence[str]) -> AnnotatedWords:
    """Columns of a sentence: words in lower case, and their classes if any."""
    forms = [word.lower() for word in words]
    return [forms, classes] if classes else [forms]


def learn_mean(
    sentences: Sequence[AnnotatedWords], places: Sequence[Int64s], options: BracketingOptions, models: int,
    watch: Watch = lambda model, number: None,
) -> BracketingModel:  # fmt: skip
    """Model with the mean weights of several trainings with successive seeds.

    `watch` gets the number of a training and of its pass, from 1 each. The deadline is checked between passes.
    """
    weights = np.zeros((1 << options.bits, 2))
    for number in range(models):
        trainings = learn_bracketing(sentences, places, replace(options, seed=options.seed + number))
        for passes, model in enumerate(trainings, 1):  # noqa: B007
            check_deadline()
            watch(number + 1, passes)
        weights += model.weights / models
    return replace(model, weights=weights)


def train_bracketing_on_files(
    source: Path, target: Path, links: Path, options: BracketingTraining, licence: str, tagger: Tagger | None = None,
    watch: Watch = lambda model, number: None,
) -> tuple[BracketingModel, BracketingCard]:  # fmt: skip
    """Train on tokenised parallel text with links ``i-j``, of sentences as for a grammar. InputError without any."""
    rows = list(read_sentences(source, target, links))
    sentences, places, omissions = [], [], Counter[str]()
    for (words, pairs), classes in zip(rows, classes_of(tagger, (words for words, _ in rows)), strict=True):
        if not SHORTEST <= len(words) <= LONGEST:
            omissions["length"] += 1
        elif len(np.unique(pairs[:, 0])) < LINKED_WORDS:
            omissions["linked words"] += 1
        else:
            sentences.append(columns_of(words, classes))
            places.append(mean_places(len(words), pairs, options.attach))
    if not sentences:
        detail = f"no sentence of {source.name} can be used; a sentence has {SHORTEST} to {LONGEST} words, two with links"
        raise InputError("invalid-training-data", detail, (str(source),))
    model = learn_mean(sentences, places, options.learning, options.models, watch)
    card = BracketingCard(
        options, len(sentences), sum(map(len, places)), dict(omissions), checksums(source, target, links), licence, __version__
    )
    return model, card


def save_bracketing(model: BracketingModel, card: BracketingCard, folder: Path) -> None:
    """Write the slots of weights that are not zero, their weights, and the card into an existing folder."""
    slots = np.flatnonzero(model.weights.any(axis=1))
    arrays = {"slots": slots.astype(np.uint32), "weights": model.weights[slots].astype(np.float32)}
    save_artifact(arrays, card, folder, BRACKETING)


def load_bracketing(folder: Path) -> tuple[BracketingModel, BracketingCard]:
    """Read a model; InputError (`invalid-table`) for a missing or damaged file, or for numbers that are no weights."""
    return load_artifact(folder, BRACKETING, BracketingCard, _model_of)


def _model_of(arrays: Arrays, card: BracketingCard) -> BracketingModel:
    """Model of stored arrays; ValueError for other names, kinds, shapes or numbers than those of weights."""
    learning = card.options.learning
    kinds = {name: (array.dtype, array.ndim) for name, array in arrays.items()}
    if kinds != {"slots": (np.uint32, 1), "weights": (np.float32, 2)}:
        raise ValueError(f"{BRACKETING} has other arrays")
    slots, values = arrays["slots"].astype(np.int64), arrays["weights"]
    if values.shape != (len(slots), 2) or (np.diff(slots) <= 0).any() or (slots >= 1 << learning.bits).any():
        raise ValueError("slots do not rise, or lie beyond the weights")
    if not np.isfinite(values).all():
        raise ValueError("weights are no numbers")
    weights = np.zeros((1 << learning.bits, 2))
    weights[slots] = values
    return BracketingModel(weights, card.options.columns, learning.beam)
