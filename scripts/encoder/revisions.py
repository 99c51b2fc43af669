"""Weights of the cross-encoder and of word taggers for tags of words, fitted on dev, which neither was trained on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from sklearn.linear_model import LogisticRegression

from app.arrays import Bools, Float64s
from app.engine import Engine
from app.features import PairResources, View
from app.features.cross_encoder import cross_readings
from app.predictors.cross_encoder.revision import TagRevision, wrong_words
from app.predictors.word_tags import load_word_tagger
from app.text.batch import SegmentBatch
from app.text.languages import LanguagePair
from scripts.mlqe_pe.everything import split_of
from scripts.mlqe_pe.words import read_tagged_text, word_tagger_name

__all__ = ["ReadWords", "TagAccuracy", "correlation", "dev_words", "fit_revisions", "read_words", "threshold_of"]

# A revision must raise Matthews' correlation by this much.
WORTH: Final = 0.005
SHARES: Final = np.linspace(0.3, 0.98, 69)
TAGGER_ALONE: Final = TagRevision(0.0, 1.0, 0.0, 0.5)


@dataclass(frozen=True)
class TagAccuracy:
    """Matthews' correlation of tags of words, without and with revision, cross-fitted on halves of the segments."""

    tagger: float
    revision: float


@dataclass(frozen=True)
class ReadWords:
    """Probabilities by the cross-encoder that words of sources and of translations are wrong, NaN for words without a piece."""

    source: Float64s
    target: Float64s


def read_words(batch: SegmentBatch, texts: tuple[Sequence[str], Sequence[str]], resources: PairResources) -> ReadWords:
    """Readings of a tokenised batch, with its texts as people write them."""
    readings = cross_readings(View(replace(batch, texts=texts), resources))
    source, target = [np.empty(0)], [np.empty(0)]
    for row, reading in enumerate(readings):
        source.append(wrong_words(reading.source_pieces, reading.source, batch.cased_source.tokens(row)))
        target.append(wrong_words(reading.target_pieces, reading.target[:, 0], batch.cased_translation.tokens(row)))
    return ReadWords(np.concatenate(source), np.concatenate(target))


def dev_words(batch: SegmentBatch, data: Path, pair: LanguagePair, resources: PairResources) -> ReadWords:
    """Readings of the dev rows of a pair."""
    split = split_of(data, pair, "dev")
    return read_words(batch, (split.column("source"), split.column("translation")), resources)


def fit_revisions(
    engine: Engine, models: Path, data: Path, words_of: Mapping[LanguagePair, ReadWords]
) -> tuple[Mapping[str, TagRevision], Mapping[str, Mapping[str, float]]]:
    """Revisions of the shipped word taggers that gain by them, and the measurements of all taggers."""
    revisions, measurements = {}, {}
    for pair, words in words_of.items():
        text = read_tagged_text(data / str(pair), pair, "dev")
        view = View(text.batch, engine.pair_resources(pair))
        for glass_box in (False, True):
            tagger = load_word_tagger(models / word_tagger_name(pair, glass_box))
            tags = tagger.tag(view)
            segment = np.repeat(np.arange(len(tags.word_offsets) - 1), np.diff(tags.word_offsets))
            accuracy, revision = _fit_revision(tags.words, words.target, text.words.astype(bool), segment % 2 == 1)
            is_better = accuracy.revision >= accuracy.tagger + WORTH
            measurements[tagger.card.id] = {"tagger": accuracy.tagger, "revised": accuracy.revision, "kept": is_better}
            if is_better:
                revisions[tagger.card.id] = revision
    return revisions, measurements


def _fit_revision(tagger_probabilities: Float64s, wrong: Float64s, gold: Bools, second: Bools) -> tuple[TagAccuracy, TagRevision]:
    """Accuracy of tags with and without revision, and the revision fitted to all segments."""
    predicted = np.zeros((2, len(gold)), bool)
    for half in (second, ~second):
        for k, revision in enumerate((TAGGER_ALONE, _weights(tagger_probabilities[half], wrong[half], gold[half]))):
            words = revision.probabilities(tagger_probabilities, wrong)
            predicted[k, ~half] = words[~half] > threshold_of(words[half], gold[half])
    final_revision = _weights(tagger_probabilities, wrong, gold)
    threshold = threshold_of(final_revision.probabilities(tagger_probabilities, wrong), gold)
    return (
        TagAccuracy(*(correlation(row, gold) for row in predicted)),
        TagRevision(final_revision.added, final_revision.of_tagger, final_revision.of_network, threshold),
    )


def _weights(of_tagger: Float64s, wrong: Float64s, gold: Bools) -> TagRevision:
    """Weights of both log odds, with a threshold of one half."""
    identity = TAGGER_ALONE
    odds = [
        np.log(p / (1 - p))
        for p in (
            identity.probabilities(of_tagger, wrong),
            identity.probabilities(np.where(np.isnan(wrong), of_tagger, wrong), wrong),
        )
    ]
    regression = LogisticRegression(C=10).fit(np.stack(odds, axis=1), gold)
    of_tagger_odds, of_network = (float(weight) for weight in regression.coef_[0])
    return TagRevision(float(regression.intercept_[0]), of_tagger_odds, of_network, 0.5)


def threshold_of(words: Float64s, gold: Bools) -> float:
    """Threshold of the probability of BAD with the highest correlation of tags and gold."""
    candidates = np.quantile(words, SHARES)
    return float(max(candidates, key=lambda threshold: correlation(words > threshold, gold)))


def correlation(predicted: Bools, gold: Bools) -> float:
    """Matthews' correlation of tags and gold; 0 if all tags are equal."""
    return float(np.corrcoef(predicted, gold)[0, 1]) if predicted.any() and not predicted.all() else 0.0
