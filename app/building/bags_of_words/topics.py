"""Topics of parallel text: scikit-learn's online variational Bayes on lines of both languages side by side."""

from typing import Final

import numpy as np
from scipy.sparse import hstack
from scipy.special import digamma
from threadpoolctl import threadpool_limits

from app.arrays import Float32s, Float64s
from app.building.bags_of_words.vocabulary import frequent_words
from app.resources.bags_of_words import TopicModel, TopicWords
from app.resources.bags_of_words.word_lexicon import bags_of
from app.text.batch import TokenColumn

__all__ = ["train_topics"]

TOPICS: Final = 50
PASSES: Final = 10
SEED: Final = 1
# Words of topics stand in at least so many segments, and in at most this share of them; the most frequent ones of each side.
LEAST_SEGMENTS: Final = 3
LARGEST_SHARE: Final = 0.1
LIMIT: Final = 10_000


def train_topics(source: TokenColumn, target: TokenColumn, topics: int = TOPICS) -> TopicModel:
    """Train topics on n segment pairs; without words between both limits, a model knows no word."""
    # Commands that train nothing start without scikit-learn.
    from sklearn.decomposition import LatentDirichletAllocation

    words = [frequent_words(column, LIMIT, LEAST_SEGMENTS, LARGEST_SHARE) for column in (source, target)]
    if not all(map(len, words)):
        no_words = TopicWords(np.zeros(0, np.uint64), np.zeros((0, topics), np.float32))
        return TopicModel(no_words, no_words, 1 / topics)
    bags = hstack([bags_of(column, side) for column, side in zip((source, target), words, strict=True)]).tocsr()
    model = LatentDirichletAllocation(
        topics, learning_method="online", max_iter=PASSES, batch_size=256, total_samples=len(source), random_state=SEED
    )
    # Sums in another order are other bytes.
    with threadpool_limits(1, "blas"):
        model.fit(bags)
    parts = np.split(np.asarray(model.components_, np.float64), [len(words[0])], axis=1)
    sides = [TopicWords(side, _weights(part)) for side, part in zip(words, parts, strict=True)]
    return TopicModel(sides[0], sides[1], float(model.doc_topic_prior_))


def _weights(strengths: Float64s) -> Float32s:
    """exp(E[log p(word | topic)]) within one language; shape (v, k)."""
    return np.asarray(np.exp(digamma(strengths) - digamma(strengths.sum(1, keepdims=True))).T, np.float32)
