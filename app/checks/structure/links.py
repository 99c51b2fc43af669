"""Addresses of pages and of mail."""

import re
from collections.abc import Sequence
from typing import Final

from app.checks.structure.check import Finding, Texts
from app.checks.structure.marks import Mark, unmatched_marks, unmatched_names
from app.text.languages import LanguagePair, base_language

__all__ = ["Links"]

# Addresses end at brackets, quotes, and characters of scripts without spaces. Regard to case compiles .03 s faster here.
LINK: Final = re.compile(
    r"(?i:(?:https?|ftp)://|\bwww\.)[^\s<>\"'`\[\](){}|\\\u00ab\u00bb\u2018-\u201f\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]{2,2000}"
    r"|(?i:(?<![A-Za-z0-9_.+-])[A-Za-z0-9_.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,5})"
)
# Addresses without a site: of tags (href="/help"), and of links in Markdown with a path or a scheme ([x](help.md)).
RELATIVE: Final = re.compile(
    r"\s(?:href|src)\s{0,3}=\s{0,3}(?P<quote>[\"'])(?P<value>[^\"'<>\s]{1,2000})(?P=quote)"
    r"|\]\((?P<target>(?=[^\s()]{0,100}[./:])[^\s()<>]{1,2000})(?:\s{1,9}\"[^\"\n]{0,200}\")?\)",
    re.IGNORECASE,
)
# Scripts, and sites in the place of paths.
UNSAFE: Final = re.compile(r"(?:javascript|vbscript|data):|//", re.IGNORECASE)
END: Final = ".,;:!?\u2026*_~"
LOCALE: Final = re.compile(r"(?<![A-Za-z0-9])([a-z]{2,3})(?:[-_][a-z]{2})?(?![A-Za-z0-9])")
# Second labels such as co and com are part of the suffix: x.co.uk.
LONGEST_SUFFIX: Final = 3
SCHEME: Final = re.compile(r"^(?:https?|ftp)://(?:www\.)?|^www\.")


class Links:
    """Addresses that one side lacks. An address without a site counts beside those of the source."""

    code = "links"
    meaning = "an address of a page or of mail is missing, added or changed"
    signs = frozenset({"://", "www.", "@", "=", "]("})

    def marks(self, text: str, pair: LanguagePair) -> list[Mark]:
        """Addresses of a text. Keys have neither scheme nor codes of the pair's languages: `/en/` may become `/de/`. O(length)."""
        return [*_sites(text, pair), *_relative(text, pair)]

    def find(self, texts: Texts, source_marks: list[Mark], marks: list[Mark]) -> Finding | None:
        """Addresses without a counterpart. They mislead if one replaces another of a different site. O(length)."""
        sites, target_sites = _sites(texts.source, texts.pair), _sites(texts.translation, texts.pair)
        source_paths, paths = source_marks[len(sites) :], marks[len(target_sites) :]
        missing_paths = unmatched_names(source_paths, paths)
        extra_paths = [mark for mark in unmatched_names(paths, source_paths) if source_paths or UNSAFE.match(mark.key)]
        compare = unmatched_names if texts.are_messages else unmatched_marks
        missing, extra = compare(sites, target_sites), compare(target_sites, sites)
        if not missing and not extra and not missing_paths and not extra_paths:
            return None
        domains = [sorted(_site(mark.key) for mark in side) for side in (missing, extra)]
        is_minor = not missing or domains[0] == domains[1] or (len(domains[0]) == len(domains[1]) and _are_examples(domains[1]))
        is_unsafe = any(UNSAFE.match(mark.key) for mark in extra_paths)
        return Finding([*missing, *missing_paths], [*extra, *extra_paths], "warning" if is_minor and not is_unsafe else "error")


def _sites(text: str, pair: LanguagePair) -> list[Mark]:
    """Addresses with a site."""
    if "://" not in text and "@" not in text and "www." not in text.lower():
        return []
    return [_link(match, pair) for match in LINK.finditer(text)]


def _relative(text: str, pair: LanguagePair) -> list[Mark]:
    """Addresses without a site. Keys lack codes of languages, dots, and sections, whose names are translated."""
    if "=" not in text and "](" not in text:
        return []
    marks = []
    for match in RELATIVE.finditer(text):
        group = "value" if match["value"] else "target"
        address = match[group].partition("#")[0]
        # Placeholders have a check of their own.
        if address and LINK.match(address) is None and not any(sign in address for sign in "{}%$@"):
            path = _without_languages(address.lower(), pair)
            key = address.lower() if UNSAFE.match(address) else re.sub(r"[/._-]+", "/", path).strip("/")
            marks.append(Mark(key, *match.span(group)))
    return marks


def _without_languages(address: str, pair: LanguagePair) -> str:
    """The address without codes of the pair's languages."""
    languages = {base_language(pair.source), base_language(pair.target), "www"}
    return LOCALE.sub(lambda code: "" if code[1] in languages else code[0], address)


def _site(key: str) -> str:
    """The domain of an address; `de.x.org` and `world.x.org` are one site, whose names of hosts may name languages."""
    labels = key.partition("/")[0].rpartition("@")[2].split(".")
    count = 2 if len(labels) < 2 or len(labels[-2]) > LONGEST_SUFFIX else 3
    return ".".join(labels[-count:])


def _are_examples(sites: Sequence[str]) -> bool:
    """Return True for domains that RFC 2606 reserves for examples."""
    return all(site.rpartition(".")[0] == "example" for site in sites)


def _link(match: re.Match[str], pair: LanguagePair) -> Mark:
    text = match[0].rstrip(END)
    key = _without_languages(SCHEME.sub("", text.lower()), pair)
    return Mark(re.sub(r"[/.]{2,}", "/", key).strip("/."), match.start(), match.start() + len(text))
