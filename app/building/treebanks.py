"""Treebanks in CoNLL-U as our tokens see them: tags and heads of tokens that are words, parts of words or several words."""

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
    """Tokens, numbers of their tags, and places of their heads; a root's is the number of tokens."""

    tokens: tuple[str, ...]
    tags: tuple[int, ...]
    heads: tuple[int, ...]


@dataclass(frozen=True)
class TreebankSentence:
    """Words as a treebank has them, and the text they stand in.

    `heads` are places of words, a root's the number of words; `owners` has the words that each character of the text is of, blanks
    aside: more than one where a contraction cannot be cut into its words, as *im* into *in* and *dem*.
    """

    words: tuple[str, ...]
    tags: tuple[int, ...]
    heads: tuple[int, ...]
    text: str
    owners: tuple[tuple[int, ...], ...]


def read_treebank(path: Path) -> Iterator[TreebankSentence]:
    """Sentences of a gzipped CoNLL-U file; InputError names a line that is none of it."""
    rows: list[list[str]] = []
    with gzip.open(path, "rt", encoding="utf-8") as text:
        for number, line in enumerate(_whole(text, path), 1):
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


def _whole(text: Iterable[str], path: Path) -> Iterator[str]:
    """Its lines; InputError where the file that they are in is damaged."""
    try:
        yield from text
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise InputError("invalid-training-data", f"{path.name} is a damaged gzip file") from None


def _sentence(rows: Sequence[Sequence[str]], where: str) -> TreebankSentence:
    words = [row for row in rows if row[0].isdecimal()]
    heads = [int(row[6]) - 1 if row[6].isdecimal() else -1 for row in words]
    if [int(row[0]) for row in words] != list(range(1, len(words) + 1)) or max(heads, default=0) >= len(words):
        raise InputError("invalid-training-data", f"{where}: words are not numbered from 1 on, or hang on words that are not there")
    forms = ["".join(row[1].split()) for row in words]
    text, owners, covered = "", list[tuple[int, ...]](), 0
    for row in rows:
        first, _, last = row[0].partition("-")
        if "." in first or (not last and int(first) <= covered):
            # A word that is not written, or one of a contraction.
            continue
        covered = int(last or first)
        members, form = range(int(first) - 1, min(covered, len(words))), "".join(row[1].split())
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
    """The treebank's own words; their characters where tokens are characters, of which the last is head of the others."""
    if language not in CHARACTER_LANGUAGES:
        return TaggedSentence(sentence.words, sentence.tags, sentence.heads)
    spans = [(word,) for word, form in enumerate(sentence.words) for _ in form]
    return _tagged(tuple("".join(sentence.words)), spans, sentence)


def as_tokens(sentence: TreebankSentence, tokeniser: Tokeniser) -> TaggedSentence | None:
    """The tokens of its text; None where they are not the characters of its words.

    A token of several words, as *im* or *s-a*, has the tag and the head of that word which none of the others governs, the first
    where there are more. Tokens of one word have its tag, and hang on the last of them.
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
    """Tags and heads of tokens, each of which is of the words of its span."""
    governing = [next((word for word in span if sentence.heads[word] not in span), span[0]) for span in spans]
    # Where a word is to be found: the last token that it governs, or else the last that it is in.
    places = {word: place for place, span in enumerate(spans) for word in span}
    places |= {word: place for place, word in enumerate(governing)}
    heads = []
    for place, word in enumerate(governing):
        head = places[word] if places[word] != place else places.get(sentence.heads[word], len(tokens))
        heads.append(len(tokens) if head == place else head)
    return TaggedSentence(tokens, tuple(sentence.tags[word] for word in governing), tuple(heads))
