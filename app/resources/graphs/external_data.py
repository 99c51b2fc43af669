"""Check that a model in ONNX names no further files: such a model could read any file of the machine."""

from collections.abc import Iterator
from typing import Final

__all__ = ["DamagedModelError", "names_files"]

VARINT, EIGHT_BYTES, BYTES, FOUR_BYTES = 0, 1, 2, 5
# Kinds of messages by the numbers of fields in onnx.proto.
FIELDS: Final = {
    "model": {7: "graph", 25: "function"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "function": {7: "node", 11: "attribute"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
    "tensor": {},
}
EXTERNAL_DATA, DATA_LOCATION = 13, 14
DEEPEST: Final = 64


class DamagedModelError(ValueError):
    """The file is no model in ONNX, or a damaged one."""


def names_files(data: memoryview) -> bool:
    """Return True if a tensor of the model has its numbers in another file; DamagedModelError if it is no model."""
    messages = [("model", data, 0)]
    graphs = 0
    while messages:
        kind, message, depth = messages.pop()
        graphs += kind == "graph"
        if depth > DEEPEST:
            raise DamagedModelError("graphs are nested too deeply")
        for number, value in _fields(message):
            if kind == "tensor" and (number == EXTERNAL_DATA or (number == DATA_LOCATION and value != 0)):
                return True
            inner = FIELDS[kind].get(number)
            if inner is not None:
                if not isinstance(value, memoryview):
                    raise DamagedModelError(f"a {inner} is a number")
                messages.append((inner, value, depth + 1))
    if not graphs:
        raise DamagedModelError("no graph")
    return False


def _fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    position = 0
    while position < len(message):
        key, position = _varint(message, position)
        wire = key & 7
        if wire == VARINT:
            value, position = _varint(message, position)
            yield key >> 3, value
            continue
        if wire == BYTES:
            size, position = _varint(message, position)
        elif wire in (EIGHT_BYTES, FOUR_BYTES):
            size = 8 if wire == EIGHT_BYTES else 4
        else:
            raise DamagedModelError("a field has an unknown wire type")
        if position + size > len(message):
            raise DamagedModelError("a field ends beyond the file")
        yield key >> 3, message[position : position + size]
        position += size


def _varint(message: memoryview, position: int) -> tuple[int, int]:
    value = shift = 0
    while position < len(message) and shift < 70:
        byte = message[position]
        value |= (byte & 127) << shift
        position += 1
        if byte < 128:
            return value, position
        shift += 7
    raise DamagedModelError("a number does not end")
