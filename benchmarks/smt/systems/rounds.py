"""Tuning of systems for comparison: MIRA in rounds of translating, a seed per run."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from app.metrics import metric_named
from app.smt.decoder.moses_ini import SearchLimits
from app.smt.decoder.system import load_parts
from app.smt.decoder.text_phrases import TextPhrases
from app.smt.decoder.tuning.rounds import RoundOptions, tune_by_rounds
from app.smt.tuning.moses_weights import with_weights
from app.smt.tuning.weights import FeatureWeights
from benchmarks.smt.systems.tuning import Text, score, translated

METRIC = "bleu|tok:none"
METHOD = "mira"


@dataclass(frozen=True)
class TunedSystem:
    """A system after tuning: BLEU on the development text before and after and on the test, its translations, and its `moses.ini`."""

    start: float
    dev: float
    test: float
    texts: Sequence[str]
    configuration: bytes


def tuned_system(config: Path, dev: Text, test: Text, seed: int, folder: Path, rounds: int, lists: int, stack: int) -> TunedSystem:
    """Tune a `moses.ini` and translate `test` by it; `folder` holds the rounds, and is deleted."""
    metric = metric_named(METRIC)
    parts = load_parts(config, TextPhrases(line.split() for line in [*dev.sources, *test.sources]))
    limits: SearchLimits = replace(parts.ini.limits, stack=stack)
    folder.mkdir()
    # The seed of a round depends on both numbers; rounds of two seeds share none.
    options = RoundOptions(METHOD, 100 * seed, rounds, lists, limits, threads=1)
    tuning = tune_by_rounds(parts, dev.sources, [dev.references], metric, options, folder)
    shutil.rmtree(folder)
    weights = tuning.best.weights
    texts = translated(parts, weights, limits, test)
    ini = with_weights(config.read_bytes(), FeatureWeights.of(parts.names, weights), config.name)
    return TunedSystem(tuning.passes[0].score, tuning.best.score, score(metric, texts, test), texts, ini)
