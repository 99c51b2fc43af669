"""Requests and answers of the services' protocols."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from app.errors import InputError
from app.server.translation.services import HttpService, LibreTranslate, Template
from app.server.translation.templates import fill, value_at
from app.text import LanguagePair
from app.text.reading.checking import check_segments

__all__ = ["Message", "groups_of", "message_of", "translations_in"]

# Texts in one request, whatever their lengths.
MOST_TEXTS: Final = 25


@dataclass(frozen=True)
class Message:
    """A request to a service. No `repr` shows it, since it has the key and texts of users."""

    body: bytes = field(repr=False)
    headers: dict[str, str] = field(repr=False)
    query: dict[str, str] = field(default_factory=dict)


def groups_of(service: HttpService, texts: Sequence[str]) -> Iterator[list[str]]:
    """Texts in the groups that one request each translates."""
    if not isinstance(service, LibreTranslate):
        yield from ([text] for text in texts)
        return
    group: list[str] = []
    for text in texts:
        if group and (len(group) == MOST_TEXTS or sum(map(len, group)) + len(text) > service.request_characters):
            yield group
            group = []
        group.append(text)
    if group:
        yield group


def message_of(service: HttpService, pair: LanguagePair, texts: Sequence[str]) -> Message:
    """The request for a group of texts."""
    source, target = service.language(pair.source), service.language(pair.target)
    body: Any = {"q": list(texts), "source": source, "target": target, "format": "text"}
    headers: dict[str, str] = {}
    query: dict[str, str] = {}
    if isinstance(service, Template):
        places = {"text": texts[0], "source": source, "target": target, "key": service.key}
        body, headers, query = (fill(part, places) for part in (service.body, service.headers, service.query))
    elif service.key:
        body["api_key"] = service.key
    return Message(json.dumps(body, ensure_ascii=True).encode("ascii"), {**headers, "Content-Type": "application/json"}, query)


def translations_in(service: HttpService, raw: bytes, count: int, longest: int) -> list[str]:
    """The `count` translations of an answer; ValueError says what the answer lacks, and repeats nothing of it."""
    try:
        answer = json.loads(raw)
    except (ValueError, RecursionError):
        raise ValueError("it is no JSON") from None
    if isinstance(service, Template):
        values: Any = [value_at(service.translation, answer)]
    else:
        values = answer.get("translatedText") if isinstance(answer, dict) else None
        values = [values] if isinstance(values, str) and count == 1 else values
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError("its translation is no text" if isinstance(service, Template) else "translatedText is no list of texts")
    if len(values) != count:
        raise ValueError(f"it has {len(values)} translations for {count} texts")
    # Line ends would make two segments of a row.
    texts = [" ".join(value.splitlines()) for value in values]
    try:
        check_segments(texts, longest, ())
    except InputError as error:
        raise ValueError(error.detail) from None
    return texts
