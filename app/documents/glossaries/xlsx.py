"""Glossaries in the first sheet of an XLSX workbook, read by openpyxl, an extra."""

import io
from collections.abc import Iterator
from typing import Any, Final

from app.documents.archive import is_zip, open_members
from app.documents.glossaries.glossary import Glossary
from app.documents.glossaries.rows import COLUMNS, Row, glossary_of_rows
from app.errors import InputError
from app.running.extras import package_of

__all__ = ["read_xlsx"]

# Cells of a row beyond this number are not read.
WIDTH: Final = 2 * len(COLUMNS)
DECLARATION: Final = b"<!DOCTYPE"


def read_xlsx(raw: bytes, name: str) -> Glossary:
    """The glossary of a workbook; InputError for a missing extra, a damaged archive, or XML with declarations."""
    openpyxl = package_of("openpyxl", "xlsx")
    members = open_members(raw, name, holds_office=True) if is_zip(raw) else []
    if not members:
        raise InputError("invalid-glossary", "this is no XLSX workbook; save the table as .xlsx, .csv or .tsv", (name,))
    if any(DECLARATION in content for _, content in members):
        raise InputError("unsafe-document", "this workbook has XML with a DOCTYPE; save it again by a spreadsheet program", (name,))
    try:
        workbook = openpyxl.load_workbook(io.BytesIO(raw), read_only=True, data_only=True)
        rows = list(_rows(workbook.worksheets[0]))
    # Damaged parts raise errors of many kinds inside of openpyxl.
    except Exception:
        raise InputError("invalid-glossary", "this workbook is damaged; save it again by a spreadsheet program", (name,)) from None
    return glossary_of_rows(rows, name)


def _rows(sheet: Any) -> Iterator[Row]:
    """Rows with content, and their numbers in the sheet."""
    for number, cells in enumerate(sheet.iter_rows(values_only=True, max_col=WIDTH), 1):
        if any(cell is not None for cell in cells):
            yield Row(number, _without_end([_text(cell) for cell in cells]))


def _without_end(cells: list[str]) -> list[str]:
    """Cells without empty ones at the end."""
    while cells and not cells[-1]:
        cells.pop()
    return cells


def _text(cell: Any) -> str:
    """The text of a cell; a number without decimals as spreadsheets show it."""
    return "" if cell is None else str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
