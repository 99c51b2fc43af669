"""`assay smt profile-reordering`: arities, operators and distances of word-aligned text."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Int64s
from app.errors import InputError
from app.shell.declaration.forms import Format
from app.shell.output import print_json, print_rows
from app.smt.commands.corpus.reordering_page import reordering_page
from app.smt.commands.options.corpus.word_order import ProfileReorderingOptions
from app.smt.corpus.phrases.aligned_chunks import read_aligned
from app.smt.preordering.profile import ReorderingProfile, profile_of, read_profile

__all__ = ["profile"]

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
        if name in profiles or name == own_name:
            raise InputError("invalid-request", f"{name} is given twice; name the profiles, as in a={file}", ("--beside",))
        profiles[name] = read_profile(Path(file))
    if len(profiles) > BESIDE_LIMIT:
        raise InputError("invalid-request", f"at most {BESIDE_LIMIT} profiles stand beside one", ("--beside",))
    return profiles


def _sentences(options: ProfileReorderingOptions) -> Iterator[tuple[int, Int64s]]:
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
