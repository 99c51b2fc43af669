"""Words of a part of USFM with their places, and the part with other words.

Markers of paragraphs are blanks between words. New words leave paragraphs, notes and milestones in the order that they have.
"""

import re
from typing import Final

from app.documents.strings.usfm_markers import BLANKS, PARAGRAPHS, UsfmToken, usfm_tokens

__all__ = ["usfm_pieces", "with_words"]

BLANK_RUN: Final = re.compile(f"[{BLANKS}]++")
SPECIAL: Final = re.compile(r"[\\|~]|/(?=/)|(?<=/)/")


def usfm_pieces(text: str, name: str, start: int, end: int) -> list[UsfmToken]:
    """Texts of `text[start:end]` between its markers; one blank stands for several, and none is at the ends.

    The places of the first and the last text include the markers of characters around them.
    """
    pieces: list[UsfmToken] = []
    opening: list[UsfmToken] = []
    for token in usfm_tokens(text, name, start, end):
        is_blank = token.kind in PARAGRAPHS or (token.kind == "text" and not token.value.strip(BLANKS))
        if token.kind == "characters":
            opening.append(token)
        elif token.kind == "end" and opening:
            opening.pop()
            if pieces and pieces[-1].value != " ":
                pieces[-1] = pieces[-1]._replace(end=token.end)
        elif is_blank and pieces and pieces[-1].value == " ":
            pieces[-1] = pieces[-1]._replace(end=token.end)
        elif is_blank and pieces:
            pieces.append(token._replace(value=" "))
        elif token.kind == "text" and not is_blank:
            pieces.append(token if pieces or not opening else token._replace(start=opening[0].start))
    return pieces[:-1] if pieces and pieces[-1].value == " " else pieces


def with_words(new: str, text: str, start: int, end: int) -> str:
    """The part `text[start:end]` with the words of a new text; words at both ends that stay have their markers still."""
    pieces = usfm_pieces(text, "", start, end)
    old_words = "".join(piece.value for piece in pieces).split(" ")
    new_words = BLANK_RUN.sub(" ", new.strip(BLANKS)).split(" ")
    limit = min(len(old_words), len(new_words))
    first = next((k for k in range(limit) if old_words[k] != new_words[k]), limit)
    last = next((k for k in range(limit - first) if old_words[-1 - k] != new_words[-1 - k]), limit - first)
    word_ends = [*(piece.start for piece in pieces if piece.value == " "), end]
    begin = word_ends[first - 1] if first else start
    stop = end if not last else word_ends[-1 - last] if last < len(old_words) else start
    spelling = SPECIAL.sub(r"\\\g<0>", " ".join(new_words[first : len(new_words) - last]))
    if spelling:
        spelling = " " * (first > 0) + spelling + " " * (last == len(old_words))
    return text[start:begin] + spelling + _markup(text, begin, stop) + text[stop:end]


def _markup(text: str, start: int, end: int) -> str:
    """Markers and notes of `text[start:end]` without its words; markers of characters that begin and end there go too."""
    parts: list[str] = []
    open_places: list[int] = []
    for kind, value, begin, stop in usfm_tokens(text, "", start, end):
        part = "" if kind == "text" or value == "|" else text[begin:stop]
        if kind in PARAGRAPHS:
            part = f"\n{part}"
        elif kind == "characters":
            open_places.append(len(parts))
        elif kind == "end" and open_places:
            parts[open_places.pop()] = part = ""
        parts.append(part)
    return "".join(parts)
