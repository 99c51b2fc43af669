"""The phrase-based systems that an engine has, and what they say beside segments."""

from app.engine.systems.evidence import (
    LIST_LENGTH,
    effort_of_evidence,
    kinds_from_systems,
    planned_evidence,
    with_evidence,
    with_planned_evidence,
)
from app.engine.systems.loaded import Systems

__all__ = [
    "LIST_LENGTH",
    "Systems",
    "effort_of_evidence",
    "kinds_from_systems",
    "planned_evidence",
    "with_evidence",
    "with_planned_evidence",
]
