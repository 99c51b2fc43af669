"""Code between backticks, as in Markdown."""

import re
from typing import Final

from app.checks.structure.check import Finding, Texts
from app.checks.structure.marks import Mark, unmatched_names
from app.text.languages import LanguagePair

__all__ = ["CodeSpans"]

CODE: Final = re.compile(r"`[^`\n]{1,300}`")


class CodeSpans:
    """Code of the source that the translation lacks, and its replacements. A translation alone may quote with backticks.

    It does not mislead for certain: code has comments, and other signs mark code too.
    """

    code = "code"
    meaning = "code between backticks is missing or changed"
    signs = frozenset("`")

    def marks(self, text: str, pair: LanguagePair) -> list[Mark]:
        """Stretches of code. O(length)."""
        if "`" not in text:
            return []
        return [Mark(" ".join(match[0].strip("`").split()), match.start(), match.end()) for match in CODE.finditer(text)]

    def find(self, texts: Texts, source_marks: list[Mark], marks: list[Mark]) -> Finding | None:
        """Code without a counterpart. O(length)."""
        missing, extra = unmatched_names(source_marks, marks), unmatched_names(marks, source_marks)
        return Finding(missing, extra, "warning") if source_marks and (missing or extra) else None
