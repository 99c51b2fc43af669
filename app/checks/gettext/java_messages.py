"""Messages of Java: arguments outside of quotes, and the letters that quotes make plain.

Source: Java, `java.text.MessageFormat`, "Patterns and Their Interpretation".
"""

import re
from dataclasses import dataclass, field
from typing import Final

from app.checks.gettext.arguments import Key, Types

__all__ = ["JavaMessage", "java_message", "java_types"]

# An apostrophe alone quotes up to the next one, or to the end; two are one letter.
TOKEN: Final = re.compile(r"''|'(?:[^']|'')*+(?:'|\Z)|[{}]|[^'{}]++")
ELEMENT: Final = re.compile(r"(\d{1,9})(?:,(number|date|time|choice)(?:,(.*))?)?", re.DOTALL)
TYPES: Final = {"number": "number", "choice": "number", "date": "date", "time": "date"}
OBJECT: Final = "object"
CHOICE: Final = "choice"
DEEPEST: Final = 10


@dataclass
class JavaMessage:
    """Types of the arguments by their numbers from 0; quoted stretches; the place of a fault, None without one."""

    types: dict[Key, str] = field(default_factory=dict)
    quotations: list[tuple[int, int]] = field(default_factory=list)
    fault: int | None = None

    def add(self, number: int, kind: str) -> bool:
        """Add an argument; False if it has two types. An object may be a number or a date."""
        old_kind = self.types.get(number, OBJECT)
        self.types[number] = old_kind if kind == OBJECT else kind
        return OBJECT in (old_kind, kind) or old_kind == kind


def java_message(text: str, depth: int = 0) -> JavaMessage:
    """Read a message up to its first fault. O(length)."""
    message, level, begin = JavaMessage(), 0, 0
    for token in TOKEN.finditer(text):
        if token[0] == "{":
            begin, level = (token.end() if not level else begin), level + 1
        elif token[0] == "}":
            level -= 1
            if level < 0 or (not level and not _add_element(message, text[begin : token.start()], depth)):
                message.fault = token.start()
                return message
        elif token[0][0] == "'" and token[0] != "''" and not level:
            message.quotations.append(token.span())
    if level:
        message.fault = begin - 1
    return message


def _add_element(message: JavaMessage, text: str, depth: int) -> bool:
    """Add the argument between two braces, and those of its branches; False for a fault."""
    element = ELEMENT.fullmatch(text)
    if element is None or depth > DEEPEST or not message.add(int(element[1]), TYPES.get(element[2], OBJECT)):
        return False
    if element[2] != CHOICE or "{" not in (element[3] or ""):
        return True
    branches = java_message(element[3], depth + 1)
    return branches.fault is None and all(message.add(int(number), kind) for number, kind in branches.types.items())


def java_types(text: str) -> Types | str:
    """Types of arguments; the fault of a text that is no message."""
    message = java_message(text)
    return message.types if message.fault is None else f"“{text[message.fault : message.fault + 8]}”"
