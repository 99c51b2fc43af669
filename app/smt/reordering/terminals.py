"""Terminals of a Reordering Grammar: units of words by their text, rare ones by classes (thesis, section 3.3.2; digest 2.10).

A unit that training sees often enough is a terminal. A rarer one becomes the sequence of its words' classes, as parts of speech,
and a rare sequence becomes `UNKNOWN`. Without classes each rare unit is `UNKNOWN`, as in the thesis. A sentence to reorder has the
terminals of its text first, then those of its classes; any other word is `UNKNOWN`.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

__all__ = ["UNKNOWN", "class_text", "number_of_span", "terminals_of"]

UNKNOWN: Final = ""
# Before a class, so that no word has its text: words have no blanks.
CLASS_MARK: Final = "\t"


def class_text(classes: Sequence[str]) -> str:
    """Text of the terminal of a sequence of classes; empty without classes."""
    return " ".join(f"{CLASS_MARK}{name}" for name in classes)


def terminals_of(units: Sequence[tuple[str, str]], rare: int) -> tuple[tuple[str, ...], list[int]]:
    """Texts of all terminals, `UNKNOWN` first, and the terminal of each unit, a text and the text of its classes.

    A terminal is seen more than `rare` times.
    """
    counts = Counter(text for text, _ in units)
    class_counts = Counter(classes for text, classes in units if counts[text] <= rare)
    texts = {text for text, count in counts.items() if count > rare}
    texts |= {classes for classes, count in class_counts.items() if classes and count > rare}
    terminals = (UNKNOWN, *sorted(texts))
    numbers = {text: number for number, text in enumerate(terminals)}
    return terminals, [numbers[text] if counts[text] > rare else numbers.get(classes, 0) for text, classes in units]


def number_of_span(numbers: Mapping[str, int], words: Sequence[str], classes: Sequence[str]) -> int | None:
    """Terminal of a span of words with their classes, if any; a single word has one always. None if a longer span has none."""
    number = numbers.get(" ".join(words))
    if number is None and classes:
        number = numbers.get(class_text(classes))
    return 0 if number is None and len(words) == 1 else number
