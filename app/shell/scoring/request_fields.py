"""Fields of a request for scores that options of `assay score` stand for."""

from typing import Any, Final

from app.errors import InputError
from app.shell.options.scoring import ScoreOptions
from app.shell.scoring.sacrebleu_options import SacrebleuOptions

__all__ = ["metric_names", "significance_fields"]

USUAL: Final = ("bleu", "chrf", "ter")


def metric_names(arguments: ScoreOptions) -> list[str]:
    """Names of metrics, with the settings that sacreBLEU's options choose."""
    options = SacrebleuOptions(
        arguments.lowercase,
        arguments.tokenize,
        arguments.language_pair,
        arguments.smooth_method,
        arguments.smooth_value,
        arguments.chrf_char_order,
        arguments.chrf_word_order,
        arguments.chrf_beta,
        arguments.chrf_whitespace,
        arguments.chrf_lowercase,
        arguments.chrf_eps_smoothing,
        arguments.ter_case_sensitive,
        arguments.ter_asian_support,
        arguments.ter_no_punct,
        arguments.ter_normalized,
    )
    return options.metrics(arguments.metrics or (USUAL if not arguments.score_only else USUAL[:1]))


def significance_fields(arguments: ScoreOptions) -> dict[str, Any]:
    """Settings of intervals and tests; InputError for two tests."""
    if arguments.paired_bs and arguments.paired_ar:
        raise InputError("invalid-request", "name one test: --paired-bs or --paired-ar", ("--paired-ar",))
    return {
        "test": "randomisation" if arguments.paired_ar else "bootstrap",
        "samples": arguments.samples,
        "trials": arguments.trials,
        "seed": arguments.seed,
        "letters": arguments.letters,
        "alpha": arguments.alpha,
    }
