"""Fitting of tags of source words without a right translation, on dev, which no part of the model was trained on."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from app.arrays import Bools, Float64s, Int64s
from app.engine import Engine
from app.features import View
from app.features.lexical_links import LexicalLinks, source_links, target_links
from app.predictors.cross_encoder.revision import TagRevision
from app.predictors.cross_encoder.source_words import SourceRevision, source_features
from app.predictors.word_tags import load_word_tagger
from app.predictors.word_tags.marks import NO_MARKS
from app.text.languages import LanguagePair
from scripts.encoder.revisions import ReadWords, correlation, threshold_of
from scripts.mlqe_pe.words import read_source_tags, read_tagged_text, word_tagger_name

__all__ = ["SourceTagAccuracy", "fit_source_words", "linked_to_bad"]


@dataclass(frozen=True)
class SourceTagAccuracy:
    """Accuracy of tags of source words: Matthews' correlation and F1 of links alone (baseline) and of the regression.

    By links, a word is BAD if it is linked to a BAD word, or also if it has no link, whichever is better. The regression is
    cross-fitted on halves of the segments; `halves` are its correlations on both halves less those of links.
    """

    baseline: float
    baseline_f1_bad: float
    mcc: float
    f1_bad: float
    f1_ok: float
    halves: tuple[float, float]

    @property
    def worth(self) -> bool:
        """Return True if the regression beats links on both halves, and in F1 of BAD."""
        return min(self.halves) > 0 and self.f1_bad > self.baseline_f1_bad


def fit_source_words(
    engine: Engine, models: Path, data: Path, words_of: Mapping[LanguagePair, ReadWords], tag_revisions: Mapping[str, TagRevision]
) -> tuple[Mapping[str, SourceRevision], Mapping[str, Mapping[str, object]]]:
    """Revisions of the word taggers that gain by them, and the measurements of all taggers, by name."""
    revisions, measurements = {}, {}
    for pair, words in words_of.items():
        text = read_tagged_text(data / str(pair), pair, "dev")
        gold = read_source_tags(data / str(pair), pair, "dev")
        view = View(text.batch, engine.pair_resources(pair))
        links = source_links(view), target_links(view)
        offsets, target_offsets = text.batch.source.offsets.astype(np.int64), text.batch.translation.offsets.astype(np.int64)
        second = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)) % 2 == 1
        for glass_box in (False, True):
            tagger = load_word_tagger(models / word_tagger_name(pair, glass_box))
            tags = tagger.tag(view)
            revision = tag_revisions.get(tagger.card.id)
            tags = tags if revision is None else revision.revised(tags, words.target, NO_MARKS)
            features = source_features(offsets, target_offsets, tags.words, links, words.source)
            by_links = linked_to_bad(offsets, target_offsets, links[0], tags.words >= tags.word_threshold, gold)
            accuracy = _measured(features, by_links, gold, second)
            is_better = accuracy.worth
            measurements[tagger.card.id] = {**asdict(accuracy), "kept": is_better}
            if is_better:
                revisions[tagger.card.id] = _fit_revision(features, gold)
    return revisions, measurements


def linked_to_bad(offsets: Int64s, target_offsets: Int64s, links: LexicalLinks, bad: Bools, gold: Bools) -> Bools:
    """Mask of source words linked to a BAD word, or also of unlinked words, whichever correlates better with gold; (words,)."""
    row = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    has_no_link = links.place < 0
    is_linked_to_bad = (
        ~has_no_link & np.concatenate([bad, [False]])[np.where(has_no_link, len(bad), target_offsets[row] + links.place)]
    )
    return max(is_linked_to_bad, is_linked_to_bad | has_no_link, key=lambda predicted: correlation(predicted, gold))


def _measured(features: Float64s, by_links: Bools, gold: Bools, second: Bools) -> SourceTagAccuracy:
    predicted = np.zeros(len(gold), bool)
    for half in (second, ~second):
        revision = _fit_revision(features[half], gold[half])
        predicted[~half] = revision.probabilities(features[~half]) >= revision.threshold
    gains = [correlation(predicted[half], gold[half]) - correlation(by_links[half], gold[half]) for half in (~second, second)]
    return SourceTagAccuracy(
        correlation(by_links, gold),
        _f1(by_links, gold),
        correlation(predicted, gold),
        _f1(predicted, gold),
        _f1(~predicted, ~gold),
        (gains[0], gains[1]),
    )


def _fit_revision(features: Float64s, gold: Bools) -> SourceRevision:
    middle, scale = np.nanmean(features, axis=0), np.nanstd(features, axis=0)
    regression = LogisticRegression(C=10).fit(np.nan_to_num((features - middle) / scale), gold)
    revision = SourceRevision(float(regression.intercept_[0]), 0.5, middle, regression.coef_[0] / scale)
    return replace(revision, threshold=threshold_of(revision.probabilities(features), gold))


def _f1(predicted: Bools, gold: Bools) -> float:
    return float(2 * (predicted & gold).sum() / (predicted.sum() + gold.sum()))
