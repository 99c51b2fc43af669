"""The Moses-style n-best list of each source, and the decoder's counts (ids are QuEst's)."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.features.declaration import Family, FeatureGroup
from app.features.needs import PartNeed
from app.features.plans.formulas import part
from app.features.view import View, ratio
from app.metrics.lexical.levenshtein_kernel import count_word_errors
from app.running.deadline import check_deadline
from app.text.batch import pack_lines
from app.text.ragged import offsets_of, ragged_rows
from app.text.side_information.kinds import N_BEST, SEARCH
from app.text.tokenisation import tokeniser_for

__all__ = ["LISTS", "TokenisedList", "centre_candidates", "posterior_weights", "tokenised_lists"]

LISTS: Final = FeatureGroup("N-best list and search of a statistical system", "Specia et al. 2013, QuEst")
ORDERS: Final = (1, 2, 3)
# Word number of the padding before the first word.
BEGINNING: Final = -1
# Hypotheses in the search for the centre, fewer if they are long: all pairs are compared, at a cost of the product of their
# lengths.
CENTRE_OF: Final = 100
MOST_STEPS: Final = 200_000_000
# Scores of Moses' decoder, by their names in its n-best list, in the order of QuEst's ids: reordering, then phrases.
REORDERING: Final = ("d", "LexicalReordering0", "Distortion0")
PHRASES: Final = ("tm", "TranslationModel0")
WORD_PENALTY: Final = ("w", "WordPenalty0")
LANGUAGE_MODEL: Final = ("lm", "LM0")
SEARCH_COUNTS: Final = (
    ("2056", "discarded", "search nodes discarded"),
    ("2058", "pruned", "search nodes pruned"),
    ("2060", "recombined", "search nodes recombined"),
)


@dataclass(frozen=True)
class TokenisedList:
    """A segment: its tokens and those of its hypotheses, as numbers of words, and the hypotheses' scores."""

    tokens: list[int]
    hypotheses: list[list[int]]
    scores: Float64s


def tokenised_lists(view: View) -> list[TokenisedList]:
    """Tokenised translations and n-best lists."""
    tokenise, lists = tokeniser_for(view.batch.pair.target), view.beside(N_BEST)
    translations = [" ".join(view.target.tokens(i)) for i in range(len(view))]
    column = pack_lines([*translations, *(" ".join(tokenise(text)) for text in lists.texts)])
    rows = [part.tolist() for part in np.split(column.ids, column.offsets[1:-1])]
    return [
        TokenisedList(rows[i], rows[len(translations) + h.start : len(translations) + h.stop], lists.scores[h.start : h.stop])
        for i, h in enumerate(lists)
    ]


def _own_place(n_best: TokenisedList) -> int:
    """Place of the translation in its list; the first place if it is missing."""
    return next((k for k, tokens in enumerate(n_best.hypotheses) if tokens == n_best.tokens), 0)


def posterior_weights(n_best: TokenisedList) -> Float64s:
    """Posterior weights of the hypotheses: the exponentials of their scores, normalised."""
    if not len(n_best.scores):
        return n_best.scores
    exponentials = np.exp(n_best.scores - n_best.scores.max())
    return np.asarray(exponentials / exponentials.sum())


def _ngrams(tokens: Sequence[int], order: int) -> list[tuple[int, ...]]:
    padded_tokens = [BEGINNING] * (order - 1) + list(tokens)
    return [tuple(padded_tokens[k : k + order]) for k in range(len(tokens))]


def _list_models(view: View) -> Float64s:
    """Log10 probability, that per word and perplexity of the translation under models of its own list; (n, 9).

    N-grams of the hypotheses by order, with add-one smoothing.
    """
    out = np.zeros((len(view), 9))
    for i, n_best in enumerate(view.cached(tokenised_lists)):
        check_deadline()
        if not n_best.tokens or not n_best.hypotheses:
            continue
        size = len({token for tokens in n_best.hypotheses for token in tokens}) + 1
        for order in ORDERS:
            counts = Counter(ngram for tokens in n_best.hypotheses for ngram in _ngrams(tokens, order))
            contexts = Counter[tuple[int, ...]]()
            for ngram, count in counts.items():
                contexts[ngram[:-1]] += count
            total = sum(np.log10((counts[g] + 1) / (contexts[g[:-1]] + size)) for g in _ngrams(n_best.tokens, order))
            mean = total / len(n_best.tokens)
            out[i, 3 * (order - 1) : 3 * order] = total, mean, 10.0**-mean
    return out


def _statistics(view: View) -> Float64s:
    """Statistics of the whole list; columns as STATISTICS."""
    out = np.zeros((len(view), len(STATISTICS)))
    for i, n_best in enumerate(view.cached(tokenised_lists)):
        check_deadline()
        if n_best.hypotheses:
            out[i] = _statistics_of(n_best, int(view.source.lengths[i]))
    return out


def _statistics_of(n_best: TokenisedList, source_tokens: int) -> list[float]:
    place, weights = _own_place(n_best), posterior_weights(n_best)
    words = Counter(token for tokens in n_best.hypotheses for token in tokens)
    containing = Counter(token for tokens in n_best.hypotheses for token in set(tokens))
    posteriors: defaultdict[int, float] = defaultdict(float)
    weighted: defaultdict[int, float] = defaultdict(float)
    for tokens, weight in zip(n_best.hypotheses, weights.tolist(), strict=True):
        for token in tokens:
            weighted[token] += weight
        for token in set(tokens):
            posteriors[token] += weight
    total, weight_total = sum(words.values()), sum(weighted.values())
    length = max(1, len(n_best.tokens))
    mean_length = total / len(n_best.hypotheses)
    same_place = np.array(
        [[len(tokens) > k and tokens[k] == token for tokens in n_best.hypotheses] for k, token in enumerate(n_best.tokens)]
    ).reshape(-1, len(n_best.hypotheses))
    to_centre, nearer = _centre(n_best)
    margin = float(n_best.scores[0] - n_best.scores[1]) if len(n_best.scores) > 1 else 0.0
    return [
        float(n_best.scores[place]),
        float(n_best.scores[place]) / max(1, source_tokens),
        len({tuple(tokens) for tokens in n_best.hypotheses}),
        sum(containing[token] for token in n_best.tokens) / length / len(n_best.hypotheses),
        sum(posteriors[token] for token in n_best.tokens) / length,
        float(same_place.sum()) / length / len(n_best.hypotheses),
        float((same_place @ weights).sum()) / length,
        float(n_best.scores[place] / n_best.scores.sum()) if n_best.scores.sum() != 0 else 0.0,
        mean_length,
        len(words) / mean_length if mean_length else 0.0,
        len(words) / max(1, source_tokens),
        to_centre,
        nearer[0],
        nearer[1],
        sum(words[token] for token in n_best.tokens) / length / max(1, total),
        sum(weighted[token] for token in n_best.tokens) / length / max(1e-12, weight_total),
        float(weights[place]),
        margin,
        float(-(weights[weights > 0] * np.log(weights[weights > 0])).sum()),
    ]


STATISTICS: Final = (
    ("2001", "Score of the translation in the list (of the best where it is not there)"),
    ("2002", "The same per source token"),
    ("2003", "Number of distinct hypotheses"),
    ("2044", "Mean share of hypotheses with the translation's word"),
    ("2045", "Mean posterior of hypotheses with the translation's word"),
    ("2046", "Mean share of hypotheses with the translation's word in the same position"),
    ("2047", "Mean posterior of hypotheses with the translation's word in the same position"),
    ("2048", "Score of the translation over the sum of all scores, in logarithms"),
    ("2049", "Mean length of the hypotheses"),
    ("2050", "Distinct words of the list per mean length: density"),
    ("2051", "Distinct words of the list per source token: fertility"),
    ("2052", "Word edit distance of the translation to the centre: the hypothesis nearest to all others"),
    ("2053", "Share of hypotheses nearer to the centre than 0.5 of that distance"),
    ("2054", "Share of hypotheses nearer to the centre than 0.35 of that distance"),
    ("nbest.frequency", "Mean relative frequency of the translation's words among the words of the list (another reading of 2044)"),
    ("nbest.weighted_frequency", "The same frequency, hypotheses weighted by their posterior (another reading of 2045)"),
    (
        "nbest.posterior",
        "Posterior of the translation: its exponential score over the sum (2048 on probabilities, another reading of 2047)",
    ),
    ("nbest.margin", "Score of the best less that of the second hypothesis"),
    ("nbest.entropy", "Entropy of the hypotheses' posteriors, in nats"),
)


def centre_candidates(longest: int) -> int:
    """Number of hypotheses of up to `longest` tokens in the search for the centre."""
    return int(min(CENTRE_OF, max(2, MOST_STEPS**0.5 / max(1, longest))))


def _centre(n_best: TokenisedList) -> tuple[float, tuple[float, float]]:
    """Distance of the translation to the centre, and shares of hypotheses nearer to it than 0.5 and 0.35 of that distance."""
    candidates = n_best.hypotheses[: centre_candidates(max(map(len, [*n_best.hypotheses[:CENTRE_OF], n_best.tokens])))]
    m = len(candidates)
    rows = [*candidates, n_best.tokens]
    ids = np.array([token for tokens in rows for token in tokens], np.int64)
    left, right = np.repeat(np.arange(m), m + 1), np.tile(np.arange(m + 1), m)
    errors = _errors(ids, offsets_of([len(tokens) for tokens in rows]), left, right).reshape(m, m + 1)
    centre = int(np.argmin(errors[:, :m].sum(0)))
    least_errors = float(errors[centre, m])
    distances = errors[centre, :m]
    return least_errors, (float((distances < 0.5 * least_errors).mean()), float((distances < 0.35 * least_errors).mean()))


def _errors(ids: Int64s, offsets: Int64s, left: Int64s, right: Int64s) -> Int64s:
    places, begins = ragged_rows(offsets, left)
    errors: Int64s = count_word_errors(ids[places], begins, ids, offsets, right)
    return errors


def _own_hypotheses(view: View) -> Int64s:
    """Place of each translation among the hypotheses; of no meaning for segments without a list."""
    lists = view.beside(N_BEST)
    return np.asarray(lists.offsets[:-1] + [_own_place(n_best) for n_best in view.cached(tokenised_lists)], np.int64)


def _decoder_score(names: tuple[str, ...], k: int | None) -> Callable[[View], Float64s]:
    """Component `k` (their sum for None) of the first of these features on the translation, which has one of them."""

    def column(view: View) -> Float64s:
        lists = view.beside(N_BEST)
        out, row_mask, list_mask = np.zeros(len(lists)), np.zeros(len(lists), np.bool_), lists.lengths > 0
        hypotheses = view.cached(_own_hypotheses)[list_mask]
        for name in names:
            values = lists.components(name, hypotheses)
            block = np.full((len(lists), values.shape[1]), np.nan)
            block[list_mask] = values
            has = ~np.isnan(block).all(1) & ~row_mask
            components = np.nan_to_num(block.T) if k is None else np.nan_to_num(block.T[k : k + 1])
            # Added one after the other, in the order of sums of few numbers.
            for component in components:
                out[has] += component[has]
            row_mask |= has
        return out

    return column


def _search_share(key: str, total: str) -> Callable[[View], Float64s]:
    return lambda view: ratio(_search(key)(view), _search(total)(view))


def _search(key: str) -> Callable[[View], Float64s]:
    return lambda view: np.array([row[key] for row in view.beside(SEARCH)], np.float64)


def _counts(*keys: str) -> tuple[PartNeed, ...]:
    """Needs of counts of the search."""
    return tuple(PartNeed(SEARCH, (key,), f"the count {key} of the search") for key in keys)


def _components(names: tuple[str, ...], k: int) -> PartNeed:
    """The need of a score of the decoder."""
    return PartNeed(N_BEST, tuple(f"{name}.{k}" for name in names), f"score {k + 1} ({' or '.join(names)}) of every hypothesis")


HYPOTHESES: Final = PartNeed(N_BEST, ("1",), "a hypothesis for every segment")
TWO_HYPOTHESES: Final = PartNeed(N_BEST, ("2",), "two hypotheses for every segment")


add = LISTS.add
# fmt: off
for k, (feature_id, text) in enumerate(STATISTICS):
    add(feature_id, f"n_best_{feature_id.removeprefix('nbest.')}", text, Family.CONFIDENCE, part(_statistics, k), N_BEST,
        TWO_HYPOTHESES if feature_id == "nbest.margin" else HYPOTHESES)
for order in ORDERS:
    for k, measure in enumerate(("Log10 probability", "Log10 probability per word", "Perplexity")):
        add(str(2004 + 3 * (order - 1) + k), f"n_best_lm_{order}_{k}",
            f"{measure} of the translation under a {order}-gram model of its own list", Family.CONFIDENCE,
            part(_list_models, 3 * (order - 1) + k), N_BEST, HYPOTHESES)
for k in range(7):
    add(str(2014 + k), f"reordering_score_{k + 1}", f"Reordering score {k + 1} of the decoder", Family.CONFIDENCE,
        _decoder_score(REORDERING, k), N_BEST, HYPOTHESES, _components(REORDERING, k))
for k in range(5):
    add(str(2021 + k), f"phrase_score_{k + 1}", f"Phrase score {k + 1} of the decoder", Family.CONFIDENCE,
        _decoder_score(PHRASES, k), N_BEST, HYPOTHESES, _components(PHRASES, k))
add("2026", "word_penalty", "Word penalty of the decoder", Family.CONFIDENCE, _decoder_score(WORD_PENALTY, 0), N_BEST,
    HYPOTHESES, _components(WORD_PENALTY, 0))
add("nbest.lm", "decoder_lm", "Sum of the decoder's language-model scores", Family.CONFIDENCE,
    _decoder_score(LANGUAGE_MODEL, None), N_BEST, HYPOTHESES, _components(LANGUAGE_MODEL, 0))
add("2055", "search_hypotheses", "Number of hypotheses explored", Family.CONFIDENCE, _search("hypotheses"), SEARCH,
    *_counts("hypotheses"))
for feature_id, key, text in SEARCH_COUNTS:
    add(feature_id, f"search_{key}", f"Number of {text}", Family.CONFIDENCE, _search(key), SEARCH, *_counts(key))
    add(str(int(feature_id) + 1), f"search_{key}_share", f"Number of {text} over all hypotheses explored", Family.CONFIDENCE,
        _search_share(key, "hypotheses"), SEARCH, *_counts(key, "hypotheses"))
    reading = f"Number of {text} over all search nodes (another reading of {int(feature_id) + 1})"
    add(f"search.{key}", f"search_{key}_of_nodes", reading, Family.CONFIDENCE, _search_share(key, "nodes"), SEARCH,
        *_counts(key, "nodes"))
add("2041", "target_phrase_length", "Mean length of target phrases: tokens of the translation over phrases", Family.CONFIDENCE,
    lambda v: ratio(v.target.lengths, _search("phrases")(v)), SEARCH, *_counts("phrases"))
add("2042", "longest_target_phrase", "Length of the longest target phrase", Family.CONFIDENCE, _search("longest_phrase"), SEARCH,
    *_counts("longest_phrase"))
add("2043", "untranslated_words", "Share of source words that the decoder did not know", Family.CONFIDENCE,
    lambda v: ratio(_search("unknown_words")(v), v.source.lengths), SEARCH, *_counts("unknown_words"))
# fmt: on
