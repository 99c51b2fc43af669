"""Filtering of parallel text in tables of any size, shard by shard."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Final
from zlib import crc32

import numpy as np

from app.scale.batches import Batch, column_of, rows_where
from app.scale.engines import longest_segment
from app.scale.files.places import read_json, write_json
from app.scale.files.reading import read_shard
from app.scale.files.shards import Shard
from app.scale.files.writing import writer_of
from app.scale.rows import text_rows
from app.smt.corpus.selection.filter_report import SEED, FilterReport
from app.smt.corpus.selection.filtering import broken_rules
from app.smt.corpus.selection.rules import Rule

__all__ = ["FAULT", "FilterTask", "report_of"]

# Name of the rule that texts be texts: no null, no number, not too long.
FAULT: Final = "fault"


@dataclass(frozen=True)
class FilterTask:
    """Rows whose texts in the columns `source` and `target` pass all active rules, with all of their columns, in the folder `out`.

    A report of each shard lies beside; `corpus` is the column with the name of the corpus of a row.
    """

    rules: tuple[Rule, ...]
    source: str
    target: str
    out: str
    kind: str = ""
    corpus: str | None = None

    def cards(self) -> Mapping[str, str]:
        """No cards: rules have checked their options."""
        return {}

    def output(self, shard: Shard) -> str:
        """Name of the result of a shard."""
        return shard.output(self.kind)

    def write(self, shard: Shard, file: BinaryIO) -> tuple[int, int]:
        """Write the rows of a shard that pass, and the report; numbers of all rows and of rows with a fault."""
        report = self.report((SEED, shard.number, crc32(shard.address.encode())))
        faults = 0
        with writer_of(file, self.output(shard)) as writer:
            for batch in read_shard(shard):
                broken, texts = self._broken(batch)
                faults += int(broken[:, 0].sum())
                names = None if self.corpus is None else list(map(str, column_of(batch, self.corpus)))
                report.add(broken, texts, names)
                writer.write(rows_where(batch, np.asarray(~broken.any(1))))
        write_json(self._report_address(shard), report.part)
        return report.count, faults

    def check(self, shard: Shard) -> None:
        """Read the report; any error for a damaged one."""
        report_of(self, [shard])

    def report(self, seed: Sequence[int] = (SEED,)) -> FilterReport:
        """An empty report of these rules."""
        return FilterReport([FAULT, *(rule.name for rule in self.rules if rule.active)], seed)

    def _broken(self, batch: Batch) -> tuple[np.ndarray, list[list[str]]]:
        """Mask of the broken rules of each row, the fault first, and both texts, empty in rows with a fault."""
        rows = text_rows({name: column_of(batch, name) for name in (self.source, self.target)}, longest_segment())
        active = [rule for rule in self.rules if rule.active]
        broken = np.zeros((len(rows.errors), 1 + len(active)), bool)
        broken[[row for row, error in enumerate(rows.errors) if error is not None], 0] = True
        broken[rows.numbers, 1:] = broken_rules(active, rows.columns)
        texts = [[""] * len(rows.errors) for _ in range(2)]
        for column, values in zip(texts, rows.columns, strict=True):
            for row, value in zip(rows.numbers.tolist(), values, strict=True):
                column[row] = value
        return broken, texts

    def _report_address(self, shard: Shard) -> str:
        return f"{self.out}/_assay/reports/{self.output(shard)}.json"


def report_of(task: FilterTask, shards: Sequence[Shard]) -> FilterReport:
    """The report of all finished shards, in their order."""
    report = task.report()
    for shard in shards:
        report.merge(read_json(task._report_address(shard)))
    return report
