"""Users' feedback on translations with its origin, stored until it is deleted; trainings read it."""

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final
from uuid import uuid4

from sqlalchemy import ColumnElement, Connection, delete, func, insert, or_, select
from sqlalchemy import Engine as Database
from sqlalchemy.orm import Session

from app.errors import InputError
from app.operations.judgements.feedback import FeedbackCount, FeedbackItem
from app.operations.judgements.records import PAGE_CHARACTERS, Correct, FeedbackFilter, KeptJudgement, characters_of, no_judgement
from app.operations.operation import Judgement
from app.running.rates import Room
from app.server.store.audit import Actor, Detail, record
from app.server.store.packing import pack, unpack
from app.server.store.tables import FeedbackRow, FeedbackUseRow
from app.server.store.usage import check_room

__all__ = ["FeedbackStore", "is_held_back", "put_judgement", "withdraw_judgement"]

Json = dict[str, Any]
# One source in this many is never trained on.
HELD_BACK: Final = 5
BATCH: Final = 500
# Rows that are fetched at once where each may hold sixty thousand characters.
SMALL_COUNT: Final = 20


def is_held_back(source: str) -> bool:
    """Return True if feedback on this source is held back from training. The source's hash decides: repetitions stay together."""
    digest = hashlib.sha256(source.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") % HELD_BACK == 0


class FeedbackStore:
    """All reading and writing of feedback, the `FeedbackSource` of plans; safe to use from any thread and process."""

    def __init__(
        self,
        database: Database,
        owner: str | None = None,
        most_bytes: int | None = None,
        by: Actor | None = None,
        check: Callable[[Connection], None] | None = None,
    ) -> None:
        """Feedback of all owners, or of one owner with a limit of stored bytes over all data; changes are recorded for `by`.

        `check` is asked in each transaction that writes, and raises where nothing may be written any more.
        """
        self._database = database
        self._check = check
        self._owner = owner
        self._most_bytes = most_bytes
        self._by = by

    def of(self, owner: str, most_bytes: int | None = None) -> "FeedbackStore":
        """Feedback of one owner, with a limit of stored bytes over all data."""
        return FeedbackStore(self._database, owner, most_bytes, self._by, self._check)

    def changed_by(self, actor: Actor, check: Callable[[Connection], None] | None = None) -> "FeedbackStore":
        """Feedback whose changes are recorded for an actor, who must pass `check`."""
        return FeedbackStore(self._database, self._owner, self._most_bytes, actor, check)

    def add(self, items: Sequence[FeedbackItem]) -> list[str]:
        """Store all judgements or none; return their ids. QuotaError above the owner's limit of storage."""
        now = time.time()
        rows = [_row_of(item, self._owner or "", now) for item in items]
        with Session(self._database) as session, session.begin():
            session.execute(insert(FeedbackRow), rows)
            if self._check is not None:
                self._check(session.connection())
            check_room(session.connection(), self._owner or "", Room(stored_bytes=self._most_bytes))
            first = items[0]
            about: Detail = {"segments": len(rows), "pair": first.pair, "label": first.label}
            record(session, self._by, "given", "feedback", str(rows[0]["id"]), about)
        return [str(row["id"]) for row in rows]

    def counts(self, since: float = 0.0) -> list[FeedbackCount]:
        """Counts of each pair and label, received at `since` (seconds since 1970) or later."""
        query = (
            select(FeedbackRow.pair, FeedbackRow.label, func.count(), func.sum(FeedbackRow.held_back))
            .where(FeedbackRow.created > since, *self._owned())
            .group_by(FeedbackRow.pair, FeedbackRow.label)
            .order_by(FeedbackRow.pair, FeedbackRow.label)
        )
        with Session(self._database) as session:
            return [
                FeedbackCount(pair, label, int(count), int(held_back)) for pair, label, count, held_back in session.execute(query)
            ]

    def judgements(self, pair: str, label: str) -> Iterator[Judgement]:
        """Every judgement of a pair and label, the oldest first."""
        query = (
            select(FeedbackRow)
            .where(FeedbackRow.pair == pair, FeedbackRow.label == label, *self._owned())
            .order_by(FeedbackRow.created, FeedbackRow.id)
        )
        with Session(self._database) as session:
            for row in session.scalars(query.execution_options(yield_per=BATCH)):
                yield Judgement(row.id, row.value, bool(row.held_back), _content(row), row.model)

    def page(self, wanted: FeedbackFilter, limit: int, after: KeptJudgement | None = None) -> list[KeptJudgement]:
        """At most `limit` judgements, the newest first, from behind one of them, which may have been deleted meanwhile."""
        query = select(FeedbackRow).where(*self._owned(), *_conditions(wanted))
        if after is not None:
            older = FeedbackRow.created < after.created
            query = query.where(or_(older, (FeedbackRow.created == after.created) & (FeedbackRow.id > after.id)))
        query = query.order_by(FeedbackRow.created.desc(), FeedbackRow.id).limit(limit).execution_options(yield_per=SMALL_COUNT)
        page, characters = [], 0
        with Session(self._database) as session:
            for row in session.scalars(query):
                page.append(_judgement(row))
                characters += characters_of(page[-1])
                # One more than a page may hold says that there is more.
                if characters > PAGE_CHARACTERS and len(page) > 1:
                    break
        return page

    def get(self, id: str) -> KeptJudgement:
        """One judgement, or InputError."""
        with Session(self._database) as session:
            return _judgement(self._row(session, id))

    def correct(self, id: str, correct: Correct) -> KeptJudgement:
        """Replace a locked judgement by the result of `correct`. InputError for an unknown id."""
        with Session(self._database) as session, session.begin():
            row = self._row(session, id, lock=True)
            before = _judgement(row)
            item = correct(before)
            row.value, row.label, row.content = item.value, item.label, pack(dict(item.content))
            grows = len(row.content) > row.stored_bytes
            row.stored_bytes = len(row.content)
            session.flush()
            if self._check is not None:
                self._check(session.connection())
            if grows:
                check_room(session.connection(), row.owner, Room(stored_bytes=self._most_bytes))
            return replace(before, item=item)

    def delete(self, id: str) -> KeptJudgement:
        """Delete a judgement and the record of its use; return it. InputError for an unknown id."""
        with Session(self._database) as session, session.begin():
            row = self._row(session, id, lock=True)
            before = _judgement(row)
            session.execute(delete(FeedbackUseRow).where(FeedbackUseRow.feedback == id))
            session.delete(row)
            return before

    def _row(self, session: Session, id: str, lock: bool = False) -> FeedbackRow:
        query = select(FeedbackRow).where(FeedbackRow.id == id, *self._owned())
        row = session.scalars(query.with_for_update() if lock else query).first()
        if row is None:
            raise no_judgement()
        return row

    def _owned(self) -> list[ColumnElement[bool]]:
        return [] if self._owner is None else [FeedbackRow.owner == self._owner]


def put_judgement(session: Session, id: str | None, owner: str, item: FeedbackItem) -> str:
    """Replace a judgement, or add it if the old one is gone, in the caller's transaction; return its id."""
    row = None if id is None else session.get(FeedbackRow, id, with_for_update=True)
    if row is None:
        values = _row_of(item, owner, time.time())
        session.execute(insert(FeedbackRow), [values])
        return str(values["id"])
    row.value, row.label, row.content = item.value, item.label, pack(dict(item.content))
    row.stored_bytes = len(row.content)
    return row.id


def withdraw_judgement(session: Session, id: str | None) -> None:
    """Delete a judgement, if it exists, and the record of its use, in the caller's transaction."""
    if id is not None:
        session.execute(delete(FeedbackUseRow).where(FeedbackUseRow.feedback == id))
        session.execute(delete(FeedbackRow).where(FeedbackRow.id == id))


def _row_of(item: FeedbackItem, owner: str, now: float) -> dict[str, Any]:
    content = pack(dict(item.content))
    return {
        "id": uuid4().hex, "created": now, "pair": item.pair, "label": item.label, "value": item.value,
        "held_back": int(is_held_back(item.content["source"])), "model": item.model, "origin": item.origin,
        "content": content, "owner": owner, "stored_bytes": len(content),
    }  # fmt: skip


def _conditions(query: FeedbackFilter) -> Iterator[ColumnElement[bool]]:
    for column, value in (
        (FeedbackRow.pair, query.pair),
        (FeedbackRow.label, query.label),
        (FeedbackRow.model, query.model),
        (FeedbackRow.origin, query.origin),
    ):
        if value is not None:
            yield column == value
    if query.pairs is not None:
        yield FeedbackRow.pair.in_(sorted(query.pairs))
    if query.since is not None:
        yield FeedbackRow.created >= query.since


def _judgement(row: FeedbackRow) -> KeptJudgement:
    item = FeedbackItem(row.pair, row.label, row.value, row.model, row.origin, _content(row) or {})
    return KeptJudgement(row.id, row.created, bool(row.held_back), row.owner, item)


def _content(row: FeedbackRow) -> Json | None:
    """The texts and side information; None for content that cannot be read."""
    try:
        content = unpack(row.content)
    except (InputError, RecursionError):
        return None
    return content if isinstance(content, dict) else None
