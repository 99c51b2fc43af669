"""Tags of words: what a word tagger says, and what a network that reads tokens adds to it."""

from collections.abc import Iterator

import numpy as np

from app.arrays import Float64s
from app.engine.bounding import BoundedSegments
from app.engine.segments import TaggedWords
from app.features import View
from app.features.encoded import begin_encoding, cut_rows, encoded_sides
from app.predictors.sentences import Judge
from app.predictors.sentences.revision import wrong_words
from app.predictors.word_tags import WordTagger

__all__ = ["tagged_words"]


def tagged_words(tagger: WordTagger, view: View, looked_at: BoundedSegments, revise: bool) -> TaggedWords:
    """Tags of a view; `revise` asks the network where there is one that was weighed against the tagger."""
    texts = looked_at.segments.translations
    judge = view.resources.sentence_judge if revise and view.resources.encoder is not None else None
    revision = judge.revisions.get(tagger.card.id) if isinstance(judge, Judge) else None
    if revision is None or not isinstance(judge, Judge):
        return TaggedWords(tagger, tagger.tag(view), view.batch.cased_translation, texts, looked_at.truncated)
    begin_encoding(view)
    tags = revision.revised(tagger.tag(view), np.concatenate([np.empty(0), *_wrong(judge, view)]))
    return TaggedWords(tagger, tags, view.batch.cased_translation, texts, looked_at.truncated | cut_rows(view))


def _wrong(judge: Judge, view: View) -> Iterator[Float64s]:
    """Of each segment the probabilities that its words are wrong."""
    row = 0
    for sides in encoded_sides(view):
        for target, wrong in zip(sides.target.single_texts(), judge.wrong_tokens(view.batch.pair, sides), strict=True):
            yield wrong_words(target.pieces, wrong, view.batch.cased_translation.tokens(row))
            row += 1
