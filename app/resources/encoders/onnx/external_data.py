"""Whether a model in ONNX names other files: such a model could have any file of the machine read."""

from collections.abc import Iterator
from typing import Final

__all__ = ["DamagedModelError", "names_files"]

VARINT, EIGHT_BYTES, BYTES, FOUR_BYTES = 0, 1, 2, 5
# Messages by the numbers of their fields in onnx.proto: which fields hold which messages.
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
    """Not a model in ONNX, or a damaged one."""


def names_files(data: memoryview) -> bool:
    """Whether a tensor, at whatever place of the model, has its numbers in another file."""
    waiting = [("model", data, 0)]
    graphs = 0
    while waiting:
        kind, message, depth = waiting.pop()
        graphs += kind == "graph"
        if depth > DEEPEST:
            raise DamagedModelError("graphs in graphs, too deep")
        for number, value in _fields(message):
            if kind == "tensor" and (number == EXTERNAL_DATA or (number == DATA_LOCATION and value != 0)):
                return True
            inner = FIELDS[kind].get(number)
            if inner is not None:
                if not isinstance(value, memoryview):
                    raise DamagedModelError(f"a {inner} that is a number")
                waiting.append((inner, value, depth + 1))
    if not graphs:
        raise DamagedModelError("no graph")
    return False


def _fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        wire = key & 7
        if wire == VARINT:
            value, at = _varint(message, at)
            yield key >> 3, value
            continue
        if wire == BYTES:
            size, at = _varint(message, at)
        elif wire in (EIGHT_BYTES, FOUR_BYTES):
            size = 8 if wire == EIGHT_BYTES else 4
        else:
            raise DamagedModelError("a field of no kind")
        if at + size > len(message):
            raise DamagedModelError("a field beyond the end")
        yield key >> 3, message[at : at + size]
        at += size


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(message) and shift < 70:
        byte = message[at]
        value |= (byte & 127) << shift
        at += 1
        if byte < 128:
            return value, at
        shift += 7
    raise DamagedModelError("a number without end")
