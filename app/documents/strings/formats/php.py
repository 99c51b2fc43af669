r"""Arrays of PHP: ``lang/de/messages.php``, as Laravel has them. Nothing is executed.

Source: PHP manual, "Strings": single quotes have the escapes ``\'`` and ``\\``, double quotes ``\n``, ``\"``, ``\$`` and more.
"""

import re
from typing import ClassVar, Final

from app.documents.strings.entry import StringEntry, StringFormat
from app.documents.strings.keys import unique
from app.text.reading.encodings import refuse

__all__ = ["PhpArrays"]

DEEPEST: Final = 100
TOKEN: Final = re.compile(
    r"(?P<gap>\s++|//[^\n]*+|\#(?!\[)[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/)"
    r"|(?P<text>'(?:[^'\\]|\\.)*+'|\"(?:[^\"\\]|\\.)*+\")"
    r"|(?P<open>\[|array\s*+\(|\()|(?P<close>[\])])|(?P<arrow>=>)|(?P<comma>,)|(?P<end>;)|(?P<word>[^\s'\"\[\](),;=]++|=)",
    re.DOTALL | re.IGNORECASE,
)
ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
CHARACTERS: Final = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "$": "$", "\\": "\\"}
SINGLE: Final = str.maketrans({"\\": "\\\\", "'": "\\'"})
DOUBLE: Final = str.maketrans({"\\": "\\\\", '"': '\\"', "$": "\\$", "\n": "\\n", "\t": "\\t", "\r": "\\r"})


class PhpArrays(StringFormat):
    """Values in quotes of the array that a file returns; values that PHP must compute are left out."""

    name: ClassVar = "php"
    title: ClassVar = "PHP arrays (Laravel)"
    suffixes: ClassVar = (".php",)

    def entries(self, text: str, name: str) -> list[StringEntry]:
        """Values by their path of keys, with dots."""
        begin = text.find("return")
        if begin < 0:
            raise refuse("invalid-document", name, "this file returns no array", text, 0)
        entries = _Arrays(text, name).values(begin + len("return"))
        return unique([entry for entry in entries if entry.text.strip()], text, name)

    def spelled(self, new: str, text: str, entry: StringEntry) -> str:
        """Escapes of the quotes around the value."""
        return new.translate(SINGLE if text[entry.start - 1 : entry.start] == "'" else DOUBLE)


class _Arrays:
    """Values of nested arrays, from tokens, without recursion."""

    def __init__(self, text: str, name: str) -> None:
        self._text, self._name = text, name
        # For each open array: the key of its present element, and the number of its elements without key.
        self._keys: list[str | None] = []
        self._counts: list[int] = []
        # Tokens of the present element behind its key.
        self._element: list[re.Match[str]] = []
        self._entries: list[StringEntry] = []

    def values(self, at: int) -> list[StringEntry]:
        while (match := TOKEN.match(self._text, at)) is not None:
            at, kind = match.end(), match.lastgroup
            if kind == "end":
                break
            if kind == "open":
                if len(self._keys) == DEEPEST:
                    raise refuse(
                        "invalid-document", self._name, f"this is more than {DEEPEST} levels deep", self._text, match.start()
                    )
                self._keys.append(None)
                self._counts.append(0)
            elif kind in {"close", "comma"}:
                self._close_element()
                if kind == "close" and self._keys:
                    self._keys.pop()
                    self._counts.pop()
            elif kind == "arrow" and self._keys:
                self._keys[-1] = _plain_text(self._element[-1][0]) if self._element else ""
                self._element = []
            elif kind != "gap":
                self._element.append(match)
        else:
            raise refuse("invalid-document", self._name, "this array has no end, or a text without its quote", self._text, at)
        return self._entries

    def _close_element(self) -> None:
        """Add the present element if it is a text in quotes alone."""
        element, self._element = self._element, []
        if self._keys and len(element) == 1 and element[0].lastgroup == "text":
            start, end = element[0].span()
            steps = [str(count) if key is None else key for key, count in zip(self._keys, self._counts, strict=True)]
            self._entries.append(StringEntry(".".join(steps), _plain_text(element[0][0]), start + 1, end - 1))
        if self._keys:
            self._counts[-1] += self._keys[-1] is None
            self._keys[-1] = None


def _plain_text(token: str) -> str:
    """A text without quotes and escapes; another token as it is."""
    if token[0] == "'":
        return re.sub(r"\\([\\'])", r"\1", token[1:-1])
    return ESCAPE.sub(lambda match: CHARACTERS.get(match[1], match[0]), token[1:-1]) if token[0] == '"' else token
