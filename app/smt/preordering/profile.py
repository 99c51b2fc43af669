"""Profile of a word-aligned corpus: the reordering that a system must be able to do (thesis, sections 2.5 and 3.4)."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final

import numpy as np
from pydantic import Field

from app.arrays import Int64s
from app.errors import InputError
from app.smt.preordering.evaluation import evaluate_orders
from app.smt.preordering.gold import mean_places
from app.smt.reordering.trees import label_of, tree_of
from app.smt.reordering.units import check_links, phrases_of
from app.text.reading.stored_json import as_kind, read_object

__all__ = ["FARTHEST", "ReorderingProfile", "profile_of", "read_profile"]

# Children of the widest operator of an inversion transduction grammar.
BINARY: Final = 2
# Words between phrases beyond which distances count together.
FARTHEST: Final = 50
# Limits of a profile from a file.
Count = Annotated[int, Field(ge=0, le=10**12)]
Label = Annotated[str, Field(pattern="^P[0-9,]+$")]


@dataclass(frozen=True)
class ReorderingProfile:
    """Counts over the sentences of a corpus; sentences without links count in `sentences` and `words` only.

    - `arities`: sentences by the most children that an operator of their permutation tree orders; 1 for a single phrase
    - `operators`: nodes of left-branching trees over minimal phrases, by label
    - `distances`: steps between phrases that follow each other in the target, by distance as for the distortion limit of a decoder.
      It is 0 for a step to the next word, and at most 50. Words without links between phrases count.
    - `kendall`: mean share of word pairs that already stand in the order of the target
    """

    sentences: Count
    linked_sentences: Count
    words: Count
    linked_words: Count
    kendall: Annotated[float, Field(ge=0, le=1)]
    arities: Mapping[Count, Count] = field(default_factory=dict)
    operators: Mapping[Label, Count] = field(default_factory=dict)
    distances: Mapping[Count, Count] = field(default_factory=dict)

    def coverage(self, arity: int = BINARY) -> float:
        """Share of linked sentences whose operators order at most this many children; 1 without linked sentences."""
        return _share(self.arities, arity)

    def near_steps(self, distance: int) -> float:
        """Share of steps over at most this many words, as a limit of distortion allows; 1 without steps."""
        return _share(self.distances, distance)

    def as_json(self) -> dict[str, object]:
        """Counts, and the shares of sentences of up to 2 and up to 5 children and of steps over up to 0 and up to 6 words."""
        return {
            "sentences": self.sentences,
            "linked_sentences": self.linked_sentences,
            "words": self.words,
            "linked_words": self.linked_words,
            "kendall": self.kendall,
            "itg_coverage": self.coverage(),
            "coverage_of_five": self.coverage(5),
            "monotone_steps": self.near_steps(0),
            "steps_within_six": self.near_steps(6),
            "arities": {str(arity): count for arity, count in self.arities.items()},
            "operators": dict(self.operators),
            "distances": {str(distance): count for distance, count in self.distances.items()},
        }


def profile_of(sentences: Iterable[tuple[int, Int64s]]) -> ReorderingProfile:
    """Profile of sentences: their number of source words, and links of the shape (k, 2), source and target positions from 0.

    ValueError for links outside of the words.
    """
    sentence_count = word_count = linked_word_count = 0
    arities: Counter[int] = Counter()
    operators: Counter[str] = Counter()
    distances: Counter[int] = Counter()
    kendall = 0.0
    for length, links in sentences:
        sentence_count += 1
        word_count += length
        check_links(length, links)
        if not len(links):
            continue
        linked_word_count += len(np.unique(links[:, 0]))
        phrases = phrases_of(links)
        tree = tree_of(phrases.ranks)
        arities[tree.arity] += 1
        operators.update(map(label_of, tree.operators))
        spans = phrases.spans[np.argsort(phrases.ranks)]
        distances.update(np.minimum(np.abs(spans[1:, 0] - spans[:-1, 1]), FARTHEST).tolist())
        kendall += float(evaluate_orders([np.arange(length)], [mean_places(length, links)]).kendall[0])
    linked_count = arities.total()
    return ReorderingProfile(
        sentences=sentence_count,
        linked_sentences=linked_count,
        words=word_count,
        linked_words=linked_word_count,
        kendall=kendall / linked_count if linked_count else 1.0,
        arities=dict(sorted(arities.items())),
        operators=dict(sorted(operators.items(), key=lambda item: (len(item[0]), item[0]))),
        distances=dict(sorted(distances.items())),
    )


def read_profile(path: Path) -> ReorderingProfile:
    """Read a profile as JSON; InputError (`invalid-table`) for another file."""
    try:
        return as_kind(ReorderingProfile, read_object(path), path.name)
    except ValueError as error:
        detail = f"this is no profile of assay smt profile-reordering --format json: {error}"
        raise InputError("invalid-table", detail, (str(path),)) from None


def _share(counts: Mapping[int, int], limit: int) -> float:
    total = sum(counts.values())
    return sum(count for value, count in counts.items() if value <= limit) / total if total else 1.0
