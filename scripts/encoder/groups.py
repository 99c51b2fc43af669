"""Groups of pairs that a training leaves out, for the accuracy with pairs never seen."""

from typing import Final

__all__ = ["GROUPS"]

GROUPS: Final = (("ro-en", "en-zh", "si-en"), ("et-en", "en-de"), ("ru-en", "ne-en"))
