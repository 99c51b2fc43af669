"""Reranking features by name: 19 of Srivastava's thesis (Table 4.6), and more."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.metrics import metric_named
from app.resources.language_models import SentenceScores
from app.running.journal import SILENT, Journal
from app.smt.lists.mbr.decision import Way, decide
from app.smt.lists.reranking.evidence import ORDERS, Listing, RerankingResources
from app.smt.lists.reranking.expected_gain import expected_sbleu
from app.smt.lists.reranking.model1 import model1_log_prob
from app.smt.lists.reranking.posteriors import JOINING, length_posteriors, ngram_posteriors
from app.text.n_best import NBestLists
from app.text.ragged import ragged_rows
from app.text.reading.options import DEFAULT_YES, Choice, Number, Option, parse_options

__all__ = ["COLUMNS", "SETS", "THESIS", "ListFeature", "column_named", "specs_of", "with_features", "with_values"]

# Hypotheses per block of computation.
BLOCK: Final = 20_000
LARGEST: Final = 1e15
SMALLEST: Final = 1e-300
Resource = TypeVar("Resource")


@dataclass(frozen=True)
class ListFeature:
    """A reranking feature; `compute` returns its value for every hypothesis of a listing, (h,)."""

    name: str
    title: str
    compute: Callable[[Listing, Mapping[str, Any]], Float64s]
    options: Mapping[str, Option] = field(default_factory=dict)


def perplexity(scores: SentenceScores, lengths: Float64s) -> Float64s:
    """Return ``10^(-log10 p / (words - unknown words + 1))``, as SRILM does (Srivastava's thesis 4.4.1)."""
    return np.asarray(np.minimum(10.0 ** (-scores.log_prob / (lengths - scores.unknown + 1)), LARGEST))


def _ratio(listing: Listing, settings: Mapping[str, Any]) -> Float64s:
    """Return words of the hypothesis divided by words of the source; an empty side counts as one word."""
    hypothesis_words = np.maximum(listing.tokens.lengths, 1).astype(np.float64)
    source_words = np.maximum(listing.source_tokens.lengths, 1).astype(np.float64)
    return {
        "ratio": hypothesis_words / source_words,
        "inverse": source_words / hypothesis_words,
        "log": np.log(hypothesis_words / source_words),
    }[settings["form"]]


def _required(resource: Resource | None, name: str) -> Resource:
    if resource is None:
        raise InputError("missing-resource", f"{name} is needed", ("features",))
    return resource


def _ibm(listing: Listing, _: Mapping[str, Any]) -> Float64s:
    table = _required(listing.resources.table, "a lexical table p(target word | source word)")
    return model1_log_prob(table, listing.source_tokens, listing.known_tokens)


def _ibm_reversed(listing: Listing, _: Mapping[str, Any]) -> Float64s:
    table = _required(listing.resources.reverse_table, "a lexical table p(source word | target word)")
    return model1_log_prob(table, listing.known_tokens, listing.source_tokens)


def _mbr(listing: Listing, settings: Mapping[str, Any]) -> Float64s:
    shares = listing.shares(settings["scale"])
    if settings["metric"] == SBLEU:
        return expected_sbleu(listing.tokens, listing.ngrams, shares, settings["own"])
    metric = metric_named(settings["metric"])
    expected = decide(listing.lists, metric, shares, way=Way("exact", {}), self_included=settings["own"]).expected
    return expected if metric.higher_is_better else -expected


def _total(listing: Listing, _: Mapping[str, Any]) -> Float64s:
    """Return totals minus the highest of their list: penalties for unknown words are equal within a list."""
    highest = np.full(len(listing.lists), -np.inf)
    np.maximum.at(highest, listing.lists.segments, listing.lists.scores)
    return np.asarray(np.maximum(listing.lists.scores - highest[listing.lists.segments], -LARGEST))


def _words(listing: Listing, _: Mapping[str, Any]) -> Float64s:
    return listing.tokens.lengths.astype(np.float64)


def _np(listing: Listing, settings: Mapping[str, Any]) -> Float64s:
    return ngram_posteriors(listing.ngrams, listing.shares(settings["scale"]), settings["order"], settings["join"])


def _len(listing: Listing, settings: Mapping[str, Any]) -> Float64s:
    return length_posteriors(listing.tokens.lengths, listing.shares(settings["scale"]), listing.lists.offsets)


def _lexicon(listing: Listing, _: Mapping[str, Any]) -> Float64s:
    lexicon = _required(listing.resources.lexicon, "a word lexicon")
    return lexicon.score(listing.segment_sources, listing.known_tokens, listing.lists.segments)


def _neural(listing: Listing, _: Mapping[str, Any]) -> Float64s:
    model = _required(listing.resources.neural, "a neural translation model")
    # Each distinct text of a list is scored once.
    places, place_of = listing.texts_once
    tokens = listing.known_tokens.rows(places)
    return model.score(listing.segment_sources, tokens, listing.lists.segments[places])[place_of]


def _continuous_space(listing: Listing, settings: Mapping[str, Any]) -> Float64s:
    """Return log10 of a word-by-word mixture of the network and a back-off model, without words unknown to both."""
    resources = listing.resources
    model = _required(resources.continuous_space, "a continuous-space language model")
    places, place_of = listing.texts_once
    tokens = listing.known_tokens.rows(places)
    log_probs, is_known = model.log_probs(tokens)
    if settings["with"]:
        back_off = _required(resources.models.get(settings["with"]), f"a language model of words of order {settings['with']}")
        words = back_off.score_both(tokens)[1]
        share, inside = settings["share"], words.matched_orders > 0
        log_probs = np.log10(np.maximum(share * 10.0**log_probs * is_known + (1 - share) * 10.0**words.log_prob * inside, SMALLEST))
        is_known = is_known | inside
    # The end of a segment follows its words.
    rows = np.repeat(np.arange(len(tokens)), tokens.lengths + 1)
    return np.bincount(rows, log_probs * is_known, len(tokens)).astype(np.float64)[place_of]


def _of_models(order: int) -> list[ListFeature]:
    def log_prob(listing: Listing, _: Mapping[str, Any]) -> Float64s:
        return listing.words_by_model(order).log_prob

    def ppl(listing: Listing, _: Mapping[str, Any]) -> Float64s:
        return perplexity(listing.words_by_model(order), listing.tokens.lengths.astype(np.float64))

    return [
        ListFeature(f"lm{order}", f"log10 probability by a language model of order {order}, without unknown words", log_prob),
        ListFeature(f"ppl{order}", f"perplexity by a language model of order {order}", ppl),
    ]


def _of_tags(order: int) -> ListFeature:
    def log_prob(listing: Listing, _: Mapping[str, Any]) -> Float64s:
        return listing.tags_by_model(order).log_prob

    return ListFeature(f"plm{order}", f"log10 probability of the parts of speech by a language model of order {order}", log_prob)


SBLEU: Final = "sbleu"
UTILITIES: Final = Choice(
    {SBLEU: SBLEU, "bleu": "bleu|tok:none|smooth:add-k", "chrf": "chrf", "ter": "ter", "meteor": "meteor"}, SBLEU
)
SCALE: Final = Number(0, 1000, 1.0)
_THESIS: Final = [
    *(column for order in range(3, 8) for column in _of_models(order)),
    *(_of_tags(order) for order in (3, 4, 5)),
    ListFeature(
        "mbr", "expected score of a sentence metric in the list", _mbr, {"scale": SCALE, "own": DEFAULT_YES, "metric": UTILITIES}
    ),
    ListFeature(
        "np",
        "mean log-probability of the n-grams in the list",
        _np,
        {
            "scale": SCALE,
            "order": Number(1, ORDERS, 4, is_whole=True),
            "join": Choice({name: name for name in JOINING}, JOINING[0]),
        },
    ),
    ListFeature("len", "log-probability of the length in the list", _len, {"scale": SCALE}),
    ListFeature(
        "lenr",
        "words of the hypothesis by words of the source",
        _ratio,
        {"form": Choice({name: name for name in ("ratio", "inverse", "log")}, "ratio")},
    ),
    ListFeature("ibm", "ln p(target | source) by IBM model 1", _ibm),
    ListFeature("ibm-1", "ln p(source | target) by IBM model 1", _ibm_reversed),
]
# The 19 features of Table 4.6, in order.
THESIS: Final = tuple(column.name for column in _THESIS)
_EXTENSIONS: Final = [
    ListFeature("total", "the decoder's total, less the highest of the list", _total),
    ListFeature("words", "number of words", _words),
    *_of_models(2),
    ListFeature("neural", "ln p(target | source) by a small neural translation model", _neural),
    ListFeature(
        "cslm",
        "log10 probability by a continuous-space language model, mixed with a back-off one",
        _continuous_space,
        {"with": Number(0, 7, 0, is_whole=True), "share": Number(0, 1, 0.5)},
    ),
    ListFeature("dwl", "log-odds of the hypothesis's words, given all words of the source", _lexicon),
]
# Sets of features: the thesis' set, and a noisy channel for any system (Brown et al. 1993; Och and Ney 2002).
SETS: Final[Mapping[str, tuple[str, ...]]] = {
    "thesis": THESIS,
    "posteriors": ("mbr", "np", "len"),
    "noisy-channel": ("total", "ibm-1", "lm5", "words"),
}
COLUMNS: Final[Mapping[str, ListFeature]] = {column.name: column for column in [*_THESIS, *_EXTENSIONS]}


def specs_of(names: Sequence[str]) -> list[str]:
    """Return feature names with sets expanded, each once."""
    return list(dict.fromkeys(spec for name in names for spec in SETS.get(name, (name,))))


def column_named(spec: str) -> tuple[ListFeature, dict[str, Any]]:
    """Parse ``name|key:value|…`` into a column and its option values; InputError lists valid ones."""
    name, *pairs = spec.split("|")
    if name not in COLUMNS:
        valid = ", ".join([*COLUMNS, *SETS])
        detail = f"{name} is not a reranking feature; features are {valid}, and quality of a loaded pair"
        raise InputError("invalid-weights", detail, ("features",))
    options, example = COLUMNS[name].options, "np|order:3|join:joint"
    return COLUMNS[name], parse_options(name, options, pairs, "invalid-weights", example, ("features",))


def with_features(
    lists: NBestLists,
    specs: Sequence[str],
    resources: RerankingResources,
    sources: Sequence[str] | None = None,
    journal: Journal = SILENT,
) -> NBestLists:
    """Add a column for each of `specs`, its name; a column of this name is replaced.

    `sources` (n,) are tokens separated by blanks. InputError if a feature lacks its resource or the sources.
    """
    columns = [column_named(spec) for spec in specs]
    if sources is not None and len(sources) != len(lists):
        raise InputError("unequal-lengths", f"there are lists of {len(lists)} segments, but {len(sources)} sources", ("sources",))
    values = np.zeros((len(lists.scores), len(specs)))
    for begin, end in _blocks(lists):
        rows = np.arange(begin, end)
        part = lists if (begin, end) == (0, len(lists)) else lists.rows(rows)
        listing = Listing(part, None if sources is None else sources[begin:end], resources)
        places, _ = ragged_rows(lists.offsets, rows)
        for k, (column, settings) in enumerate(columns):
            journal.report(f"feature {column.name}", (begin + (end - begin) * k / len(columns)) / max(len(lists), 1))
            values[places, k] = column.compute(listing, settings)
    return with_values(lists, specs, values)


def with_values(lists: NBestLists, names: Sequence[str], values: Float64s) -> NBestLists:
    """Add columns `values` (h, k); columns with one of `names` are replaced."""
    stay = [k for k, name in enumerate(lists.names) if name not in names]
    features = np.concatenate([lists.features[:, stay], values], axis=1)
    return replace(lists, names=(*(lists.names[k] for k in stay), *names), features=features)


def _blocks(lists: NBestLists) -> list[tuple[int, int]]:
    """Return ranges of segments: about `BLOCK` hypotheses, at least one list."""
    blocks, begin = [], 0
    while begin < len(lists):
        end = int(np.searchsorted(lists.offsets, lists.offsets[begin] + BLOCK, "right")) - 1
        end = min(max(end, begin + 1), len(lists))
        blocks.append((begin, end))
        begin = end
    return blocks
