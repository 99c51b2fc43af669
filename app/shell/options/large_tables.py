"""Options of commands that also work on tables of any size, file by file."""

from dataclasses import dataclass
from typing import Annotated, Literal

from app.shell.declaration.fields import option

__all__ = ["LargeTableOptions"]

PANEL = "Tables of any size"


@dataclass(frozen=True, kw_only=True)
class LargeTableOptions:
    """Options of results in files."""

    out: Annotated[
        str | None, option(help="Folder or address, as s3://bucket/scored: results of Parquet, Arrow, TSV, JSONL.", panel=PANEL)
    ] = None
    columns: Annotated[str | None, option(help="Columns, as source=src,translation=mt,result=score.", panel=PANEL)] = None
    out_format: Annotated[
        Literal["parquet", "arrow", "tsv", "jsonl"] | None,
        option(help="Kind of the results; default: that of the files.", panel=PANEL),
    ] = None
    processes: Annotated[int | None, option(min=1, help="Processes; default: one per processor.", panel=PANEL)] = None
    cluster: Annotated[str | None, option(help="Cluster of Ray, as ray://host:10001, or auto.", panel=PANEL)] = None
