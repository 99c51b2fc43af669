"""Tags of tokens by a UDPipe model. The tagging process imports only this module and UDPipe."""

from collections.abc import Sequence
from typing import Any, Final

from ufal import udpipe

__all__ = ["NO_HEAD", "NUMBERS", "OTHER_TAG", "UNIVERSAL_TAGS", "TaggedWords", "tag_words"]

UNIVERSAL_TAGS: Final = (
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT",
    "SCONJ", "SYM", "VERB", "X",
)  # fmt: skip
NUMBERS: Final = {tag: number for number, tag in enumerate(UNIVERSAL_TAGS)}
OTHER_TAG: Final = NUMBERS["X"]
NO_HEAD: Final = -1
# Numbers of the tags, and indices of the heads (empty without parsing).
TaggedWords = tuple[tuple[int, ...], tuple[int, ...]]


def tag_words(model: Any, tokens: Sequence[str], parse: bool) -> TaggedWords:
    """Tags of a sentence, and heads if `parse`."""
    sentence = udpipe.Sentence()
    for token in tokens:
        sentence.addWord(token)
    model.tag(sentence, model.DEFAULT)
    if parse:
        model.parse(sentence, model.DEFAULT)
    words = list(sentence.words)[1:]
    tags = tuple(NUMBERS.get(word.upostag, OTHER_TAG) for word in words)
    return tags, tuple(word.head - 1 if word.head > 0 else NO_HEAD for word in words) if parse else ()
