"""Character classes and abbreviations of Moses, from the data modules of sacremoses.

The package itself is not imported: it compiles a hundred regular expressions, and tokens need none of them.
"""

from functools import cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import NamedTuple

__all__ = ["CharacterClasses", "abbreviations", "character_classes"]


class CharacterClasses(NamedTuple):
    """Perl's classes IsAlnum, IsAlpha, IsLower and IsN. The first two have the Indic signs that Moses joins to letters."""

    alnum: frozenset[str]
    alpha: frozenset[str]
    lower: frozenset[str]
    number: frozenset[str]


@cache
def character_classes() -> CharacterClasses:
    """Character classes in Moses' rules."""
    perl, indic = _module("_data_perluniprops").PERLUNIPROPS, _module("indic")
    alnum, alpha, lower, number = (frozenset(perl[name]) for name in ("IsAlnum", "IsAlpha", "IsLower", "IsN"))
    signs = frozenset([*indic.VIRAMAS, *indic.NUKTAS])
    return CharacterClasses(alnum | signs, alpha | signs, lower, number)


def abbreviations(language: str) -> frozenset[str]:
    """Words that keep their full stop, or keep it before a digit only if `` #NUMERIC_ONLY#`` follows them."""
    files = _module("_data_nonbreaking_prefixes").NONBREAKING_PREFIXES
    lines = map(str.strip, files[f"nonbreaking_prefix.{language}"].splitlines())
    return frozenset(line for line in lines if line and not line.startswith("#"))


def _module(name: str) -> ModuleType:
    """A module of sacremoses, executed without its package."""
    package = find_spec("sacremoses")
    spec = package and PathFinder.find_spec(name, package.submodule_search_locations)
    if not spec or not spec.loader:
        raise ModuleNotFoundError(f"sacremoses has no module {name}. Install the version of requirements.lock.")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
