"""Features of all segments as one document: QuEst++'s document level."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Final

import numpy as np

from app.arrays import Bools, Float64s
from app.features.black_box.corpus_statistics import LARGEST_EXPONENT, source_scores, target_scores
from app.features.black_box.grammar import source_annotation, target_annotation
from app.features.declaration import Column, Family, Feature, FeatureGroup, Level
from app.features.lexical_links import target_links
from app.features.needs import Need, Resource
from app.features.view import View
from app.resources.language_models import SentenceScores
from app.resources.tagger import UNIVERSAL_TAGS, Annotation
from app.text.batch import TokenColumn

__all__ = ["DOCUMENT", "declare_means"]

DOCUMENT: Final = FeatureGroup("Documents", "Scarton and Specia 2014; Specia et al. 2015, QuEst++ document level", Level.DOCUMENT)
CONTENT: Final = ("NOUN", "PROPN", "VERB", "ADJ", "ADV")
NOUNS: Final = ("NOUN", "PROPN")


def _single_row(value: float) -> Float64s:
    return np.array([value])


def _over(above: float, below: float) -> float:
    return above / below if below else 0.0


def _tokens(column: TokenColumn) -> int:
    return len(column.ids)


def _perplexity(scores: SentenceScores, column: TokenColumn) -> float:
    """Perplexity: 10 to the minus mean log10 probability of the known words and the ends of all segments."""
    token_count = _tokens(column) - int(scores.unknown.sum()) + len(column)
    return float(10.0 ** np.clip(_over(-float(scores.log_prob.sum()), token_count), 0, LARGEST_EXPONENT)) if token_count else 0.0


def _repetition(column: TokenColumn, mask: Bools | None = None) -> float:
    """Occurrences per distinct word."""
    ids = column.ids if mask is None else column.ids[mask]
    return _over(len(ids), len(np.unique(ids)))


def _tagged(annotation: Annotation, tags: Iterable[str]) -> Bools:
    return np.isin(annotation.tags, [UNIVERSAL_TAGS.index(tag) for tag in tags])


def _source_repetition(view: View, tags: tuple[str, ...]) -> float:
    return _repetition(view.source, _tagged(view.cached(source_annotation), tags))


def _target_repetition(view: View, tags: tuple[str, ...]) -> float:
    return _repetition(view.target, _tagged(view.cached(target_annotation), tags))


def _repetition_ratio(view: View, tags: tuple[str, ...]) -> float:
    return _over(_source_repetition(view, tags), _target_repetition(view, tags))


def _consistency(view: View) -> float:
    """Mean share of the most frequent link target, over source words with several links."""
    links = view.cached(target_links)
    link_mask = links.place >= 0
    source = view.source.ids[view.source.offsets[:-1][view.target.segments[link_mask]] + links.place[link_mask]].astype(np.int64)
    width = max(1, len(view.target.vocabulary))
    pairs, counts = np.unique(source * width + view.target.ids[link_mask], return_counts=True)
    words = pairs // width
    total, maxima = np.bincount(words, counts), np.zeros(words.max(initial=-1) + 1)
    np.maximum.at(maxima, words, counts)
    repeat_mask = total > 1
    return float((maxima[repeat_mask] / total[repeat_mask]).mean()) if repeat_mask.any() else 1.0


def _mean(feature: Feature) -> Column:
    return lambda view: _single_row(float(feature.column(view).mean()))


def declare_means(features: Iterable[Feature]) -> None:
    """Declare the mean over the document of features of segments."""
    for feature in features:
        text = f"Mean over the segments: {feature.description[0].lower()}{feature.description[1:]}"
        DOCUMENT.add(
            f"doc.mean.{feature.id}", f"document_mean_{feature.name}", text, feature.family, _mean(feature), *feature.needs
        )


add = DOCUMENT.add
F, A, K = Family.FLUENCY, Family.ADEQUACY, Family.COMPLEXITY
SOURCE_LM, TARGET_LM = Resource.SOURCE_LANGUAGE_MODEL, Resource.TARGET_LANGUAGE_MODEL
SOURCE_TAGGER, TARGET_TAGGER = Resource.SOURCE_TAGGER, Resource.TARGET_TAGGER
Number = Callable[[View], float]


def _declare(name: str, description: str, family: Family, compute: Number, *needs: Need) -> None:
    add(f"doc.{name}", f"document_{name}", description, family, lambda view: _single_row(compute(view)), *needs)


# fmt: off
_declare("segments", "Number of segments", K, lambda v: float(len(v)))
_declare("source_tokens", "Number of source tokens in the document", K, lambda v: float(_tokens(v.source)))
_declare("target_tokens", "Number of tokens in the document's translation", F, lambda v: float(_tokens(v.target)))
_declare("length_ratio", "Tokens of the translation per source token, over the document", A,
         lambda v: _over(_tokens(v.target), _tokens(v.source)))
_declare("source_repetition", "Occurrences per distinct source word in the document", K, lambda v: _repetition(v.source))
_declare("target_repetition", "Occurrences per distinct word of the document's translation", F, lambda v: _repetition(v.target))
_declare("repetition_ratio", "Ratio of the repetitions of words, source over translation", A,
         lambda v: _over(_repetition(v.source), _repetition(v.target)))
_declare("source_perplexity", "Language-model perplexity of the document's source", K,
         lambda v: _perplexity(v.cached(source_scores), v.source), SOURCE_LM)
_declare("target_perplexity", "Language-model perplexity of the document's translation", F,
         lambda v: _perplexity(v.cached(target_scores), v.target), TARGET_LM)
_declare("source_unknown", "Share of the document's source tokens that the language model does not know", K,
         lambda v: _over(float(v.cached(source_scores).unknown.sum()), _tokens(v.source)), SOURCE_LM)
_declare("target_unknown", "Share of the translation's tokens in the document that the language model does not know", F,
         lambda v: _over(float(v.cached(target_scores).unknown.sum()), _tokens(v.target)), TARGET_LM)
_declare("consistency", "How constantly repeated source words of the document are translated: mean share of the commonest link", A,
         _consistency, Resource.LEXICAL_TABLE)
for kind, tags in (("content", CONTENT), ("noun", NOUNS)):
    words = {"content": "content words", "noun": "nouns"}[kind]
    _declare(f"source_{kind}_repetition", f"Occurrences per distinct word among the source's {words}", K,
             partial(_source_repetition, tags=tags), SOURCE_TAGGER)
    _declare(f"target_{kind}_repetition", f"Occurrences per distinct word among the translation's {words}", F,
             partial(_target_repetition, tags=tags), TARGET_TAGGER)
    _declare(f"{kind}_repetition_ratio", f"Ratio of the repetitions of {words}, source over translation", A,
             partial(_repetition_ratio, tags=tags), SOURCE_TAGGER, TARGET_TAGGER)
# fmt: on
