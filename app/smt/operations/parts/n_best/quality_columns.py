"""Predicted quality as features of hypotheses: the score, its standard deviation, words that look wrong, warnings."""

from collections.abc import Sequence

import numpy as np

from app.arrays import Float64s, Int64s
from app.engine import Engine
from app.engine.segments import Assessment, Options, Segments
from app.errors import InputError
from app.text import LanguagePair
from app.text.n_best import NBestLists

__all__ = ["quality_features"]


def quality_features(
    engine: Engine,
    pair: LanguagePair,
    lists: NBestLists,
    sources: Sequence[str] | None,
    names: Sequence[str],
    model: str | None = None,
    label: str | None = None,
) -> Float64s:
    """Columns `names` of `QUALITY` of each hypothesis, shape (h, k), by the predictor `model` or by the best one of the pair.

    Texts stay cased. InputError without sources, or for a pair without a predictor or word tagger.
    """
    if sources is None:
        raise InputError("missing-evidence", "predicted quality looks at the source texts; give one for each list", ("sources",))
    repeated_sources = [sources[segment] for segment in lists.segments.tolist()]
    needs_tags = "qe-words" in names or "qe-gaps" in names
    options = Options(words=needs_tags, warnings="qe-warnings" in names)
    answer = engine.quality(Segments(pair, repeated_sources, list(lists.texts)), model, label, options)
    if needs_tags and answer.words is None:
        raise InputError("missing-resource", f"there is no word tagger for {pair}", ("features",))
    columns = [_column(name, answer) for name in names]
    return np.stack(columns, 1) if columns else np.zeros((len(repeated_sources), 0))


def _column(name: str, answer: Assessment) -> Float64s:
    if name == "qe":
        return answer.prediction.mean
    if name == "qe-std":
        return answer.prediction.std
    if name == "qe-warnings":
        return np.array([len(row) for row in answer.warnings or ()], np.float64)
    assert answer.words is not None
    tags = answer.words.tags
    return _means(tags.words, tags.word_offsets) if name == "qe-words" else _means(tags.gaps, tags.gap_offsets)


def _means(values: Float64s, offsets: Int64s) -> Float64s:
    """The mean of each row, 0 of one that is empty."""
    lengths = np.diff(offsets)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    return np.asarray(np.bincount(rows, values, len(lengths)) / np.maximum(lengths, 1), np.float64)
