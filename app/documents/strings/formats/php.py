r"""Arrays of PHP: ``lang/de/messages.php``, as Laravel has them. Nothing is executed.

Source: PHP manual, "Strings" and "Arrays": single quotes have the escapes ``\'`` and ``\\``, double quotes ``\n``, ``\$``,
``\x41``, ``\u{e9}`` and variables.
"""

import re
from dataclasses import dataclass, field
from typing import ClassVar, Final

from app.documents.strings.entry import StringEntry, StringFormat
from app.documents.strings.keys import KeyBudget, unique
from app.documents.strings.php_tokens import PhpToken, has_variable, plain_php, returned_tokens
from app.text.reading.encodings import refuse

__all__ = ["PhpArrays"]

DEEPEST: Final = 100
INTEGER: Final = re.compile(r"0|-?[1-9][0-9]{0,17}")
SINGLE: Final = str.maketrans({"\\": "\\\\", "'": "\\'"})
DOUBLE: Final = str.maketrans({"\\": "\\\\", '"': '\\"', "$": "\\$", "\n": "\\n", "\t": "\\t", "\r": "\\r"})


@dataclass
class _Level:
    """An open array, or open brackets of an expression, which have no texts of the file.

    `key` is that of the present element, `count` the number of the next element without a key. `items` are the tokens of the
    element behind its key, `mark` the number of entries before it.
    """

    is_array: bool
    key: str | None = None
    count: int = 0
    items: list[PhpToken] = field(default_factory=list)
    mark: int = 0
    is_computed: bool = False


class PhpArrays(StringFormat):
    """Values in quotes of the array that a file returns; values that PHP must compute and those of several lines are left out."""

    name: ClassVar = "php"
    title: ClassVar = "PHP arrays (Laravel)"
    suffixes: ClassVar = (".php",)

    def entries(self, text: str, name: str) -> list[StringEntry]:
        """Values by their path of keys, with dots."""
        entries: list[StringEntry] = []
        budget = KeyBudget(text, name)
        # The statement is as an element without an array around it.
        levels = [_Level(is_array=True)]
        for token in returned_tokens(text, name):
            level = levels[-1]
            if token.kind in {"array", "open"}:
                if len(levels) > DEEPEST:
                    raise refuse("invalid-document", name, f"this is more than {DEEPEST} levels deep", text, token.start)
                levels.append(_Level(token.kind == "array" and level.is_array and not level.items, mark=len(entries)))
                level.items.append(token)
            elif token.kind in {"close", "comma"}:
                _close_element(levels, entries, budget)
                if token.kind == "close" and len(levels) > 1:
                    levels.pop()
            elif token.kind == "arrow":
                _read_key(level)
            else:
                level.items.append(token)
        if not levels[0].items or levels[0].items[0].kind != "array":
            raise refuse("invalid-document", name, "this file returns no array", text, 0)
        _close_element(levels, entries, budget)
        return unique([entry for entry in entries if entry.text.strip()], text, name)

    def spelled(self, new: str, text: str, entry: StringEntry) -> str:
        """Escapes of the quotes around the value."""
        return new.translate(SINGLE if text[entry.start - 1 : entry.start] == "'" else DOUBLE)


def _read_key(level: _Level) -> None:
    """The tokens before an arrow are the key, or a part of a computed value."""
    items, level.items = level.items, []
    if level.key is None and len(items) == 1 and items[0].kind in {"text", "word"} and not has_variable(items[0].value):
        level.key = plain_php(items[0].value)
    else:
        level.is_computed = True


def _close_element(levels: list[_Level], entries: list[StringEntry], budget: KeyBudget) -> None:
    """Add the present element if it is a text in quotes alone; leave out the texts within a computed one."""
    level = levels[-1]
    if level.is_computed or len(level.items) > 1:
        del entries[level.mark :]
    elif level.items and level.is_array and level.items[0].kind == "text" and not has_variable(level.items[0].value):
        _, value, start = level.items[0]
        steps = [str(level.count) if level.key is None else level.key for level in levels[1:]]
        key = ".".join(budget.path(steps, start))
        entries.append(StringEntry(key, plain_php(value), start + 1, start + len(value) - 1))
    if level.key is None:
        level.count += bool(level.items) and not level.is_computed
    elif INTEGER.fullmatch(level.key) is not None:
        level.count = max(level.count, int(level.key) + 1)
    level.key, level.items, level.mark, level.is_computed = None, [], len(entries), False
