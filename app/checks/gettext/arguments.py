"""Arguments of format strings, and the comparison of two sides."""

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Arguments", "Key", "Leniency", "Types", "difference"]

# An argument's number from 1, or its name.
Key = int | str
# Types of arguments.
Types = Mapping[Key, str]


@dataclass
class Arguments:
    """Types of arguments. `may_mix` is true where arguments without numbers may stand beside those with."""

    may_mix: bool = False
    types: dict[Key, str] = field(default_factory=dict)
    next_number: int = 1
    has_numbers: bool = False

    def add(self, key: Key | None, kind: str) -> bool:
        """Add an argument; False if it has two types, or if arguments with and without keys must not stand together."""
        if key is None:
            key, self.next_number = self.next_number, self.next_number + 1
        else:
            self.has_numbers = True
        return self.types.setdefault(key, kind) == kind and (self.may_mix or not (self.has_numbers and self.next_number > 1))

    def gaps(self) -> list[int]:
        """Numbers that are left out before the highest one; few of them show a fault."""
        numbers = [key for key in self.types if isinstance(key, int)]
        return [number for number in range(1, len(numbers) + 2) if number not in self.types and number < max(numbers, default=0)]


@dataclass(frozen=True)
class Leniency:
    """Differences that a comparison allows: missing arguments up to a number, further ones, and a type that fits any."""

    missing: int = 0
    may_add: bool = False
    any_type: str | None = None


def difference(expected: Types, types: Types, leniency: Leniency) -> str | None:
    """A sentence about arguments that differ from the expected ones, or None."""
    missing = [_name(key) for key in expected if key not in types]
    if len(missing) > leniency.missing:
        return f"the translation lacks {', '.join(missing)}"
    extra = [] if leniency.may_add else [_name(key) for key in types if key not in expected]
    if extra:
        return f"the source lacks {', '.join(extra)}"
    changes = [
        f"{_name(key)} is {expected[key]} in the source, {kind} in the translation"
        for key, kind in types.items()
        if kind != expected.get(key, kind) and leniency.any_type not in (kind, expected[key])
    ]
    return "; ".join(changes) or None


def _name(key: Key) -> str:
    return f"argument {key}" if isinstance(key, int) else f"“{key}”"
