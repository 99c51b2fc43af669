"""Uses of judgements in trainings, so that a caller who corrects or deletes a judgement sees the models trained on it."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import Engine as Database
from sqlalchemy import delete, insert, select
from sqlalchemy.orm import Session

from app.server.store.tables import FeedbackUseRow

__all__ = ["FeedbackUses"]

# Rows of one transaction; other writers come between two transactions.
BATCH: Final = 5000


class FeedbackUses:
    """Models by judgement; safe to use from any thread and process."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def note(self, model: str, feedback: Sequence[str]) -> None:
        """Record the judgements of a training before its model exists, in place of an earlier record of this name."""
        with Session(self._database) as session, session.begin():
            session.execute(delete(FeedbackUseRow).where(FeedbackUseRow.model == model))
        for begin in range(0, len(feedback), BATCH):
            rows = [{"feedback": id, "model": model} for id in feedback[begin : begin + BATCH]]
            with Session(self._database) as session, session.begin():
                session.execute(insert(FeedbackUseRow), rows)

    def models(self, feedback: str) -> list[str]:
        """Names of the models that learnt from a judgement, sorted."""
        query = select(FeedbackUseRow.model).where(FeedbackUseRow.feedback == feedback).order_by(FeedbackUseRow.model)
        with Session(self._database) as session:
            return list(session.scalars(query))
