"""Features of segments from resources that never saw them.

Language models and counts that were built from the very segments a predictor trains on make those
segments look far more fluent than any new one, and the predictor learns that illusion. So the corpus
is cut into folds, and each fold's features come from resources built without it.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from app.corpus.building import align_corpus
from app.corpus.kenlm_trie import write_kenlm_trie
from app.corpus.kneser_ney import estimate_language_model
from app.corpus.lexical_table import estimate_lexical_table
from app.features import FeatureSet, PairResources, extract_features
from app.resources.language_model import LanguageModel
from app.resources.lexical_table import LexicalTable
from app.resources.ngram_counts import NgramCounts
from app.text.arrays import Float64s, Int64s
from app.text.batch import SegmentBatch, pack_tokens
from app.text.languages import LanguagePair

__all__ = ["TokenisedCorpus", "fold_features", "folds_of"]

Tokens = Sequence[Sequence[str]]


@dataclass(frozen=True)
class TokenisedCorpus:
    """One pair's training rows, tokenised; `fold` (n,) says which fold each belongs to."""

    pair: LanguagePair
    source: Tokens
    translation: Tokens
    post_edit: Tokens
    token_log_probs: Sequence[Sequence[float]]
    fold: Int64s


def folds_of(sources: Sequence[str], folds: int) -> Int64s:
    """The fold of each segment by its source text, so that equal sources of all pairs leave together."""
    digests = (hashlib.sha256(text.encode("utf-8")).digest() for text in sources)
    return np.array([int.from_bytes(digest[:4], "big") % folds for digest in digests], np.int64)


def fold_features(
    corpora: Sequence[TokenisedCorpus], fold: int, wanted: FeatureSet
) -> Mapping[LanguagePair, tuple[Int64s, Float64s]]:
    """Rows of `fold` and their features (rows, k) for every pair, from resources built on all other rows."""
    texts: dict[str, list[Sequence[str]]] = {}
    for corpus in corpora:
        for row in np.flatnonzero(corpus.fold != fold).tolist():
            texts.setdefault(corpus.pair.source, []).append(corpus.source[row])
            texts.setdefault(corpus.pair.target, []).append(corpus.post_edit[row])
    counts = {language: NgramCounts.count(pack_tokens(segments)) for language, segments in texts.items()}
    out: dict[LanguagePair, tuple[Int64s, Float64s]] = {}
    with TemporaryDirectory() as scratch:
        models = {language: _language_model(segments, Path(scratch) / language) for language, segments in texts.items()}
        for corpus in corpora:
            kept, left = np.flatnonzero(corpus.fold != fold).tolist(), np.flatnonzero(corpus.fold == fold).tolist()
            source, target = [corpus.source[i] for i in kept], [corpus.post_edit[i] for i in kept]
            entries = estimate_lexical_table(source, target, align_corpus(source, target).links)
            resources = PairResources(
                corpus.pair,
                models[corpus.pair.source],
                models[corpus.pair.target],
                counts[corpus.pair.source],
                LexicalTable.from_entries(entries),
            )
            batch = SegmentBatch(
                corpus.pair,
                pack_tokens([corpus.source[i] for i in left]),
                pack_tokens([corpus.translation[i] for i in left]),
                tuple(tuple(corpus.token_log_probs[i]) for i in left),
            )
            out[corpus.pair] = (np.array(left, np.int64), extract_features(batch, wanted, resources).values)
    return out


def _language_model(segments: Tokens, path: Path) -> LanguageModel:
    write_kenlm_trie(estimate_language_model(segments, 3), path)
    return LanguageModel.open(path)
