"""Headers of language models: the kind of a file is checked before it is mapped or passed to C++."""

import gzip
import re
import struct
import zlib
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from types import MappingProxyType
from typing import Final

from app.errors import InputError

__all__ = [
    "ARRAY_KINDS", "PARAMETERS_SIZE", "PROBING_KINDS", "QUANTISED_KINDS", "SANITY_SIZE", "TRIE", "BinaryHeader", "not_a_model",
    "read_arpa_counts", "read_header",
]  # fmt: skip

MAGIC: Final = b"mmap lm http://kheafield.com/code format version 5\n"
# KenLM compares these bytes, with a number of each of its types, before it maps a file.
SANITY: Final = MAGIC.ljust(56, b"\0") + struct.pack("<fffIIIQ", 0.0, 1.0, -0.5, 1, 2**32 - 1, 0, 1)
SANITY_SIZE: Final = len(SANITY)
# Order, probing multiplier, kind, flag of words, version of the search.
PARAMETERS: Final = struct.Struct("<B3xfIB3xI")
PARAMETERS_SIZE: Final = PARAMETERS.size
# KenLM's ModelType. Bytes of weights in an entry of probing tables, without and with rest costs; all further kinds are tries.
PROBING_KINDS: Final = MappingProxyType({0: 8, 1: 12})
TRIE: Final = 2
QUANTISED_KINDS: Final = (3, 5)
ARRAY_KINDS: Final = (4, 5)
KINDS: Final = 6
LARGEST_MULTIPLIER: Final = 100.0
# The counts of an ARPA file stand in its first bytes.
ARPA_HEAD: Final = 4096
ARPA_COUNT: Final = re.compile(rb"ngram [0-9]{1,2}=([0-9]{1,15})")
# "0\ta\n", and the largest compression ratio of gzip.
SHORTEST_NGRAM: Final = 4
GZIP_RATIO: Final = 1032


@dataclass(frozen=True)
class BinaryHeader:
    """Header of a KenLM binary: `kind` is KenLM's ModelType, `counts` are numbers of n-grams by order.

    `multiplier` is the size of a probing table over its content; `words` is True if the words follow the tables.
    """

    order: int
    kind: int
    counts: tuple[int, ...]
    multiplier: float
    words: bool

    @property
    def size(self) -> int:
        """Number of bytes before the vocabulary."""
        return -(-(SANITY_SIZE + PARAMETERS_SIZE + 8 * self.order) // 8) * 8


def not_a_model(path: Path, reason: str) -> InputError:
    """Error with the file, the reason, and the accepted formats."""
    return InputError(
        "invalid-table",
        f"{path.name} {reason}; language models are KenLM binaries of format version 5 (probing, and tries, also quantised by -q "
        "and -b or with arrays compressed by -a) and ARPA files, plain or .gz",
    )


def read_header(path: Path) -> BinaryHeader | None:
    """Header of a KenLM binary, None for another file; InputError if it is damaged or of another version."""
    size = path.stat().st_size
    with path.open("rb") as file:
        start = file.read(SANITY_SIZE + PARAMETERS_SIZE + 8 * 255)
    if not start.startswith(MAGIC[:20]):
        return None
    if not start.startswith(SANITY):
        raise not_a_model(path, "is a KenLM binary of another version or machine, unfinished or cut short")
    if len(start) < SANITY_SIZE + PARAMETERS_SIZE:
        raise not_a_model(path, "is cut short")
    order, multiplier, kind, words, version = PARAMETERS.unpack_from(start, SANITY_SIZE)
    if len(start) < SANITY_SIZE + PARAMETERS_SIZE + 8 * order:
        raise not_a_model(path, "is cut short")
    counts = struct.unpack_from(f"<{order}Q", start, SANITY_SIZE + PARAMETERS_SIZE)
    # An n-gram takes at least one bit; larger counts would overflow the sums that locate the tables.
    if order < 2 or kind >= KINDS or not isfinite(multiplier) or not 1 < multiplier <= LARGEST_MULTIPLIER or max(counts) > 8 * size:
        raise not_a_model(path, "is damaged, or a model of order 1")
    if words > 1 or version != (0 if kind in PROBING_KINDS else 1):
        raise not_a_model(path, "is damaged, or has tables of another version")
    return BinaryHeader(order, kind, counts, multiplier, bool(words))


def read_arpa_counts(path: Path) -> tuple[int, ...] | None:
    r"""Numbers of n-grams by order in the header of an ARPA file; None if it does not begin with ``\data\``.

    InputError if the numbers exceed the size of the file, since KenLM would allocate memory for them.
    """
    with path.open("rb") as file:
        is_gzip = file.read(2) == b"\x1f\x8b"
    try:
        with gzip.open(path) if is_gzip else path.open("rb") as file:
            start = file.read(ARPA_HEAD).lstrip()
    except (OSError, EOFError, zlib.error):
        raise not_a_model(path, "is a damaged .gz file") from None
    if not start.startswith(b"\\data\\"):
        return None
    head = start.partition(b"-grams:")[0]
    counts = tuple(int(match[1]) for match in ARPA_COUNT.finditer(head))
    if sum(counts) * SHORTEST_NGRAM > path.stat().st_size * (GZIP_RATIO if is_gzip else 1):
        raise not_a_model(path, "lists more n-grams than it can hold")
    return counts
