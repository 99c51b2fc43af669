"""Cells of tables in a comment: texts of users as Markdown that shows them, and nothing else."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from app.running.visible import visible

__all__ = ["LONGEST_CELL", "Address", "escaped", "finding_cells", "rows_within", "short", "table", "worst_cells"]

# The address of a line of a file: path and line.
Address = Callable[[str, int], str | None]

LONGEST_CELL: Final = 200
TITLES: Final = {"error": "Error", "warning": "Warning", "info": "Info"}
ESCAPES: Final = str.maketrans(
    {**{character: f"\\{character}" for character in "\\|[]`*_~"}, "<": "&lt;", "&": "&amp;", "$": "&#36;"}
)
# GitHub makes links of "@name", "#1", "GH-1", "https://" and "www." in the text that a reader sees, so escapes do not stop it.
LINK: Final = re.compile(r"[@#](?=\w)|\bGH-(?=\d)|:(?=//)|\bwww(?=\.)", re.IGNORECASE)
BLANKS: Final = re.compile(r"\s+")
NO_LINK: Final = r"\g<0>" + "\u200b"
# Paths without these letters are code; the others are escaped like texts.
PLAIN_PATH: Final = re.compile(r"[\w./ @#+,=()-]+")
EARLIER: Final = "<br>before: "
# The text of a finding about a loss is the lost one.
LOSS: Final = "missing"
REMOVAL: Final = "(removed)"


def finding_cells(rows: Sequence[Mapping[str, Any]], address: Address) -> tuple[str, ...]:
    """Cells of a string: all findings in one, and the texts around the first finding with places, with the earlier ones below."""
    row = rows[0]
    spans = {side: next((finding[side] for finding in rows if finding[side]), ()) for side in ("source_spans", "translation_spans")}
    source = _around(row["source"], spans["source_spans"])
    translation = _around(row["translation"], spans["translation_spans"])
    earlier_source, earlier_translation = row.get("earlier_source"), row.get("earlier_translation")
    if row["code"] == LOSS:
        translation, earlier_translation = REMOVAL, row["translation"]
    messages = "<br>".join(escaped(short(row["message"])) for row in rows)
    texts = (escaped(source) + _before(earlier_source), escaped(translation) + _before(earlier_translation))
    return TITLES[row["severity"]], _place(row, address), escaped(short(row["key"])), messages, *texts


def worst_cells(row: Mapping[str, Any], address: Address) -> tuple[str, ...]:
    """Cells of a string of low quality, whose words in bold look wrong."""
    texts = (escaped(short(row["source"])), _marked(row) + _before(row.get("earlier_translation")))
    return f"{row['confidence']:.2f}", _place(row, address), *texts


def table(heading: Sequence[str], rows: Iterable[str]) -> str:
    """A table of rows that are Markdown already."""
    return "\n".join([_row(heading), _row(["---"] * len(heading)), *rows])


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def rows_within(rows: Iterable[Sequence[str]], room: int) -> Iterable[str]:
    """Rows of a table while they have room, with the ends of their lines."""
    for cells in rows:
        line = _row(cells)
        room -= len(line) + 1
        if room < 0:
            return
        yield line


def _before(text: str | None) -> str:
    """The earlier text in a line of its own; nothing without one."""
    return "" if not text else EARLIER + escaped(short(text))


def _place(row: Mapping[str, Any], address: Address) -> str:
    """The path with its line, as code, with its address; escaped if its letters could end the code or the cell."""
    path, line = row["path"], row["line"]
    text = f"`{path}:{line}`" if PLAIN_PATH.fullmatch(path) else f"{escaped(path)}:{line}"
    # A removed file has no text, and no place.
    link = address(path, line) if row["source"] or row.get("code") != LOSS else None
    return text if link is None else f"[{text}]({link})"


def _marked(row: Mapping[str, Any]) -> str:
    """The escaped translation, with words in bold that look wrong."""
    text, parts, at = row["translation"], [], 0
    spans = [span for span in row["wrong_spans"] if span[1] <= LONGEST_CELL]
    for start, end in spans:
        # Spans of a page may overlap, and texts must not grow with them.
        if not at <= start <= end:
            continue
        # Asterisks make no bold text beside other asterisks, nor between letters and marks of Chinese.
        parts += [escaped(_blanked(text[at:start])), f"<strong>{escaped(_blanked(text[start:end]))}</strong>"]
        at = end
    rest = _blanked(text[at:])
    room = LONGEST_CELL - min(at, LONGEST_CELL)
    return "".join([*parts, escaped(rest if len(rest) <= room else rest[: max(0, room - 1)] + "…")]).strip()


def _blanked(text: str) -> str:
    """The text with one blank in place of each run of blanks and ends of lines."""
    return BLANKS.sub(" ", text)


def escaped(text: str) -> str:
    """The text as Markdown that shows it, and nothing else: no code, image, comment, mention or link."""
    return LINK.sub(NO_LINK, visible(text)).translate(ESCAPES)


def short(text: str) -> str:
    """The text on one line, with an ellipsis in place of its end if it is long."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_CELL else line[: LONGEST_CELL - 1] + "…"


def _around(text: str, spans: Sequence[Sequence[int]]) -> str:
    """The text on one line; of a long one, the part around its first place."""
    if len(text) <= LONGEST_CELL or not spans or spans[0][1] < LONGEST_CELL:
        return short(text)
    begin = max(0, min(spans[0][0], len(text)) - LONGEST_CELL // 2)
    return "…" + short(text[begin:])[: LONGEST_CELL - 1]
