"""Metrics by the names that requests use.

A name may carry options in the form signatures have: ``bleu|tok:zh|case:lc``, ``simpbleu:PABC4|alpha:3``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Final, TypeVar

from app.metrics.bleu import SMOOTHINGS, Bleu
from app.metrics.chrf import Chrf
from app.metrics.definition import Metric
from app.metrics.error_rates import Per, Wer
from app.metrics.simpbleu import VARIANTS, SimpBleu
from app.metrics.ter import Ter
from app.metrics.tokenisers import METRIC_TOKENISERS
from app.text.errors import InputError

__all__ = ["METRICS", "MetricEntry", "metric_named"]

T = TypeVar("T")


@dataclass(frozen=True)
class MetricEntry:
    """What a metric is called, what it measures, and the options it takes."""

    name: str
    description: str
    options: tuple[str, ...]
    source: str


METRICS: Final = {
    entry.name: entry
    for entry in (
        MetricEntry("bleu", "n-gram precision with brevity penalty", ("case", "tok", "smooth"), "Papineni et al. 2002"),
        MetricEntry("chrf", "F2 of character 6-grams", ("case", "nc", "nw", "space"), "Popović 2015"),
        MetricEntry("chrf+", "chrF with word unigrams", ("case", "nc", "space"), "Popović 2017"),
        MetricEntry("chrf++", "chrF with word unigrams and bigrams", ("case", "nc", "space"), "Popović 2017"),
        MetricEntry("ter", "edits and block shifts per reference word", ("case", "norm", "punct", "asian"), "Snover et al. 2006"),
        MetricEntry("wer", "insertions, deletions and substitutions per reference word", ("case", "tok"), "Levenshtein 1966"),
        MetricEntry("per", "word error rate of bags of words", ("case", "tok"), "Tillmann et al. 1997"),
        MetricEntry(
            "simpbleu",
            "64 simplifications of BLEU: simpbleu:PABC4 and so on",
            ("case", "tok", "alpha"),
            "Song and Cohn 2011; Song's thesis, section 3.2.2",
        ),
    )
}
CHRF_WORDS: Final = {"chrf": 0, "chrf+": 1, "chrf++": 2}


def metric_named(name: str) -> Metric:
    """The metric that `name` describes; InputError says which metrics, variants and options there are."""
    head, *pairs = name.split("|")
    kind, _, variant = head.partition(":")
    entry = METRICS.get(kind)
    if entry is None or (variant and kind != "simpbleu"):
        raise InputError("unknown-metric", f"metrics are {', '.join(METRICS)} and simpbleu with a variant, as simpbleu:PABC4")
    options = _options(entry, pairs)
    lowercase = _choice(options, "case", {"mixed": False, "lc": True}, kind == "ter")
    if kind in CHRF_WORDS:
        words = CHRF_WORDS[kind] if "nw" not in options else int(_number(options, "nw", 0, 4, 0, whole=True))
        return Chrf(
            lowercase,
            int(_number(options, "nc", 1, 10, 6, whole=True)),
            words,
            _choice(options, "space", {"no": False, "yes": True}, False),
            name=kind,
        )
    if kind == "ter":
        yes_no = {"no": False, "yes": True}
        return Ter(
            lowercase,
            _choice(options, "norm", yes_no, False),
            _choice(options, "punct", yes_no, True),
            _choice(options, "asian", yes_no, False),
        )
    tokenise = _choice(options, "tok", {tok: tok for tok in METRIC_TOKENISERS}, "13a")
    if kind == "bleu":
        return Bleu(lowercase, tokenise, _choice(options, "smooth", {s: s for s in SMOOTHINGS}, "exp"))
    if kind in ("wer", "per"):
        return (Wer if kind == "wer" else Per)(lowercase, tokenise)
    if variant not in VARIANTS:
        raise InputError(
            "unknown-metric",
            "a SIMPBLEU variant is P or R, G or A, B or nothing, C or nothing, and an order 1 to 4, as in simpbleu:PABC4",
        )
    return SimpBleu(variant, lowercase, tokenise, _number(options, "alpha", 0.0, 1000.0, 1.0))


def _options(entry: MetricEntry, pairs: list[str]) -> dict[str, str]:
    options: dict[str, str] = {}
    for pair in pairs:
        key, separator, value = pair.partition(":")
        if not separator or key not in entry.options or key in options:
            raise InputError(
                "unknown-metric", f"options of {entry.name} are {', '.join(entry.options)}, each once, written like |case:lc"
            )
        options[key] = value
    return options


def _choice(options: Mapping[str, str], key: str, accepted: Mapping[str, T], default: T) -> T:
    if key not in options:
        return default
    if options[key] not in accepted:
        raise InputError("unknown-metric", f"option {key} is one of {', '.join(accepted)}")
    return accepted[options[key]]


def _number(options: Mapping[str, str], key: str, low: float, high: float, default: float, whole: bool = False) -> float:
    if key not in options:
        return default
    try:
        value = float(options[key])
    except ValueError:
        value = float("nan")
    if not isfinite(value) or not low <= value <= high or (whole and value != int(value)):
        kind = "a whole number" if whole else "a number"
        raise InputError("unknown-metric", f"option {key} is {kind} from {low:g} to {high:g}")
    return value
