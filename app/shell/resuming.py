"""Features of many segments, a part at a time, so that a command that was killed goes on where it was."""

import hashlib
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.engine import Engine
from app.engine.segments import Segments
from app.features import exact_set, feature_set
from app.shell.output import progress_bar

__all__ = ["resumed_features"]

ROWS: Final = 500


def resumed_features(engine: Engine, sent: Segments, set_name: str, folder: Path) -> tuple[list[str], Float64s, Path]:
    """Ids, values (n, k), and the folder of the parts that are done, to be removed when nothing can be lost any more.

    A part is a file that appears at once; what it is of stands in the folder's name, so other input never meets it.
    """
    kept = [each.id for each in engine.check_feature_set(sent.pair, feature_set(set_name), sent.sent)]
    work = folder / f".features-{_digest(sent, kept)}"
    work.mkdir(parents=True, exist_ok=True)
    parts: list[Float64s] = []
    with progress_bar("features") as progress:
        for number, begin in enumerate(range(0, len(sent), ROWS)):
            path = work / f"{number}.npy"
            if not path.is_file():
                scratch = path.with_suffix(".part")
                with scratch.open("wb") as file:
                    np.save(file, engine.features(_part(sent, begin), exact_set("asked", kept)).values)
                scratch.replace(path)
            parts.append(np.load(path, allow_pickle=False))
            progress("features", min(1.0, (begin + ROWS) / len(sent)))
    return kept, np.vstack(parts) if parts else np.zeros((0, len(kept))), work


def _part(sent: Segments, begin: int) -> Segments:
    rows = slice(begin, begin + ROWS)
    return Segments(sent.pair, sent.sources[rows], sent.translations[rows], sent.side_information.rows(rows))


def _digest(sent: Segments, features: list[str]) -> str:
    digest = hashlib.sha256(repr((str(sent.pair), features)).encode())
    for column in (sent.sources, sent.translations, *sent.side_information.as_json().values()):
        for value in column:
            digest.update(repr(value).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]
