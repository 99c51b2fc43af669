"""Weights of the network and of word taggers for tags of words, fitted on dev, which neither was trained on."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from sklearn.linear_model import LogisticRegression

from app.arrays import Bools, Float64s
from app.engine import Engine
from app.features import View
from app.features.encoded import EncodedSides
from app.predictors.sentences import Judge
from app.predictors.sentences.network import TokenReading
from app.predictors.sentences.revision import TagRevision, wrong_words
from app.predictors.word_tags import load_word_tagger
from app.resources.encoders import EncodedTokens, Encoder
from app.text.languages import LanguagePair
from scripts.mlqe_pe.reading_rows import encode_tokens
from scripts.mlqe_pe.words import TaggedText, read_tagged_text, word_tagger_name

__all__ = ["ReadSegment", "TagAccuracy", "correlation", "fit_revisions", "read_segments", "threshold_of"]

# A revision must raise Matthews' correlation by this much.
WORTH: Final = 0.005
SHARES: Final = np.linspace(0.3, 0.98, 69)
TAGGER_ALONE: Final = TagRevision(0.0, 1.0, 0.0, 0.5)


@dataclass(frozen=True)
class TagAccuracy:
    """Matthews' correlation of tags of words, without and with revision, cross-fitted on halves of the segments."""

    tagger: float
    revision: float


def fit_revisions(
    engine: Engine, models: Path, data: Path, pairs: Sequence[LanguagePair], encoder: Encoder, judge: Judge
) -> tuple[Mapping[str, TagRevision], Mapping[str, Mapping[str, float]]]:
    """Revisions of the shipped word taggers that gain by them, and the measurements of all taggers."""
    revisions, measurements = {}, {}
    for pair in pairs:
        text = read_tagged_text(data / str(pair), pair, "dev")
        view = View(text.batch, engine.pair_resources(pair))
        wrong = np.concatenate([segment.wrong for segment in read_segments(encoder, judge, pair, text)])
        for glass_box in (False, True):
            tagger = load_word_tagger(models / word_tagger_name(pair, glass_box))
            tags = tagger.tag(view)
            segment = np.repeat(np.arange(len(tags.word_offsets) - 1), np.diff(tags.word_offsets))
            accuracy, revision = _fit_revision(tags.words, wrong, text.words.astype(bool), segment % 2 == 1)
            is_better = accuracy.revision >= accuracy.tagger + WORTH
            measurements[tagger.card.id] = {"tagger": accuracy.tagger, "revised": accuracy.revision, "kept": is_better}
            if is_better:
                revisions[tagger.card.id] = revision
    return revisions, measurements


@dataclass(frozen=True)
class ReadSegment:
    """A segment with the network's reading: words and tokens of both sides."""

    words: list[list[str]]
    source: EncodedTokens
    target: EncodedTokens
    reading: TokenReading

    @property
    def wrong(self) -> Float64s:
        """Probabilities of wrong translation words, NaN for words without tokens; (words,)."""
        return wrong_words(self.target.pieces, self.reading.target, self.words[1])


def read_segments(encoder: Encoder, judge: Judge, pair: LanguagePair, text: TaggedText) -> Iterator[ReadSegment]:
    """Segments of a text with the network's readings."""
    columns = text.batch.cased_source, text.batch.cased_translation
    for row in range(len(text.batch)):
        words = [column.tokens(row) for column in columns]
        source, target = (encode_tokens(encoder, [" ".join(side)]) for side in words)
        (reading,) = judge.readings(pair, EncodedSides(source, target))
        yield ReadSegment(words, source, target, reading)


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
