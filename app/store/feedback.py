"""What users said of translations, kept with its origin until a training takes it up."""

import hashlib
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from uuid import uuid4

from sqlalchemy import ColumnElement, func, insert, select
from sqlalchemy import Engine as Database
from sqlalchemy.orm import Session

from app.operations.feedback import FeedbackCount, FeedbackItem
from app.store.packing import pack, unpack
from app.store.tables import FeedbackRow

__all__ = ["FeedbackStore", "is_held_back"]

Json = dict[str, Any]
# One source in this many is never trained on.
HELD_BACK: Final = 5
BATCH: Final = 500


def is_held_back(source: str) -> bool:
    """Whether what is said of this source is kept from training: by the source's hash, so that repetitions stay together."""
    digest = hashlib.sha256(source.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") % HELD_BACK == 0


class FeedbackStore:
    """All reading and writing of feedback, the `FeedbackSource` of plans; safe to use from any thread and process."""

    def __init__(self, database: Database, owner: str | None = None) -> None:
        """All feedback, or that of one owner."""
        self._database = database
        self._owner = owner

    def of(self, owner: str) -> "FeedbackStore":
        """What belongs to one owner."""
        return FeedbackStore(self._database, owner)

    def add(self, items: Sequence[FeedbackItem]) -> list[str]:
        """Keep all of them, or none; their ids."""
        now = time.time()
        rows = [
            {
                "id": uuid4().hex, "created": now, "pair": item.pair, "label": item.label, "value": item.value,
                "held_back": int(is_held_back(item.content["source"])), "model": item.model, "origin": item.origin,
                "content": pack(dict(item.content)), "owner": self._owner or "",
            }
            for item in items
        ]  # fmt: skip
        with Session(self._database) as session, session.begin():
            session.execute(insert(FeedbackRow), rows)
        return [str(row["id"]) for row in rows]

    def counts(self, since: float = 0.0) -> list[FeedbackCount]:
        """How much there is of each pair and label, of what came after `since` (seconds since 1970)."""
        query = (
            select(FeedbackRow.pair, FeedbackRow.label, func.count(), func.sum(FeedbackRow.held_back))
            .where(FeedbackRow.created > since, *self._owned())
            .group_by(FeedbackRow.pair, FeedbackRow.label)
            .order_by(FeedbackRow.pair, FeedbackRow.label)
        )
        with Session(self._database) as session:
            return [FeedbackCount(pair, label, int(count), int(held)) for pair, label, count, held in session.execute(query)]

    def read(self, pair: str, label: str) -> Iterator[tuple[FeedbackItem, bool]]:
        """Every judgement of a pair and label, the oldest first, and whether it is held back."""
        query = (
            select(FeedbackRow)
            .where(FeedbackRow.pair == pair, FeedbackRow.label == label, *self._owned())
            .order_by(FeedbackRow.created, FeedbackRow.id)
        )
        with Session(self._database) as session:
            for row in session.scalars(query.execution_options(yield_per=BATCH)):
                item = FeedbackItem(row.pair, row.label, row.value, row.model, row.origin, unpack(row.content))
                yield item, bool(row.held_back)

    def _owned(self) -> list[ColumnElement[bool]]:
        return [] if self._owner is None else [FeedbackRow.owner == self._owner]

    def judgements(self, pair: str, label: str) -> Iterator[tuple[float, bool, Mapping[str, Any]]]:
        """Value, whether it is held back from training, and texts with side information of every judgement, the oldest first."""
        for item, held_back in self.read(pair, label):
            yield item.value, held_back, item.content
