"""Roles of columns by their headings: source, translation and label, in many languages."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Final

from app.text.language_names import LANGUAGE_NAMES as ENGLISH_NAMES
from app.text.language_tags import has_known_parts, read_tag
from app.text.reading.role_names import ROLE_NAMES

__all__ = ["LABEL", "SOURCE", "TRANSLATION", "heading_language", "named_language", "names_by_language", "plain_name", "role_of"]

SOURCE: Final = "source"
TRANSLATION: Final = "translation"
LABEL: Final = "label"
# English first, then German, French, Spanish, Romanian, Chinese.
LABELS: Final = (
    "label", "score", "scores", "hter", "ter", "da", "z mean", "mean", "quality", "rating", "effort", "likert", "time", "mqm",
    "bewertung", "punktzahl", "qualität", "note", "qualité", "puntuación",
    "calidad", "scor", "notă", "calitate", "评分", "分数", "质量",
)  # fmt: skip
BETWEEN: Final = re.compile(r"[\s_\-.:/()\[\]{}<>|,*#]+")
# Joiners, direction marks and byte-order marks from spreadsheets, and the dot that a lower-cased Turkish İ leaves.
INVISIBLE_CHARACTERS: Final = dict.fromkeys([*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x206A), 0xFEFF, 0x307])
LONGEST: Final = 100
LONGEST_CODE: Final = 3


def plain_name(cell: str) -> str:
    """Heading in lower case, with one blank between words; empty if it is too long for a heading."""
    if len(cell) > LONGEST:
        return ""
    letters = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", cell).casefold()).translate(INVISIBLE_CHARACTERS)
    return BETWEEN.sub(" ", letters).strip()


def _names() -> dict[str, str]:
    """Roles by the names of sources, translations and labels."""
    roles = dict.fromkeys(map(plain_name, LABELS), LABEL)
    for sources, translations in ROLE_NAMES.values():
        roles |= dict.fromkeys(map(plain_name, sources.split(";")), SOURCE)
        roles |= dict.fromkeys(map(plain_name, translations.split(";")), TRANSLATION)
    return roles


NAMES: Final = _names()
# Names of languages in headings: code, English name, native name, further names.
LANGUAGES: Final = """
en English Englisch anglais inglés engleză 英语; de German Deutsch allemand alemán germană 德语;
fr French Français Französisch francés franceză 法语; es Spanish Español Spanisch espagnol spaniolă 西班牙语;
ro Romanian Română Rumänisch roumain rumano 罗马尼亚语; zh Chinese 中文 Chinesisch chinois chino chineză 汉语;
ru Russian Русский Russisch russe ruso rusă 俄语; et Estonian Eesti Estnisch; ne Nepali नेपाली;
si Sinhala සිංහල; it Italian Italiano Italienisch italien;
pt Portuguese Português Portugiesisch portugais portugués; nl Dutch Nederlands Niederländisch néerlandais;
pl Polish Polski Polnisch polonais polaco; cs Czech Čeština Tschechisch tchèque; sk Slovak Slovenčina;
sl Slovenian Slovenščina; hr Croatian Hrvatski; sr Serbian Српски; bg Bulgarian Български;
uk Ukrainian Українська; hu Hungarian Magyar Ungarisch; fi Finnish Suomi; sv Swedish Svenska Schwedisch;
da Danish Dansk; nb Norwegian Norsk Bokmål; el Greek Ελληνικά Griechisch; tr Turkish Türkçe Türkisch;
ar Arabic العربية Arabisch arabe; he Hebrew עברית; fa Persian فارسی; hi Hindi हिन्दी;
ja Japanese 日本語 Japanisch japonais 日语; ko Korean 한국어 Koreanisch coréen 韩语; vi Vietnamese Tiếng-Việt;
th Thai ไทย; lt Lithuanian Lietuvių; lv Latvian Latviešu; ca Catalan Català; eu Basque Euskara;
gl Galician Galego; ga Irish Gaeilge; cy Welsh Cymraeg; is Icelandic Íslenska; mt Maltese Malti;
sq Albanian Shqip; mk Macedonian Македонски; be Belarusian Беларуская; ka Georgian ქართული;
hy Armenian Հայերեն; ta Tamil தமிழ்; te Telugu తెలుగు; bn Bengali বাংলা; mr Marathi मराठी; gu Gujarati ગુજરાતી;
ur Urdu اردو; id Indonesian Indonesia; ms Malay Melayu; sw Swahili Kiswahili; af Afrikaans; km Khmer ខ្មែរ;
my Burmese;
"""
LANGUAGE_NAMES: Final = {
    plain_name(name): words[0] for entry in LANGUAGES.replace("\n", ";").split(";") if (words := entry.split()) for name in words
}
CODES: Final = LANGUAGE_NAMES | {plain_name(name): code for code, name in ENGLISH_NAMES.items()}
# Codes that usually head other columns.
AMBIGUOUS_CODES: Final = frozenset({"id", "mt", "da", "no", "is", "my"})
# Regions that let such a code mean a language: mt-MT is Maltese, mt-DE a machine translation into German.
HOME_REGIONS: Final = frozenset({"id-ID", "mt-MT", "da-DK", "no-NO", "is-IS", "my-MM"})


def heading_language(cell: str) -> str | None:
    """Language of a heading that consists of a code, a BCP 47 tag or a name; None for other headings.

    A code that is also an English word or abbreviation, as ``id``, counts only with its region. Subtags must exist, since
    systems have names like ``mt-large``.
    """
    name = plain_name(cell)
    if name in AMBIGUOUS_CODES:
        return None
    if name in LANGUAGE_NAMES:
        return LANGUAGE_NAMES[name]
    # Short codes outside the list seldom mean a language.
    tag = read_tag(cell) if len(cell.strip()) > LONGEST_CODE else None
    if tag is None or tag.language not in LANGUAGE_NAMES or not has_known_parts(tag) or ("." in cell and not tag.region):
        return None
    is_ambiguous = tag.language in AMBIGUOUS_CODES and f"{tag.language}-{tag.region}" not in HOME_REGIONS
    return None if is_ambiguous else str(tag)


def named_language(text: str) -> str | None:
    """Code of the language with this English or native name, in any case; None for other texts, codes among them."""
    name = plain_name(text)
    code = CODES.get(name)
    return None if code == name else code


def names_by_language() -> Mapping[str, Sequence[str]]:
    """Names of languages in small letters, by code."""
    names: dict[str, list[str]] = {}
    for name, code in CODES.items():
        names.setdefault(code, []).append(name)
    return names


def role_of(cell: str) -> tuple[str | None, str | None]:
    """Role of a heading (source, translation, label or None) and its language or None, as in ``Source (en-US)``."""
    # Tab-separated tables may still have the quotes of CSV.
    cell = cell.strip().strip('"')
    name = plain_name(cell)
    if name in NAMES:
        return NAMES[name], None
    words = cell.strip().replace("(", " ").replace(")", " ").replace("[", " ").replace("]", " ").replace(":", " ").split()
    words = words if len(words) > 1 else cell.strip().replace("_", " ").split()
    if 1 < len(words) <= 5:
        # The English word, not Burmese.
        if words[0].casefold() == "my":
            return role_of(" ".join(words[1:]))
        for rest, tag in ((words[:-1], words[-1]), (words[1:], words[0])):
            # Beside a role, a code that is also an English word means the language.
            language = LANGUAGE_NAMES.get(plain_name(tag)) or heading_language(tag)
            role = NAMES.get(plain_name(" ".join(rest)))
            if role in (SOURCE, TRANSLATION) and language is not None:
                return role, language
    return None, heading_language(cell)
