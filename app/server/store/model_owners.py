"""Owners of models. A model without an owner, such as a shipped one, is for all callers."""

import threading
from typing import Final

from sqlalchemy import Engine as Database
from sqlalchemy import delete, insert, select
from sqlalchemy.orm import Session

from app.server.store.tables import ModelOwnerRow

__all__ = ["ModelOwners"]


# The name of a deleted model is free for another owner.
CACHE_SECONDS: Final = 60.0


class ModelOwners:
    """Owners by model; safe to use from any thread. An owner is written down before the model is there, and stays as long as it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._owners: dict[str, str] = {}
        self._version: int | None = None

    def claim(self, model: str, owner: str) -> None:
        """Record the owner of a model before it exists, in place of an unused claim."""
        with Session(self._database) as session, session.begin():
            session.execute(delete(ModelOwnerRow).where(ModelOwnerRow.model == model))
            session.execute(insert(ModelOwnerRow).values(model=model, owner=owner))

    def of(self, owner: str) -> list[str]:
        """Names of an owner's models, sorted; some may not exist yet."""
        with Session(self._database) as session:
            return list(
                session.scalars(select(ModelOwnerRow.model).where(ModelOwnerRow.owner == owner).order_by(ModelOwnerRow.model))
            )

    def release(self, model: str) -> None:
        """Delete the record of a deleted model's owner."""
        with Session(self._database) as session, session.begin():
            session.execute(delete(ModelOwnerRow).where(ModelOwnerRow.model == model))

    def owner_of(self, model: str, version: int) -> str | None:
        """The owner of a model; None for a model of all callers.

        `version` is that of the registry in which the caller has seen the model. A claim is older than its model. So claims read
        at a version hold for all models of that version, and for no later ones.
        """
        with self._lock:
            if self._version != version:
                with Session(self._database) as session:
                    self._owners = {row.model: row.owner for row in session.scalars(select(ModelOwnerRow))}
                self._version = version
            return self._owners.get(model)
