"""Symbols of a grammar, and classes of unknown words.

A symbol names a chain of labels with one child each: ``S+VP`` is a VP below an S, ``NP+/NN`` a word with the tag NN that is an NP.
``NP|/DT`` is the rest of an NP after a child DT.
"""

from typing import Final

from app.text.trees.phrases import PHRASES, TOPS

__all__ = ["ANY_WORD", "CHAIN", "REST", "TAG_MARK", "phrases_of_symbol", "word_class"]

CHAIN: Final = "+"
REST: Final = "|"
TAG_MARK: Final = "/"
# Names of classes begin with a blank, as no word does.
ANY_WORD: Final = " "
ENDING: Final = 2


def word_class(word: str) -> str:
    """Class of an unknown word: capital, digit and hyphen in it, and its last two letters."""
    marks = ("A" if word[:1].isupper() else "") + ("0" if any(map(str.isdigit, word)) else "") + ("-" if "-" in word[1:] else "")
    return f" {marks} {word[-ENDING:].lower()}"


def phrases_of_symbol(symbol: str) -> tuple[int, ...]:
    """Share of a node with this symbol in `app.text.trees.phrases.phrase_counts`: phrases of each label, all phrases, depth."""
    if REST in symbol:
        return (0,) * (len(PHRASES) + 2)
    labels = [label for label in symbol.split(CHAIN) if label not in TOPS]
    phrases = [label for label in labels if not label.startswith(TAG_MARK)]
    return (*(phrases.count(label) for label in PHRASES), len(phrases), len([label for label in labels if label != TAG_MARK]))
