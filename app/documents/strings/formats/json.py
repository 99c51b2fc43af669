"""JSON of i18next, Vue, FormatJS and Chrome.

Sources: JSON v4 of i18next; FormatJS, "Message Extraction"; Chrome, "Formats: Locale-Specific Messages".
"""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from typing import ClassVar, Final

from app.documents.strings.entry import PLURALS, StringEntry, StringFormat
from app.documents.strings.json_texts import JsonText, json_texts, spelled_json
from app.documents.strings.keys import unique

__all__ = ["Json"]

PLURAL_KEY: Final = re.compile(rf"(.*)_({'|'.join(PLURALS)})", re.DOTALL)
# Members of messages with descriptions that hold the text.
MESSAGES: Final = ("message", "defaultMessage", "string")


class Json(StringFormat):
    """Strings of an object at any depth; of messages with descriptions, the message alone."""

    name: ClassVar = "json"
    title: ClassVar = "JSON (i18next, Vue, FormatJS, Chrome)"
    suffixes: ClassVar = (".json",)

    def entries(self, text: str, name: str) -> list[StringEntry]:
        """Strings by their path of keys, with dots; plural forms of i18next by `KEY_one` and `KEY_other`."""
        leaves = json_texts(text, name)
        member = _message_member(leaves)
        if member is not None:
            leaves = [leaf._replace(path=leaf.path[:1]) for leaf in leaves if leaf.path[1:] == (member,)]
        keys = {".".join(leaf.path) for leaf in leaves}
        # `a.b` may be a key, or `b` below `a`.
        return unique([_entry(leaf, keys) for leaf in leaves if leaf.value.strip()], text, name)

    def spelled(self, new: str, text: str, entry: StringEntry) -> str:
        """Escapes of JSON."""
        return spelled_json(new, text, entry.start, entry.end)


def _message_member(leaves: Sequence[JsonText]) -> str | None:
    """The member with the text, if each object of the first level has it."""
    counts = Counter(leaf.path[1] for leaf in leaves if len(leaf.path) == 2)
    first_keys = {leaf.path[0] for leaf in leaves if leaf.path}
    return next((member for member in MESSAGES if counts[member] == len(first_keys) > 0), None)


def _entry(leaf: JsonText, keys: Collection[str]) -> StringEntry:
    key = ".".join(leaf.path)
    form = PLURAL_KEY.fullmatch(key)
    # `step_one` alone is no plural: each plural of i18next has the form `other`.
    if form is None or f"{form[1]}_other" not in keys:
        return StringEntry(key, leaf.value, leaf.start, leaf.end)
    return StringEntry(form[1], leaf.value, leaf.start, leaf.end, form[2])
