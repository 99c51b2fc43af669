"""Texts of users on lines of terminals and logs, where control characters and commands of CI services would act."""

import re
from typing import Final

__all__ = ["visible"]

# Controls, ends of lines, embeddings that turn a line around, and surrogates that UTF-8 does not have.
CONTROL: Final = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\ud800-\udfff]")
# GitHub's runner reads "::set-output" at the begin of a line; other services read "##vso[" and its kin anywhere.
COMMAND: Final = re.compile(r"\A\s*:(?=:)|#(?=#\w*\[)")
LATIN_1: Final = 256
NAMES: Final = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}


def visible(text: str) -> str:
    """The text on one line: control characters are escapes such as ``\\x1b``, and commands of CI services are none."""
    if text.isprintable() and ":" not in text and "#" not in text:
        return text
    line = CONTROL.sub(lambda match: _escape(match[0]), text)
    return COMMAND.sub(lambda match: match[0][:-1] + _escape(match[0][-1]), line)


def _escape(character: str) -> str:
    number = ord(character)
    return NAMES.get(character) or (f"\\x{number:02x}" if number < LATIN_1 else f"\\u{number:04x}")
