"""A trained word tagger on disk and in memory: word-tags.json and arrays.safetensors."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load
from typing_extensions import TypedDict

from app.arrays import Bools, Float32s, Float64s, Int64s
from app.features import Feature, Need, View
from app.features.needs import in_order
from app.features.word_level import WORD_FEATURES
from app.features.word_level.gaps import gap_offsets
from app.predictors.stored import ARRAYS, read_stored_card, save_files, unreadable
from app.predictors.word_tags.bucket_plan import BucketPlan
from app.predictors.word_tags.buckets import BINS
from app.predictors.word_tags.marks import NO_MARKS, Marks, read_marks
from app.predictors.word_tags.random_field_kernels import emission_scores, marginals

__all__ = [
    "ConditionalRandomField",
    "WordTagCard",
    "WordTagger",
    "WordTags",
    "load_word_tagger",
    "read_word_card",
    "save_word_tagger",
]

SCHEMA_VERSION: Final = 1
CARD: Final = "word-tags.json"


@dataclass(frozen=True)
class ConditionalRandomField:
    """A linear chain: features, bin edges of numbers, weights by bucket, transition scores, and the threshold of BAD.

    `transitions` (2, 2) score the tag of a position (columns) after that of the previous one (rows).
    """

    features: tuple[Feature, ...]
    bin_edges: Mapping[str, Float64s]
    weights: Float32s
    transitions: Float64s
    threshold: float

    @cached_property
    def _plan(self) -> BucketPlan:
        return BucketPlan.of(self.features, self.bin_edges)

    def bad_probabilities(self, view: View, offsets: Int64s) -> Float64s:
        """Probability of BAD at each position of the batch."""
        if not offsets[-1]:
            return np.zeros(0)
        buckets = self._plan.buckets(view, int(offsets[-1]), len(self.weights))
        probabilities: Float64s = marginals(emission_scores(buckets, self.weights), offsets, self.transitions)
        return probabilities


@dataclass(frozen=True)
class WordTagCard:
    """Identity, training data and measured accuracy of a word tagger; `resources` as on a predictor's card.

    `marks` has the marks of `words` and `gaps`, and the `data` of their choice; it is empty on cards of earlier versions.
    """

    schema_version: int
    id: str
    pair: str
    word_features: tuple[str, ...]
    gap_features: tuple[str, ...]
    hyper_parameters: Mapping[str, int | float]
    training_data: Mapping[str, str | int]
    accuracy: Mapping[str, Any]
    created: str
    licence: str
    resources: Mapping[str, str] = field(default_factory=dict)
    marks: Mapping[str, Any] = field(default_factory=dict)


class _MeasureFields(TypedDict):
    """Measured accuracy of tags."""

    mcc: float


class _TagAccuracies(TypedDict):
    """Measured accuracy of words and of gaps."""

    words: _MeasureFields
    gaps: _MeasureFields


@dataclass(frozen=True)
class WordTags:
    """Probabilities of BAD of words (CSR by `word_offsets`) and gaps (`gap_offsets`), with their marks.

    From the thresholds on, tags agree best with annotators by Matthews' correlation.
    """

    words: Float64s
    word_offsets: Int64s
    gaps: Float64s
    gap_offsets: Int64s
    word_threshold: float
    gap_threshold: float
    word_marks: Marks = NO_MARKS
    gap_marks: Marks = NO_MARKS

    @property
    def wrong_words(self) -> Bools:
        """Mask of words that are marked as wrong."""
        return self.word_marks.wrong_words(self.words)

    @property
    def possible_words(self) -> Bools:
        """Mask of words that are marked as possibly wrong."""
        return self.word_marks.possible_words(self.words)

    @property
    def marked_gaps(self) -> Bools:
        """Mask of gaps that are marked in either way."""
        return np.asarray(self.gap_marks.wrong_words(self.gaps) | self.gap_marks.possible_words(self.gaps))


@dataclass(frozen=True)
class WordTagger:
    """A random field of words and one of gaps."""

    card: WordTagCard
    words: ConditionalRandomField
    gaps: ConditionalRandomField

    @cached_property
    def word_marks(self) -> Marks:
        """Marks of words; ValueError for invalid members of the card."""
        return read_marks(self.card.marks.get("words"), f"{CARD}: marks.words")

    @cached_property
    def gap_marks(self) -> Marks:
        """Marks of gaps; ValueError for invalid members of the card."""
        return read_marks(self.card.marks.get("gaps"), f"{CARD}: marks.gaps")

    @property
    def needs(self) -> tuple[Need, ...]:
        """Needs of its features."""
        return in_order(need for field in (self.words, self.gaps) for feature in field.features for need in feature.needs)

    def tag(self, view: View) -> WordTags:
        """Tag every word and gap of the translations."""
        offsets = gap_offsets(view.target)
        return WordTags(
            self.words.bad_probabilities(view, view.target.offsets),
            view.target.offsets,
            self.gaps.bad_probabilities(view, offsets),
            offsets,
            self.words.threshold,
            self.gaps.threshold,
            self.word_marks,
            self.gap_marks,
        )


def _arrays(name: str, field: ConditionalRandomField) -> dict[str, np.ndarray]:
    numbers = [feature.id for feature in field.features if feature.id in field.bin_edges]
    return {
        f"{name}.weights": field.weights.astype(np.float16),
        f"{name}.moves": field.transitions,
        f"{name}.threshold": np.array([field.threshold]),
        **{f"{name}.cuts.{feature}": np.ascontiguousarray(field.bin_edges[feature]) for feature in numbers},
    }


def save_word_tagger(model: WordTagger, folder: Path) -> None:
    """Write word-tags.json, arrays.safetensors and README.md; equal models give equal bytes."""
    arrays = {**_arrays("words", model.words), **_arrays("gaps", model.gaps)}
    save_files(folder, CARD, asdict(model.card), arrays, _readme(model.card))


def _readme(card: WordTagCard) -> str:
    names = ("mcc", "f1_ok", "f1_bad", "f1_product", "bad", "predicted_bad")
    rows = "".join(f"| {name} | {card.accuracy['words'][name]:.4f} | {card.accuracy['gaps'][name]:.4f} |\n" for name in names)
    return (
        f"# {card.id}\n\nTags the words of {card.pair} translations, and the gaps between them, as OK or BAD: a linear chain over "
        f"{len(card.word_features)} features of words\nand {len(card.gap_features)} of gaps.\n\n"
        f"Measured on {card.accuracy['data']}; the thresholds were chosen on training rows:\n\n"
        f"| measure | words | gaps |\n|---|---|---|\n{rows}\n{_marks_readme(card.marks)}"
        f"Licence: {card.licence}.\n"
    )


def _marks_readme(marks: Mapping[str, Any]) -> str:
    """Table of the marks, or nothing without any."""
    rows = "".join(
        f"| {kind}, {name} | {mark['threshold']:.4f} | {mark['precision']:.4f} | {mark['recall']:.4f} | {mark['share']:.4f} |\n"
        for kind in ("words", "gaps")
        for name, mark in marks.get(kind, {}).items()
        if mark is not None
    )
    heads = "| marks | threshold | precision | recall | share |\n|---|---|---|---|---|\n"
    return f"Marks, measured on {marks['data']}:\n\n{heads}{rows}\n" if rows else ""


def read_word_card(folder: Path) -> WordTagCard:
    """Read the card of a word tagger and check the types of its members; the InputError names the fault."""
    return read_stored_card(folder, CARD, WordTagCard, SCHEMA_VERSION, {"resources", "marks"}, _TagAccuracies)


def load_word_tagger(folder: Path) -> WordTagger:
    """Read and check a word tagger; the InputError names the fault."""
    card = read_word_card(folder)
    try:
        arrays = load((folder / ARRAYS).read_bytes())
        random_fields = [
            _random_field(arrays, name, ids) for name, ids in (("words", card.word_features), ("gaps", card.gap_features))
        ]
    except OSError as error:
        raise unreadable(folder, CARD, error) from None
    except (ValueError, TypeError, KeyError, SafetensorError):
        raise unreadable(folder, CARD, ValueError(f"{ARRAYS} is damaged, or arrays are missing or of the wrong shape")) from None
    tagger = WordTagger(card, *random_fields)
    try:
        _ = tagger.word_marks, tagger.gap_marks
    except ValueError as error:
        raise unreadable(folder, CARD, error) from None
    return tagger


def _random_field(arrays: Mapping[str, np.ndarray], name: str, ids: Sequence[str]) -> ConditionalRandomField:
    weights, transitions, threshold = (arrays[f"{name}.{part}"] for part in ("weights", "moves", "threshold"))
    bin_edges = {feature: arrays[f"{name}.cuts.{feature}"] for feature in ids if f"{name}.cuts.{feature}" in arrays}
    shapes = weights.ndim == 1 and weights.dtype == np.float16 and transitions.shape == (2, 2) and threshold.shape == (1,)
    has_edges = all(edges.shape == (BINS - 1,) for edges in bin_edges.values())
    if not shapes or not has_edges or not len(weights) or not ids:
        raise ValueError(name)
    if not all(np.isfinite(array).all() for array in (weights, transitions, threshold, *bin_edges.values())):
        raise ValueError(name)
    features = tuple(WORD_FEATURES[feature] for feature in ids)
    return ConditionalRandomField(features, bin_edges, weights.astype(np.float32), transitions, float(threshold[0]))
