"""What may be sent beside the segments: the MT system's own doubts, its other translations, those of other systems."""

from app.text.side_information.columns import NO_SIDE_INFORMATION, SideInformation, kinds_in
from app.text.side_information.kind import Kind, Place, Read
from app.text.side_information.kinds import (
    KINDS,
    ListEntry,
    LogProbs,
)
from app.text.side_information.requests import (
    check_side_information,
    kinds_beside,
    read_side_information,
    segment_fields,
)

__all__ = [
    "KINDS",
    "NO_SIDE_INFORMATION",
    "Kind",
    "ListEntry",
    "LogProbs",
    "Place",
    "Read",
    "SideInformation",
    "check_side_information",
    "kinds_beside",
    "kinds_in",
    "read_side_information",
    "segment_fields",
]
