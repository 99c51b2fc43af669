"""Plain twins of kernels: features of splits with Python's integers, and all trees of a sentence."""

from collections.abc import Iterator, Sequence

from app.smt.preordering.feature_kernels import BASIC, GROUPS

MODULUS = 1 << 64
Split = tuple[int, int, int, int]


def combined(*parts: int) -> int:
    """Key of a sequence by the definition of `app.text.hashing.combine`."""
    key = parts[0]
    for part in parts[1:]:
        key = (key ^ (key >> 29)) * 0xBF58476D1CE4E5B9 % MODULUS
        key = (key + part) * 0x94D049BB133111EB % MODULUS
        key ^= key >> 32
    return key


def slots(rows: Sequence[Sequence[int]], begin: int, middle: int, end: int, above: int, mask: int) -> list[int]:
    """Slots of the features of a split; rows have the hashes of each word."""
    columns = range(len(rows[0]))
    sites = [
        begin - 1, begin, middle - 2 if middle - 2 >= begin else -1, middle - 1,
        middle, middle + 1 if middle + 1 < end else -1, end - 1, end,
    ]  # fmt: skip
    values = [[rows[site][column] if 0 <= site < len(rows) else 0 for site in sites] for column in columns]
    groups = [(column, template) for column in columns for template in BASIC.tolist()]
    groups += [(column, template) for column in (columns[1:] or columns) for template in GROUPS.tolist()]
    keys = [combined(n, *(values[column][site] for site in row if site >= 0)) for n, (column, row) in enumerate(groups, 1)]
    if len(columns) > 1:
        number = len(groups)
        for first, second in ((3, 4), (1, 6)):
            keys += [
                combined(number + 1, values[0][first], values[1][second]),
                combined(number + 2, values[1][first], values[0][second]),
            ]
            number += 2
    tags = values[1] if len(columns) > 1 else values[0]
    left, right = middle - begin, end - middle
    balance = 1 + (left > right) + 2 * (left == right)
    parts = combined(min(left, 8), min(right, 8))
    last = [
        combined(1, parts), combined(2, balance, above + 1), combined(3, parts, tags[3], tags[4]), combined(4, balance, tags[1], tags[6]),
        combined(5, above + 1), combined(6, above + 1, tags[3], tags[4]), combined(7, above + 1, tags[1], tags[6]),
        combined(8, above + 1, tags[0], tags[7]),
    ]  # fmt: skip
    return [key & mask for key in [*keys, *(combined(9, key) for key in last)]]


def trees(begin: int, end: int) -> Iterator[list[Split]]:
    """All trees over a span, as splits with each left part before the right one."""
    if end - begin == 1:
        yield []
        return
    for middle in range(begin + 1, end):
        for left in trees(begin, middle):
            for right in trees(middle, end):
                for inverted in (0, 1):
                    yield [(begin, middle, end, inverted), *left, *right]


def order(splits: Sequence[Split], begin: int, end: int) -> list[int]:
    """Positions of a span in output order."""
    if end - begin == 1:
        return [begin]
    ((middle, inverted),) = [(m, o) for b, m, e, o in splits if (b, e) == (begin, end)]
    parts = [order(splits, begin, middle), order(splits, middle, end)]
    return [position for part in (parts[::-1] if inverted else parts) for position in part]


def score(rows: Sequence[Sequence[int]], splits: Sequence[Split], weights: Sequence[Sequence[float]]) -> float:
    """Sum of the weights of all features of a tree."""
    above: dict[tuple[int, int], int] = {}
    total = 0.0
    for begin, middle, end, inverted in splits:
        above[begin, middle], above[middle, end] = 1 + 2 * inverted, 2 + 2 * inverted
        total += sum(
            weights[slot][inverted] for slot in slots(rows, begin, middle, end, above.get((begin, end), 0), len(weights) - 1)
        )
    return total
