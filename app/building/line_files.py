"""Lines of files: plain text, gzip, or a column of a table."""

import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, Final

from app.building.gzip_files import opened
from app.building.text_tables import column_of_parquet, column_of_rows, is_parquet, split_column
from app.errors import InputError

__all__ = ["read_lines"]

LONGEST_LINE: Final = 1 << 20
BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


def read_lines(path: Path, stack: ExitStack, longest: int = LONGEST_LINE) -> Iterator[bytes]:
    """The lines of a file, gzip or not, each with a newline at its end; the file is closed with the stack.

    A path `TABLE:COLUMN` gives the cells of a column (`app.building.text_tables`), unless a file has that name. InputError names
    a line of more than `longest` bytes, or a damaged gzip file.
    """
    of_table = split_column(path)
    if of_table is not None:
        table, column = of_table
        if is_parquet(table):
            return column_of_parquet(table, column, longest)
        return column_of_rows(_lines(opened(table, stack), table, longest), table, column)
    return _lines(opened(path, stack), path, longest)


def _lines(file: BinaryIO, path: Path, longest: int) -> Iterator[bytes]:
    number = 0
    while True:
        try:
            line = file.readline(longest + 1)
        except (EOFError, OSError, zlib.error):
            raise InputError("invalid-encoding", f"{path} is a damaged gzip file, after line {number}", (str(path),)) from None
        number += 1
        if not line:
            return
        if len(line) > longest:
            raise InputError("segment-too-long", f"line {number} of {path} has more than {longest} bytes", (str(path), number))
        if number == 1:
            line = line.removeprefix(BYTE_ORDER_MARK)
        yield line if line.endswith(b"\n") else line + b"\n"
