"""`assay campaign read`: judgements from Pearmut's logs as a table."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from app.shell.declaration.fields import argument, option
from app.shell.declaration.parameters import Quiet

__all__ = ["CampaignReadOptions"]


@dataclass(frozen=True, kw_only=True)
class CampaignReadOptions:
    """Options of `assay campaign read`."""

    logs: Annotated[list[str], argument(help="Logs of Pearmut: data/annotations/ID.jsonl, or a download of its dashboard.")]
    attentive: Annotated[bool, option("--attentive", help="Leave out annotators who failed an attention check.")] = False
    quiet: Quiet = False
    form: Annotated[Literal["tsv", "jsonl"], option("--format", help="Form of the table: tsv or jsonl.")] = "tsv"

    def run(self) -> None:
        """Print a row for each judgement, and counts of everything else on stderr."""
        from app.documents.campaigns import read_judgements
        from app.shell.campaigns.reading import rows_of, sentences_of
        from app.shell.declaration.forms import Format
        from app.shell.inputs import read_file_bytes
        from app.shell.output import json_text, print_rows, quietly, say

        logs = [read_judgements(read_file_bytes(path), Path(path).name) for path in self.logs]
        rows = [row for log in logs for row in rows_of(log, self.attentive)]
        with quietly(self.quiet):
            for sentence in sentences_of(logs, self.attentive):
                say(sentence)
        if self.form == "jsonl":
            for row in rows:
                print(json_text(row, indent=None))
        else:
            print_rows([{**row, "spans": json.dumps(row["spans"])} for row in rows], Format.TSV)
