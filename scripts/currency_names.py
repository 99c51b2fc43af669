"""Names and signs of currencies by language, from Unicode's CLDR: ``python -m scripts.currency_names``.

Writes ``app/checks/meaning/numbers/currencies.json``. Needs ``babel``. Currencies with one noun are a family, such as the dollars.
The noun is the common part of the names of two currencies: `dollars` of US dollars and Canadian dollars. It ends
Chinese and Japanese names and begins Thai ones.
"""

import json
from itertools import takewhile
from pathlib import Path

from babel import Locale, __version__

from scripts.cldr import LANGUAGES

TARGET = Path(__file__).parents[1] / "app" / "checks" / "meaning" / "numbers" / "currencies.json"
# Families with their currencies, those of one noun.
FAMILIES = {
    "dollar": "USD CAD AUD NZD HKD SGD", "euro": "EUR", "pound": "GBP EGP SYP", "franc": "CHF BIF RWF", "krone": "SEK NOK DKK ISK",
    "koruna": "CZK", "rouble": "RUB BYN", "rupee": "INR PKR NPR LKR", "peso": "MXN ARS CLP COP PHP", "won": "KRW KPW",
    "leu": "RON MDL", "yen": "JPY", "yuan": "CNY", "zloty": "PLN", "forint": "HUF", "lira": "TRY", "real": "BRL", "hryvnia": "UAH",
    "dinar": "DZD KWD RSD", "dirham": "AED MAD", "rial": "IRR OMR", "shekel": "ILS", "lev": "BGN", "rupiah": "IDR", "baht": "THB",
    "dong": "VND",
}  # fmt: skip
# Names that people use without the country, which CLDR's names have.
SHORT_NAMES = {
    "zh": {
        "元": "yuan",
        "人民幣": "yuan",
        "歐元": "euro",
        "日圓": "yen",
        "日币": "yen",
        "英鎊": "pound",
        "韓元": "won",
        "韩币": "won",
    },
    "ja": {"元": "yuan", "人民元": "yuan"},
    "ko": {"엔": "yen", "위안": "yuan", "바트": "baht"},
    "th": {"เยน": "yen", "หยวน": "yuan"},
    "hi": {"येन": "yen", "युआन": "yuan", "रुपये": "rupee", "रुपयों": "rupee"},
    "vi": {"yên": "yen"},
}
# Codes without names of their own.
FURTHER_CODES = {"TWD": "dollar", "RMB": "yuan"}
# Words of several meanings.
AMBIGUOUS = {"hi": ("कोरियाई",)}
SHORTEST_END = 2
SHORTEST_BEGINNING = 3
SHORTEST_NOUN = 3


def names_of(locale: Locale, code: str) -> set[str]:
    """Names of a currency, in all plural forms."""
    plurals = dict(locale._data["currency_names_plural"].get(code, {}))
    return {name.lower() for name in (locale.currencies.get(code), *plurals.values()) if name}


def common_words(first: set[str], second: set[str]) -> set[str]:
    """Words that names of two currencies share."""
    words = [{word for name in names for word in name.replace("-", " ").split()} for names in (first, second)]
    return {word for word in words[0] & words[1] if len(word) >= SHORTEST_NOUN or not word.isascii()}


def common_beginning(name: str, namesake: str) -> str:
    """Letters that begin both names."""
    return "".join(pair[0] for pair in takewhile(lambda pair: pair[0] == pair[1], zip(name, namesake, strict=False)))


def common_ends(first: set[str], second: set[str]) -> set[str]:
    """Common ends of names in a script without blanks."""
    ends = (common_beginning(name[::-1], namesake[::-1])[::-1].strip() for name in first for namesake in second)
    return {end for end in ends if len(end) >= SHORTEST_END}


def common_beginnings(first: set[str], second: set[str]) -> set[str]:
    """Common beginnings of names in Thai."""
    beginnings = (common_beginning(name, namesake) for name in first for namesake in second)
    return {beginning for beginning in beginnings if len(beginning) >= SHORTEST_BEGINNING}


def nouns_of(locale: Locale, codes: list[str]) -> set[str]:
    """Nouns of the currencies of a family, and names without such a noun."""
    names, has_blanks = [names_of(locale, code) for code in codes], locale.language not in {"zh", "ja", "th"}
    common = common_words if has_blanks else common_beginnings if locale.language == "th" else common_ends
    nouns = {noun for k, first in enumerate(names) for second in names[k + 1 :] for noun in common(first, second)}
    further = {name for of_code in names for name in of_code if "(" not in name and not _has_noun(name, nouns, has_blanks)}
    nouns = {noun.replace("\u00ad", "") for noun in nouns | further if " " not in noun or noun in further}
    return nouns.difference(AMBIGUOUS.get(locale.language, ()))


def _has_noun(name: str, nouns: set[str], has_blanks: bool) -> bool:
    words = name.replace("-", " ").split()
    return bool(nouns.intersection(words)) if has_blanks else any(name.endswith(noun) or name.startswith(noun) for noun in nouns)


def main() -> None:
    """Write the file."""
    languages: dict[str, dict[str, str]] = {}
    for language in LANGUAGES:
        locale = Locale.parse(language)
        families: dict[str, set[str]] = {}
        for family, codes in FAMILIES.items():
            for noun in nouns_of(locale, codes.split()):
                families.setdefault(noun, set()).add(family)
        for noun, family in SHORT_NAMES.get(language, {}).items():
            families[noun] = {family}
        # A noun of two families, such as the Czech and Swedish crown, says nothing.
        languages[language] = {noun: next(iter(of_noun)) for noun, of_noun in sorted(families.items()) if len(of_noun) == 1}
    content = {
        "source": f"Unicode CLDR, by Babel {__version__}; Unicode License v3",
        "codes": {code: family for family, codes in FAMILIES.items() for code in codes.split()} | FURTHER_CODES,
        "languages": languages,
    }
    TARGET.write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")).replace('},"', '},\n"') + "\n", "utf-8")


if __name__ == "__main__":
    main()
