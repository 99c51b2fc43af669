"""Batches of a table in the types of other packages: columns are read as lists, and new ones are added."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np

from app.errors import InputError
from app.running.extras import package_of
from app.scale.cells import Fault

__all__ = ["Batch", "column_of", "names_of", "row_count", "rows_where", "typed_batch", "with_columns", "without_faults"]

# A dict of arrays (Ray), a table or record batch of Arrow, or a data frame of pandas (Dask) or of Polars.
Batch: TypeAlias = Any
# Values of a new column: numbers as an array, with NaN for none; texts as a list, with None for none.
NewColumn: TypeAlias = "np.ndarray | list[str | None]"


def column_of(batch: Batch, name: str) -> list[Any]:
    """Values of a column; InputError (`invalid-table`) names a missing column and those that there are.

    A text that is not UTF-8, as tables of Arrow may hold, is a `Fault`.
    """
    names = names_of(batch)
    if name not in names:
        raise InputError("invalid-table", f"there is no column {name}; columns are {', '.join(map(str, names)) or 'none'}", (name,))
    column = batch[name]
    if _package(batch) == "pyarrow":
        try:
            return list(column.to_pylist())
        except UnicodeDecodeError:
            return [_value_or_fault(cell, name) for cell in column]
    return list(column.to_list() if hasattr(column, "to_list") else np.asarray(column, object).tolist())


def names_of(batch: Batch) -> list[str]:
    """Names of the columns of a batch."""
    if isinstance(batch, Mapping):
        return list(batch)
    return list(batch.schema.names if _package(batch) == "pyarrow" else batch.columns)


def typed_batch(batch: Batch) -> Batch:
    """The table of Arrow of a batch of Hugging Face's `map`, which has read none of its columns; other batches as they are.

    `map` guesses the types of dicts from its first rows, and fails at the first text after rows of nulls.
    """
    is_unread = _package(batch) == "datasets" and batch.keys_to_format == set(batch)
    return batch.pa_table if is_unread else batch


def row_count(batch: Batch) -> int:
    """Number of rows of a batch."""
    return len(next(iter(batch.values()), ())) if isinstance(batch, Mapping) else len(batch)


def with_columns(batch: Batch, columns: Mapping[str, NewColumn]) -> Batch:
    """The batch with further columns at its end, of its own type; InputError (`invalid-table`) if it has one of them."""
    existing = next((name for name in columns if name in names_of(batch)), None)
    if existing is not None:
        raise InputError(
            "invalid-table", f"the table has a column {existing} already; choose another name for the result", (existing,)
        )
    package = _package(batch)
    if package == "pyarrow":
        return _with_arrow_columns(batch, columns)
    if package == "polars":
        return batch.with_columns(**{name: _series(batch, name, values) for name, values in columns.items()})
    arrays = {name: values if isinstance(values, np.ndarray) else np.array(values, object) for name, values in columns.items()}
    return {**batch, **arrays} if isinstance(batch, Mapping) else batch.assign(**arrays)


def without_faults(batch: Batch, columns: Mapping[str, list[Any]]) -> Batch:
    """A batch with nulls in place of texts that are not UTF-8 among the values of `columns`: readers refuse such tables."""
    for name, values in columns.items() if _package(batch) == "pyarrow" else ():
        if any(isinstance(value, Fault) for value in values):
            field = batch.schema.field(name)
            texts = [None if isinstance(value, Fault) else value for value in values]
            array = package_of("pyarrow", "parquet").array(texts, field.type)
            batch = batch.set_column(names_of(batch).index(name), field.with_nullable(True), array)
    return batch


def rows_where(batch: Batch, mask: np.ndarray) -> Batch:
    """The rows of a dict of arrays or of a table of Arrow where a mask is true.

    InputError (`invalid-table`) names a column of a type of which Arrow chooses no rows.
    """
    if isinstance(batch, Mapping):
        return {name: np.asarray(values, object)[mask] for name, values in batch.items()}
    if mask.all():
        return batch
    pa = package_of("pyarrow", "parquet")
    columns = []
    for name in names_of(batch):
        try:
            columns.append(batch[name].filter(pa.array(mask)))
        except pa.ArrowNotImplementedError:
            detail = f"Arrow cannot choose rows of column {name}, which is run-end encoded, a union or the like; write it plainly"
            raise InputError("invalid-table", detail, (name,)) from None
    return type(batch).from_arrays(columns, schema=batch.schema)


def _value_or_fault(cell: Any, name: str) -> Any:
    try:
        return cell.as_py()
    except UnicodeDecodeError:
        return Fault(f"invalid-encoding: {name} is not UTF-8")


def _package(batch: Batch) -> str:
    return type(batch).__module__.partition(".")[0]


def _with_arrow_columns(batch: Batch, columns: Mapping[str, NewColumn]) -> Batch:
    pa = package_of("pyarrow", "parquet")
    for name, values in columns.items():
        is_number = isinstance(values, np.ndarray)
        array = pa.array(values, pa.float64() if is_number else pa.string(), from_pandas=is_number)
        batch = batch.append_column(name, array)
    return batch


def _series(batch: Batch, name: str, values: NewColumn) -> Any:
    # The batch is of this package.
    polars = import_module("polars")
    return polars.Series(name, values, polars.Float64 if isinstance(values, np.ndarray) else polars.String, nan_to_null=True)
