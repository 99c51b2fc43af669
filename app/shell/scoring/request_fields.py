"""Fields of a request for scores that options of `assay score` stand for."""

from collections.abc import Sequence
from typing import Any, Final

from app.errors import InputError
from app.metrics.registry import TERMS
from app.shell.options.scoring import ScoreOptions
from app.shell.scoring.sacrebleu_options import SacrebleuOptions

__all__ = ["metric_names", "significance_fields", "terminology_fields"]

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
    names = list(arguments.metrics or (USUAL if not arguments.score_only else USUAL[:1]))
    return options.metrics(names + [TERMS] * (arguments.glossary is not None and TERMS not in names))


def terminology_fields(arguments: ScoreOptions, metrics: Sequence[str]) -> dict[str, Any]:
    """The glossary of the metric `terms` and its languages; InputError without them."""
    if TERMS not in metrics:
        return {}
    for value, flag in (
        (arguments.glossary, "--glossary"),
        (arguments.source, "--source"),
        (arguments.language_pair, "--language-pair"),
    ):
        if value is None:
            raise InputError("invalid-request", "the metric terms needs --glossary, --source and --language-pair", (flag,))
    from app.shell.declaration.glossaries import glossary_field

    pair = str(arguments.language_pair)
    return {"glossary": glossary_field(arguments.glossary, pair.partition("-")[0]), "language_pair": pair}


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
