"""`assay smt profile-reordering` and `assay smt preorder evaluate`: word-aligned text, and word orders against its links."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Int64s
from app.errors import InputError
from app.shell.declaration.forms import Format
from app.shell.output import print_json, print_rows
from app.smt.commands.corpus.reordering_page import reordering_page
from app.smt.commands.options.corpus.word_order import EvaluateOrdersOptions, ProfileReorderingOptions
from app.smt.corpus.phrases.aligned_chunks import read_aligned
from app.smt.preordering.evaluation import evaluate_orders
from app.smt.preordering.gold import linked_places, mean_places
from app.smt.preordering.profile import ReorderingProfile, profile_of, read_profile
from app.text.reading.lines import TextFile

__all__ = ["evaluate", "profile"]

# Colours of plots are told apart up to so many corpora, with the first.
BESIDE_LIMIT: Final = 7


def profile(options: ProfileReorderingOptions) -> None:
    """Count how the target reorders the source: trees of each sentence's phrases, their operators, distances of steps."""
    name = f"{options.source.name} to {options.target.name}"
    profiles_beside = _profiles_beside(options.beside or (), name)
    profiles = {name: profile_of(_sentences(options)), **profiles_beside}
    if options.form == "html":
        print(reordering_page(profiles))
    elif options.form == "json":
        fields = {name: counts.as_json() for name, counts in profiles.items()}
        print_json(fields if options.beside else next(iter(fields.values())))
    else:
        print_rows(_rows(profiles), Format(options.form))


def _profiles_beside(files: Sequence[str], own_name: str) -> dict[str, ReorderingProfile]:
    """Profiles of --beside by name; InputError for names that are equal, or equal to `own_name`."""
    profiles: dict[str, ReorderingProfile] = {}
    for text in files:
        name, separator, file = text.partition("=")
        if not separator or Path(text).exists():
            name, file = Path(text).stem, text
        if not name.isprintable() or name == "measure":
            raise InputError("invalid-request", "a name of a profile has printable characters, and is not measure", ("--beside",))
        if name in profiles or name == own_name:
            raise InputError("invalid-request", f"{name} is given twice; name the profiles, as in a={file}", ("--beside",))
        profiles[name] = read_profile(Path(file))
    if len(profiles) > BESIDE_LIMIT:
        raise InputError("invalid-request", f"at most {BESIDE_LIMIT} profiles stand beside one", ("--beside",))
    return profiles


def _sentences(options: ProfileReorderingOptions | EvaluateOrdersOptions) -> Iterator[tuple[int, Int64s]]:
    for chunk in read_aligned(options.source, options.target, options.links):
        links = np.stack([chunk.links_source, chunk.links_target], axis=1).astype(np.int64)
        lengths = np.diff(chunk.source.offsets)
        for row in range(len(chunk)):
            yield int(lengths[row]), links[chunk.link_offsets[row] : chunk.link_offsets[row + 1]]


def _rows(profiles: Mapping[str, ReorderingProfile]) -> list[dict[str, str | int | float]]:
    """Table with the summary before the distributions, and a column for each corpus; a single one has the column `value`."""
    names = list(profiles) if len(profiles) > 1 else ["value"]
    columns = [list(profiles[name].as_json().items()) for name in profiles]
    rows: list[dict[str, str | int | float]] = []
    for fields in zip(*columns, strict=True):
        values = [value for _, value in fields]
        if isinstance(values[0], int | float):
            rows.append({"measure": fields[0][0], **dict(zip(names, values, strict=True))})
    for kind in ("arities", "operators", "distances"):
        distributions = [getattr(counts, kind) for counts in profiles.values()]
        keys = {key for distribution in distributions for key in distribution}
        for key in sorted(keys, key=lambda key: (len(str(key)), str(key))):
            counts = [distribution.get(key, 0) for distribution in distributions]
            rows.append({"measure": f"{kind}: {key}", **dict(zip(names, counts, strict=True))})
    return rows


def evaluate(options: EvaluateOrdersOptions) -> None:
    """Compare predicted orders, and the order of the source, with the order that word links give."""
    text = TextFile.of(options.orders)
    orders, places, partial_places = [], [], []
    for line, (row, sentence) in enumerate(zip_longest(text.lines(), _sentences(options)), 1):
        if row is None or sentence is None:
            shorter, longer = (options.orders, options.source) if row is None else (options.source, options.orders)
            raise InputError("unequal-lengths", f"{shorter} ends before line {line} of {longer}", (str(shorter), line))
        length, links = sentence
        orders.append(_order_of(row, length, text.name, line))
        places.append(mean_places(length, links))
        partial_places.append(linked_places(length, links))
    rows: list[dict[str, str | int | float | None]] = []
    for name, candidates in (("predicted", orders), ("as in the source", [np.arange(len(order)) for order in orders])):
        pairs = [(order, gold) for order, gold in zip(candidates, partial_places, strict=True) if gold is not None]
        total = _means(list(zip(candidates, places, strict=True)))["kendall"]
        counts = {"sentences": len(orders), "ordered_sentences": len(pairs)}
        rows.append({"order": name, **counts, "kendall_all_words": total, **_means(pairs)})
    if options.form is Format.JSON:
        print_json(rows)
        return
    print_rows(rows, options.form)


def _means(pairs: Sequence[tuple[Int64s, Int64s]]) -> dict[str, float | None]:
    """Measures of orders and their gold places; None without any."""
    names = ("kendall", "fuzzy", "complete")
    if not pairs:
        return dict.fromkeys(names)
    means = evaluate_orders([order for order, _ in pairs], [gold for _, gold in pairs]).means()
    return {name: round(means[name], 6) for name in names}


def _order_of(text: str, length: int, name: str, line: int) -> Int64s:
    """Positions of a line; InputError unless they are a permutation of 0 … length - 1."""
    cells = text.split()
    fault = f"has {len(cells)} positions for {length} words" if len(cells) != length else ""
    positions: set[int] = set()
    for cell in cells if not fault else ():
        # More digits than a position has are no position, and slow to read.
        position = int(cell) if cell.isascii() and cell.isdigit() and len(cell) <= len(str(length)) else length
        if position >= length:
            fault = f"{cell[:20]!r} is no position"
        elif position in positions:
            fault = f"position {position} stands twice"
        positions.add(position)
    if fault:
        remedy = f"write each of 0 to {length - 1} once, as assay smt preorder apply --to positions does"
        raise InputError("invalid-table", f"{name}, line {line}: {fault}; {remedy}", (name, line))
    return np.array(cells, np.int64)
