"""Options after a name, as in ``bleu|case:lc|tok:zh`` and ``gp|kernel:matern52``."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final, Protocol

from app.errors import InputError

__all__ = ["DEFAULT_NO", "DEFAULT_YES", "Choice", "Number", "Option", "ParsedOption", "parse_options", "shortest"]


class Option(Protocol):
    """One option: its default, its accepted values, and its parser."""

    @property
    def default(self) -> Any:
        """Value without the option."""

    @property
    def accepted_values(self) -> str:
        """Description of the accepted values, for people."""

    def read(self, text: str) -> Any:
        """Parse a text; ValueError if it is no accepted value."""


@dataclass(frozen=True)
class Choice:
    """An option with a fixed set of words."""

    values: Mapping[str, Any]
    default: Any

    @property
    def accepted_values(self) -> str:
        """Words, with commas."""
        return ", ".join(self.values)

    def read(self, text: str) -> Any:
        """Value of a word; ValueError if the word is unknown."""
        if text not in self.values:
            raise ValueError(text)
        return self.values[text]


@dataclass(frozen=True)
class Number:
    """A numeric option with bounds, both included; a whole number if `is_whole`."""

    low: float
    high: float
    default: float | None
    is_whole: bool = False

    @property
    def accepted_values(self) -> str:
        """Bounds, in words."""
        return f"{'a whole number' if self.is_whole else 'a number'} from {self.low:g} to {self.high:g}"

    def read(self, text: str) -> float | int:
        """Parse a number; ValueError if it is outside the bounds."""
        value = float(text)
        if not isfinite(value) or not self.low <= value <= self.high or (self.is_whole and value != int(value)):
            raise ValueError(text)
        return int(value) if self.is_whole else value


@dataclass(frozen=True)
class ParsedOption:
    """An option with a parser of its own."""

    read: Callable[[str], Any]
    accepted_values: str
    default: Any


def shortest(value: float) -> str:
    """The shortest decimal that reads as the same number: ``0.1``, ``3``."""
    return repr(float(value)).removesuffix(".0")


DEFAULT_NO: Final = Choice({"no": False, "yes": True}, False)
DEFAULT_YES: Final = Choice({"no": False, "yes": True}, True)


def parse_options(
    name: str, options: Mapping[str, Option], pairs: list[str], code: str, example: str, where: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Value of each option, from `pairs` (``key:value``) or its default; InputError with `code` lists the accepted values."""
    values: dict[str, Any] = {key: option.default for key, option in options.items()}
    used_keys: set[str] = set()
    for pair in pairs:
        key, separator, text = pair.partition(":")
        if not separator or key not in options or key in used_keys:
            remedy = (
                f"has the options {', '.join(options)}; write each at most once, like {example}" if options else "has no options"
            )
            raise InputError(code, f"{name} {remedy}", where)
        used_keys.add(key)
        try:
            values[key] = options[key].read(text)
        except ValueError:
            raise InputError(code, f"option {key} of {name} accepts: {options[key].accepted_values}", where) from None
    return values
