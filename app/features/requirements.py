"""The loaded resources that features of one language pair may use."""

from dataclasses import dataclass

from app.features.declaration import Need
from app.resources.language_model import LanguageModel
from app.resources.lexical_table import LexicalTable
from app.resources.ngram_counts import NgramCounts
from app.text.errors import InputError
from app.text.languages import LanguagePair

__all__ = ["PairResources"]


@dataclass(frozen=True)
class PairResources:
    """What is loaded for a pair; a missing resource is None."""

    pair: LanguagePair
    source_model: LanguageModel | None = None
    target_model: LanguageModel | None = None
    source_counts: NgramCounts | None = None
    lexical_table: LexicalTable | None = None

    def missing(self, need: Need) -> InputError:
        """The error that says which resource of the pair is not loaded."""
        return InputError("unknown-language-pair", f"the {need} of {self.pair} is not loaded")

    def need_source_model(self) -> LanguageModel:
        """The source language model, or an InputError."""
        if self.source_model is None:
            raise self.missing(Need.SOURCE_LANGUAGE_MODEL)
        return self.source_model

    def need_target_model(self) -> LanguageModel:
        """The target language model, or an InputError."""
        if self.target_model is None:
            raise self.missing(Need.TARGET_LANGUAGE_MODEL)
        return self.target_model

    def need_source_counts(self) -> NgramCounts:
        """The source n-gram counts, or an InputError."""
        if self.source_counts is None:
            raise self.missing(Need.SOURCE_NGRAM_COUNTS)
        return self.source_counts

    def need_lexical_table(self) -> LexicalTable:
        """The lexical table source to target, or an InputError."""
        if self.lexical_table is None:
            raise self.missing(Need.LEXICAL_TABLE)
        return self.lexical_table
