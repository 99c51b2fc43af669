"""A predictor and a word tagger of a pair of one's own, from labelled segments and the resources that were built for it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

import numpy as np

from app.building.own_pair.expecting import Expectation, cross_validate, split_rows
from app.building.own_pair.word_tags import tags_of_post_edits
from app.features import FeatureMatrix, PairResources, View, extract_features, feature_set
from app.features.word_level import GAPS, WORDS, gap_offsets
from app.predictors import Label, Model
from app.predictors.training import TrainingSet, train_model
from app.predictors.word_tags.fitting import TaggedView, fit_random_fields, fitting_features, measured_marks, measured_tags
from app.predictors.word_tags.model import WordTagCard, WordTagger
from app.running.journal import Journal
from app.text.batch import SegmentBatch
from app.text.languages import LanguagePair
from app.text.tokenisation import tokeniser_for

__all__ = ["LearningPlan", "batch_of", "features_of", "learn_predictor", "learn_word_tagger", "recipe_for"]

SEED: Final = 12345
# Every fifth post-edit measures a tagger that was trained on the others.
TEST_STEP: Final = 5
MANY_LABELS: Final = 500


@dataclass(frozen=True)
class LearningPlan:
    """A set of features and the learner that goes with it."""

    feature_set: str
    learner: str


def recipe_for(labels: int) -> LearningPlan:
    """LearningPlan for a number of labels; many features need many rows."""
    return LearningPlan("quest-baseline-17", "gp") if labels < MANY_LABELS else LearningPlan("text-only", "blend")


def batch_of(pair: LanguagePair, sources: Sequence[str], translations: Sequence[str]) -> SegmentBatch:
    """Segments as features see them."""
    return SegmentBatch.build(tokeniser_for(pair.source), tokeniser_for(pair.target), sources, translations)


def features_of(batch: SegmentBatch, recipe: LearningPlan, resources: PairResources) -> FeatureMatrix:
    """Features of a batch for a recipe."""
    return extract_features(batch, feature_set(recipe.feature_set), resources)


def learn_predictor(
    pair: LanguagePair,
    label: Label,
    rows: TrainingSet,
    features: Sequence[str],
    recipe: LearningPlan,
    licence: str,
    journal: Journal,
    report: Callable[[Expectation], None],
) -> Model:
    """Train a predictor on all rows; `report` first receives the expected accuracy, by cross-validation."""

    def train(training_rows: TrainingSet, calibration_rows: TrainingSet) -> Model:
        return train_model(
            training_rows,
            calibration_rows,
            str(pair),
            label,
            recipe.feature_set,
            features,
            recipe.learner,
            licence,
            SEED,
            journal=journal,
        )

    report(cross_validate(rows, train, SEED))
    return train(*split_rows(rows, SEED))


def learn_word_tagger(
    batch: SegmentBatch, post_edits: Sequence[str], resources: PairResources, name: str, data: str, checksum: str, licence: str
) -> WordTagger:
    """A tagger of words and gaps from post-edits, measured on every fifth of them; InputError where nothing can be learned."""
    pair, offsets, between = batch.pair, batch.translation.offsets, gap_offsets(batch.translation)
    tokenise = tokeniser_for(pair.target)
    translations = [batch.translation.tokens(row) for row in range(len(post_edits))]
    words, gaps = tags_of_post_edits(translations, (tokenise(text) for text in post_edits))

    def part(rows: np.ndarray) -> TaggedView:
        tags = [words[offsets[row] : offsets[row + 1]] for row in rows], [gaps[between[row] : between[row + 1]] for row in rows]
        return TaggedView(View(batch.select(rows), resources), np.concatenate(tags[0]), np.concatenate(tags[1]))

    all_rows = np.arange(len(post_edits))
    of_words, of_gaps = fitting_features(WORDS, resources), fitting_features(GAPS, resources)
    card = WordTagCard(
        1,
        name,
        str(pair),
        tuple(feature.id for feature in of_words),
        tuple(feature.id for feature in of_gaps),
        {},
        {"name": data, "segments": len(post_edits), "sha256": checksum},
        {},
        datetime.now(UTC).date().isoformat(),
        licence,
    )
    trial = WordTagger(card, *fit_random_fields(of_words, of_gaps, [part(all_rows[all_rows % TEST_STEP != 0])], SEED))
    test, test_data = part(all_rows[all_rows % TEST_STEP == 0]), f"{data}, every fifth post-edit, before they were learned"
    accuracy, marks = measured_tags(trial, test, test_data), measured_marks(trial, test, test_data)
    fields = fit_random_fields(of_words, of_gaps, [part(all_rows)], SEED)
    numbers: dict[str, int | float] = {
        "seed": SEED,
        "buckets": len(fields[0].weights),
        "word_threshold": fields[0].threshold,
        "gap_threshold": fields[1].threshold,
    }
    return WordTagger(replace(card, hyper_parameters=numbers, accuracy=accuracy, marks=marks), *fields)
