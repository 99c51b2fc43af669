"""Use of a network that reads tokens for tags of gaps, beside the word tagger: ``python -m benchmarks.gap_tags DATA PAIR…``.

The table has Matthews' correlation of gaps on dev (1,000 segments) for each pair. The first column uses the tagger's shipped threshold,
the second a threshold from the other half of the segments. The third is of a logistic regression fitted to the other half. Its inputs
are log odds of the tagger, log odds by the network, and the share of source words without a link in the lexical table. The network's
odds are those of the words on both sides of the gap, and of the worst and the mean source token.
"""

import argparse
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from app.arrays import Bools, Float64s
from app.engine import Engine
from app.features import View
from app.features.encoded import EncodedSides
from app.features.lexical_links import source_links
from app.features.word_level import gap_offsets
from app.predictors.cross_encoder.revision import log_odds, wrong_words
from app.predictors.word_tags import load_word_tagger
from app.resources.encoders import ChosenEncoder
from app.settings import Settings
from app.text.languages import LanguagePair
from scripts.encoder.revisions import correlation
from scripts.mlqe_pe.everything import language_pairs
from scripts.mlqe_pe.provenance import TRAINING_TAGGER
from scripts.mlqe_pe.words import read_tagged_text, word_tagger_name

# Shares of gaps below the thresholds of the search.
SHARES = np.linspace(0.7, 0.995, 60)


def _correlation_of_odds(features: Float64s, gold: Bools, second: Bools) -> float:
    predicted = np.zeros(len(gold), bool)
    standard = (features - features.mean(0)) / features.std(0)
    for half in (second, ~second):
        odds = LogisticRegression(C=10).fit(standard[half], gold[half]).decision_function(standard)
        thresholds = np.quantile(odds[half], SHARES)
        best = max(thresholds, key=lambda threshold: correlation(odds[half] > threshold, gold[half]))
        predicted[~half] = odds[~half] > best
    return correlation(predicted, gold)


def _row_of_pair(engine: Engine, models: Path, data: Path, pair: LanguagePair) -> str:
    text = read_tagged_text(data / str(pair), pair, "dev")
    resources = engine.pair_resources(pair)
    encoder, judge = ChosenEncoder("auto").required(), engine.registry.sentence_judges.of(engine.resources.encoder)
    assert judge is not None
    view = View(text.batch, resources)
    tags, free = load_word_tagger(models / word_tagger_name(pair, False)).tag(view), source_links(view).place < 0
    rows = []
    for row in range(len(text.batch)):
        words = [column.tokens(row) for column in (text.batch.cased_source, text.batch.cased_translation)]
        source, target = (encoder.encode_tokens([" ".join(side)]) for side in words)
        assert source is not None and target is not None
        (reading,) = judge.readings(pair, EncodedSides(source, target))
        wrong = wrong_words(target.pieces, reading.target, words[1])
        mean = np.nanmean(wrong) if np.isfinite(wrong).any() else 0.5
        wrong = np.where(np.isnan(wrong), mean, wrong)
        begin, end = text.batch.source.offsets[row : row + 2]
        of_source = (reading.source.max(), reading.source.mean()) if len(reading.source) else (0.5, 0.5)
        beside = (*log_odds(np.array(of_source, np.float64)), free[begin:end].mean() if end > begin else 0.0)
        left, right = log_odds(np.array([mean, *wrong])), log_odds(np.array([*wrong, mean]))
        rows.append(np.column_stack([left, right, np.tile(beside, (len(wrong) + 1, 1))]))
    gold, tagger_odds = text.gaps.astype(bool), log_odds(tags.gaps)[:, None]
    offsets = gap_offsets(text.batch.translation)
    second = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)) % 2 == 1
    numbers = (
        correlation(tags.gaps >= tags.gap_threshold, gold),
        _correlation_of_odds(tagger_odds, gold, second),
        _correlation_of_odds(np.hstack([tagger_odds, np.concatenate(rows)]), gold, second),
    )
    return " | ".join([str(pair), f"{gold.mean():.3f}", *(f"{number:.3f}" for number in numbers)])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gap_tags", description=__doc__)
    parser.add_argument("data", type=Path, help="folder of the MLQE-PE data (or one with mlqe-pe in it)")
    parser.add_argument("pairs", type=LanguagePair.parse, nargs="+", help="language pairs, such as ro-en")
    options = parser.parse_args()
    settings = Settings()
    engine = Engine.open(settings.resources_dir, settings.models_dir, tagging=TRAINING_TAGGER, encoder="auto")
    data, _ = language_pairs(options.data)
    print("pair | bad | as shipped | tagger | tagger and network")
    for pair in options.pairs:
        print(_row_of_pair(engine, settings.models_dir, data, pair), flush=True)


if __name__ == "__main__":
    main()
