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
END: Final = ".,;:!?\u2026*_~"
LOCALE: Final = re.compile(r"(?<![A-Za-z0-9])([a-z]{2,3})(?:[-_][a-z]{2})?(?![A-Za-z0-9])")
# Second labels such as co and com are part of the suffix: x.co.uk.
LONGEST_SUFFIX: Final = 3
SCHEME: Final = re.compile(r"^(?:https?|ftp)://(?:www\.)?|^www\.")


class Links:
    """Addresses that one side lacks."""

    code = "links"
    meaning = "an address of a page or of mail is missing, added or changed"

    def marks(self, text: str, pair: LanguagePair) -> list[Mark]:
        """Addresses of a text. Keys have neither scheme nor codes of the pair's languages: `/en/` may become `/de/`. O(length)."""
        if "://" not in text and "@" not in text and "www." not in text.lower():
            return []
        return [_link(match, pair) for match in LINK.finditer(text)]

    def find(self, texts: Texts) -> Finding | None:
        """Addresses without a counterpart. They mislead if one replaces another of a different site. O(length)."""
        source_marks, marks = self.marks(texts.source, texts.pair), self.marks(texts.translation, texts.pair)
        compare = unmatched_names if texts.are_messages else unmatched_marks
        missing, extra = compare(source_marks, marks), compare(marks, source_marks)
        if not missing and not extra:
            return None
        sites = [sorted(_site(mark.key) for mark in side) for side in (missing, extra)]
        is_minor = not missing or sites[0] == sites[1] or (len(sites[0]) == len(sites[1]) and _are_examples(sites[1]))
        return Finding(missing, extra, "warning" if is_minor else "error")


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
    address = SCHEME.sub("", text.lower())
    languages = {base_language(pair.source), base_language(pair.target), "www"}
    key = LOCALE.sub(lambda code: "" if code[1] in languages else code[0], address)
    return Mark(re.sub(r"[/.]{2,}", "/", key).strip("/."), match.start(), match.start() + len(text))
