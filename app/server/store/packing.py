"""JSON as compressed bytes, as chunks and feedback are kept."""

import json
import zlib
from typing import Any

from app.errors import InputError

__all__ = ["decompressed", "pack", "unpack"]


def pack(value: object) -> bytes:
    """Compressed JSON; floats must be finite."""
    # ASCII escapes: whatever a string holds, it has bytes.
    return zlib.compress(json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii"), 1)


def unpack(raw: bytes) -> Any:
    """Value of packed bytes; InputError for damaged bytes."""
    try:
        return json.loads(decompressed(raw))
    except ValueError as error:
        raise _damage_error() from error


def decompressed(raw: bytes) -> bytes:
    """Content of compressed bytes; InputError for damaged bytes."""
    try:
        return zlib.decompress(raw)
    except zlib.error as error:
        raise _damage_error() from error


def _damage_error() -> InputError:
    # The database itself answers, so that nothing is tried again.
    return InputError("database-damaged", "stored data cannot be read; restore the last good backup, or send the job again")
