"""Plural rules of Apple: ``de.lproj/Localizable.stringsdict``.

Source: Apple, "Stringsdict File Format": a property list of formats, each with variables and their plural categories, and of
texts for widths and devices.
"""

import re
from collections.abc import Iterator
from typing import Any, ClassVar, Final

from app.documents.strings.entry import PLURALS, StringEntry, StringFormat
from app.documents.strings.formats.xml.spelling import spelled_xml
from app.documents.strings.formats.xml.texts import XmlFile, parsed_xml
from app.documents.strings.keys import KeyBudget, unique
from app.documents.xml.markup import local_name

__all__ = ["StringsDict"]

FORMAT: Final = "NSStringLocalizedFormatKey"
# A format of variables alone, which are no words.
VARIABLES: Final = re.compile(r"(?:\s|%(?:[0-9]++\$)?#@[^@]*+@)++")
# Rules with one text for each width or device.
CHOICES: Final = frozenset({"NSStringVariableWidthRuleType", "NSStringDeviceSpecificRuleType"})


class StringsDict(StringFormat):
    """Formats by their key, forms of variables by ``KEY.VARIABLE`` and category, texts of widths and devices by ``KEY.mac``."""

    name: ClassVar = "stringsdict"
    title: ClassVar = "Apple plural rules (stringsdict)"
    suffixes: ClassVar = (".stringsdict",)

    def entries(self, text: str, name: str) -> list[StringEntry]:
        """Formats and forms in the order of the file; formats of variables alone are left out."""
        file, budget = parsed_xml(text, name), KeyBudget(text, name)
        root = next((child for child in file.root if local_name(child) == "dict"), file.root)
        entries: list[StringEntry] = []
        for key, value in _members(file, root):
            for member, part in _members(file, value):
                if member == FORMAT and local_name(part) == "string":
                    entries.append(file.text_of(part).entry(key))
                elif member in CHOICES:
                    for step, choice in _strings(file, part):
                        path = budget.path((key, step), file.start(choice))
                        entries.append(file.text_of(choice).entry(".".join(path)))
                else:
                    entries += _forms(file, ".".join(budget.path((key, member), file.start(part))), part)
        return unique([entry for entry in entries if not VARIABLES.fullmatch(entry.text) and entry.text], text, name)

    def spelled(self, new: str, text: str, entry: StringEntry) -> str:
        """References of XML."""
        return spelled_xml(new, text, entry)


def _forms(file: XmlFile, key: str, variable: Any) -> Iterator[StringEntry]:
    for category, element in _strings(file, variable):
        if category in PLURALS:
            yield file.text_of(element).entry(key, category)


def _strings(file: XmlFile, dictionary: Any) -> Iterator[tuple[str, Any]]:
    return ((key, value) for key, value in _members(file, dictionary) if local_name(value) == "string")


def _members(file: XmlFile, dictionary: Any) -> Iterator[tuple[str, Any]]:
    """Keys and values of a dictionary of a property list; none of a value of another type."""
    key = None
    for child in dictionary:
        if local_name(child) == "key":
            key = file.text_of(child).value
        elif key is not None and local_name(child):
            yield key, child
            key = None
