"""The files that jobs came in, kept in pieces beside them."""

import zlib
from collections.abc import Iterator, Mapping
from typing import BinaryIO, Final

from sqlalchemy import Engine as Database
from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from app.store.tables import FileRow

__all__ = ["read_file_of", "write_files"]

PIECE: Final = 1 << 20


def write_files(session: Session, job: str, files: Mapping[str, BinaryIO]) -> int:
    """Keep the files of a job by their role, each read from its beginning; how many bytes they take."""
    stored = 0
    for role, file in files.items():
        file.seek(0)
        for number, piece in enumerate(_pieces(file)):
            content = zlib.compress(piece, 1)
            stored += len(content)
            session.execute(insert(FileRow).values(job_id=job, role=role, number=number, content=content))
    return stored


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    while piece := file.read(PIECE):
        yield piece


def read_file_of(database: Database, job: str, role: str) -> bytes | None:
    """A file of a job; None where there is none in that role."""
    query = select(FileRow.content).where(FileRow.job_id == job, FileRow.role == role).order_by(FileRow.number)
    with Session(database) as session:
        pieces = [zlib.decompress(piece) for piece in session.scalars(query)]
    return b"".join(pieces) if pieces else None
