"""The files that jobs came in, kept in pieces beside them."""

import zlib
from collections.abc import Iterator, Mapping
from typing import BinaryIO, Final

from sqlalchemy import Engine as Database
from sqlalchemy import delete, func, insert, select
from sqlalchemy.orm import Session

from app.server.store.packing import decompressed
from app.server.store.tables import FileRow

__all__ = ["OUTPUT_PREFIX", "drop_pieces", "pieces_of", "put_piece", "read_file_of", "write_files"]

PIECE: Final = 1 << 20
# Prefix of the roles of files that a job's steps made; other files are input.
OUTPUT_PREFIX: Final = "made-"


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
    """A file of a job; None without a file in that role."""
    query = select(FileRow.content).where(FileRow.job_id == job, FileRow.role == role).order_by(FileRow.number)
    with Session(database) as session:
        pieces = [decompressed(piece) for piece in session.scalars(query)]
    return b"".join(pieces) if pieces else None


def pieces_of(database: Database, job: str, role: str) -> Iterator[bytes]:
    """Content of a file in pieces, one in memory at a time; empty without a file in that role."""
    number = 0
    while True:
        query = select(FileRow.content).where(FileRow.job_id == job, FileRow.role == role, FileRow.number == number)
        with Session(database) as session:
            piece = session.scalars(query).first()
        if piece is None:
            return
        yield decompressed(piece)
        number += 1


def put_piece(session: Session, job: str, role: str, number: int, piece: bytes) -> int:
    """Store a piece in place of the old one; return the growth of the job in bytes."""
    conditions = (FileRow.job_id == job, FileRow.role == role, FileRow.number == number)
    before = session.scalar(select(func.length(FileRow.content)).where(*conditions)) or 0
    content = zlib.compress(piece, 1)
    session.merge(FileRow(job_id=job, role=role, number=number, content=content))
    return len(content) - int(before)


def drop_pieces(session: Session, job: str, role: str, begin: int) -> int:
    """Delete the pieces of a file from one on; how many bytes they took."""
    conditions = (FileRow.job_id == job, FileRow.role == role, FileRow.number >= begin)
    size = session.scalar(select(func.sum(func.length(FileRow.content))).where(*conditions)) or 0
    session.execute(delete(FileRow).where(*conditions))
    return int(size)
