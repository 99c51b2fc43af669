"""`assay smt samplerank`: weights of a phrase-based system, learnt by chains among its derivations."""

import numpy as np

from app.building.writing import check_apart, text_aside
from app.errors import InputError
from app.metrics import metric_named
from app.shell.output import say
from app.smt.commands.options.translation.sampling import SamplerankOptions
from app.smt.decoder.sampling.operators import OPERATORS
from app.smt.decoder.sampling.tuner import Epoch, SamplingOptions, tune_by_sampling
from app.smt.decoder.system import load_parts
from app.smt.decoder.text_phrases import TextPhrases
from app.smt.decoder.tuning.tuned_system import check_weight_file, tuned_files
from app.smt.tuning.samplerank.rules import ChainRules
from app.smt.tuning.weights import FeatureWeights
from app.text.reading.lines import TextFile
from app.text.tokenisation import tokens_of

__all__ = ["samplerank"]


def samplerank(arguments: SamplerankOptions) -> None:
    """Learn weights of a phrase-based system by SampleRank with operators on derivations."""
    check_apart((arguments.source, *arguments.reference, arguments.config), (arguments.out,))
    check_weight_file(arguments.config, arguments.out)
    measure = metric_named(arguments.metric)
    options = SamplingOptions(
        arguments.epochs,
        arguments.chains,
        arguments.burn_in,
        arguments.samples,
        arguments.batch,
        held_out=arguments.held_out,
        patience=arguments.patience,
        seed=arguments.seed,
        rules=ChainRules(step=arguments.cap, temperature=arguments.temperature),
        operators=tuple(arguments.operators or OPERATORS),
    )
    sources = list(TextFile.of(arguments.source).lines())
    references = [list(TextFile.of(path).lines()) for path in arguments.reference]
    for path, lines in zip(arguments.reference, references, strict=True):
        if len(lines) != len(sources):
            raise InputError("unequal-lengths", f"{path.name} has {len(lines)} lines, and the source {len(sources)}", (path.name,))
    parts = load_parts(arguments.config, TextPhrases(tokens_of(line) for line in sources))

    def watch(number: int, epoch: Epoch) -> None:
        score = f"{arguments.metric} {epoch.score:.2f} held out"
        say(f"epoch {number}: {score}, {epoch.counts['updates']:,} updates in {epoch.steps:,} steps")

    best = tune_by_sampling(parts, sources, references, measure, options, watch).best
    weights = FeatureWeights.of(parts.names[: len(best.weights)], best.weights)
    for path, text in tuned_files(arguments.config, weights, arguments.out).items():
        with text_aside(path) as file:
            file.write(text)
        say(f"wrote {path}")
    if np.array_equal(best.weights, parts.weights[: len(best.weights)]):
        say("no epoch was better on what was held out: weights are those that were there")
