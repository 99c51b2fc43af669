"""Options of `assay smt samplerank`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from app.shell.declaration.command import declare
from app.shell.declaration.fields import argument, option
from app.shell.declaration.files import PLAIN_TEXT, InFile, OutFile, Replacing
from app.shell.declaration.parameters import number

__all__ = ["SamplerankOptions"]


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class SamplerankOptions(Replacing):
    """Options of `assay smt samplerank`."""

    source: Annotated[Path, argument(help="Source text, tokenised as the system's; gzip is read."), InFile()]
    reference: Annotated[list[Path], argument(help="Translation of the source. Repeatable."), InFile()]
    config: Annotated[Path, option(help="moses.ini of the system."), InFile()]
    out: Annotated[Path, option(help="Output: the configuration with learnt weights."), OutFile()]
    metric: Annotated[str, option("--metric", "-m", help="Metric to learn from."), PLAIN_TEXT] = "bleu|tok:none"
    epochs: Annotated[int, option(min=1, max=1000, help="Most epochs.")] = 5
    samples: Annotated[int, option(min=1, help="Learning steps per sentence and epoch.", panel="Sampling")] = 40
    burn_in: Annotated[int, option(min=0, help="Steps per sentence before learning.", panel="Sampling")] = 10
    batch: Annotated[int, option(min=1, help="Sentences with a common gain.", panel="Sampling")] = 64
    chains: Annotated[int, option(min=1, max=64, help="Chains, mixed after each epoch.", panel="Sampling")] = 1
    cap: Annotated[float, number(about="C: the longest step.", panel="Sampling", low=0)] = 0.01
    temperature: Annotated[float, number(about="Divisor of scores in sampling.", panel="Sampling", low=1e-06, high=1000000.0)] = 1
    operators: Annotated[
        list[str] | None, option("--operator", help="merge-split, reorder or retrans. Repeatable.", panel="Sampling"), PLAIN_TEXT
    ] = None
    held_out: Annotated[float, number(about="Share of sentences that choose the weights.", shares=True)] = 0.2
    patience: Annotated[int, option(min=1, help="Epochs without gain before the end.")] = 2
    seed: Annotated[int, option(min=0, help="Seed of sampling.")] = 1
