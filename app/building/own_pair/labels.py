"""Labels of people from a table: scores under a heading, or the edits per word of post-edits."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.predictors.hter import human_edit_rates
from app.predictors.labels import LABELS, ORIGIN, Z_SCORE, Label, label_named
from app.text.reading.headers import shown_names

__all__ = ["POST_EDITS", "LabelledText", "label_of_heading", "labelled_text"]

Columns = Mapping[str, Sequence[str]]
# Label and scale by the name of a label.
Meaning = Callable[[str], Label]
EDITS: Final = "hter"
POST_EDITS: Final = ("post_edit", "post-edit", "post edit", "postedit", "post_edited", "pe")
# Headings that name a label by another name.
SYNONYMS: Final = {"da_z": "da", "z_mean": "da", "z-score": "da", "ter": EDITS}
# Headings of a score that do not say of what.
SCORES: Final = ("score", "label", "value", "rating", "quality")


@dataclass(frozen=True)
class LabelledText:
    """Segments with a label each; `post_edits` where there are some, `column` is the heading that the labels stood under."""

    sources: list[str]
    translations: list[str]
    label: Label
    labels: Float64s
    post_edits: list[str] | None
    column: str

    def __len__(self) -> int:
        return len(self.sources)


def labelled_text(
    columns: Columns, label: str | None = None, column: str | None = None, meaning: Meaning = label_named
) -> LabelledText:
    """Labels of a table with headings in small letters, source and translation among them; rows that lack a text are skipped.

    `label` and `column` name the label and its heading if the headings leave them open. `meaning` returns the label of a name.
    InputError names the headings, or the row.
    """
    rows = [k for k, texts in enumerate(zip(columns["source"], columns["translation"], strict=True)) if all(map(str.strip, texts))]
    texts = {name: [values[k] for k in rows] for name, values in columns.items()}
    edit_heading = next((name for name in POST_EDITS if name in texts), None)
    name, heading = _name_and_heading(texts, edit_heading, label, column.strip().lower() if column else None, meaning)
    kind = meaning(name)
    edits = texts[edit_heading] if edit_heading is not None and all(map(str.strip, texts[edit_heading])) else None
    if heading != edit_heading:
        values = _numbers(texts[heading], heading, rows, kind)
    elif edits is None:
        raise InputError("invalid-table", "a post-edit is empty; give one with every row, or a column of scores", (heading,))
    else:
        values = human_edit_rates(texts["translation"], edits)
    return LabelledText(texts["source"], texts["translation"], kind, values, edits, heading)


def _name_and_heading(
    columns: Columns, edit_heading: str | None, label: str | None, column: str | None, meaning: Meaning
) -> tuple[str, str]:
    """The name of the label and the heading that it stands under."""
    if column is not None:
        if column not in columns:
            raise _unclear(columns, f"there is no column {column}")
        name = label or (EDITS if column == edit_heading else label_of_heading(column))
        if name is None:
            raise _unclear(columns, f"--label must say what {column} is ({', '.join(LABELS)})")
        return name, column
    if label is not None:
        plain = next((heading for heading in SCORES if heading in columns), None)
        heading = _heading(columns, meaning(label)) or (edit_heading if label == EDITS else None) or plain
        if heading is None:
            raise _unclear(columns, f"no column is called {label}; --label-column names the one")
        return label, heading
    names = {name for heading in columns if (name := label_of_heading(heading)) is not None}
    if len(names) == 1:
        (name,) = names
        heading = _heading(columns, meaning(name))
        assert heading is not None
        return name, heading
    if edit_heading is not None and EDITS not in names:
        return EDITS, edit_heading
    raise _unclear(columns, f"--label ({', '.join(LABELS)}) and --label-column must say what is to be predicted")


def _heading(columns: Columns, kind: Label) -> str | None:
    """Heading of a label, or None. For z-scores, headings of z-scores come before headings that ratings share."""
    label_heading, synonyms = kind.name.lower(), [heading for heading, name in SYNONYMS.items() if name == kind.name]
    headings = [*synonyms, label_heading] if kind.unit == Z_SCORE else [label_heading, *synonyms]
    return next((heading for heading in headings if heading in columns), None)


def label_of_heading(heading: str) -> str | None:
    """The label that a heading in small letters names, as `da` and `da_z` do; None where it names none.

    A column called origin can hold anything, so the caller must name that label.
    """
    name = SYNONYMS.get(heading, heading)
    return name if name in LABELS and name != ORIGIN else None


def _unclear(columns: Columns, detail: str) -> InputError:
    return InputError("invalid-table", f"{detail}; the columns are {shown_names(tuple(columns))}", ("--labels",))


def _numbers(cells: Sequence[str], heading: str, rows: Sequence[int], kind: Label) -> Float64s:
    values = np.empty(len(cells))
    # As spreadsheets write them where decimals stand behind a comma; beside a point it may stand between thousands.
    with_comma = not any("." in cell for cell in cells)
    for k, (cell, row) in enumerate(zip(cells, rows, strict=True)):
        try:
            values[k] = float(cell.replace(",", ".") if with_comma and cell.count(",") == 1 else cell)
        except ValueError:
            values[k] = float("nan")
        if not isfinite(values[k]):
            raise InputError("invalid-table", f"{kind.name} is a number, row {row + 1} has {cell[:40]!r}", (heading, row))
        misfit = kind.misfit(float(values[k]))
        if misfit is not None:
            raise InputError("invalid-training-data", f"row {row + 1} has {cell[:40]!r}: {misfit}", (heading, row))
    return values
