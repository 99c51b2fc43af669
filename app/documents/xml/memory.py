"""Translation memories in TMX 1.4b from pairs of texts, for use in other tools.

Source: LISA OSCAR, TMX 1.4b.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from app.documents.xml.markup import quoted

__all__ = ["Pair", "memory"]

# Characters outside XML 1.0.
FORBIDDEN_CHARACTER: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Pair:
    """A source and its translation; `number` counts from 1. A change by a person has a time (seconds since 1970) and an author."""

    number: int
    source: str
    translation: str
    changed: float | None = None
    author: str = ""


def memory(source: str, target: str, pairs: Iterable[Pair], tool: str) -> Iterator[str]:
    """Pieces of the memory; `source` and `target` are languages, `tool` is the version of Assay."""
    attributes = f'creationtool="Assay" creationtoolversion="{quoted(tool)}" segtype="sentence" o-tmf="Assay" adminlang="en"'
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n'
    yield f'<header {attributes} srclang="{quoted(source)}" datatype="plaintext"/>\n<body>\n'
    for pair in pairs:
        variants = _variant(source, pair.source) + _variant(target, pair.translation, _change(pair))
        yield f'<tu tuid="{pair.number}">\n{variants}</tu>\n'
    yield "</body>\n</tmx>\n"


def _variant(language: str, text: str, attributes: str = "") -> str:
    return f'<tuv xml:lang="{quoted(language)}"{attributes}><seg>{quoted(_replace_forbidden(text))}</seg></tuv>\n'


def _change(pair: Pair) -> str:
    if pair.changed is None:
        return ""
    author = f' changeid="{quoted(_replace_forbidden(pair.author))}"' if pair.author else ""
    return f' changedate="{datetime.fromtimestamp(pair.changed, UTC):%Y%m%dT%H%M%SZ}"{author}'


def _replace_forbidden(text: str) -> str:
    return FORBIDDEN_CHARACTER.sub("\ufffd", text)
