"""Treebanks in CoNLL-U with Assay's tokens: tags and heads of tokens that are words, parts of words or several words."""

import gzip
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.errors import InputError
from app.resources.udpipe_words import NUMBERS, OTHER_TAG
from app.text.tokenisation import CHARACTER_LANGUAGES, Tokeniser

__all__ = ["TaggedSentence", "TreebankSentence", "as_tokens", "as_words", "read_treebank"]

COLUMNS = 10


@dataclass(frozen=True)
class TaggedSentence:
    """Tokens, numbers of their tags, and positions of their heads; the head of a root is the number of tokens."""

    tokens: tuple[str, ...]
    tags: tuple[int, ...]
    heads: tuple[int, ...]


@dataclass(frozen=True)
class TreebankSentence:
    """Words of a treebank, and the text around them.

    `heads` are positions of words; the head of a root is the number of words. `owners` has the words of each character of the text,
    without blanks. A character has several if a contraction cannot be split, as *im* into *in* and *dem*.
    """

    words: tuple[str, ...]
    tags: tuple[int, ...]
    heads: tuple[int, ...]
    text: str
    owners: tuple[tuple[int, ...], ...]


def read_treebank(path: Path) -> Iterator[TreebankSentence]:
    """Sentences of a gzipped CoNLL-U file; InputError (`invalid-training-data`) names a bad line."""
    rows: list[list[str]] = []
    with gzip.open(path, "rt", encoding="utf-8") as text:
        for number, line in enumerate(_checked_lines(text, path), 1):
            cells = line.rstrip("\r\n").split("\t")
            if len(cells) == COLUMNS and not line.startswith("#"):
                rows.append(cells)
            elif len(cells) > 1 and not line.startswith("#"):
                raise InputError("invalid-training-data", f"{path.name}, line {number}: {len(cells)} columns, not {COLUMNS}")
            elif not line.strip() and rows:
                yield _sentence(rows, f"{path.name}, line {number}")
                rows = []
    if rows:
        yield _sentence(rows, f"{path.name}, its last line")


def _checked_lines(text: Iterable[str], path: Path) -> Iterator[str]:
    """Yield the lines of a file; InputError if its gzip is damaged."""
    try:
        yield from text
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise InputError("invalid-training-data", f"{path.name} is a damaged gzip file") from None


def _sentence(rows: Sequence[Sequence[str]], location: str) -> TreebankSentence:
    words = [row for row in rows if row[0].isdecimal()]
    heads = [int(row[6]) - 1 if row[6].isdecimal() else -1 for row in words]
    if [int(row[0]) for row in words] != list(range(1, len(words) + 1)) or max(heads, default=0) >= len(words):
        raise InputError("invalid-training-data", f"{location}: words must be numbered from 1, with heads among them")
    forms = ["".join(row[1].split()) for row in words]
    text = ""
    owners: list[tuple[int, ...]] = []
    last_number = 0
    for row in rows:
        first, _, last = row[0].partition("-")
        if "." in first or (not last and int(first) <= last_number):
            # A word that is not written, or one of a contraction.
            continue
        last_number = int(last or first)
        members, form = range(int(first) - 1, min(last_number, len(words))), "".join(row[1].split())
        if "".join(forms[k] for k in members) == form:
            owners += [(k,) for k in members for _ in forms[k]]
        else:
            owners += [tuple(members)] * len(form)
        text += form if "SpaceAfter=No" in row[9].split("|") else f"{form} "
    return TreebankSentence(
        tuple(forms),
        tuple(NUMBERS.get(row[3], OTHER_TAG) for row in words),
        tuple(len(words) if head < 0 else head for head in heads),
        text,
        tuple(owners),
    )


def as_words(sentence: TreebankSentence, language: str) -> TaggedSentence:
    """Words of the treebank, or their characters if tokens are characters; the last character is the head of its word."""
    if language not in CHARACTER_LANGUAGES:
        return TaggedSentence(sentence.words, sentence.tags, sentence.heads)
    spans = [(word,) for word, form in enumerate(sentence.words) for _ in form]
    return _tagged(tuple("".join(sentence.words)), spans, sentence)


def as_tokens(sentence: TreebankSentence, tokeniser: Tokeniser) -> TaggedSentence | None:
    """Tokens of the text of a sentence; None if their characters differ from those of its words.

    A token of several words, as *im* or *s-a*, has the tag and head of its first word that no other of them governs. Tokens of one
    word have its tag, and the last of them is their head.
    """
    tokens = tuple(tokeniser.cased(sentence.text))
    if sum(map(len, tokens)) != len(sentence.owners):
        return None
    spans, at = [], 0
    for token in tokens:
        spans.append(tuple(dict.fromkeys(word for owners in sentence.owners[at : at + len(token)] for word in owners)))
        at += len(token)
    return _tagged(tokens, spans, sentence)


def _tagged(tokens: tuple[str, ...], spans: Sequence[tuple[int, ...]], sentence: TreebankSentence) -> TaggedSentence:
    """Tags and heads of tokens; `spans[i]` lists the treebank words of token i."""
    governing = [next((word for word in span if sentence.heads[word] not in span), span[0]) for span in spans]
    # Position of a word: the last token that it governs, else the last token with it.
    places = {word: place for place, span in enumerate(spans) for word in span}
    places |= {word: place for place, word in enumerate(governing)}
    heads = []
    for place, word in enumerate(governing):
        head = places[word] if places[word] != place else places.get(sentence.heads[word], len(tokens))
        heads.append(len(tokens) if head == place else head)
    return TaggedSentence(tokens, tuple(sentence.tags[word] for word in governing), tuple(heads))
