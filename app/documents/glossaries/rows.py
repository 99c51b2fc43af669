"""Terms of tables: one row each, below a heading with the names of columns."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from app.documents.document import language_of
from app.documents.glossaries.glossary import Glossary, Term, checked_term, glossary_of
from app.errors import InputError

__all__ = ["COLUMNS", "Row", "glossary_of_rows"]

COLUMNS: Final = ("source", "target", "forbidden", "case", "note", "language")
REQUIRED: Final = COLUMNS[:2]
# Sign between several translations of a term.
SEPARATOR: Final = "|"
EXACT: Final = "exact"
CASES: Final = frozenset({"", "any", EXACT})


class Row(NamedTuple):
    """Cells of a row, and its line in the file, from 1."""

    line: int
    cells: Sequence[str]


def glossary_of_rows(rows: Iterable[Row], name: str) -> Glossary:
    """The glossary of a table; InputError names the line and the accepted columns or values."""
    filled_rows = (row for row in rows if any(cell.strip() for cell in row.cells))
    heading = next(filled_rows, None)
    if heading is None:
        raise InputError("invalid-glossary", f"this glossary is empty; its first line names columns: {', '.join(COLUMNS)}", (name,))
    columns = [cell.strip().casefold() for cell in heading.cells]
    _check_heading(columns, name, heading.line)
    return glossary_of(_terms(filled_rows, columns, name), (name,))


def _check_heading(columns: Sequence[str], name: str, line: int) -> None:
    missing = [column for column in REQUIRED if column not in columns]
    unknown = [number for number, column in enumerate(columns, 1) if column not in COLUMNS and column]
    fault = None
    if missing:
        fault = f"there is no column {missing[0]}"
    elif unknown:
        fault = f"column {unknown[0]} has an unknown name"
    elif len(set(filter(None, columns))) < len(list(filter(None, columns))):
        fault = "two columns have one name"
    if fault is not None:
        raise InputError("invalid-glossary", f"line {line}: {fault}; a glossary has the columns {', '.join(COLUMNS)}", (name, line))


def _terms(rows: Iterable[Row], columns: Sequence[str], name: str) -> Iterator[Term]:
    for row in rows:
        if any(cell.strip() for cell in row.cells[len(columns) :]):
            detail = f"line {row.line}: this row has more cells than the first line has names of columns; quote cells with commas"
            raise InputError("invalid-glossary", detail, (name, row.line))
        cells = {column: cell.strip() for column, cell in zip(columns, row.cells, strict=False)}
        term = Term(
            cells["source"],
            _variants(cells.get("target", "")),
            _variants(cells.get("forbidden", "")),
            _is_exact(cells.get("case", ""), name, row.line),
            cells.get("note", ""),
            _language(cells.get("language", ""), name, row.line),
        )
        yield checked_term(term, (name, row.line), f"line {row.line}: ")


def _variants(cell: str) -> tuple[str, ...]:
    """Distinct translations of a cell, in their order."""
    return tuple(dict.fromkeys(part for piece in cell.split(SEPARATOR) if (part := piece.strip())))


def _is_exact(cell: str, name: str, line: int) -> bool:
    if cell.casefold() not in CASES:
        raise InputError("invalid-glossary", f"line {line}: case is {EXACT} or any; leave the cell empty for any", (name, line))
    return cell.casefold() == EXACT


def _language(cell: str, name: str, line: int) -> str | None:
    language = language_of(cell) if cell else None
    if cell and language is None:
        raise InputError("invalid-glossary", f"line {line}: language is the tag of a target language, as de or pt-BR", (name, line))
    return language
