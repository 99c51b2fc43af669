"""Severities of warnings."""

from typing import Final, Literal

__all__ = ["SEVERITIES", "Severity"]

# An error misleads the reader, breaks a program or leaves nothing usable. An info is a matter of style.
Severity = Literal["error", "warning", "info"]
SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "info")
