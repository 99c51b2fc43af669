"""Input of reranking features: lists, sources, and resources."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.resources.language_models import LanguageModel, SentenceScores
from app.resources.lexical_table import LexicalTable
from app.resources.tagger import UNIVERSAL_TAGS, Tagger
from app.smt.lists.reranking.distinct import distinct_places
from app.smt.lists.reranking.list_ngrams import ListNgrams, list_ngrams
from app.smt.lists.reranking.neural.continuous_space import ContinuousSpaceModel
from app.smt.lists.reranking.neural.model import TranslationModel
from app.smt.lists.reranking.posteriors import probabilities
from app.smt.lists.reranking.word_lexicon import WordLexicon
from app.text.batch import TokenColumn, pack_lines
from app.text.n_best import NBestLists

__all__ = ["Listing", "RerankingResources"]

ORDERS: Final = 4


@dataclass(frozen=True, eq=False)
class RerankingResources:
    """Resources of the target language and of the language pair; a feature without its resource raises InputError.

    Language models of words and of parts of speech are keyed by order. `table` is p(target word | source word), `reverse_table`
    p(source word | target word). `lowered` resources are in lower case, as those of ``assay resources``.
    """

    models: Mapping[int, LanguageModel] = field(default_factory=dict)
    tag_models: Mapping[int, LanguageModel] = field(default_factory=dict)
    tagger: Tagger | None = None
    table: LexicalTable | None = None
    reverse_table: LexicalTable | None = None
    lexicon: WordLexicon | None = None
    neural: TranslationModel | None = None
    lowered: bool = True
    continuous_space: ContinuousSpaceModel | None = None


@dataclass(frozen=True, eq=False)
class Listing:
    """Lists with cached intermediate results of features; blanks separate tokens."""

    lists: NBestLists
    sources: Sequence[str] | None
    resources: RerankingResources

    @cached_property
    def tokens(self) -> TokenColumn:
        """Tokens of the hypotheses, as written."""
        return pack_lines(list(self.lists.texts))

    @cached_property
    def known_tokens(self) -> TokenColumn:
        """Tokens of the hypotheses, in the case of the resources."""
        return pack_lines([text.lower() for text in self.lists.texts]) if self.resources.lowered else self.tokens

    @cached_property
    def segment_sources(self) -> TokenColumn:
        """Tokens of the sources, in the case of the resources; InputError without sources."""
        if self.sources is None:
            detail = "this feature needs source texts; give one for each list"
            raise InputError("missing-evidence", detail, ("sources",))
        return pack_lines([text.lower() for text in self.sources] if self.resources.lowered else list(self.sources))

    @cached_property
    def source_tokens(self) -> TokenColumn:
        """Tokens of the source of each hypothesis."""
        return self.segment_sources.rows(self.lists.segments)

    @cached_property
    def ngrams(self) -> ListNgrams:
        """N-grams of the hypotheses, up to four words."""
        return list_ngrams(self.tokens, self.lists.offsets, ORDERS)

    @cached_property
    def texts_once(self) -> tuple[Int64s, Int64s]:
        """First hypothesis of each distinct text of a list (d,), and the index of each hypothesis' text among them (h,)."""
        places = distinct_places(self.lists)
        segments = self.lists.segments.tolist()
        number = {(segments[h], self.lists.texts[h]): k for k, h in enumerate(places.tolist())}
        text_numbers = (number[segment, text] for segment, text in zip(segments, self.lists.texts, strict=True))
        return places, np.fromiter(text_numbers, np.int64, len(segments))

    def shares(self, scale: float) -> Float64s:
        """Return the probability of each hypothesis in its list, by its total."""
        return probabilities(self.lists.scores, self.lists.offsets, scale)

    @cached_property
    def _tags(self) -> TokenColumn:
        if self.resources.tagger is None:
            raise InputError("missing-resource", "features of parts of speech need a tagger", ("features",))
        tags = self.resources.tagger.annotate(self.tokens, False).tags
        return TokenColumn(UNIVERSAL_TAGS, tags.astype(np.int32), self.tokens.offsets)

    @cached_property
    def _scores(self) -> dict[tuple[str, int], SentenceScores]:
        return {}

    def words_by_model(self, order: int) -> SentenceScores:
        """Return the scores of the language model of an order; InputError without one."""
        return self._scored("words", order, self.resources.models)

    def tags_by_model(self, order: int) -> SentenceScores:
        """Return the scores of the part-of-speech model of an order; InputError without it or without a tagger."""
        return self._scored("parts of speech", order, self.resources.tag_models)

    def _scored(self, unit: str, order: int, models: Mapping[int, LanguageModel]) -> SentenceScores:
        if (unit, order) not in self._scores:
            if order not in models:
                orders = ", ".join(map(str, sorted(models))) or "none"
                detail = f"this feature needs a language model of {unit} of order {order}; the orders given are: {orders}"
                raise InputError("missing-resource", detail, ("features",))
            column = self.known_tokens if unit == "words" else self._tags
            self._scores[unit, order] = models[order].score(column)
        return self._scores[unit, order]
