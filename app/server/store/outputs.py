"""Outputs of chunks and publications of a job, as its worker and its readers see them."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Engine as Database
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.server.store.packing import unpack
from app.server.store.tables import ChunkRow, PublicationRow

__all__ = ["read_outputs", "read_publication", "read_row"]


def read_outputs(database: Database, job: str) -> Iterator[Any]:
    """Outputs of all finished chunks in order, one in memory at a time."""
    number = 0
    while True:
        with Session(database) as session:
            query = select(ChunkRow.output).where(ChunkRow.job_id == job, ChunkRow.number == number)
            raw = session.scalars(query).first()
        if raw is None:
            return
        yield unpack(raw)
        number += 1


def read_row(database: Database, job: str, place: int) -> Any:
    """One output row, counted from 0, of a job with one output row per input row; None without such a row."""
    with Session(database) as session:
        sizes = select(ChunkRow.number, ChunkRow.rows).where(ChunkRow.job_id == job).order_by(ChunkRow.number)
        for number, rows in session.execute(sizes):
            if place < rows:
                raw = session.scalars(select(ChunkRow.output).where(ChunkRow.job_id == job, ChunkRow.number == number)).first()
                output = None if raw is None else unpack(raw)["rows"]
                return output[place] if output is not None and len(output) == rows else None
            place -= rows
    return None


def read_publication(database: Database, job: str, name: str) -> Any:
    """Value that a job last published under a name; None without one."""
    with Session(database) as session:
        raw = session.scalars(
            select(PublicationRow.content).where(PublicationRow.job_id == job, PublicationRow.name == name)
        ).first()
    return None if raw is None else unpack(raw)
