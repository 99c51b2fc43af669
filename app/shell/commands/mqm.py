"""`assay mqm`: MQM judgements as a table for evaluate, correlate and score."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from app.errors import InputError
from app.shell.declaration.fields import argument, option
from app.shell.declaration.forms import Format
from app.shell.inputs import read_file_bytes
from app.shell.output import print_rows, say

__all__ = ["MqmOptions"]


@dataclass(frozen=True, kw_only=True)
class MqmOptions:
    """Options of `assay mqm`."""

    file: Annotated[str, argument(help="WMT's MQM table, or lines of JSON with errors (.jsonl).")]
    reference: Annotated[str | None, option(help="System whose translations become the column reference.")] = None

    def run(self) -> None:
        """Print a row per translation: score (0 is best), and error spans of the first annotator as JSON."""
        from app.text.mqm import read_mqm, segment_names
        from app.text.reading.lines import TextFile

        name = Path(self.file).name
        rows = read_mqm(TextFile(name, read_file_bytes(self.file)), ".jsonl" not in Path(self.file).suffixes)
        segments = segment_names(rows)
        references = {segment: row.translation for segment, row in zip(segments, rows, strict=True) if row.system == self.reference}
        if self.reference is not None and not references:
            systems = ", ".join(sorted({row.system for row in rows}))
            raise InputError("invalid-request", f"{name} has no system {self.reference}; systems are {systems}", ("--reference",))
        table: list[dict[str, Any]] = []
        for segment, row in zip(segments, rows, strict=True):
            if self.reference is not None and (row.system == self.reference or segment not in references):
                continue
            spans = [{"start": error.start, "end": error.end, "severity": error.severity} for error in row.placed_errors]
            # A document is one system's: its scores are of one text.
            cells = {"document": f"{row.system}:{row.document}", "segment": segment, "system": row.system, "source": row.source}
            cells |= {"translation": row.translation, **({} if self.reference is None else {"reference": references[segment]})}
            table.append({**cells, "mqm": round(row.score, 6), "spans": json.dumps(spans)})
        without = sum(row.system != self.reference for row in rows) - len(table)
        if without:
            say(f"{name}: {without} translations are left out, as {self.reference} has not translated their sources")
        print_rows(table, Format.TSV)
