"""Optional evidence beside the segments: doubts of the MT system, its alternatives, translations by other systems."""

from app.text.side_information.columns import NO_SIDE_INFORMATION, SideInformation, kinds_in
from app.text.side_information.kind import GivenPart, Kind, Location, Read
from app.text.side_information.kinds import KINDS, ListEntry, LogProbs
from app.text.side_information.requests import check_side_information, kinds_of_files, read_side_information, segment_fields

__all__ = [
    "KINDS",
    "NO_SIDE_INFORMATION",
    "GivenPart",
    "Kind",
    "ListEntry",
    "Location",
    "LogProbs",
    "Read",
    "SideInformation",
    "check_side_information",
    "kinds_in",
    "kinds_of_files",
    "read_side_information",
    "segment_fields",
]
