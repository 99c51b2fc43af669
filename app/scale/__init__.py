"""Work on tables of any size: columns of texts in, columns of results out, in bounded memory and on any number of processes."""

from app.scale.features import Features, Words
from app.scale.ranking import Ranking
from app.scale.scorer import Scorer

__all__ = ["Features", "Ranking", "Scorer", "Words"]
