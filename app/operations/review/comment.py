"""Reviews as Markdown for one comment, and the sentences of any report."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

__all__ = ["change_sentence", "markdown_review", "short", "summary", "worst_strings"]

# A comment of GitHub has at most 65,536 characters.
COMMENT_ROWS: Final = 50
LONGEST_CELL: Final = 200
# A marker by which a workflow finds its comment again.
MARKER: Final = "<!-- assay-review -->"
TITLES: Final = {"error": "Error", "warning": "Warning", "info": "Info"}
ESCAPES: Final = str.maketrans(
    {"\\": "\\\\", "|": "\\|", "[": "\\[", "`": "\\`", "*": "\\*", "_": "\\_", "<": "&lt;", "\n": " ", "\r": " "}
)


def summary(answer: Mapping[str, Any]) -> str:
    """Numbers of strings and findings in a sentence."""
    counts = ", ".join(_counted(answer["counts"][name], name) for name in TITLES if answer["counts"].get(name))
    remark = f"; {_counted(answer['known_findings'], 'known finding')}" if answer.get("known_findings") else ""
    remark += f"; {answer['ignored_findings']} ignored" if answer["ignored_findings"] else ""
    if not answer["strings"] and not counts:
        return "No string could be judged: nothing changed, or no translation of this source language was found."
    return f"{_counted(answer['strings'], 'string')} judged: {counts or 'no findings'}{remark}."


def change_sentence(change: Mapping[str, Any]) -> str:
    """Mean predicted quality before and behind a change, and its significance."""
    low, high = change["interval"]
    outcome = {"better": "better", "worse": "worse", "none": "no significant difference"}[change["outcome"]]
    means = f"Predicted quality of {change['strings']} changed strings: {change['before']:.2f} before, {change['after']:.2f} now"
    return f"{means} (difference {low:+.3f} to {high:+.3f}, p = {change['p_value']:.3f}): {outcome}."


def markdown_review(answer: Mapping[str, Any]) -> str:
    """A comment: a verdict, a table of findings, and the strings of the lowest predicted quality."""
    parts = [MARKER, f"**Translations: {_verdict(answer)}.** {summary(answer)}"]
    if "change" in answer:
        parts.append(change_sentence(answer["change"]))
    findings = answer["findings"]
    if findings:
        rows = [_finding_cells(row) for row in findings[:COMMENT_ROWS]]
        parts.append(_table(("", "Place", "Key", "Finding", "Source", "Translation"), rows))
        if len(findings) > COMMENT_ROWS:
            parts.append(f"… and {_counted(len(findings) - COMMENT_ROWS, 'further finding')}.")
    worst = worst_strings(answer)
    if worst:
        cells = [(f"{row['confidence']:.2f}", f"`{row['path']}:{row['line']}`", row["source"], _marked(row)) for row in worst]
        parts.append("Lowest predicted quality, from 0 to 1:\n\n" + _table(("Quality", "Place", "Source", "Translation"), cells))
    return "\n\n".join(parts)


def _finding_cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    place = f"`{row['path']}:{row['line']}`"
    return TITLES[row["severity"]], place, row["key"], row["message"], row["source"], row["translation"]


def worst_strings(answer: Mapping[str, Any], limit: int = 10) -> list[Mapping[str, Any]]:
    """Strings of the lowest quality that have no finding yet."""
    places = {(row["path"], row["line"], row["key"]) for row in answer["findings"] if row["severity"] != "info"}
    rows = [row for row in answer["worst"] if (row["path"], row["line"], row["key"]) not in places]
    return rows[:limit]


def _verdict(answer: Mapping[str, Any]) -> str:
    return {"clean": "no errors", "findings": "look at these findings", "nothing": "nothing was judged"}[answer["verdict"]]


def _marked(row: Mapping[str, Any]) -> str:
    """The translation with marks around words that look wrong, as private characters until it is escaped."""
    text, parts, at = row["translation"], [], 0
    for start, end in row["wrong_spans"]:
        # Spans of a page may overlap, and texts must not grow with them.
        if not at <= start <= end:
            continue
        parts += [text[at:start], "\ue000", text[start:end], "\ue001"]
        at = end
    return "".join([*parts, text[at:]])


def _table(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [" | ".join(heading), " | ".join("---" for _ in heading), *(" | ".join(map(_cell, row)) for row in rows)]
    return "\n".join(f"| {line} |" for line in lines)


def _cell(text: str) -> str:
    if text.startswith("`"):
        return text.replace("|", "\\|")
    return short(text).translate(ESCAPES).replace("\ue000", "**").replace("\ue001", "**")


def short(text: str) -> str:
    """The text on one line, with an ellipsis in place of its end if it is long."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_CELL else line[: LONGEST_CELL - 1] + "…"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
