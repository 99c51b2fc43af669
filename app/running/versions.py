"""Numbers of versions, which grow with them."""

from typing import Final

from app import __version__

__all__ = ["VERSION_NUMBER", "version_number"]


def version_number(version: str) -> int:
    """A number that grows with versions, as 1002003 for 1.2.3; 0 for any other text."""
    parts = version.split(".")
    if len(parts) < 3 or not all(part.isdecimal() for part in parts[:3]):
        return 0
    major, minor, patch = map(int, parts[:3])
    return (major * 1000 + minor) * 1000 + patch


VERSION_NUMBER: Final = version_number(__version__)
