"""Addresses of pages and of mail."""

import re
from typing import Final

from app.checks.structure.check import Finding, Texts
from app.checks.structure.marks import Mark, unmatched_marks, unmatched_names
from app.text.languages import LanguagePair, base_language

__all__ = ["Links"]

# Addresses end at brackets, quotes, and characters of scripts without spaces.
LINK: Final = re.compile(
    r"(?:(?:https?|ftp)://|\bwww\.)[^\s<>\"'`\[\](){}|\\\u00ab\u00bb\u2018-\u201f\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]{2,2000}"
    r"|(?<![A-Za-z0-9_.+-])[A-Za-z0-9_.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,5}",
    re.IGNORECASE,
)
END: Final = ".,;:!?\u2026*_~"
LOCALE: Final = re.compile(r"(?<![A-Za-z0-9])([a-z]{2,3})(?:[-_][a-z]{2})?(?![A-Za-z0-9])")
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
        """Addresses without a counterpart. They mislead if their hosts differ. O(length)."""
        source_marks, marks = self.marks(texts.source, texts.pair), self.marks(texts.translation, texts.pair)
        compare = unmatched_names if texts.are_messages else unmatched_marks
        missing, extra = compare(source_marks, marks), compare(marks, source_marks)
        if not missing and not extra:
            return None
        hosts = [sorted(mark.key.partition("/")[0] for mark in side) for side in (missing, extra)]
        return Finding(missing, extra, "warning" if hosts[0] == hosts[1] else "error")


def _link(match: re.Match[str], pair: LanguagePair) -> Mark:
    text = match[0].rstrip(END)
    address = SCHEME.sub("", text.lower())
    languages = {base_language(pair.source), base_language(pair.target), "www"}
    key = LOCALE.sub(lambda code: "" if code[1] in languages else code[0], address)
    return Mark(re.sub(r"[/.]{2,}", "/", key).strip("/."), match.start(), match.start() + len(text))
