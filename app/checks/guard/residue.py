"""Residue of programs in a text: signs of subwords and of a vocabulary, entities, separators, placeholders, phrases of chats."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

__all__ = ["residue"]

# Bounded lengths keep every pattern fast.
SIGNS: Final = re.compile(
    r"</?s>|<(?:unk|pad|mask|eos|bos|sep|cls|end_of_turn|start_of_turn|2[a-z]{2,3})>|\[(?:UNK|PAD|CLS|SEP|MASK|INST|/INST)\]"
    r"|<\|[a-z_]{1,30}\|>|>>[a-z]{2,3}<<|\u2047|\u2581|\ufffd|(?<=\w)@@(?!\S)|(?<!\S)@[-,.]@(?!\S)|(?<=\w )##(?=\w)|\|\|\|",
    re.IGNORECASE,
)
ENTITIES: Final = re.compile(r"&(?:amp;){0,3}(?:quot|apos|lt|gt|amp|nbsp|bar|#\d{1,6}|#x[0-9a-f]{1,5});", re.IGNORECASE)
PLACEHOLDERS: Final = re.compile(
    r"__[A-Z]{1,20}_?\d{0,6}__|[\uff5f\uff60]|\u27e6[^\u27e7]{0,20}\u27e7|\u3014\d{1,4}\u3015", re.IGNORECASE
)
# Signs of these patterns; a text without any has none of their matches.
ANY_SIGN: Final = re.compile("[<>@#|_&\\[\u2047\u2581\ufffd\uff5f\uff60\u27e6\u3014]")
PHRASES: Final = (
    "as an ai language model",
    "as an ai assistant",
    "as a large language model",
    "i'm an ai ",
    "i am an ai ",
    "i cannot translate",
    "i can't translate",
    "i'm sorry, but i can",
    "here is the translation",
    "here's the translation",
    "here is your translation",
    "als ki-sprachmodell",
    "als ki-modell",
    "hier ist die übersetzung",
    "ca model lingvistic",
    "ca model de limbaj",
    "iată traducerea",
    "en tant que modèle de langage",
    "voici la traduction",
    "como modelo de lenguaje",
    "aquí está la traducción",
    "как языковая модель",
    "вот перевод",
    "作为一个人工智能",
    "作为人工智能语言模型",
    "以下是翻译",
    "```",
)
# Beginnings of translations by a chat.
BEGINNING: Final = re.compile(
    r"\s{0,9}(?:(?:sure|certainly|of course)[!,.] here"
    r"|(?:translation|translated text|übersetzung|traducere|tõlge|перевод|译文|翻译) ?[:：])",
    re.IGNORECASE,
)
COLONS: Final = frozenset(":：")
BEGINS_WITHIN: Final = 60
NAME_LIMIT: Final = 20
# A source about such programs may contain all of these.
ABOUT_PROGRAMS: Final = re.compile(r"\b(?:AI|IA|KI|ИИ|GPT|ChatGPT|LLM)\b|人工智能|语言模型|языков\w{0,3} модел", re.IGNORECASE)


def residue(source: str, translation: str) -> list[str]:
    """Residue in the translation, each once, of kinds that the source lacks."""
    return list(islice(dict.fromkeys(_residue(source, translation)), NAME_LIMIT))


def _residue(source: str, translation: str) -> Iterator[str]:
    if ANY_SIGN.search(translation) is not None:
        source_text = _plain(source)
        for pattern in (SIGNS, PLACEHOLDERS):
            signs = islice(dict.fromkeys(match[0] for match in pattern.finditer(translation)), NAME_LIMIT)
            yield from (sign for sign in signs if sign.lower() not in source_text)
        if not ENTITIES.search(source):
            yield from (match[0] for match in ENTITIES.finditer(translation))
    plain = _plain(translation)
    phrases = [phrase for phrase in PHRASES if phrase in plain]
    if phrases and not ABOUT_PROGRAMS.search(source):
        source_text = _plain(source)
        yield from (phrase.strip() for phrase in phrases if phrase not in source_text)
    beginning = BEGINNING.match(translation)
    if beginning and not COLONS.intersection(source[:BEGINS_WITHIN]):
        yield beginning[0].strip()


def _plain(text: str) -> str:
    return text.lower().replace("\u2019", "'")
