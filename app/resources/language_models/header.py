"""The first bytes of language models: what a file is, before anything maps it or hands it to C++."""

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
    "ARRAYS", "FIXED_SIZE", "PROBING_KINDS", "QUANTISED", "SANITY_SIZE", "TRIE", "BinaryHeader", "not_a_model", "read_arpa_counts",
    "read_header",
]  # fmt: skip

MAGIC: Final = b"mmap lm http://kheafield.com/code format version 5\n"
# KenLM compares these bytes, which hold numbers of each of its types, before it maps a file.
SANITY: Final = MAGIC.ljust(56, b"\0") + struct.pack("<fffIIIQ", 0.0, 1.0, -0.5, 1, 2**32 - 1, 0, 1)
SANITY_SIZE: Final = len(SANITY)
# Order, probing multiplier, kind, whether words follow, version of the search.
FIXED: Final = struct.Struct("<B3xfIB3xI")
FIXED_SIZE: Final = FIXED.size
# KenLM's ModelType. Probing tables, and those with rest costs, have so many bytes of weights; all others are tries.
PROBING_KINDS: Final = MappingProxyType({0: 8, 1: 12})
TRIE: Final = 2
QUANTISED: Final = (3, 5)
ARRAYS: Final = (4, 5)
KINDS: Final = 6
MOST_PROBING: Final = 100.0
# The counts of an ARPA file stand in its first bytes.
ARPA_HEAD: Final = 4096
ARPA_COUNT: Final = re.compile(rb"ngram [0-9]{1,2}=([0-9]{1,15})")
# "0\ta\n", and how far gzip can shrink text.
SHORTEST_NGRAM: Final = 4
GZIP_RATIO: Final = 1032


@dataclass(frozen=True)
class BinaryHeader:
    """What a KenLM binary says of itself: `kind` is KenLM's ModelType, `counts` are n-grams by order.

    `multiplier` is how much larger than its content a probing table is; `words` whether the words stand behind the tables.
    """

    order: int
    kind: int
    counts: tuple[int, ...]
    multiplier: float
    words: bool

    @property
    def size(self) -> int:
        """Bytes before the vocabulary."""
        return -(-(SANITY_SIZE + FIXED_SIZE + 8 * self.order) // 8) * 8


def not_a_model(path: Path, reason: str) -> InputError:
    """The error that names the file, what is wrong with it, and what is accepted."""
    return InputError(
        "invalid-table",
        f"{path.name} {reason}; language models are KenLM binaries of format version 5 (probing, and tries, also quantised by -q "
        "and -b or with arrays compressed by -a) and ARPA files, plain or .gz",
    )


def read_header(path: Path) -> BinaryHeader | None:
    """The header of a KenLM binary, None where the file is none; InputError where it is damaged or of another version."""
    size = path.stat().st_size
    with path.open("rb") as file:
        start = file.read(SANITY_SIZE + FIXED_SIZE + 8 * 255)
    if not start.startswith(MAGIC[:20]):
        return None
    if not start.startswith(SANITY):
        raise not_a_model(path, "is a KenLM binary of another version or machine, unfinished or cut short")
    if len(start) < SANITY_SIZE + FIXED_SIZE:
        raise not_a_model(path, "is cut short")
    order, multiplier, kind, words, version = FIXED.unpack_from(start, SANITY_SIZE)
    if len(start) < SANITY_SIZE + FIXED_SIZE + 8 * order:
        raise not_a_model(path, "is cut short")
    counts = struct.unpack_from(f"<{order}Q", start, SANITY_SIZE + FIXED_SIZE)
    # An n-gram takes a bit at least: more of them would overflow the sums by which the tables are found.
    if order < 2 or kind >= KINDS or not isfinite(multiplier) or not 1 < multiplier <= MOST_PROBING or max(counts) > 8 * size:
        raise not_a_model(path, "is damaged, or a model of order 1")
    if words > 1 or version != (0 if kind in PROBING_KINDS else 1):
        raise not_a_model(path, "is damaged, or has tables of another version")
    return BinaryHeader(order, kind, counts, multiplier, bool(words))


def read_arpa_counts(path: Path) -> tuple[int, ...] | None:
    r"""How many n-grams of each order an ARPA file says it has, None where it does not begin with ``\data\``.

    InputError where it says more than a file of its size can hold, for which memory would be asked.
    """
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    try:
        with gzip.open(path) if packed else path.open("rb") as file:
            start = file.read(ARPA_HEAD).lstrip()
    except (OSError, EOFError, zlib.error):
        raise not_a_model(path, "is a damaged .gz file") from None
    if not start.startswith(b"\\data\\"):
        return None
    head = start.partition(b"-grams:")[0]
    counts = tuple(int(match[1]) for match in ARPA_COUNT.finditer(head))
    if sum(counts) * SHORTEST_NGRAM > path.stat().st_size * (GZIP_RATIO if packed else 1):
        raise not_a_model(path, "says that it has more n-grams than it can hold")
    return counts
