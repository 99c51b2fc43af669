"""Systems that are compared after each was tuned for itself: MIRA in rounds of translating, a seed a run."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean, stdev

from app.metrics import metric_named
from app.smt.decoder.moses_ini import SearchLimits
from app.smt.decoder.system import load_parts
from app.smt.decoder.text_phrases import TextPhrases
from app.smt.decoder.tuning.rounds import RoundOptions, tune_by_rounds
from app.smt.tuning.moses_weights import with_weights
from app.smt.tuning.weights import FeatureWeights
from benchmarks.smt.smt import Text, score, translated

METRIC = "bleu|tok:none"
METHOD = "mira"
# Of Student's distribution with two degrees of freedom, for 95 %.
STUDENT = 4.303


@dataclass(frozen=True)
class Tuned:
    """A system after tuning: BLEU on the development text before and after, on the test, its translations, and its `moses.ini`."""

    untuned: float
    dev: float
    test: float
    texts: Sequence[str]
    configuration: bytes


def tuned_system(config: Path, dev: Text, test: Text, seed: int, folder: Path, rounds: int, lists: int, stack: int) -> Tuned:
    """Tune a `moses.ini` and translate `test` by it; `folder` is made for the rounds, and deleted."""
    metric = metric_named(METRIC)
    parts = load_parts(config, TextPhrases(line.split() for line in [*dev.sources, *test.sources]))
    limits: SearchLimits = replace(parts.ini.limits, stack=stack)
    folder.mkdir()
    # A round has its seed and the number of the round: those of two seeds have none in common.
    options = RoundOptions(METHOD, 100 * seed, rounds, lists, limits, threads=1)
    done = tune_by_rounds(parts, dev.sources, [dev.references], metric, options, folder)
    shutil.rmtree(folder)
    weights = done.best.weights
    texts = translated(parts, weights, limits, test)
    written = with_weights(config.read_bytes(), FeatureWeights.of(parts.names, weights), config.name)
    return Tuned(done.passes[0].score, done.best.score, score(metric, texts, test), texts, written)


def interval(values: Sequence[float]) -> str:
    """The mean of three with the half-width of its 95 % interval."""
    return f"{mean(values):.2f} ± {STUDENT * stdev(values) / len(values) ** 0.5:.2f}"
