"""Tags of words: what a word tagger says, and what a network that reads tokens adds to it."""

from collections.abc import Iterator

import numpy as np

from app.arrays import Float64s
from app.engine.bounding import BoundedSegments
from app.engine.segments import TaggedWords
from app.features import PairResources, View
from app.features.encoded import begin_encoding, cut_rows, encoded_sides
from app.predictors.sentences import Judge
from app.predictors.sentences.revision import wrong_words
from app.predictors.word_tags import WordTagger

__all__ = ["tagged_words", "words_mcc"]


def tagged_words(tagger: WordTagger, view: View, looked_at: BoundedSegments, revise: bool) -> TaggedWords:
    """Tags of a view; `revise` asks the network where there is one that was weighed against the tagger."""
    words, texts = view.batch.cased_translation, looked_at.segments.translations
    mcc = words_mcc(tagger, view.resources, revise)
    judge = _judge(view.resources, revise)
    revision = judge.revisions.get(tagger.card.id) if judge is not None else None
    if revision is None or judge is None:
        return TaggedWords(tagger, mcc, tagger.tag(view), words, texts, looked_at.truncated)
    begin_encoding(view)
    tags = revision.revised(tagger.tag(view), np.concatenate([np.empty(0), *_wrong(judge, view)]))
    return TaggedWords(tagger, mcc, tags, words, texts, looked_at.truncated | cut_rows(view))


def words_mcc(tagger: WordTagger, resources: PairResources, revise: bool) -> float:
    """Matthews' correlation that was measured of a tagger's words: of those that the network revises where it does."""
    judge = _judge(resources, revise)
    if judge is None or tagger.card.id not in judge.revisions:
        return float(tagger.card.accuracy["words"]["mcc"])
    return float(judge.card.accuracy["words"][tagger.card.id]["revised"])


def _judge(resources: PairResources, revise: bool) -> Judge | None:
    judge = resources.sentence_judge if revise and resources.encoder is not None else None
    return judge if isinstance(judge, Judge) else None


def _wrong(judge: Judge, view: View) -> Iterator[Float64s]:
    """Of each segment the probabilities that its words are wrong."""
    row = 0
    for sides in encoded_sides(view):
        for target, wrong in zip(sides.target.single_texts(), judge.wrong_tokens(view.batch.pair, sides), strict=True):
            yield wrong_words(target.pieces, wrong, view.batch.cased_translation.tokens(row))
            row += 1
