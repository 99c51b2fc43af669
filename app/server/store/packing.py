"""JSON as compressed bytes, as chunks and feedback are kept."""

import json
import zlib
from typing import Any

__all__ = ["pack", "unpack"]


def pack(value: object) -> bytes:
    """Compressed JSON; floats must be finite."""
    # ASCII escapes: whatever a string holds, it has bytes.
    return zlib.compress(json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii"), 1)


def unpack(raw: bytes) -> Any:
    """Value of packed bytes."""
    return json.loads(zlib.decompress(raw))
