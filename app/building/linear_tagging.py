"""Training of linear taggers and parsers (`app/resources/linear_tagger`) on treebanks, and their accuracy."""

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Float64s, Int8s, Int64s
from app.building.treebanks import TaggedSentence, as_tokens, as_words, read_treebank
from app.errors import InputError
from app.resources.linear_tagger import LinearModel, packed_words
from app.resources.linear_tagger.parse_kernels import ACTIONS, train_heads
from app.resources.linear_tagger.tag_kernels import TAGS, train_tags
from app.resources.udpipe_words import NO_HEAD
from app.text.batch import TokenColumn, pack_tokens
from app.text.tokenisation import tokeniser_for

__all__ = ["linear_accuracy", "train_linear_tagger", "train_tag_weights"]

# Tuned on every fifth sentence of the training parts of treebanks.
TAG_BITS: Final = 19
HEAD_BITS: Final = 18
TAG_PASSES: Final = 10
HEAD_PASSES: Final = 20
TAG_RATE: Final = 0.1
HEAD_RATE: Final = 0.03
# Share of states after which the parser follows its own choice in training.
EXPLORATION: Final = 0.9
# Parts of the training sentences; a tagger trained on the rest tags each for the parser.
FOLDS: Final = 2
# Share of non-zero weights that int8 holds exactly; larger ones are clipped.
KEPT_SHARE: Final = 0.9995
LARGEST: Final = 127


def train_linear_tagger(language: str, treebank: Path) -> LinearModel:
    """Train a tagger and parser on a gzipped CoNLL-U file; one file gives one set of weights on one kind of processor.

    They learn each sentence with Assay's tokens, and with the words of the treebank if these differ. InputError
    (`invalid-training-data`) if the file has no sentences.
    """
    tokeniser = tokeniser_for(language)
    groups = []
    for sentence in read_treebank(treebank):
        words, tokens = as_words(sentence, language), as_tokens(sentence, tokeniser)
        groups.append([words] if tokens is None or tokens == words else [tokens, words])
    if not groups:
        raise InputError("invalid-training-data", f"{treebank.name} has no sentences; pass a CoNLL-U file")
    sentences = list(chain.from_iterable(groups))
    folds = np.array([number % FOLDS for number, group in enumerate(groups) for _ in group])
    column, tags, heads = _packed(sentences)
    weights = train_tag_weights(sentences)
    predicted = np.empty(len(tags), np.int8)
    for fold in range(FOLDS):
        rest = [sentence for sentence, sentence_fold in zip(sentences, folds, strict=True) if sentence_fold != fold]
        rows = np.flatnonzero(folds == fold)
        inside = np.isin(column.segments, rows)
        predicted[inside] = LinearModel(train_tag_weights(rest or sentences)).annotate(column.rows(rows), False)[0]
    return LinearModel(weights, _train_heads(column, predicted, heads))


def _packed(sentences: Sequence[TaggedSentence]) -> tuple[TokenColumn, Int8s, Int64s]:
    column = pack_tokens([sentence.tokens for sentence in sentences])
    tags = np.fromiter(chain.from_iterable(sentence.tags for sentence in sentences), np.int8)
    heads = np.fromiter(chain.from_iterable(sentence.heads for sentence in sentences), np.int64)
    return column, tags, heads


def train_tag_weights(sentences: Sequence[TaggedSentence]) -> Int8s:
    """Weights of a tagger's tags; shape (2^19 + 17,)."""
    column, tags, _ = _packed(sentences)
    weights, squares, sums = np.zeros((3, (1 << TAG_BITS) + TAGS))
    parts, generator, time = packed_words(column), np.random.default_rng(0), 0
    for _ in range(TAG_PASSES):
        order = generator.permutation(len(column))
        time = train_tags(parts, column.ids, column.offsets, tags, order, weights, squares, sums, TAG_RATE, time)
    return _small(weights - sums / (time + 1))


def _train_heads(column: TokenColumn, tags: Int8s, heads: Int64s) -> Int8s:
    weights, squares, sums = np.zeros((3, (1 << HEAD_BITS) + ACTIONS))
    parts, generator, time = packed_words(column), np.random.default_rng(0), 0
    for number in range(HEAD_PASSES):
        order, exploration = generator.permutation(len(column)), EXPLORATION if number else 0.0
        time = train_heads(
            parts, column.ids, tags, column.offsets, heads, order, weights, squares, sums, HEAD_RATE, exploration, number, time
        )  # fmt: skip
    return _small(weights - sums / (time + 1))


def _small(weights: Float64s) -> Int8s:
    """Weights scaled to whole numbers up to 127; only their proportions matter."""
    sizes = np.abs(weights[weights != 0])
    largest = np.quantile(sizes, KEPT_SHARE) if len(sizes) else 1.0
    return np.clip(np.round(weights * (LARGEST / largest)), -LARGEST, LARGEST).astype(np.int8)


def linear_accuracy(model: LinearModel, language: str, treebank: Path) -> dict[str, float | int]:
    """Accuracy of parts of speech and heads, as fractions: on the words of a treebank, and on Assay's tokens of its text."""
    tokeniser = tokeniser_for(language)
    sentences = list(read_treebank(treebank))
    views = {
        "test": [as_words(sentence, language) for sentence in sentences],
        "test_own": [tokens for sentence in sentences if (tokens := as_tokens(sentence, tokeniser)) is not None],
    }
    out: dict[str, float | int] = {}
    for name, view in views.items():
        column, tags, heads = _packed(view)
        found_tags, found_heads = model.annotate(column, True)
        gold_heads = np.where(heads == column.lengths[column.segments], NO_HEAD, heads)
        out[f"{name}_tokens"] = len(tags)
        out[f"{name}_upos"] = round(float((found_tags == tags).mean()), 4)
        if found_heads is not None:
            out[f"{name}_unlabelled_attachment"] = round(float((found_heads == gold_heads).mean()), 4)
    return out
