"""JSON of i18next, Vue, FormatJS and Chrome.

Sources: JSON v4 of i18next; FormatJS, "Message Extraction"; Chrome, "Formats: Locale-Specific Messages".
"""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from typing import ClassVar, Final

from app.documents.strings.entry import PLURALS, StringEntry, StringFormat
from app.documents.strings.json_texts import JsonText, json_texts, spelled_json

__all__ = ["Json"]

PLURAL_KEY: Final = re.compile(rf"(.*)_({'|'.join(PLURALS)})", re.DOTALL)
# Members of messages with descriptions that hold the text.
MESSAGES: Final = ("message", "defaultMessage")


class Json(StringFormat):
    """Strings of an object at any depth; of messages with descriptions, the message alone."""

    name: ClassVar = "json"
    title: ClassVar = "JSON (i18next, Vue, FormatJS, Chrome)"
    suffixes: ClassVar = (".json",)

    def entries(self, text: str, name: str) -> list[StringEntry]:
        """Strings by their path of keys, with dots; plural forms of i18next by `KEY_one` and `KEY_other`."""
        texts = json_texts(text, name)
        member = _message_member(texts)
        if member is not None:
            texts = [each._replace(path=each.path[:1]) for each in texts if each.path[1:] == (member,)]
        keys = {".".join(each.path) for each in texts}
        return [_entry(each, keys) for each in texts if each.value.strip()]

    def spelled(self, new: str, text: str, entry: StringEntry) -> str:
        """Escapes of JSON."""
        return spelled_json(new, text, entry.start, entry.end)


def _message_member(texts: Sequence[JsonText]) -> str | None:
    """The member with the text, if each object of the first level has it."""
    counts = Counter(each.path[1] for each in texts if len(each.path) == 2)
    first_keys = {each.path[0] for each in texts if each.path}
    return next((member for member in MESSAGES if counts[member] == len(first_keys) > 0), None)


def _entry(text: JsonText, keys: Collection[str]) -> StringEntry:
    key = ".".join(text.path)
    form = PLURAL_KEY.fullmatch(key)
    # `step_one` alone is no plural: each plural of i18next has the form `other`.
    if form is None or f"{form[1]}_other" not in keys:
        return StringEntry(key, text.value, text.start, text.end)
    return StringEntry(form[1], text.value, text.start, text.end, form[2])
