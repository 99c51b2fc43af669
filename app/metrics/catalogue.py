"""The metrics that Assay has, registered under their names."""

from dataclasses import replace
from typing import Final

from app.errors import InputError
from app.metrics.definition import Metric
from app.metrics.learnt.artifact import TrainedMetric
from app.metrics.learnt.linear_metric import LinearMetric
from app.metrics.lexical.bleu import SMOOTHING, Bleu
from app.metrics.lexical.chrf import Chrf
from app.metrics.lexical.error_rates import Per, Wer
from app.metrics.lexical.nist import Nist
from app.metrics.lexical.simpbleu import VARIANTS, SimpBleu
from app.metrics.lexical.ter import Ter
from app.metrics.options import CASE, LOWERCASE, NO, TOKENISER, YES, Choice, Number, Option
from app.metrics.registry import MetricEntry, MetricRequest, metric_named, register_installed, register_metric
from app.metrics.tokenisers import METRIC_TOKENISERS
from app.metrics.word_order.order_metric import LEXICAL, ORDERINGS, STEMMERS, OrderMetric

__all__ = ["register_all"]

WORDS: Final[dict[str, Option]] = {"case": CASE, "tok": TOKENISER}
# What is always so is accepted too, because signatures say it.
CHARACTERS: Final[dict[str, Option]] = {
    "case": CASE,
    "eff": Choice({"yes": True}, True),
    "nc": Number(1, 10, 6, whole=True),
    "space": NO,
}
STEM: Final = Choice({"no": None, **{code: code for code in STEMMERS}}, None)
# Without a tokeniser of the caller's, a trained metric uses the one that it was trained with.
FACTORED: Final[dict[str, Option]] = {"tok": Choice({name: name for name in METRIC_TOKENISERS}, None), "factored": NO}


def _bleu(asked: MetricRequest) -> Metric:
    o = asked.options
    method, value = o["smooth"]
    return Bleu(o["case"], o["tok"], method, value, o["eff"])


def _chrf(name: str, words: int) -> MetricEntry:
    options: dict[str, Option] = dict(CHARACTERS)
    if name == "chrf":
        options["nw"] = Number(0, 4, 0, whole=True)
    text = {0: "F2 of character 6-grams", 1: "chrF with word unigrams", 2: "chrF with word unigrams and bigrams"}[words]

    def make(asked: MetricRequest) -> Metric:
        o = asked.options
        return Chrf(o["case"], o["nc"], o.get("nw", words), o["space"], name=name)

    return MetricEntry(name, text, options, "Popović 2015" if words == 0 else "Popović 2017", make)


def _ter(asked: MetricRequest) -> Metric:
    o = asked.options
    return Ter(o["case"], o["norm"], o["punct"], o["asian"])


def _simpbleu(asked: MetricRequest) -> Metric:
    if asked.variant not in VARIANTS:
        raise InputError(
            "unknown-metric",
            "a SIMPBLEU variant is P or R, G or A, B or nothing, C or nothing, and an order 1 to 4, as in simpbleu:PABC4",
        )
    return SimpBleu(asked.variant, asked.options["case"], asked.options["tok"], asked.options["alpha"])


def _order(asked: MetricRequest) -> Metric:
    if asked.variant not in ORDERINGS:
        raise InputError("unknown-metric", f"a word-order metric is order: and one of {', '.join(ORDERINGS)}")
    o = asked.options
    return OrderMetric(asked.variant, o["alpha"], o["beta"], o["lex"], o["stem"], o["case"], o["tok"])


def _trained(asked: MetricRequest, name: str) -> Metric:
    found = asked.trained.get(name)
    if found is None:
        known = ", ".join(asked.trained) or "none"
        raise InputError("unknown-metric", f"that trained metric is not loaded; trained metrics here are {known}")
    return _linear(asked, found)


def _linear(asked: MetricRequest, found: TrainedMetric) -> Metric:
    if asked.options["tok"] is not None:
        found = replace(found, tokenise=asked.options["tok"])
    return LinearMetric(found, lambda name: metric_named(name, asked.trained), asked.options["factored"])


def _beer(asked: MetricRequest) -> Metric:
    return _trained(asked, f"beer-{asked.variant or '2.0'}")


def _rose(asked: MetricRequest) -> Metric:
    return _trained(asked, f"rose-{asked.variant or 'rank'}-{asked.options['lang']}")


ROSE_LANGUAGES: Final = Choice({code: code for code in ("en", "de", "zh")}, "en")


def _wer(asked: MetricRequest) -> Metric:
    return Wer(asked.options["case"], asked.options["tok"])


def _per(asked: MetricRequest) -> Metric:
    return Per(asked.options["case"], asked.options["tok"])


def _nist(asked: MetricRequest) -> Metric:
    return Nist(asked.options["case"], asked.options["tok"])


BLEU_OPTIONS: Final[dict[str, Option]] = {**WORDS, "smooth": SMOOTHING, "eff": NO}
TER_OPTIONS: Final[dict[str, Option]] = {
    "case": LOWERCASE,
    "tok": Choice({"tercom": "tercom"}, "tercom"),
    "norm": NO,
    "punct": YES,
    "asian": NO,
}
ORDER_OPTIONS: Final[dict[str, Option]] = {
    **WORDS,
    "alpha": Number(0, 1, 0.5),
    "beta": Number(0, 1, 0.6),
    "lex": Choice({each: each for each in LEXICAL}, "f1"),
    "stem": STEM,
}


def register_all() -> None:
    """Register what Assay has, then what installed packages add."""
    for entry in (
        MetricEntry("bleu", "n-gram precision with brevity penalty", BLEU_OPTIONS, "Papineni et al. 2002", _bleu),
        _chrf("chrf", 0),
        _chrf("chrf+", 1),
        _chrf("chrf++", 2),
        MetricEntry("ter", "edits and block shifts per reference word", TER_OPTIONS, "Snover et al. 2006", _ter),
        MetricEntry("wer", "insertions, deletions and substitutions per reference word", WORDS, "Levenshtein 1966", _wer),
        MetricEntry("per", "word error rate of bags of words", WORDS, "Tillmann et al. 1997", _per),
        MetricEntry("nist", "n-gram matches by their information in the references", WORDS, "Doddington 2002", _nist),
        MetricEntry(
            "simpbleu",
            "64 simplifications of BLEU: simpbleu:PABC4 and so on",
            {**WORDS, "alpha": Number(0, 1000, 1)},
            "Song and Cohn 2011; Song's thesis, section 3.2.2",
            _simpbleu,
            "[P|R][G|A][B]?[C]?[1-4]",
        ),
        MetricEntry(
            "order",
            "order and number of matched words",
            ORDER_OPTIONS,
            "Stanojević's thesis, chapter 4",
            _order,
            ", ".join(ORDERINGS),
        ),
        MetricEntry(
            "beer",
            "trained on rankings: character, word and skip-bigram overlaps; the released weights unless another is named",
            FACTORED,
            "Stanojević and Sima'an 2014; Stanojević's thesis, chapters 5 and 6",
            _beer,
            "2.0, mlqe-en, mlqe-de, mlqe-zh",
        ),
        MetricEntry(
            "rose",
            "trained on judgements: word n-grams and counts",
            {"lang": ROSE_LANGUAGES, **FACTORED},
            "Song and Cohn 2011; Song's thesis, section 3.1",
            _rose,
            "reg, rank, regpos, rankpos",
        ),
        MetricEntry("trained", "any trained metric by its id", FACTORED, "GET /v1/metrics lists them", _any_trained, "an id"),
    ):
        register_metric(entry)
    register_installed()


def _any_trained(asked: MetricRequest) -> Metric:
    return _trained(asked, asked.variant)
