"""A language pair that anybody can build in a moment: sentences of a few verses' grammar, translated word by word."""

import random
from collections.abc import Sequence
from pathlib import Path

__all__ = ["PAIR", "TRANSLATIONS", "damaged", "sentences", "translated", "write_labels", "write_memory"]

PAIR = "ee-bm"
WORDS = 60
# The words of one language and, one for one, of the other.
TRANSLATIONS = {f"w{chr(97 + k // 26)}{chr(97 + k % 26)}": f"v{chr(122 - k % 26)}{chr(122 - k // 26)}" for k in range(WORDS)}


def sentences(count: int, seed: int) -> list[list[str]]:
    """Sentences in which each word is followed by one of three, so that order can be learned."""
    rng, words = random.Random(seed), list(TRANSLATIONS)
    made = []
    for _ in range(count):
        place = rng.randrange(WORDS)
        sentence = [words[place]]
        for _ in range(rng.randint(5, 11)):
            place = (3 * place + rng.randint(1, 3)) % WORDS
            sentence.append(words[place])
        made.append(sentence)
    return made


def translated(sentence: Sequence[str]) -> list[str]:
    """The right translation."""
    return [TRANSLATIONS[word] for word in sentence]


def damaged(words: Sequence[str], share: float, rng: random.Random) -> list[str]:
    """A translation in which words were replaced, put elsewhere and left out."""
    others = list(TRANSLATIONS.values())
    kept = [rng.choice(others) if rng.random() < share / 2 else word for word in words]
    return [word for word in kept if rng.random() >= share / 3] or kept[:1]


def write_memory(path: Path, count: int = 300, seed: int = 1) -> None:
    """A table of sentences with their translations."""
    rows = "".join(f"{' '.join(words)} .\t{' '.join(translated(words))} .\n" for words in sentences(count, seed))
    path.write_text(f"source\ttarget\n{rows}", "utf-8")


def write_labels(path: Path, count: int, seed: int = 2) -> None:
    """Translations that are wrong in some words, with their post-edits."""
    rng = random.Random(seed)
    rows = []
    for words in sentences(count, seed + 1):
        right = translated(words)
        rows.append(f"{' '.join(words)} .\t{' '.join(damaged(right, rng.random(), rng))} .\t{' '.join(right)} .\n")
    path.write_text(f"source\ttranslation\tpost_edit\n{''.join(rows)}", "utf-8")
