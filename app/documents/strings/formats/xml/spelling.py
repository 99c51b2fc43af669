"""New texts in XML: references for signs of markup, and the tags that the place of the text had before."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple
from xml.sax.saxutils import escape

from app.documents.strings.entry import StringEntry
from app.documents.strings.formats.xml.texts import CLOSE, OPEN
from app.documents.xml.markup import TAG, attribute_names
from app.errors import InputError

__all__ = ["Piece", "in_pieces", "spelled_pieces", "spelled_xml"]

# Characters that no XML 1.0 holds, even behind references.
FORBIDDEN: Final = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# A well-formed tag. References to numbers are left out, since some numbers are no characters.
VALUE: Final = r"(?:[^{}<&\0-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|&(?:lt|gt|amp|quot|apos);)*+"
NEW_TAG: Final = re.compile(
    r"""<(/?)([^\s/<>"'=!?&]++)((?:[ \t\n]++[^\s/<>"'=!?&]++[ \t\n]*+=[ \t\n]*+"""
    rf"""(?:"{VALUE.format('"')}"|'{VALUE.format("'")}'))*)[ \t\n]*+(/?)>"""
)
PLAIN_NAME: Final = re.compile(r"(?!xmlns)[A-Za-z_][A-Za-z0-9_-]*+")
# Characters that show the line ends of a file.
HEAD: Final = 1000
# Deeper elements would be refused.
DEEPEST: Final = 50


class Piece(NamedTuple):
    """A piece of a new text: a tag, or the characters between tags."""

    text: str
    is_tag: bool = False


def spelled_xml(new: str, text: str, entry: StringEntry) -> str:
    """The characters for a new text in the place of `entry`; InputError (`invalid-character`) for one that XML cannot hold."""
    return spelled_pieces(in_pieces(new, text, entry), text, entry)


def in_pieces(new: str, text: str, entry: StringEntry, characters: Collection[str] = ()) -> list[Piece]:
    """Pieces of a new text. A tag stays a tag if the old text has its name, and it opens and closes; others become characters.

    Tags with a name in `characters` stand for characters. O(length).
    """
    old_tags = [] if _is_section(text, entry) else _tags(text, entry)
    old_tags = [match for match in old_tags if match[2] not in characters]
    tags = _valid_tags(new, old_tags) if old_tags else []
    pieces, at = [], 0
    for tag in tags:
        pieces += [Piece(new[at : tag.start()]), Piece(tag[0], is_tag=True)]
        at = tag.end()
    return [piece for piece in (*pieces, Piece(new[at:])) if piece.text]


def spelled_pieces(pieces: Sequence[Piece], text: str, entry: StringEntry) -> str:
    """The characters for pieces in the place of `entry`; CDATA stays CDATA, and lines end as those of the file."""
    if any(FORBIDDEN.search(piece.text) for piece in pieces):
        raise InputError("invalid-character", "this text has a character that XML cannot hold; remove it", ("text",))
    line_end = "\r\n" if "\r\n" in text[:HEAD] else "\n"
    if _is_section(text, entry):
        section = "".join(f"{CLOSE}{piece.text}{OPEN}" if piece.is_tag else _in_section(piece.text) for piece in pieces)
        return section.replace("\n", line_end)
    spelling = "".join(piece.text if piece.is_tag else escape(piece.text, {"\r": "&#13;"}) for piece in pieces)
    return spelling.replace("\n", line_end)


def _is_section(text: str, entry: StringEntry) -> bool:
    return text.startswith(OPEN, max(entry.start - len(OPEN), 0)) and text.startswith(CLOSE, entry.end)


def _in_section(text: str) -> str:
    """Characters in CDATA, which ends before those that it cannot hold."""
    return text.replace(CLOSE, f"]]{CLOSE}{OPEN}>").replace("\r", f"{CLOSE}&#13;{OPEN}")


def _tags(text: str, entry: StringEntry) -> "list[re.Match[str]]":
    return [match for match in TAG.finditer(text, entry.start, entry.end) if match[2] is not None]


def _valid_tags(new: str, old_tags: "Sequence[re.Match[str]]") -> "list[re.Match[str]]":
    """Tags of a new text that are well-formed in the place of the old ones."""
    tags = list(NEW_TAG.finditer(new))
    names = {match[2] for match in old_tags}
    attributes = {attribute for match in old_tags for attribute in attribute_names(match[0])}
    if any(attribute.startswith("xmlns") for attribute in attributes):
        # Inside these tags, prefixes have a meaning that they lack outside.
        old_texts = [match[0].replace("\r\n", "\n") for match in old_tags]
        return tags if [tag[0] for tag in tags] == old_texts else []
    return _closed([tag for tag in tags if tag[2] in names and _has_valid_attributes(tag, attributes)])


def _has_valid_attributes(tag: "re.Match[str]", old_names: Collection[str]) -> bool:
    """Return True for attributes that the place allows: each once, of the old tags or without a prefix; none in a closing tag."""
    attributes = attribute_names(tag[0])
    if tag[1] and (attributes or tag[4]):
        return False
    is_valid = all(attribute in old_names or PLAIN_NAME.fullmatch(attribute) for attribute in attributes)
    return is_valid and len(set(attributes)) == len(attributes)


def _closed(tags: "Sequence[re.Match[str]]") -> "list[re.Match[str]]":
    """Empty tags, and tags that open and close in nested pairs. O(tags)."""
    open_tags: list[int] = []
    counts: Counter[str] = Counter()
    numbers: set[int] = set()
    for number, tag in enumerate(tags):
        name = tag[2]
        if tag[4]:
            numbers.add(number)
        elif not tag[1] and len(open_tags) < DEEPEST:
            open_tags.append(number)
            counts[name] += 1
        elif tag[1] and counts[name]:
            numbers |= {number, _opening(tags, open_tags, counts, name)}
    return [tag for number, tag in enumerate(tags) if number in numbers]


def _opening(tags: "Sequence[re.Match[str]]", open_tags: list[int], counts: "Counter[str]", name: str) -> int:
    """The last open tag with a name; those behind it never close."""
    while True:
        opening = open_tags.pop()
        counts[tags[opening][2]] -= 1
        if tags[opening][2] == name:
            return opening
