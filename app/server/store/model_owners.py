"""Owners of models. A model that nobody owns, as those that ship, is everybody's."""

import threading
from typing import Final

from sqlalchemy import Engine as Database
from sqlalchemy import delete, insert, select
from sqlalchemy.orm import Session

from app.server.store.tables import ModelOwnerRow

__all__ = ["ModelOwners"]


# A model that was deleted leaves its name to whoever makes another.
CACHE_SECONDS: Final = 60.0


class ModelOwners:
    """Owners by model; safe to use from any thread. An owner is written down before the model is there, and stays as long as it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._owners: dict[str, str] = {}
        self._version: int | None = None

    def claim(self, model: str, owner: str) -> None:
        """Write down whose a model will be; a claim that came to nothing before is replaced."""
        with Session(self._database) as session, session.begin():
            session.execute(delete(ModelOwnerRow).where(ModelOwnerRow.model == model))
            session.execute(insert(ModelOwnerRow).values(model=model, owner=owner))

    def of(self, owner: str) -> list[str]:
        """Names of the models that belong to somebody, sorted; some may not be there yet."""
        with Session(self._database) as session:
            return list(
                session.scalars(select(ModelOwnerRow.model).where(ModelOwnerRow.owner == owner).order_by(ModelOwnerRow.model))
            )

    def release(self, model: str) -> None:
        """Forget whose a model was that is deleted."""
        with Session(self._database) as session, session.begin():
            session.execute(delete(ModelOwnerRow).where(ModelOwnerRow.model == model))

    def owner_of(self, model: str, version: int) -> str | None:
        """The owner of a model that is there; None where it is everybody's.

        `version` is that of the registry in which the caller has seen the model. A claim is older than its model. So claims read
        at a version hold for all models of that version, and for no later ones.
        """
        with self._lock:
            if self._version != version:
                with Session(self._database) as session:
                    self._owners = {row.model: row.owner for row in session.scalars(select(ModelOwnerRow))}
                self._version = version
            return self._owners.get(model)
