"""Reviews as text for terminals."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from app.operations.review.comment import change_sentence, short, summary, worst_strings
from app.text.writing.visible import visible

__all__ = ["text_review"]


def text_review(answer: Mapping[str, Any]) -> str:
    """Lines ``path:line:column: severity code: message``, with both texts below; then the worst strings."""
    lines = list(_text_lines(answer["findings"]))
    worst = worst_strings(answer)
    if worst:
        lines += ["", "Lowest predicted quality:"]
        for row in worst:
            texts = f"{_line(row['source'])} → {_line(row['translation'])}"
            lines.append(f"{row['confidence']:.2f}  {visible(row['path'])}:{row['line']}  {texts}")
    change = [change_sentence(answer["change"])] if "change" in answer else []
    return "\n".join([*lines, "", *change, summary(answer)])


def _text_lines(findings: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for row in findings:
        key = f" [{visible(row['key'])}]" if row["key"] else ""
        place = f"{visible(row['path'])}:{row['line']}:{row['column']}"
        yield f"{place}: {row['severity']} {row['code']}:{key} {visible(row['message'])}"
        if row["source"] or row["translation"]:
            yield f"    {_line(row['source'])}"
            yield f"    {_line(row['translation'])}"


def _line(text: str) -> str:
    return visible(short(text))
