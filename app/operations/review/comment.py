"""Reviews as Markdown for one comment, and the sentences of any report."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from app.operations.review.comment_cells import Address, escaped, finding_cells, rows_within, short, table, worst_cells

__all__ = ["change_sentence", "markdown_review", "short", "summary", "worst_strings"]

# GitHub refuses a comment of more than 65,536 characters; a workflow may add words of its own.
LONGEST_COMMENT: Final = 60_000
# Characters for headings and sentences of a part.
FRAME: Final = 300
COMMENT_ROWS: Final = 50
CAUTIONS: Final = 5
LANGUAGES: Final = 20
# A marker by which a workflow finds its comment again.
MARKER: Final = "<!-- assay-review -->"
SEVERITIES: Final = ("error", "warning", "info")
STRINGS: Final = ("", "Place", "Key", "Finding", "Source", "Translation")
WITHOUT_QUALITY: Final = "Structure, numbers and negation were checked; quality was not predicted."
ABOUT_QUALITY: Final = "A prediction from 0 (bad) to 1 (good), which says little about few words. Words in bold may be wrong."
WORST: Final = ("Quality", "Place", "Source", "Translation")


def summary(answer: Mapping[str, Any]) -> str:
    """Numbers of strings and findings in a sentence."""
    counts = ", ".join(_counted(answer["counts"][name], name) for name in SEVERITIES if answer["counts"].get(name))
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


def markdown_review(answer: Mapping[str, Any], address: Address = lambda path, line: None) -> str:
    """A comment: a verdict, a table of strings with findings, and folded details: infos, and the lowest predicted quality.

    `address` gives the address of a line of a file, or None. A long comment ends each table early, with the number of further rows.
    """
    parts = [MARKER, f"**Translations: {_verdict(answer)}.** {summary(answer)}"]
    parts += _scope(answer.get("files", ()))
    parts += [escaped(short(caution)) for caution in answer.get("cautions", ())[:CAUTIONS]]
    change = [change_sentence(answer["change"])] if "change" in answer else []
    room = LONGEST_COMMENT - sum(len(part) + FRAME for part in (*parts, *change))
    rows, worst = _rows(answer["findings"]), worst_strings(answer)
    serious_rows = [row for row in rows if row[0]["severity"] != "info"]
    infos = [row for row in rows if row[0]["severity"] == "info"]
    sections: Sequence[tuple[str, str, Sequence[str], Sequence[Any], Callable[[Any, Address], tuple[str, ...]]]] = (
        ("", "", STRINGS, serious_rows, finding_cells),
        ("Infos", "", STRINGS, infos, finding_cells),
        (_quality_title(worst), ABOUT_QUALITY, WORST, worst, worst_cells),
    )
    for title, remark, heading, selection, cells in sections:
        if selection:
            lines = list(rows_within((cells(row, address) for row in selection[:COMMENT_ROWS]), room - FRAME))
            further = len(selection) - len(lines)
            rest = f"… and {_counted(further, 'further string')}." if further else ""
            text = "\n\n".join(filter(None, (remark, table(heading, lines) if lines else "", rest)))
            parts.append(_folded(title, text) if title else text)
            room -= len(parts[-1])
    return "\n\n".join([*parts, *change])


def _scope(files: Sequence[Mapping[str, Any]]) -> list[str]:
    """Numbers of judged strings by language, and of texts without a translation; a sentence if no quality was predicted."""
    judged_strings, missing = (_by_language(files, field) for field in ("judged_strings", "missing"))
    is_predicted = any("model" in file for file in files)
    sentences = [f"Judged strings by language: {judged_strings}."] if judged_strings else []
    sentences += [WITHOUT_QUALITY] if sentences and not is_predicted else []
    sentences += [f"Texts of these files that wait for a translation: {missing}."] if missing else []
    return [escaped(" ".join(sentences))] if sentences else []


def _by_language(files: Sequence[Mapping[str, Any]], field: str) -> str:
    """Languages with the sums of a field, the highest first."""
    counts: Counter[str] = Counter()
    for file in files:
        counts[file["language"]] += file[field]
    return ", ".join(f"{language} ({count})" for language, count in counts.most_common(LANGUAGES) if language and count)


def _quality_title(worst: Sequence[Mapping[str, Any]]) -> str:
    """The range of qualities: high ones are no faults."""
    values = dict.fromkeys(f"{row['confidence']:.2f}" for row in (*worst[:1], *worst[-1:]))
    return f"Lowest predicted quality: {' to '.join(values)} ({_counted(len(worst), 'string')})"


def _rows(findings: Iterable[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Findings by string, the gravest first; strings in the order of their first findings."""
    by_string: dict[tuple[str, int, int, str], list[Mapping[str, Any]]] = {}
    for row in findings:
        by_string.setdefault((row["path"], row["line"], row["column"], row["key"]), []).append(row)
    return list(by_string.values())


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
    if answer["counts"].get("error"):
        return "the limits of these languages let the errors pass"
    return "no errors, but look at the warnings" if answer["counts"].get("warning") else "nothing found"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
