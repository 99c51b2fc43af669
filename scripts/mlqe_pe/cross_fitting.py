"""Cross-fitting: features of segments from resources built without these segments.

Language models and counts make the segments of their own training corpus look far more fluent than new ones, and a predictor would
learn this illusion. The corpus is therefore cut into folds, and each fold's features come from resources built without it.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from app.arrays import Int64s
from app.building.building import align_corpus
from app.building.kenlm_trie import write_kenlm_trie
from app.building.kneser_ney import estimate_language_model
from app.building.lexical_table import estimate_lexical_table
from app.features import PairResources
from app.resources.corpus_index import CorpusIndex, SegmentIndex
from app.resources.language_models import LanguageModel, open_language_model
from app.resources.lexical_table import LexicalTable
from app.resources.loading import LanguageResources
from app.resources.ngram_counts import NgramCounts
from app.text.batch import SegmentBatch, TokenColumn
from app.text.languages import LanguagePair
from app.text.parallel_corpus import ParallelCorpus

__all__ = ["TrainingCorpus", "fold_resources", "folds_of", "read_fold", "write_fold"]


@dataclass(frozen=True)
class TrainingCorpus:
    """Training rows of a pair: sources with translations, post-edits, and the fold of each row (n,)."""

    translations: SegmentBatch
    post_edits: TokenColumn
    fold: Int64s

    @property
    def pair(self) -> LanguagePair:
        """The language pair."""
        return self.translations.pair

    def rows(self, fold: int) -> Int64s:
        """Row numbers of a fold."""
        return np.flatnonzero(self.fold == fold)

    def part(self, fold: int) -> SegmentBatch:
        """Sources and translations of a fold."""
        return self.translations.select(self.rows(fold))

    def outside(self, fold: int) -> ParallelCorpus:
        """Sources and post-edits outside a fold."""
        return ParallelCorpus(self.translations.source, self.post_edits).rows(np.flatnonzero(self.fold != fold))


def folds_of(sources: Sequence[str], folds: int) -> Int64s:
    """Fold of each segment by a hash of its source, so that equal sources of all pairs share a fold; shape (n,)."""
    digests = (hashlib.sha256(text.encode("utf-8")).digest() for text in sources)
    return np.array([int.from_bytes(digest[:4], "big") % folds for digest in digests], np.int64)


def fold_resources(
    corpora: Sequence[TrainingCorpus], fold: int, scratch: Path, languages: Mapping[str, LanguageResources]
) -> dict[LanguagePair, PairResources]:
    """Resources of every pair, built on all rows outside `fold`, with language models in the folder `scratch`.

    Taggers and their tag models come from `languages`, since they were trained on other corpora.
    """
    parts = {corpus.pair: corpus.outside(fold) for corpus in corpora}
    texts: dict[str, list[TokenColumn]] = {}
    for pair, part in parts.items():
        texts.setdefault(pair.source, []).append(part.source)
        texts.setdefault(pair.target, []).append(part.target)
    columns = {language: TokenColumn.joined(sides) for language, sides in texts.items()}
    counts = {language: NgramCounts.count(column) for language, column in columns.items()}
    models = {language: _language_model(column, scratch / language) for language, column in columns.items()}
    resources: dict[LanguagePair, PairResources] = {}
    for pair, part in parts.items():
        aligned_corpus = align_corpus(part).corpus
        source, target = (languages.get(code) for code in (pair.source, pair.target))
        resources[pair] = PairResources(
            pair,
            models[pair.source],
            models[pair.target],
            counts[pair.source],
            estimate_lexical_table(aligned_corpus).table(),
            estimate_lexical_table(aligned_corpus.reversed).table(),
            source.tagger if source else None,
            target.tagger if target else None,
            target.tag_model if target else None,
            CorpusIndex(SegmentIndex.of(part.source), SegmentIndex.of(part.target)),
        )
    return resources


def write_fold(resources: PairResources, folder: Path) -> None:
    """Store a fold's resources of a pair, except for its language models, which are files already."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = {
        "lex": resources.lexical_table,
        "reverse": resources.reverse_table,
        "counts": resources.source_counts,
        "index": resources.corpus_index,
    }
    for name, resource in parts.items():
        if resource is not None:
            save_file(resource.arrays(), folder / name)


def read_fold(folder: Path, models: Path, resources: PairResources) -> PairResources:
    """Read a folder of `write_fold`, with the language models in `models` and the taggers of `resources`."""
    return replace(
        resources,
        source_model=open_language_model(models / resources.pair.source),
        target_model=open_language_model(models / resources.pair.target),
        lexical_table=LexicalTable.load(folder / "lex"),
        reverse_table=LexicalTable.load(folder / "reverse"),
        source_counts=NgramCounts.load(folder / "counts"),
        corpus_index=CorpusIndex.load(folder / "index"),
    )


def _language_model(column: TokenColumn, path: Path) -> LanguageModel:
    write_kenlm_trie(estimate_language_model(column, 3), path)
    return open_language_model(path)
