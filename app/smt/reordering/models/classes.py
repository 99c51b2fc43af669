"""Classes of words: their universal parts of speech by a tagger."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from app.resources.tagger import UNIVERSAL_TAGS, Tagger
from app.text.batch import pack_tokens

__all__ = ["classes_of"]

# Sentences of a batch: a tenth of a second.
BATCH: Final = 100


def classes_of(tagger: Tagger | None, sentences: Iterable[Sequence[str]]) -> Iterator[list[str]]:
    """Yield the class of each word of each sentence; without a tagger none."""
    remainder = iter(sentences)
    while batch := list(islice(remainder, BATCH)):
        if tagger is None:
            yield from ([] for _ in batch)
            continue
        column = pack_tokens(batch)
        tags = tagger.annotate(column, False).tags.tolist()
        for begin, end in zip(column.offsets[:-1].tolist(), column.offsets[1:].tolist(), strict=True):
            yield [UNIVERSAL_TAGS[tag] for tag in tags[begin:end]]
