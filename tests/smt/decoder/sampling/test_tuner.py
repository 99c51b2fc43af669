"""Weights learnt by chains: chosen by what was held out, the same for the same seed, and better where there is something to learn."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.errors import InputError
from app.metrics import metric_named
from app.smt.decoder.decoder import Decoder
from app.smt.decoder.sampling.tuner import SamplingOptions, tune_by_sampling
from app.smt.decoder.system import load_parts, system_of
from app.smt.tuning.samplerank.rules import ChainRules
from tests.smt.decoder.systems import SOURCE, write_system

METRIC = metric_named("bleu|tok:none")
OPTIONS = SamplingOptions(epochs=3, burn_in=2, samples=10, batch=4, held_out=0.4, seed=3, rules=ChainRules(step=0.03))


def test_weights_come_nearer_to_those_that_made_the_references(tmp_path: Path) -> None:
    config = write_system(tmp_path, 8, "hier-mslr-bidirectional-fe", 3)
    generator = np.random.default_rng(8)
    sources = [" ".join(generator.choice(SOURCE, 6)) for _ in range(14)]
    decoder = Decoder(system_of(load_parts(config)))
    references = [[decoder.translate(source).n_best(1)[0].text for source in sources]]
    config.write_text(config.read_text().replace("LM= 0.5", "LM= -0.3").replace("WordPenalty0= -0.4", "WordPenalty0= -2"))
    parts = load_parts(config)
    tuned = tune_by_sampling(parts, [*sources, ""], [[*references[0], ""]], METRIC, OPTIONS)
    assert tuned.best.score == max(epoch.score for epoch in tuned.passes) > tuned.passes[0].score + 1
    assert tuned.passes[-1].steps >= tuned.passes[-1].violations >= tuned.passes[-1].counts["updates"] > 0
    unknown = [name.startswith("UnknownWordPenalty") for name in parts.names].index(True)
    assert tuned.best.weights[unknown] == pytest.approx(1)
    again = tune_by_sampling(parts, [*sources, ""], [[*references[0], ""]], METRIC, replace(OPTIONS, epochs=1))
    np.testing.assert_array_equal(again.passes[1].weights, tuned.passes[1].weights)
    two = tune_by_sampling(parts, sources, references, METRIC, replace(OPTIONS, chains=2, epochs=1))
    assert two.passes[1].steps == 8 * OPTIONS.samples


def test_what_cannot_be_sampled_is_refused(tmp_path: Path) -> None:
    parts = load_parts(write_system(tmp_path, 8, "msd-backward-f", 3))
    with pytest.raises(InputError, match="two sentences with words"):
        tune_by_sampling(parts, ["s0", ""], [["t0", "t1"]], METRIC, OPTIONS)
    with pytest.raises(InputError, match="operators are merge-split"):
        tune_by_sampling(parts, ["s0", "s1"], [["t0", "t1"]], METRIC, replace(OPTIONS, operators=("flip",)))
    with pytest.raises(InputError, match="above 0 and below 1"):
        SamplingOptions(held_out=0)
