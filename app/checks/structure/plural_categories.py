"""Plural categories by language, from Unicode's CLDR (`python -m scripts.plural_categories`)."""

import json
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

__all__ = ["CATEGORIES", "PluralCategories", "categories_for"]

FILE: Final = Path(__file__).with_name("plural_categories.json")
CATEGORIES: Final = ("zero", "one", "two", "few", "many", "other")


class PluralCategories(NamedTuple):
    """Categories of whole numbers and of ordinals."""

    integers: tuple[str, ...]
    ordinals: tuple[str, ...]


@cache
def categories_for(language: str) -> PluralCategories:
    """Categories of a language; `other` alone for a language without data, which needs no more."""
    row = _languages().get({"no": "nb"}.get(language, language))
    if row is None:
        return PluralCategories(("other",), ("other",))
    return PluralCategories(tuple(row["integers"]), tuple(row["ordinals"]))


@cache
def _languages() -> dict[str, dict[str, Any]]:
    languages: dict[str, dict[str, Any]] = json.loads(FILE.read_text("utf-8"))["languages"]
    return languages
