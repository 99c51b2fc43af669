"""Weighing what a network says of words against what word taggers say: on dev, which neither has learned from."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import numpy as np
from sklearn.linear_model import LogisticRegression

from app.arrays import Bools, Float64s
from app.engine import Engine
from app.features import View
from app.features.encoded import EncodedSides
from app.predictors.sentences import Judge
from app.predictors.sentences.revision import Revision, wrong_words
from app.predictors.word_tags import load_word_tagger
from app.resources.encoders import Encoder
from app.text.languages import LanguagePair
from scripts.mlqe_pe.words import TaggedText, read_tagged_text, word_tagger_name

__all__ = ["Measured", "correlation", "fit_revisions", "threshold_of"]

# A revision that does not raise Matthews' correlation by so much is not kept.
WORTH: Final = 0.005
SHARES: Final = np.linspace(0.3, 0.98, 69)
UNREVISED: Final = Revision(0.0, 1.0, 0.0, 0.5)


@dataclass(frozen=True)
class Measured:
    """Matthews' correlation of words' tags with a threshold and weights of the other half of the segments."""

    tagger: float
    revised: float


def fit_revisions(
    engine: Engine, models: Path, data: Path, pairs: Sequence[LanguagePair], encoder: Encoder, judge: Judge
) -> tuple[Mapping[str, Revision], Mapping[str, Mapping[str, float]]]:
    """A revision of each word tagger that ships and gains by it, and what was measured of all of them."""
    revisions, measured = {}, {}
    for pair in pairs:
        text = read_tagged_text(data / str(pair), pair, "dev")
        view = View(text.batch, engine.pair_resources(pair))
        wrong = np.concatenate(list(_wrong(encoder, judge, pair, text)))
        for glass_box in (False, True):
            tagger = load_word_tagger(models / word_tagger_name(pair, glass_box))
            tags = tagger.tag(view)
            segment = np.repeat(np.arange(len(tags.word_offsets) - 1), np.diff(tags.word_offsets))
            found, revision = _fitted(tags.words, wrong, text.words.astype(bool), segment % 2 == 1)
            kept = found.revised >= found.tagger + WORTH
            measured[tagger.card.id] = {**asdict(found), "kept": kept}
            if kept:
                revisions[tagger.card.id] = revision
    return revisions, measured


def _wrong(encoder: Encoder, judge: Judge, pair: LanguagePair, text: TaggedText) -> Iterator[Float64s]:
    columns = text.batch.cased_source, text.batch.cased_translation
    for row in range(len(text.batch)):
        words = [column.tokens(row) for column in columns]
        source, target = (encoder.encode_tokens([" ".join(side)]) for side in words)
        if source is None or target is None:
            raise ValueError(f"the encoder {encoder.name} has no vectors of tokens")
        (reading,) = judge.readings(pair, EncodedSides(source, target))
        yield wrong_words(target.pieces, reading.target, words[1])


def _fitted(of_tagger: Float64s, wrong: Float64s, gold: Bools, second: Bools) -> tuple[Measured, Revision]:
    """What tags and revised tags have in common with the truth, and the revision that all segments choose."""
    predicted = np.zeros((2, len(gold)), bool)
    for half in (second, ~second):
        for k, revision in enumerate((UNREVISED, _weights(of_tagger[half], wrong[half], gold[half]))):
            words = revision.probabilities(of_tagger, wrong)
            predicted[k, ~half] = words[~half] > threshold_of(words[half], gold[half])
    whole = _weights(of_tagger, wrong, gold)
    threshold = threshold_of(whole.probabilities(of_tagger, wrong), gold)
    return (
        Measured(*(correlation(row, gold) for row in predicted)),
        Revision(whole.added, whole.of_tagger, whole.of_network, threshold),
    )


def _weights(of_tagger: Float64s, wrong: Float64s, gold: Bools) -> Revision:
    """Weights of both log odds, the threshold left at a half."""
    own = UNREVISED
    odds = [
        np.log(p / (1 - p))
        for p in (own.probabilities(of_tagger, wrong), own.probabilities(np.where(np.isnan(wrong), of_tagger, wrong), wrong))
    ]
    fitted = LogisticRegression(C=10).fit(np.stack(odds, axis=1), gold)
    of_tagger_odds, of_network = (float(weight) for weight in fitted.coef_[0])
    return Revision(float(fitted.intercept_[0]), of_tagger_odds, of_network, 0.5)


def threshold_of(words: Float64s, gold: Bools) -> float:
    """From which probability on words are called BAD, so that tags have most in common with the truth."""
    candidates = np.quantile(words, SHARES)
    return float(max(candidates, key=lambda threshold: correlation(words > threshold, gold)))


def correlation(predicted: Bools, gold: Bools) -> float:
    """Matthews' correlation; 0 where all tags are the same."""
    return float(np.corrcoef(predicted, gold)[0, 1]) if predicted.any() and not predicted.all() else 0.0
