"""Plural categories by language, from Unicode's CLDR: ``python -m scripts.plural_categories``.

Writes ``app/checks/structure/plural_categories.json``. Needs ``pip install babel``. `integers` and `ordinals` are the
categories of whole numbers up to 1,000, which a message needs. Those of fractions and of millions it may leave to `other`.
"""

import json
from pathlib import Path
from typing import Any

from babel import Locale, __version__, localedata

TARGET = Path(__file__).parents[1] / "app" / "checks" / "structure" / "plural_categories.json"
LARGEST = 1000
# The order of CLDR.
CATEGORIES = ("zero", "one", "two", "few", "many", "other")


def categories_of(locale: Locale) -> dict[str, list[str]]:
    """Categories of a language for whole numbers, and all, with ordinals apart."""
    cardinals, ordinals = ({rule(n) for n in range(LARGEST + 1)} for rule in (locale.plural_form, locale.ordinal_form))
    return {
        "integers": [name for name in CATEGORIES if name in cardinals | {"other"}],
        "ordinals": [name for name in CATEGORIES if name in ordinals | {"other"}],
    }


def main() -> None:
    """Write the table of all languages without regions."""
    languages: dict[str, Any] = {
        name: categories_of(Locale.parse(name))
        for name in sorted(localedata.locale_identifiers())
        if "_" not in name and name != "root"
    }
    table = {"source": f"Unicode CLDR, by Babel {__version__}; Unicode License v3", "languages": languages}
    TARGET.write_text(json.dumps(table, separators=(",", ":")).replace('},"', '},\n"') + "\n", "utf-8")


if __name__ == "__main__":
    main()
