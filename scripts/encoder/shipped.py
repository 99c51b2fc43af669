"""Name, licence and day of the shipped cross-encoder."""

from typing import Final

__all__ = ["CARD", "CREATED", "LICENCE", "NAME"]

NAME: Final = "cross-e5-small"
CARD: Final = "cross-encoder.json"
LICENCE: Final = "CC-BY-SA-4.0"
# A fixed day, so that a rebuild gives equal bytes.
CREATED: Final = "2026-11-28"
