"""Reviews as Markdown for one comment, and the sentences of any report."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from app.text.writing.visible import visible

__all__ = ["change_sentence", "markdown_review", "short", "summary", "worst_strings"]

# A comment of GitHub has at most 65,536 characters.
COMMENT_ROWS: Final = 50
LONGEST_CELL: Final = 200
# A marker by which a workflow finds its comment again.
MARKER: Final = "<!-- assay-review -->"
TITLES: Final = {"error": "Error", "warning": "Warning", "info": "Info"}
ESCAPES: Final = str.maketrans(
    {**{character: f"\\{character}" for character in "\\|[`*_~"}, "<": "&lt;", "&": "&amp;", "$": "&#36;"}
)
# GitHub makes links of "@name", "#1", "GH-1", "https://" and "www." in the text that a reader sees, so escapes do not stop it.
LINK: Final = re.compile(r"[@#](?=\w)|\bGH-(?=\d)|:(?=//)|\bwww(?=\.)", re.IGNORECASE)
BLANKS: Final = re.compile(r"\s+")
NO_LINK: Final = r"\g<0>" + "\u200b"
# Paths without these letters are code; the others are escaped like texts.
PLAIN_PATH: Final = re.compile(r"[\w./ @#+,=()-]+")


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
    """A comment: a verdict, a table of strings with findings, and folded details: infos, and the lowest predicted quality."""
    parts = [MARKER, f"**Translations: {_verdict(answer)}.** {summary(answer)}"]
    rows = _rows(answer["findings"])
    serious_rows = [row for row in rows if row[0]["severity"] != "info"]
    infos = [row for row in rows if row[0]["severity"] == "info"]
    for title, selection in (("", serious_rows), ("Infos", infos)):
        if selection:
            table = _table(("", "Place", "Key", "Finding", "Source", "Translation"), map(_cells, selection[:COMMENT_ROWS]))
            further = len(selection) - COMMENT_ROWS
            text = f"{table}\n\n… and {_counted(further, 'further string')}." if further > 0 else table
            parts.append(_folded(title, text) if title else text)
    worst = worst_strings(answer)
    if worst:
        cells = [(f"{row['confidence']:.2f}", _place(row), _escaped(short(row["source"])), _marked(row)) for row in worst]
        table = _table(("Quality", "Place", "Source", "Translation"), cells)
        text = f"From 0 to 1; words in bold look wrong.\n\n{table}"
        parts.append(_folded(f"{_counted(len(worst), 'string')} of the lowest predicted quality", text))
    if "change" in answer:
        parts.append(change_sentence(answer["change"]))
    return "\n\n".join(parts)


def _rows(findings: Iterable[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Findings by string, the gravest first; strings in the order of their first findings."""
    by_string: dict[tuple[str, int, int, str], list[Mapping[str, Any]]] = {}
    for row in findings:
        by_string.setdefault((row["path"], row["line"], row["column"], row["key"]), []).append(row)
    return list(by_string.values())


def _cells(rows: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Cells of a string: all findings in one, and the texts around the first finding with places."""
    row = rows[0]
    spans = {side: next((finding[side] for finding in rows if finding[side]), ()) for side in ("source_spans", "translation_spans")}
    texts = short_around(row["source"], spans["source_spans"]), short_around(row["translation"], spans["translation_spans"])
    messages = "<br>".join(_escaped(short(row["message"])) for row in rows)
    return TITLES[row["severity"]], _place(row), _escaped(short(row["key"])), messages, *map(_escaped, texts)


def _place(row: Mapping[str, Any]) -> str:
    """The path with its line, as code; escaped if its letters could end the code or the cell."""
    path = row["path"]
    return f"`{path}:{row['line']}`" if PLAIN_PATH.fullmatch(path) else f"{_escaped(path)}:{row['line']}"


def _folded(title: str, text: str) -> str:
    """A part that opens on a click."""
    return f"<details><summary>{title}</summary>\n\n{text}\n\n</details>"


def worst_strings(answer: Mapping[str, Any], limit: int = 10) -> list[Mapping[str, Any]]:
    """Strings of the lowest quality that have no finding yet."""
    places = {(row["path"], row["line"], row["key"]) for row in answer["findings"] if row["severity"] != "info"}
    rows = [row for row in answer["worst"] if (row["path"], row["line"], row["key"]) not in places]
    return rows[:limit]


def _verdict(answer: Mapping[str, Any]) -> str:
    """A few words: findings that fail, warnings alone, or neither."""
    if answer["verdict"] != "clean":
        return {"findings": "please change or answer these", "nothing": "nothing was judged"}[answer["verdict"]]
    return "no errors, but look at the warnings" if answer["counts"].get("warning") else "nothing found"


def _marked(row: Mapping[str, Any]) -> str:
    """The escaped translation, with words in bold that look wrong."""
    text, parts, at = row["translation"], [], 0
    spans = [span for span in row["wrong_spans"] if span[1] <= LONGEST_CELL]
    for start, end in spans:
        # Spans of a page may overlap, and texts must not grow with them.
        if not at <= start <= end:
            continue
        parts += [_escaped(_blanked(text[at:start])), f"**{_escaped(_blanked(text[start:end]))}**"]
        at = end
    rest = _blanked(text[at:])
    room = LONGEST_CELL - min(at, LONGEST_CELL)
    return "".join([*parts, _escaped(rest if len(rest) <= room else rest[: max(0, room - 1)] + "…")]).strip()


def _blanked(text: str) -> str:
    """The text with one blank in place of each run of blanks and ends of lines."""
    return BLANKS.sub(" ", text)


def _table(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are Markdown already."""
    lines = [" | ".join(heading), " | ".join("---" for _ in heading), *(" | ".join(row) for row in rows)]
    return "\n".join(f"| {line} |" for line in lines)


def _escaped(text: str) -> str:
    """The text as Markdown that shows it, and nothing else: no code, image, comment, mention or link."""
    return LINK.sub(NO_LINK, visible(text)).translate(ESCAPES)


def short(text: str) -> str:
    """The text on one line, with an ellipsis in place of its end if it is long."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_CELL else line[: LONGEST_CELL - 1] + "…"


def short_around(text: str, spans: Sequence[Sequence[int]]) -> str:
    """The text on one line; of a long one, the part around its first place."""
    if len(text) <= LONGEST_CELL or not spans or spans[0][1] < LONGEST_CELL:
        return short(text)
    begin = max(0, min(spans[0][0], len(text)) - LONGEST_CELL // 2)
    return "…" + short(text[begin:])[: LONGEST_CELL - 1]


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
