"""`assay smt compact-table`: a table of Moses' text format as one that is mapped into memory."""

from app.shell.output import counted, say
from app.smt.commands.options.corpus.compact_table import CompactTableOptions
from app.smt.corpus.phrases.compact import write_compact

__all__ = ["compact_table"]


def compact_table(options: CompactTableOptions) -> None:
    """Write a table of Moses' text format as one that assay smt decode maps into memory."""
    say(f"wrote {counted(write_compact(options.table, options.out), 'row')} to {options.out}")
