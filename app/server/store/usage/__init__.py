"""Usage of callers: counts in the database, counts in memory, and limits."""

from app.server.store.usage.counting import JobAdmission, Usage, UsageStore, check_room, check_stored

__all__ = ["JobAdmission", "Usage", "UsageStore", "check_room", "check_stored"]
