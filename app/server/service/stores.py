"""Parts of the service that need the database, made when it is open."""

from dataclasses import dataclass

from sqlalchemy import Engine as Database

from app.server.service.authentication import Authenticator
from app.server.store import FeedbackStore, FeedbackUses, JobStore, KeyStore, ModelOwners
from app.server.upkeep.disk_space import DiskSpace
from app.server.upkeep.forgetting import Forgetting
from app.settings import Settings

__all__ = ["Stores"]


@dataclass(frozen=True)
class Stores:
    """Stores of an open database, and the parts of the service that read and write them."""

    jobs: JobStore
    feedback: FeedbackStore
    feedback_uses: FeedbackUses
    model_owners: ModelOwners
    disk_space: DiskSpace
    forgetting: Forgetting
    authenticator: Authenticator

    @classmethod
    def of(cls, database: Database, settings: Settings) -> "Stores":
        """Open every store of a database."""
        return cls(
            JobStore(database),
            FeedbackStore(database),
            FeedbackUses(database),
            ModelOwners(database),
            DiskSpace(settings, database),
            Forgetting(database, settings),
            Authenticator(KeyStore(database)),
        )
