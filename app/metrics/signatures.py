"""Signatures as names: the parts of a whole signature that are no options of a metric are checked or refused."""

from collections.abc import Mapping, Sequence
from typing import Final

from app.errors import InputError
from app.metrics.definition import Metric
from app.text.reading.options import Option

__all__ = ["check_constants", "split_constants"]

# Parts of a whole signature that say how a score came about.
OF_SCORES: Final = {
    "nrefs": "is the number of references",
    "bs": "is the number of bootstrap resamples (--confidence-n, significance.samples)",
    "ar": "is the number of trials (--paired-ar-n, significance.trials)",
    "seed": "is the seed of resampling (--seed, significance.seed)",
    "impl": "is the program that computed a score",
    "version": "is the version of sacreBLEU that computed a score",
}


def split_constants(options: Mapping[str, Option], pairs: Sequence[str]) -> tuple[list[str], list[str]]:
    """Pairs ``key:value`` of a metric's options, and the other pairs of a signature."""
    is_option = [pair.partition(":")[0] in options or ":" not in pair for pair in pairs]
    of_options = [pair for pair, is_one in zip(pairs, is_option, strict=True) if is_one]
    return of_options, [pair for pair, is_one in zip(pairs, is_option, strict=True) if not is_one]


def check_constants(metric: Metric, head: str, options: Mapping[str, Option], constants: Sequence[str]) -> None:
    """InputError for a constant that is not in the metric's own signature, such as the ``n:5`` of NIST.

    Parts about a score are refused with the name that means the metric alone.
    """
    parts = dict(pair.split(":", 1) for pair in metric.options().split("|"))
    for number, constant in enumerate(constants):
        key, _, value = constant.partition(":")
        if key in OF_SCORES:
            detail = f"{key} {OF_SCORES[key]}, and no option of a metric; the metric of this signature is {head}|{metric.options()}"
            raise InputError("unknown-metric", detail)
        if key not in parts or constants.index(constant) != number:
            remedy = f"it has {', '.join(options)}, each at most once" if options else f"{head} has no options"
            raise InputError("unknown-metric", f"{key} is no option of {head}; {remedy}")
        if parts[key] != value:
            raise InputError("unknown-metric", f"{key} of {head} is {parts[key]}, and not {value}")
