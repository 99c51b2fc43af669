"""Catalogue of the metrics of Assay: names, options, sources, and functions that make them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from app.errors import InputError
from app.metrics.definition import Metric
from app.metrics.learnt.artifact import TrainedMetric
from app.metrics.lexical.bleu import SMOOTHING, Bleu
from app.metrics.lexical.chrf import Chrf
from app.metrics.lexical.error_rates import Per, Wer
from app.metrics.lexical.sbleu import AddOneBleu, SentenceBleu
from app.metrics.lexical.segment_mean import SegmentMean
from app.metrics.lexical.simpbleu import VARIANTS, SimpBleu
from app.metrics.meteor.folders import read_tables
from app.metrics.meteor.presets import ORIGINAL, PRESETS, STEM_TABLE, read_weights
from app.metrics.options import CASE, LOWERCASE, TOKENISER
from app.metrics.registry import MetricEntry, MetricRequest, metric_named, register_metric
from app.metrics.tokenisers import METRIC_TOKENISERS
from app.metrics.word_order.names import LEXICAL, ORDERINGS, STEMMERS
from app.running.plug_ins import attach_plug_ins
from app.text.reading.options import DEFAULT_NO, DEFAULT_YES, Choice, Number, Option, ParsedOption

__all__ = ["register_all"]

WORDS: Final[dict[str, Option]] = {"case": CASE, "tok": TOKENISER}
CHARACTERS: Final[dict[str, Option]] = {
    "case": CASE,
    "eff": DEFAULT_YES,
    "nc": Number(1, 10, 6, is_whole=True),
    "beta": Number(1, 10, 2, is_whole=True),
    "space": DEFAULT_NO,
}
STEM: Final = Choice({"no": None, **{code: code for code in STEMMERS}}, None)
TABLES: Final = ParsedOption(read_tables, "no, or the name of tables in the folder meteor of ASSAY_METRIC_FILES", None)
# The tokeniser that signatures print for tagged text.
TAGS: Final = "factored"
# Without the option tok, a trained metric uses the tokeniser of its training.
TRAINED_OPTIONS: Final[dict[str, Option]] = {
    "tok": Choice({name: name for name in (*METRIC_TOKENISERS, TAGS)}, None),
    "factored": DEFAULT_NO,
    "tables": TABLES,
}


def _bleu(request: MetricRequest) -> Metric:
    o = request.options
    method, value = o["smooth"]
    return Bleu(o["case"], o["tok"], method, value, o["eff"])


def _of_words(make: Callable[[bool, str], Metric]) -> Callable[[MetricRequest], Metric]:
    return lambda request: make(request.options["case"], request.options["tok"])


def _chrf(name: str, words: int) -> MetricEntry:
    options: dict[str, Option] = dict(CHARACTERS)
    if name == "chrf":
        options["nw"] = Number(0, 4, 0, is_whole=True)
    description = {0: "F2 of character 6-grams", 1: "chrF with word unigrams", 2: "chrF with word unigrams and bigrams"}[words]

    def make(request: MetricRequest) -> Metric:
        o = request.options
        return Chrf(o["case"], o["nc"], o.get("nw", words), o["space"], o["beta"], not o["eff"], name)

    return MetricEntry(name, description, options, "Popović 2015" if words == 0 else "Popović 2017", make)


def _ter(request: MetricRequest) -> Metric:
    from app.metrics.lexical.ter import Ter

    o = request.options
    return Ter(o["case"], o["norm"], o["punct"], o["asian"])


def _simpbleu(request: MetricRequest) -> Metric:
    if request.variant not in VARIANTS:
        raise InputError(
            "unknown-metric",
            "a SIMPBLEU variant is P or R, G or A, B or nothing, C or nothing, and an order 1 to 4, as in simpbleu:PABC4",
        )
    o = request.options
    metric = SimpBleu(request.variant, o["case"], o["tok"], o["alpha"], o["bp"])
    return SegmentMean(metric) if o["corpus"] else metric


def _sbleu(request: MetricRequest) -> Metric:
    if request.variant not in ("", "add-one"):
        raise InputError("unknown-metric", "sbleu has one variant: sbleu:add-one")
    make = AddOneBleu if request.variant else SentenceBleu
    return make(request.options["case"], request.options["tok"])


def _order(request: MetricRequest) -> Metric:
    from app.metrics.word_order.order_metric import OrderMetric

    if request.variant not in ORDERINGS:
        raise InputError("unknown-metric", f"a word-order metric is order: and one of {', '.join(ORDERINGS)}")
    o = request.options
    return OrderMetric(request.variant, o["alpha"], o["beta"], o["lex"], o["stem"], o["case"], o["tok"])


def _meteor(request: MetricRequest) -> Metric:
    from app.metrics.meteor.metric import Meteor

    o, version = request.options, request.variant or "2005"
    if version not in METEOR_VERSIONS:
        raise InputError("unknown-metric", f"METEOR has the variants {', '.join(METEOR_VERSIONS)}, as in meteor:1.5")
    if version == "2005" and o["lang"] is not None:
        raise InputError("unknown-metric", "lang chooses parameters of METEOR 1.5, as in meteor:1.5|lang:en")
    preset = ORIGINAL if version == "2005" else PRESETS[o["lang"] or "universal"]
    parameters = {key: getattr(preset, key) if o[key] is None else o[key] for key in vars(preset)}
    return Meteor(version=version, tables=o["tables"], lowercase=o["case"], tokenise=o["tok"], **parameters)


def _ribes(request: MetricRequest) -> Metric:
    from app.metrics.word_order.ribes import Ribes

    o = request.options
    return Ribes(o["alpha"], o["beta"], o["case"], o["tok"])


def _trained(request: MetricRequest, name: str) -> Metric:
    metric = request.trained.get(name)
    if metric is None:
        names = ", ".join(request.trained) or "none"
        raise InputError("unknown-metric", f"this trained metric is not loaded; loaded trained metrics: {names}")
    return _linear(request, metric)


def _linear(request: MetricRequest, metric: TrainedMetric) -> Metric:
    from app.metrics.learnt.linear_metric import LinearMetric

    tokeniser = request.options["tok"]
    if tokeniser not in (None, TAGS):
        metric = replace(metric, tokenise=tokeniser)
    has_tags = request.options["factored"] or tokeniser == TAGS
    if has_tags and tokeniser not in (None, TAGS):
        raise InputError("unknown-metric", "texts with tags are not tokenised; leave out tok or factored")
    tables = request.options["tables"]
    if metric.needs_tables != (tables is not None):
        detail = f"{metric.id} reads no tables; leave out tables"
        if metric.needs_tables:
            detail = f"{metric.id} matches by METEOR's tables: add |tables:NAME, the name of installed tables"
        raise InputError("unknown-metric", detail)
    return LinearMetric(metric, lambda name: metric_named(name, request.trained), has_tags, tables)


ROSE_LANGUAGES: Final = Choice({code: code for code in ("en", "de", "zh")}, "en")


def _nist(request: MetricRequest) -> Metric:
    from app.metrics.lexical.nist import Nist

    return Nist(request.options["case"], request.options["tok"])


BLEU_OPTIONS: Final[dict[str, Option]] = {**WORDS, "smooth": SMOOTHING, "eff": DEFAULT_NO}
TER_OPTIONS: Final[dict[str, Option]] = {
    "case": LOWERCASE,
    "tok": Choice({"tercom": "tercom"}, "tercom"),
    "norm": DEFAULT_NO,
    "punct": DEFAULT_YES,
    "asian": DEFAULT_NO,
}
SIMPBLEU_OPTIONS: Final[dict[str, Option]] = {
    **WORDS,
    "alpha": Number(0, 1000, 1),
    "bp": Choice({"smoothed": True, "plain": False}, True),
    "corpus": Choice({"pooled": False, "mean": True}, False),
}
METEOR_VERSIONS: Final = ("2005", "1.5")
# Without an option, its value is that of the version and language.
METEOR_OPTIONS: Final[dict[str, Option]] = {
    "case": LOWERCASE,
    "tok": TOKENISER,
    "lang": Choice({name: name for name in PRESETS}, None),
    "stem": Choice({name: name for name in ("no", *STEMMERS, STEM_TABLE)}, None),
    "tables": TABLES,
    "alpha": Number(0, 1, None),
    "beta": Number(0, 10, None),
    "gamma": Number(0, 1, None),
    "delta": Number(0, 1, None),
    "weights": ParsedOption(read_weights, "weights of exact, stem, synonyms and paraphrases, from 0 to 1, as 1_0.6_0.8_0.6", None),
}
RIBES_OPTIONS: Final[dict[str, Option]] = {
    "case": LOWERCASE,
    "tok": TOKENISER,
    "alpha": Number(0, 10, 0.25),
    "beta": Number(0, 10, 0.1),
}
ORDER_OPTIONS: Final[dict[str, Option]] = {
    **WORDS,
    "alpha": Number(0, 1, 0.5),
    "beta": Number(0, 1, 0.6),
    "lex": Choice({name: name for name in LEXICAL}, "f1"),
    "stem": STEM,
}


def register_all() -> None:
    """Register the metrics of Assay, then those of installed packages."""
    for entry in (
        MetricEntry("bleu", "n-gram precision with brevity penalty", BLEU_OPTIONS, "Papineni et al. 2002", _bleu),
        _chrf("chrf", 0),
        _chrf("chrf+", 1),
        _chrf("chrf++", 2),
        MetricEntry("ter", "edits and block shifts per reference word", TER_OPTIONS, "Snover et al. 2006", _ter),
        MetricEntry("wer", "insertions, deletions and substitutions per reference word", WORDS, "Levenshtein 1966", _of_words(Wer)),
        MetricEntry("per", "word error rate of bags of words", WORDS, "Tillmann et al. 1997", _of_words(Per)),
        MetricEntry("nist", "n-gram matches by their information in the references", WORDS, "Doddington 2002", _nist),
        MetricEntry(
            "simpbleu",
            "64 simplifications of BLEU: simpbleu:PABC4 and so on",
            SIMPBLEU_OPTIONS,
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
            "trained on rankings: overlaps of characters, words, and by version word order, stems, synonyms, paraphrases or "
            "dependencies; the released weights of 2.0 unless another is named",
            TRAINED_OPTIONS,
            "Stanojević and Sima'an 2014; Stanojević's thesis, chapters 5 and 6",
            lambda request: _trained(request, f"beer-{request.variant or '2.0'}"),
            "2.0, mlqe-LANG, mqm-LANG, 0.1-LANG, 1.0-LANG, 1.1-LANG (en, de, zh); 0.1-tables-en, 1.1-tables-en",
        ),
        MetricEntry(
            "rose",
            "trained on judgements: word n-grams and counts",
            {"lang": ROSE_LANGUAGES, **TRAINED_OPTIONS},
            "Song and Cohn 2011; Song's thesis, section 3.1",
            lambda request: _trained(request, f"rose-{request.variant or 'rank'}-{request.options['lang']}"),
            "reg, rank, regpos, rankpos",
        ),
        MetricEntry(
            "trained",
            "any trained metric by its id",
            TRAINED_OPTIONS,
            "GET /v1/metrics lists them",
            lambda request: _trained(request, request.variant),
            "an id",
        ),
        MetricEntry(
            "sbleu",
            "BLEU of single segments: orders 1 to 4, each counts twice the one before, up to 0.9375; or one added",
            WORDS,
            "Liang et al. 2006; Srivastava's thesis, equation 3.3; Stanojević's thesis, equation 2.41",
            _sbleu,
            "add-one",
        ),
        MetricEntry(
            "meteor",
            "matched words, stems, synonyms and paraphrases, recall first, and a penalty for many pieces: METEOR of 2005, or 1.5",
            METEOR_OPTIONS,
            "Banerjee and Lavie 2005; Denkowski and Lavie 2014; Song's thesis, section 2.4.3; Stanojević's thesis, equation 2.42",
            _meteor,
            ", ".join(METEOR_VERSIONS),
        ),
        MetricEntry(
            "ribes",
            "rank correlation of words that match by their context, as RIBES.py 1.03.1",
            RIBES_OPTIONS,
            "Isozaki et al. 2010",
            _ribes,
        ),
    ):
        register_metric(entry)
    attach_plug_ins("assay.metrics", MetricEntry, register_metric)
