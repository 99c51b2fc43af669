"""A comparison as a page to send: one HTML file without scripts, images or links."""

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from html import escape
from typing import Any, Final

from app.shell.comparison.sent_page import sent_page, wide_table
from app.shell.comparison.tables import Example, Section, balance, examples_of, sections_of

__all__ = ["comparison_page", "marked"]

# The longest texts, in words, whose differences are marked: time is quadratic.
LONGEST: Final = 200
BLANKS: Final = re.compile(r"\s+")


def comparison_page(answer: Mapping[str, Any], baseline: str, system: str) -> str:
    """HTML of an answer: verdicts, examples with differing words marked, and tables."""
    title = f"{system} compared with {baseline}"
    verdicts = "".join(f'<p class="verdict">{escape(verdict["sentence"])}</p>\n' for verdict in answer["verdicts"])
    segments = "".join(
        f"<h2>{escape(balance(gains, baseline, system))}</h2>\n"
        + "".join(_example(example, baseline, system) for example in examples_of(answer, gains))
        for gains in answer["segments"]
    )
    tables = "".join(_table(section) for section in sections_of(answer, baseline, system))
    return sent_page(title, verdicts + segments + tables)


def _example(example: Example, baseline: str, system: str) -> str:
    before, after = example.scores
    pieces = [escape(text) for text in example.texts] + list(marked(*example.outputs))
    roles = [*example.roles, baseline, system]
    rows = "".join(f'<dt>{escape(role)}</dt><dd dir="auto">{text}</dd>\n' for role, text in zip(roles, pieces, strict=True))
    return f"<h3>Segment {example.segment}: {example.gain:+.4f} ({before:.4f} to {after:.4f})</h3>\n<dl>\n{rows}</dl>\n"


def _table(section: Section) -> str:
    if not section.rows:
        return f"<h2>{escape(section.title)}</h2>\n<p>none</p>\n"
    heading = "".join(f'<th scope="col">{escape(name)}</th>' for name in section.rows[0])
    body = "".join(f"<tr>{''.join(map(_cell, row.values()))}</tr>\n" for row in section.rows)
    return f"<h2>{escape(section.title)}</h2>\n{wide_table(heading, body)}"


def _cell(value: object) -> str:
    if isinstance(value, int | float):
        return f'<td class="number">{value if isinstance(value, int) else format(value, ".4f")}</td>'
    return f'<td dir="auto">{escape(str(value))}</td>'


def marked(first: str, second: str) -> tuple[str, str]:
    """HTML of two texts, with words that only one of them has in a mark."""
    first_words, second_words = BLANKS.split(first.strip()), BLANKS.split(second.strip())
    if max(len(first_words), len(second_words)) > LONGEST:
        return escape(first), escape(second)
    matches = SequenceMatcher(None, first_words, second_words, autojunk=False).get_matching_blocks()
    sizes = [match.size for match in matches]
    return (
        " ".join(_pieces(first_words, [match.a for match in matches], sizes)),
        " ".join(_pieces(second_words, [match.b for match in matches], sizes)),
    )


def _pieces(words: Sequence[str], starts: Sequence[int], sizes: Sequence[int]) -> Iterator[str]:
    """Runs of common words, and marked runs between them."""
    end = 0
    for start, size in zip(starts, sizes, strict=True):
        if start > end and any(words[end:start]):
            yield f"<mark>{escape(' '.join(words[end:start]))}</mark>"
        if size:
            yield escape(" ".join(words[start : start + size]))
        end = start + size
