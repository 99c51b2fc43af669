"""What features of hypotheses are computed from: the lists, their sources, and resources that are loaded."""

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
from app.smt.lists.reranking.neural import ContinuousSpaceModel, TranslationModel
from app.smt.lists.reranking.posteriors import probabilities
from app.smt.lists.reranking.word_lexicon import WordLexicon
from app.text.batch import TokenColumn, pack_lines
from app.text.n_best import NBestLists

__all__ = ["Listing", "RerankingResources"]

ORDERS: Final = 4


@dataclass(frozen=True, eq=False)
class RerankingResources:
    """Resources of the side that hypotheses are in, and of both sides; what features ask for and is not here is an InputError.

    Language models of words and of parts of speech stand by their order. `table` is p(target word | source word), `reverse_table`
    p(source word | target word). Where `lowered`, resources have lower case only, as those of ``assay resources``.
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
    """Lists with what several features share, computed once; tokens stand between blanks."""

    lists: NBestLists
    sources: Sequence[str] | None
    resources: RerankingResources

    @cached_property
    def tokens(self) -> TokenColumn:
        """The tokens of the hypotheses, as they are written."""
        return pack_lines(list(self.lists.texts))

    @cached_property
    def known_tokens(self) -> TokenColumn:
        """The tokens of the hypotheses as the resources know them."""
        return pack_lines([text.lower() for text in self.lists.texts]) if self.resources.lowered else self.tokens

    @cached_property
    def segment_sources(self) -> TokenColumn:
        """The tokens of the sources as the resources know them; InputError where there are none."""
        if self.sources is None:
            detail = "this feature looks at the source texts; give one for each list"
            raise InputError("missing-evidence", detail, ("sources",))
        return pack_lines([text.lower() for text in self.sources] if self.resources.lowered else list(self.sources))

    @cached_property
    def source_tokens(self) -> TokenColumn:
        """The tokens of the source of each hypothesis."""
        return self.segment_sources.rows(self.lists.segments)

    @cached_property
    def ngrams(self) -> ListNgrams:
        """The n-grams of the hypotheses, of up to four words."""
        return list_ngrams(self.tokens, self.lists.offsets, ORDERS)

    @cached_property
    def texts_once(self) -> tuple[Int64s, Int64s]:
        """The first hypothesis of each text of each list, (d,), and which of these every hypothesis reads like, (h,)."""
        places = distinct_places(self.lists)
        segments = self.lists.segments.tolist()
        number = {(segments[h], self.lists.texts[h]): k for k, h in enumerate(places.tolist())}
        of_each = (number[segment, text] for segment, text in zip(segments, self.lists.texts, strict=True))
        return places, np.fromiter(of_each, np.int64, len(segments))

    def shares(self, scale: float) -> Float64s:
        """The probability of each hypothesis in its list, by its total."""
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
        """What the language model of an order says; InputError without one."""
        return self._scored("words", order, self.resources.models)

    def tags_by_model(self, order: int) -> SentenceScores:
        """What the language model of parts of speech of an order says; InputError without one, or without a tagger."""
        return self._scored("parts of speech", order, self.resources.tag_models)

    def _scored(self, what: str, order: int, models: Mapping[int, LanguageModel]) -> SentenceScores:
        if (what, order) not in self._scores:
            if order not in models:
                there = ", ".join(map(str, sorted(models))) or "none"
                detail = f"a language model of {what} of order {order} is needed; those given are of orders: {there}"
                raise InputError("missing-resource", detail, ("features",))
            column = self.known_tokens if what == "words" else self._tags
            self._scores[what, order] = models[order].score(column)
        return self._scores[what, order]
