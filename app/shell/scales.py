"""Labels of tables: their scale from options (``--lower-is-better --classes 1,2,3``), and their column."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from app.building.own_pair.labels import label_of_heading
from app.errors import InputError
from app.operations.operation import Body, Json
from app.operations.parts.names import LabelName
from app.operations.train.scale import ScaleRequest, label_of
from app.planning.numerals import decimal_of
from app.predictors.labels import Label
from app.shell.output import say
from app.shell.requests import make_request
from app.text.reading.headers import shown_names
from app.text.reading.tables import Table

__all__ = ["ScaleOptions", "label_declared", "labels_of", "partial_labels_of"]

# Default heading of labels.
DEFAULT_HEADING: Final = "label"


@dataclass(frozen=True)
class ScaleOptions:
    """Values of the options; None or False without the option."""

    higher_is_better: bool = False
    lower_is_better: bool = False
    range: str | None = None
    classes: str | None = None
    unit: str | None = None

    def fields(self) -> Json | None:
        """The member `scale` of a request, or None without options. InputError if the direction is missing."""
        values = {"--range": self.range, "--classes": self.classes, "--unit": self.unit}
        if self.higher_is_better and self.lower_is_better:
            raise InputError("invalid-request", "say --lower-is-better or --higher-is-better, not both", ("--lower-is-better",))
        if not (self.higher_is_better or self.lower_is_better):
            for option, value in values.items():
                if value is not None:
                    detail = "this is part of a scale; say --lower-is-better or --higher-is-better too"
                    raise InputError("invalid-request", detail, (option,))
            return None
        scale: Json = {"direction": f"{'higher' if self.higher_is_better else 'lower'} is better"}
        if self.range is not None:
            ends = self.range.split(":")
            if len(ends) != 2:
                raise InputError("invalid-request", "a range is LOW:HIGH, as 0:100; one of them may be empty_cells", ("--range",))
            scale["range"] = [_number(end, "--range") if end.strip() else None for end in ends]
        if self.classes is not None:
            scale["classes"] = [_number(grade, "--classes") for grade in self.classes.split(";" if ";" in self.classes else ",")]
        return scale if self.unit is None else {**scale, "unit": self.unit}


class _LabelBody(Body):
    label: LabelName
    scale: ScaleRequest | None = None


def label_declared(name: str, options: ScaleOptions) -> Label:
    """A label by its name, on the scale that options declare."""
    request = make_request(_LabelBody, label=name, scale=options.fields())
    return label_of(request.label, request.scale)


def labels_of(table: Table, file: str, label: str | None, column: str | None) -> list[float]:
    """Labels of a table, from `column`, or from the column `label`, or from a heading that means the label.

    The function prints a column other than the usual one. InputError names --label-column if no heading fits.
    """
    if column is not None:
        small = column.strip().lower()
        return table.numbers(small if column not in table.columns and small in table.columns else column)
    heading = _heading(tuple(table.columns), label, Path(file).name)
    if heading != DEFAULT_HEADING or (label != DEFAULT_HEADING and label in table.columns):
        say(f"labels of {Path(file).name}: the column {heading}")
    return table.numbers(heading)


def partial_labels_of(
    table: Table, file: str, label: str | None, column: str | None, *, required: bool = True
) -> list[float | None]:
    """Labels of a table as `labels_of`, None for empty cells, and in a table without labels if they are not `required`.

    The function prints that it found none.
    """
    if not required and not _headings(tuple(table.columns), label):
        say(f"labels of {Path(file).name}: no column, so no segment has a label")
        return [None] * len(table)
    empty_cells = {name: [not cell.strip() for cell in cells] for name, cells in table.columns.items()}
    cells_with_zeros = {name: [cell if cell.strip() else "0" for cell in cells] for name, cells in table.columns.items()}
    name = column or _heading(tuple(table.columns), label, Path(file).name)
    values = labels_of(replace(table, columns=cells_with_zeros), file, label, name)
    mask = empty_cells[name if name in empty_cells else name.strip().lower()]
    return [None if is_empty else value for is_empty, value in zip(mask, values, strict=True)]


def _heading(names: tuple[str, ...], label: str | None, file: str) -> str:
    """Heading of the column of labels."""
    headings = _headings(names, label)
    if len(headings) == 1:
        return headings[0]
    expected_heading = DEFAULT_HEADING if label in (None, DEFAULT_HEADING) else f"{DEFAULT_HEADING} or {label}"
    detail = f"{len(headings)} columns could be the labels" if headings else f"there is no column {expected_heading}"
    columns = f"the columns are {shown_names(names)}"
    raise InputError("invalid-table", f"{detail}; --label-column names the one of the labels; {columns}", (file,))


def _headings(names: tuple[str, ...], label: str | None) -> list[str]:
    """The usual heading of labels or the label itself, else all headings that mean the label."""
    plain = next((name for name in (DEFAULT_HEADING, label) if name in names), None)
    if plain is not None:
        return [plain]
    return [name for name in names if (means := label_of_heading(name.lower())) is not None and label in (None, means)]


def _number(text: str, option: str) -> float:
    number = decimal_of(text)
    if number is None:
        detail = f"{text!r} is no number; classes are 1,2,3 or 0,5;1;1,5 and a range is 0:100 or 0,5:1"
        raise InputError("invalid-request", detail, (option,))
    return number
