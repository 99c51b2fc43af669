"""`assay samplerank`: weights of a phrase-based system, learnt by chains among its derivations."""

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from app.building.writing import check_apart, text_aside
from app.errors import InputError
from app.metrics import metric_named
from app.shell.output import check_file, say
from app.shell.parameters import number
from app.smt.decoder.sampling.operators import OPERATORS
from app.smt.decoder.sampling.tuner import Epoch, SamplingOptions, tune_by_sampling
from app.smt.decoder.system import load_parts
from app.smt.decoder.text_phrases import TextPhrases
from app.smt.decoder.tuning.tuned_system import check_weight_file, tuned_files
from app.smt.tuning import Weights
from app.smt.tuning.samplerank.rules import ChainRules
from app.text.reading.lines import TextFile
from app.text.tokenisation import tokens_of

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)
USUAL = SamplingOptions()


@commands.command()
def samplerank(
    source: Annotated[
        Path, typer.Argument(help="Source text, tokenised as the system's own was, a sentence a line; gzip is read.")
    ],
    reference: Annotated[list[Path], typer.Argument(help="Its translation; several where there are.")],
    config: Annotated[Path, typer.Option(help="The system: a moses.ini.")],
    out: Annotated[Path, typer.Option(help="File to write: the configuration with the learnt weights.")],
    metric: Annotated[str, typer.Option("--metric", "-m", help="The metric that is learnt from.")] = "bleu|tok:none",
    epochs: Annotated[int, typer.Option(min=1, max=1000, help="Times through the sentences, at most.")] = USUAL.epochs,
    samples: Annotated[int, typer.Option(min=1, help="Steps a sentence that learn, each epoch.")] = USUAL.samples,
    burn_in: Annotated[int, typer.Option(min=0, help="Steps a sentence before them.")] = USUAL.burn_in,
    batch: Annotated[int, typer.Option(min=1, help="Sentences whose common score is the gain.")] = USUAL.batch,
    chains: Annotated[int, typer.Option(min=1, max=64, help="Chains with a part of the sentences each, mixed each epoch.")] = 1,
    cap: Annotated[float, number(about="C: the longest step.", low=0)] = USUAL.rules.step,
    temperature: Annotated[float, number(about="What scores are divided by where samples are drawn.", low=1e-6, high=1e6)] = 1,
    operators: Annotated[
        list[str] | None, typer.Option("--operator", help=f"{', '.join(OPERATORS)}; repeat for some of them.")
    ] = None,
    held_out: Annotated[float, number(about="Share of the sentences that weights are chosen on.", shares=True)] = USUAL.held_out,
    patience: Annotated[int, typer.Option(min=1, help="Epochs without gain there before it ends.")] = USUAL.patience,
    seed: Annotated[int, typer.Option(min=0, help="Seed of what is drawn.")] = USUAL.seed,
    replace: Annotated[bool, typer.Option("--replace", help="Write in the place of a file that is there already.")] = False,
) -> None:
    """Learn weights of a phrase-based system by SampleRank with operators on derivations."""
    check_file(out, "--out")
    check_apart((source, *reference, config), (out,))
    if out.exists() and not replace:
        raise InputError("invalid-request", f"{out} is there already; --replace writes another in its place", ("--replace",))
    check_weight_file(config, out)
    measure = metric_named(metric)
    options = SamplingOptions(
        epochs, chains, burn_in, samples, batch, held_out=held_out, patience=patience, seed=seed,
        rules=ChainRules(step=cap, temperature=temperature), operators=tuple(operators or OPERATORS),
    )  # fmt: skip
    sources = list(TextFile.of(source).lines())
    references = [list(TextFile.of(path).lines()) for path in reference]
    for path, lines in zip(reference, references, strict=True):
        if len(lines) != len(sources):
            raise InputError("unequal-lengths", f"{path.name} has {len(lines)} lines, and the source {len(sources)}", (path.name,))
    parts = load_parts(config, TextPhrases(tokens_of(line) for line in sources))

    def watch(number: int, epoch: Epoch) -> None:
        say(f"epoch {number}: {metric} {epoch.score:.2f} of what was held out, {epoch.updates:,} updates in {epoch.steps:,} steps")

    best = tune_by_sampling(parts, sources, references, measure, options, watch).best
    weights = Weights.of(parts.names[: len(best.weights)], best.weights)
    for path, text in tuned_files(config, weights, out).items():
        with text_aside(path) as file:
            file.write(text)
        say(f"wrote {path}")
    if np.array_equal(best.weights, parts.weights[: len(best.weights)]):
        say("no epoch was better on what was held out: weights are those that were there")
