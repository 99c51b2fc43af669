"""Damages to translations: each makes a good translation worse, so the network learns an order of both."""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Final

__all__ = ["DAMAGES", "Donors", "damaged"]

Words = list[str]
Donors = Sequence[str]
# English words, each with a form that changes the meaning.
OPPOSITES: Final[Mapping[str, str]] = {
    word: antonym
    for first, second in (
        ("he", "she"), ("his", "her"), ("him", "her"), ("himself", "herself"), ("is", "was"), ("are", "were"), ("has", "had"),
        ("have", "had"), ("will", "would"), ("can", "could"), ("more", "less"), ("most", "least"), ("before", "after"),
        ("first", "last"), ("large", "small"), ("big", "little"), ("new", "old"), ("high", "low"), ("good", "bad"),
        ("long", "short"), ("many", "few"), ("all", "some"), ("up", "down"), ("in", "out"), ("with", "without"), ("north", "south"),
        ("east", "west"), ("early", "late"), ("always", "never"), ("also", "only"), ("and", "or"), ("from", "to"), ("this", "that"),
        ("these", "those"),
        ("man", "woman"), ("men", "women"), ("father", "mother"), ("son", "daughter"), ("brother", "sister"), ("king", "queen"),
        ("a", "the"), ("of", "for"), ("on", "under"), ("by", "at"), ("began", "ended"), ("won", "lost"), ("increased", "decreased"),
        ("er", "sie"), ("sein", "ihr"), ("seine", "ihre"), ("ist", "war"), ("hat", "hatte"), ("mehr", "weniger"), ("vor", "nach"),
        ("ein", "kein"), ("eine", "keine"), ("und", "oder"), ("mit", "ohne"), ("von", "zu"), ("gut", "schlecht"), ("alt", "neu"),
    )
    for word, antonym in ((first, second), (second, first))
}  # fmt: skip
NEGATIONS: Final = {"en": "not", "de": "nicht"}
AUXILIARIES: Final = frozenset(
    {"is", "are", "was", "were", "can", "could", "will", "would", "has", "have", "had", "ist", "war", "sind", "hat", "kann"}
)


def _run(words: Words, rng: random.Random, longest: int) -> tuple[int, int]:
    length = rng.randint(1, max(1, min(longest, len(words) // 2)))
    begin = rng.randrange(len(words) - length + 1)
    return begin, begin + length


def _drop(words: Words, source: str, donors: Donors, rng: random.Random) -> Words | None:
    begin, end = _run(words, rng, 1 if rng.random() < 0.5 else 6)
    return words[:begin] + words[end:]


def _repeat(words: Words, source: str, donors: Donors, rng: random.Random) -> Words | None:
    begin, end = _run(words, rng, 4)
    return words[:end] + words[begin:end] + words[end:]


def _swap(words: Words, source: str, donors: Donors, rng: random.Random) -> Words | None:
    place = rng.randrange(len(words) - 1)
    target = min(len(words) - 1, place + rng.randint(1, 4))
    out = list(words)
    out[place], out[target] = out[target], out[place]
    return out if out != words else None


def _shuffle(words: Words, source: str, donors: Donors, rng: random.Random) -> Words | None:
    out = list(words)
    rng.shuffle(out)
    return out if out != words else None


def _number(words: Words, source: str, donors: Donors, rng: random.Random) -> Words | None:
    places = [place for place, word in enumerate(words) if any(sign.isdecimal() for sign in word)]
    if not places:
        return None
    place = rng.choice(places)
    signs = [str(rng.randint(1, 9)) if sign.isdecimal() and rng.random() < 0.6 else sign for sign in words[place]]
    out = [*words[:place], "".join(signs), *words[place + 1 :]]
    return out if out != words else None


def _replace(words: Words, source: str, donors: Donors, rng: random.Random) -> Words | None:
    """A word of another sentence with equal capitals and similar length: a wrong noun, name, verb or adjective."""
    place = rng.randrange(len(words))
    word = words[place]
    candidates = [
        candidate
        for candidate in donors
        if candidate[:1].isupper() == word[:1].isupper() and abs(len(candidate) - len(word)) < 4 and candidate != word
    ]
    return [*words[:place], rng.choice(candidates), *words[place + 1 :]] if candidates else None


def _insert(words: Words, source: str, donors: Donors, rng: random.Random) -> Words | None:
    if len(donors) < 8:
        return None
    begin = rng.randrange(len(donors) - 5)
    place = rng.randrange(1, len(words) + 1)
    return words[:place] + list(donors[begin : begin + rng.randint(1, 5)]) + words[place:]


def _opposite(words: Words, source: str, donors: Donors, rng: random.Random) -> Words | None:
    places = [place for place, word in enumerate(words) if word.lower() in OPPOSITES]
    if not places:
        return None
    place = rng.choice(places)
    antonym = OPPOSITES[words[place].lower()]
    return [*words[:place], antonym.capitalize() if words[place][:1].isupper() else antonym, *words[place + 1 :]]


def _negate(words: Words, source: str, donors: Donors, rng: random.Random) -> Words | None:
    lower = [word.lower() for word in words]
    for negation in NEGATIONS.values():
        if negation in lower:
            place = lower.index(negation)
            return words[:place] + words[place + 1 :]
    places = [place for place, word in enumerate(lower) if word in AUXILIARIES]
    if not places:
        return None
    place = rng.choice(places) + 1
    negation = "nicht" if lower[place - 1] in {"ist", "war", "sind", "hat", "kann"} else "not"
    return [*words[:place], negation, *words[place:]]


def _ending(words: Words, source: str, donors: Donors, rng: random.Random) -> Words | None:
    """A wrong form of a word: tense, number, case or person."""
    places = [place for place, word in enumerate(words) if len(word) > 4 and word.isalpha()]
    if not places:
        return None
    place = rng.choice(places)
    word = words[place]
    form = (
        word[:-2]
        if word.endswith(("ed", "es", "en", "er"))
        else word[:-1]
        if word.endswith(("s", "e", "n"))
        else word + rng.choice(["s", "ed", "ing", "e", "en"])
    )
    return [*words[:place], form, *words[place + 1 :]]


def _misspell(words: Words, source: str, donors: Donors, rng: random.Random) -> Words | None:
    places = [place for place, word in enumerate(words) if len(word) > 3]
    if not places:
        return None
    out = list(words)
    for place in rng.sample(places, min(len(places), rng.randint(1, 2))):
        word = out[place]
        at = rng.randrange(1, len(word) - 1)
        out[place] = word[:at] + (word[at + 1 :] if rng.random() < 0.5 else word[at + 1] + word[at] + word[at + 2 :])
    return out if out != words else None


def _untranslated(words: Words, source: str, donors: Donors, rng: random.Random) -> Words | None:
    """Source words in the place of words."""
    foreign = source.split() if " " in source else list(source)
    if len(foreign) < 2:
        return None
    begin, end = _run(words, rng, 5)
    share = begin / len(words)
    at = int(share * len(foreign))
    return words[:begin] + foreign[at : at + end - begin] + words[end:]


def _half(words: Words, source: str, donors: Donors, rng: random.Random) -> Words | None:
    return words[: max(1, int(len(words) * rng.uniform(0.3, 0.8)))]


def _lower(words: Words, source: str, donors: Donors, rng: random.Random) -> Words | None:
    out = [word.lower() for word in words] if rng.random() < 0.5 else [words[0].swapcase(), *words[1:]]
    return out if out != words else None


def _signs(words: Words, source: str, donors: Donors, rng: random.Random) -> Words | None:
    """A final sign lost, or signs within the text."""
    if words[-1] and not words[-1][-1].isalnum() and rng.random() < 0.6:
        return [*words[:-1], words[-1][:-1]]
    place = rng.randrange(len(words))
    return [*words[:place], words[place] + rng.choice([",", ".", ";", "!"]), *words[place + 1 :]]


def _neighbour(words: Words, source: str, donors: Donors, rng: random.Random) -> Words | None:
    """Words of other translations only."""
    if len(donors) <= len(words):
        return None
    begin = rng.randrange(len(donors) - len(words))
    return list(donors[begin : begin + len(words)])


DAMAGES: Final[Sequence[tuple[Callable[[Words, str, Donors, random.Random], Words | None], float]]] = (
    (_drop, 2.5), (_replace, 2.5), (_opposite, 2.0), (_insert, 1.5), (_number, 1.5), (_negate, 1.5), (_ending, 1.5), (_swap, 1.0),
    (_misspell, 1.0), (_untranslated, 1.0), (_repeat, 0.8), (_signs, 0.6), (_half, 0.6), (_lower, 0.5), (_shuffle, 0.5),
    (_neighbour, 0.5),
)  # fmt: skip


def damaged(translation: str, source: str, donors: Donors, rng: random.Random) -> str | None:
    """The translation with one damage; None if none of those drawn applies.

    `donors` are words of other translations into the language, in their order.
    """
    has_spaces = " " in translation.strip()
    words = translation.split() if has_spaces else list(translation)
    if len(words) < 3:
        return None
    functions, weights = zip(*DAMAGES, strict=True)
    for function in rng.choices(functions, weights, k=3):
        out = function(words, source, donors, rng)
        if out:
            text = (" " if has_spaces else "").join(out)
            return text if text != translation else None
    return None
