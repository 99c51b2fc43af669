"""Weights of sparse features in a file, as Moses' ``[weight-file]`` has them: ``name weight`` a line; one with # says nothing."""

from collections.abc import Collection
from pathlib import Path
from typing import Final

from app.errors import InputError
from app.text.reading.lines import TextFile

__all__ = ["LARGEST_WEIGHT", "read_weight_file", "with_weight_file"]

SECTION: Final = "[weight-file]"
# Scores stay numbers that can be told apart.
LARGEST_WEIGHT: Final = 1e9


def read_weight_file(path: Path, wordless: Collection[str] = ()) -> dict[str, float]:
    """Weights by name; InputError names the line that is not one of such a file, or is of a name that was there.

    One is also refused that has ``name=``, as ``[weight]`` has it. Names that end in a word may end in = too: they are told from
    such lines where there are others. Those of `wordless` features never end so.
    """
    weights: dict[str, float] = {}
    lines: dict[str, int] = {}
    for number, line in enumerate(TextFile.of(path).lines(), 1):
        if line.startswith("#") or not line.strip():
            continue
        name, *values = line.split()
        try:
            value = float(values[0]) if len(values) == 1 else float("nan")
        except ValueError:
            value = float("nan")
        if not abs(value) <= LARGEST_WEIGHT:
            raise _refused(path, number, f"expected: a name and its weight, a number of at most {LARGEST_WEIGHT:g}")
        if name in weights:
            raise _refused(path, number, f"{name} has a weight already")
        if name.endswith("=") and name.partition("_")[0] in wordless:
            raise _with_equals(path, number, name)
        weights[name], lines[name] = value, number
    if all(name.endswith("=") for name in weights):
        # What is before the = of a feature of the word = itself is a sign: twi_=, wt_a~=.
        for name in filter(lambda name: name[-2:-1].isalnum(), weights):
            raise _with_equals(path, lines[name], name)
    return weights


def _with_equals(path: Path, line: int, name: str) -> InputError:
    return _refused(path, line, f"{name} has a =, which only [weight] has; expected: {name.removesuffix('=')} and its weight")


def _refused(path: Path, line: int, reason: str) -> InputError:
    return InputError("invalid-weights", f"line {line} of {path.name}: {reason}", (path.name, line))


def with_weight_file(text: str, file: str) -> str:
    """A configuration whose sparse weights are in this file; all else is as it was."""
    lines, made, there = text.split("\n"), [], False
    inside = False
    for line in lines:
        content = line.partition("#")[0].strip()
        if content.startswith("["):
            inside = content == SECTION
            there = there or inside
            made += [line, file] if inside else [line]
        elif not inside or not content:
            made.append(line)
    if not there:
        made = [*"\n".join(made).rstrip("\n").split("\n"), "", SECTION, file, ""]
    return "\n".join(made)
