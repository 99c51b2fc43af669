"""Files of sparse weights, as in Moses' ``[weight-file]``: ``name weight`` a line; lines with # are comments."""

from collections.abc import Collection
from pathlib import Path
from typing import Final

from app.errors import InputError
from app.text.reading.lines import TextFile

__all__ = ["LARGEST_WEIGHT", "read_weight_file", "with_weight_file"]

SECTION: Final = "[weight-file]"
# Larger weights would drown differences of scores.
LARGEST_WEIGHT: Final = 1e9


def read_weight_file(path: Path, wordless: Collection[str] = ()) -> dict[str, float]:
    """Read weights by name; InputError names an invalid line, or a name that occurs again.

    A name with a final ``=``, as in ``[weight]``, is refused. Names that end in a word may end in ``=``; they are accepted if the
    file has names without it. Names of `wordless` features never end in ``=``.
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
            raise _refused(path, number, f"{name} has a weight already; keep one")
        if name.endswith("=") and name.partition("_")[0] in wordless:
            raise _with_equals(path, number, name)
        weights[name], lines[name] = value, number
    if all(name.endswith("=") for name in weights):
        # A sign before the final = shows a feature of the word =, as in twi_= and wt_a~=.
        for name in filter(lambda name: name[-2:-1].isalnum(), weights):
            raise _with_equals(path, lines[name], name)
    return weights


def _with_equals(path: Path, line: int, name: str) -> InputError:
    return _refused(path, line, f"{name} ends in =, which belongs into [weight]; expected: {name.removesuffix('=')} and its weight")


def _refused(path: Path, line: int, reason: str) -> InputError:
    return InputError("invalid-weights", f"line {line} of {path.name}: {reason}", (path.name, line))


def with_weight_file(text: str, file: str) -> str:
    """Text of the configuration with this file of sparse weights, otherwise unchanged."""
    lines, result, has_section = text.split("\n"), [], False
    inside = False
    for line in lines:
        content = line.partition("#")[0].strip()
        if content.startswith("["):
            inside = content == SECTION
            has_section = has_section or inside
            result += [line, file] if inside else [line]
        elif not inside or not content:
            result.append(line)
    if not has_section:
        result = [*"\n".join(result).rstrip("\n").split("\n"), "", SECTION, file, ""]
    return "\n".join(result)
