"""Made-up texts of a fixed seed: segments of a language pair, a corpus of several systems, and n-best lists.

All words are in this module, so both commits measure equal texts on any machine.
"""

from random import Random
from typing import Final, NamedTuple

__all__ = ["Corpus", "corpus", "n_best_lists", "segments"]

# Sentences of Romanian and English with places for words and a number.
SENTENCES: Final = (
    ("{0} a publicat {1} din anul {2}.", "The {0} published the {1} of the year {2}."),
    ("În {2}, {0} a pierdut {1}.", "In {2}, the {0} lost the {1}."),
    ("{0} numește {1} în fiecare județ, după legea {2}.", "The {0} names the {1} in each county, after law {2}."),
    (
        "Nu știm dacă {0} cunoaște {1}, dar {2} de oameni cred asta.",
        "We do not know if the {0} knows the {1}, but {2} people think so.",
    ),
    ("{0} și {1} au fost mutate în casa cu numărul {2}.", "The {0} and the {1} were moved to house number {2}."),
    ("Cartea spune la pagina {2} că {0} a construit {1}.", "The book says on page {2} that the {0} built the {1}."),
)
WORDS: Final = (
    ("guvernul", "government"), ("orașul", "city"), ("raportul", "report"), ("profesorul", "teacher"), ("râul", "river"),
    ("armata", "army"), ("biserica", "church"), ("consiliul", "council"), ("regele", "king"), ("piața", "market"),
    ("scrisoarea", "letter"), ("podul", "bridge"), ("satul", "village"), ("muzeul", "museum"), ("trenul", "train"),
    ("limba", "language"), ("școala", "school"), ("echipa", "team"), ("planul", "plan"), ("prefectul", "prefect"),
)  # fmt: skip
NUMBERS: Final = 100_000
# Shares of replaced, missing and swapped words in outputs of the corpus.
REPLACEMENTS, GAPS, SWAPS = 0.15, 0.05, 0.1
FEATURES: Final = 8


class Corpus(NamedTuple):
    """References and outputs of systems, a text for each segment."""

    references: list[str]
    systems: dict[str, list[str]]


def segments(seed: int, count: int) -> list[tuple[str, str]]:
    """Sources and translations; texts of two seeds differ."""
    random = Random(seed)
    rows = []
    for _ in range(count):
        source, translation = random.choice(SENTENCES)
        words = random.sample(WORDS, 2)
        number = random.randrange(NUMBERS)
        first, second = (tuple(word[side] for word in words) for side in (0, 1))
        rows.append((source.format(*first, number), translation.format(*second, number)))
    return rows


def corpus(systems: int, count: int) -> Corpus:
    """References of two sentences each, and systems that change, lose and swap words."""
    random = Random(1)
    rows = [translation for _, translation in segments(1, 2 * count)]
    references = [f"{rows[k]} {rows[k + count]}" for k in range(count)]
    return Corpus(references, {f"s{system}": [damaged(text, random) for text in references] for system in range(systems)})


def damaged(text: str, random: Random) -> str:
    """A text with some words changed, lost or swapped."""
    words = []
    for word in text.split(" "):
        draw = random.random()
        if draw < REPLACEMENTS:
            words.append(random.choice(WORDS)[1])
        elif draw > REPLACEMENTS + GAPS:
            words.append(word)
    for k in range(len(words) - 1):
        if random.random() < SWAPS:
            words[k], words[k + 1] = words[k + 1], words[k]
    return " ".join(words)


def n_best_lists(count: int, size: int) -> tuple[str, list[str]]:
    """N-best lists in Moses' form, with eight features, and their references."""
    random = Random(2)
    references = corpus(0, count).references
    lines = []
    for segment, reference in enumerate(references):
        for _ in range(size):
            text = damaged(reference, random)
            loss = abs(len(text) - len(reference)) / 10
            values = [random.gauss(-loss if k % 2 else -5.0, 1.0) for k in range(FEATURES)]
            cells = " ".join(f"f{k}= {value:.4f}" for k, value in enumerate(values))
            lines.append(f"{segment} ||| {text} ||| {cells} ||| {sum(values):.4f}\n")
    return "".join(lines), references
