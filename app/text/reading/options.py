"""Options as they stand behind a name: ``bleu|case:lc|tok:zh``, ``gp|kernel:matern52``."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final, Protocol

from app.errors import InputError

__all__ = ["NO", "YES", "Choice", "Number", "Option", "Parsed", "parse_options"]


class Option(Protocol):
    """One option: its default, what it accepts, and how its text is read."""

    @property
    def default(self) -> Any:
        """The value where the option is not given."""

    @property
    def accepted(self) -> str:
        """What the option accepts, for people."""

    def read(self, text: str) -> Any:
        """The value that `text` stands for; ValueError where it stands for none."""


@dataclass(frozen=True)
class Choice:
    """One of several words."""

    values: Mapping[str, Any]
    default: Any

    @property
    def accepted(self) -> str:
        """The words."""
        return ", ".join(self.values)

    def read(self, text: str) -> Any:
        """The value of a word."""
        if text not in self.values:
            raise ValueError(text)
        return self.values[text]


@dataclass(frozen=True)
class Number:
    """A number inside bounds."""

    low: float
    high: float
    default: float
    whole: bool = False

    @property
    def accepted(self) -> str:
        """The bounds."""
        return f"{'a whole number' if self.whole else 'a number'} from {self.low:g} to {self.high:g}"

    def read(self, text: str) -> float | int:
        """The number."""
        value = float(text)
        if not isfinite(value) or not self.low <= value <= self.high or (self.whole and value != int(value)):
            raise ValueError(text)
        return int(value) if self.whole else value


@dataclass(frozen=True)
class Parsed:
    """Anything that a function reads."""

    read: Callable[[str], Any]
    accepted: str
    default: Any


NO: Final = Choice({"no": False, "yes": True}, False)
YES: Final = Choice({"no": False, "yes": True}, True)


def parse_options(name: str, options: Mapping[str, Option], pairs: list[str], code: str, example: str) -> dict[str, Any]:
    """Every option's value, its default where `pairs` (``key:value``) does not name it; InputError says what is accepted."""
    values: dict[str, Any] = {key: option.default for key, option in options.items()}
    seen: set[str] = set()
    for pair in pairs:
        key, separator, text = pair.partition(":")
        if not separator or key not in options or key in seen:
            names = ", ".join(options) or "none"
            raise InputError(code, f"options of {name} are {names}, each once, written like {example}")
        seen.add(key)
        try:
            values[key] = options[key].read(text)
        except ValueError:
            raise InputError(code, f"option {key} of {name} is one of: {options[key].accepted}") from None
    return values
