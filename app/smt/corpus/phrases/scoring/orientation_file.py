"""Writer of a table of orientations, block by block."""

from collections.abc import Sequence
from gzip import GzipFile

import numpy as np

from app.arrays import Bools, Float32s
from app.errors import InputError
from app.smt.corpus.phrases.scoring.extract_files import ExtractFiles
from app.smt.corpus.phrases.scoring.gathering import PairBlock
from app.smt.corpus.phrases.scoring.reordering import ReorderingModel
from app.smt.corpus.phrases.scoring.table_kernels import write_orientation_lines

__all__ = ["OrientationFile"]


class OrientationFile:
    """Writer of the table of a model. Totals of a source wait for the block of its last row."""

    def __init__(self, model: ReorderingModel, files: ExtractFiles, file: GzipFile, smoothing: float) -> None:
        self.model, self.files, self.file, self.smoothing = model, files, file, smoothing
        self.place = files.units.index(model.unit)
        self.waiting: tuple[bytes, Float32s] | None = None

    def write(self, block: PairBlock) -> None:
        """Write the lines of a block."""
        events = block.events[:, self.place]
        if self.model.events == "mslr" and events[..., 4].any():
            detail = f"{self.files.orientations} lacks dleft and dright, but {self.model.name} needs them"
            raise InputError("invalid-request", detail, ("--reordering",))
        if self.model.condition == "fe":
            scores = self.model.probabilities(events, self.smoothing)
            self.file.write(write_orientation_lines(block.text, block.offsets, 3, 2, scores).data)
            return
        for first, last in _groups(block.new):
            source = block.text[block.offsets[3 * first] : block.offsets[3 * first + 1]].tobytes()
            total = events[first:last].sum(axis=0, keepdims=True)
            if self.waiting is not None and self.waiting[0] == source:
                total = total + self.waiting[1]
            else:
                self.end()
            self.waiting = (source, total)

    def end(self) -> None:
        """Write the last source."""
        if self.waiting is not None:
            source, total = self.waiting
            text = np.frombuffer(source, np.uint8)
            scores = self.model.probabilities(total, self.smoothing)
            self.file.write(write_orientation_lines(text, np.array([0, len(text)]), 1, 1, scores).data)
            self.waiting = None


def _groups(new: Bools) -> Sequence[tuple[int, int]]:
    """Begin and end of each run of rows with one source."""
    begins = np.union1d([0], np.flatnonzero(new))
    return list(zip(begins.tolist(), [*begins[1:].tolist(), len(new)], strict=True))
