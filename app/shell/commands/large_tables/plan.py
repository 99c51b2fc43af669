"""`assay plan`: time, memory and price of a run over tables, by a sample."""

from dataclasses import asdict, dataclass
from typing import Annotated, Literal

from app.shell.commands.large_tables.columns import check_pair, text_columns
from app.shell.declaration.fields import argument, option
from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import Form, Label, Model, Profile, number
from app.shell.output import counted, print_json, print_rows, say

__all__ = ["PlanOptions"]


@dataclass(frozen=True, kw_only=True)
class PlanOptions:
    """Options of `assay plan`."""

    files: Annotated[list[str], argument(help="Tables: Parquet, Arrow, TSV, JSONL; addresses as s3://bucket/*.parquet.")]
    pair: Annotated[str | None, option(help="Language pair, as ro-en; default: that of --model.")] = None
    model: Model = None
    label: Label = None
    profile: Profile = None
    columns: Annotated[str | None, option(help="Columns, as source=src,translation=mt.")] = None
    out_format: Annotated[
        Literal["parquet", "arrow", "tsv", "jsonl"] | None, option(help="Kind of the results; default: that of the files.")
    ] = None
    processes: Annotated[list[int] | None, option(min=1, help="Processes; default: 1, 2, 4, 8, 16. Repeatable.")] = None
    price: Annotated[float, number(about="Price of a processor for an hour.", low=0)] = 0.0
    form: Form = Format.TEXT

    def run(self) -> None:
        """Print an estimate for each number of processes."""
        from app.scale import Scorer
        from app.scale.estimates import estimates
        from app.scale.files.shards import SHARD_BYTES, SHARD_ROWS, shards_of

        check_pair(self)
        shards = shards_of(self.files)
        source, translation, _ = text_columns(shards, self.columns)
        work = Scorer(model=self.model, pair=self.pair, label=self.label, profile=self.profile, src=source, mt=translation)
        kind = f".{self.out_format}" if self.out_format else ""
        counts = self.processes or (1, 2, 4, 8, 16)
        if max(counts) > len(shards):
            say(
                f"{counted(len(shards), 'part')} of files, one process for each at most: a part has row groups of at least "
                f"{SHARD_ROWS:,} rows, {SHARD_BYTES >> 20} MB of lines, or a packed file"
            )
        rows = []
        for row in estimates(work, shards, kind, counts):
            price = {"price": row.seconds / 3600 * row.processes * self.price} if self.price else {}
            rows.append({**asdict(row), **price})
        if self.form is Format.JSON:
            print_json(rows)
        else:
            print_rows(rows, self.form)
