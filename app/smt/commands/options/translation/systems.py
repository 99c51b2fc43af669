"""Options of `assay smt`."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

from app.shell.declaration.command import declare
from app.shell.declaration.fields import argument, option
from app.shell.declaration.files import LOCAL_MACHINE, PLAIN_TEXT, REQUIREMENT, InFile, OutFile, OutFolder
from app.shell.declaration.parameters import number

__all__ = ["SmtTrainOptions", "SmtTranslateOptions"]

tuning, extraction, decoding = (partial(option, panel=panel) for panel in ("Tuning", "Extraction", "Decoding"))


@declare(server=True, resumes=True)
@dataclass(frozen=True, kw_only=True)
class SmtTrainOptions:
    """Options of `assay smt train`."""

    source: Annotated[Path, argument(help="Source text, words between blanks; gzip is read."), InFile()]
    target: Annotated[Path, argument(help="Target text."), InFile()]
    out: Annotated[Path, option(help="Folder of the system; finished steps are not repeated."), OutFolder()]
    dev: Annotated[tuple[Path, Path] | None, option(metavar="SOURCE TARGET", help="Text to tune weights on."), InFile()] = None
    untuned: Annotated[bool, option("--untuned", help="Leave the weights as Moses has them.")] = False
    lowercase: Annotated[bool, option("--lowercase", help="Lower-case all text.")] = False
    method: Annotated[str, tuning(help="Method of tuning, as in nbest tune, or samplerank-decoder ..."), PLAIN_TEXT] = "mira"
    metric: Annotated[str, tuning("--metric", "-m", help="Metric to tune towards."), PLAIN_TEXT] = "bleu|tok:none"
    seed: Annotated[int, tuning(min=0, help="Seed of the first round of tuning.")] = 1
    rounds: Annotated[int, tuning(min=1, max=100, help="Most rounds of tuning.")] = 8
    list_length: Annotated[int, tuning(min=1, max=10000, help="Hypotheses per sentence and round.")] = 100
    step: Annotated[
        float, number(about="Share of the way that a round goes from the best weights.", panel="Tuning", shares=True)
    ] = 0.5
    tuning_stack: Annotated[int, tuning(min=1, help="Most hypotheses per stack while tuning.")] = 30
    order: Annotated[int, option(min=2, max=7, help="Longest n-gram of the language model.")] = 5
    lm_text: Annotated[list[Path] | None, option(help="More target text for the language model. Repeatable."), InFile()] = None
    max_length: Annotated[int, extraction(min=1, max=100, help="Most words of a phrase.")] = 7
    max_words: Annotated[int, extraction(min=1, max=1000, help="Most words of a sentence.")] = 100
    reordering: Annotated[list[str] | None, extraction(help="Reordering model, or none. Repeatable."), PLAIN_TEXT] = None
    heuristic: Annotated[str, extraction(help="Symmetrisation of links."), PLAIN_TEXT] = "grow-diag-final-and"
    distortion_limit: Annotated[int, decoding(help="Longest jump in words, -1 for any.")] = 6
    stack: Annotated[int, decoding(help="Hypotheses per stack.")] = 100
    table_limit: Annotated[int, decoding(min=0, help="Translations per phrase; 0 for all.")] = 20
    sparse: Annotated[list[str] | None, tuning(help="Sparse features to tune, as word-deletion. Repeatable."), PLAIN_TEXT] = None
    memory: Annotated[int, option(min=16, help="Megabytes for sorting.")] = 512
    replace_tuned: Annotated[bool, option("--replace", help="With --untuned: discard tuned weights."), LOCAL_MACHINE] = False


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class SmtTranslateOptions:
    """Options of `assay smt translate`."""

    system: Annotated[Path, argument(help="Folder of a system, trained or packed."), InFile()]
    text: Annotated[str, argument(help="Text, as for training; - is stdin."), InFile(), REQUIREMENT] = "-"
    n_best: Annotated[
        tuple[Path, int] | None, option(metavar="FILE N", help="Output: N best derivations of each sentence."), OutFile(first=True)
    ] = None
    distinct: Annotated[bool, option("--distinct", help="N best different translations.")] = False
    untuned: Annotated[bool, option("--untuned", help="Translate with the weights before tuning.")] = False
    stack: Annotated[int | None, option(help="Hypotheses per stack; default: as configured.")] = None
    distortion_limit: Annotated[int | None, option(help="Longest jump in words, -1 for any.")] = None
    segmentation: Annotated[bool, option("--segmentation", help="Print the source span behind each phrase.")] = False
