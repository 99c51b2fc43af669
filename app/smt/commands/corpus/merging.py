"""`assay smt merge-extracts`: several extractions as one, or as all their subsets, and what they share."""

from pathlib import Path

from app.errors import InputError
from app.shell.declaration.forms import Format
from app.shell.output import counted, print_json, print_rows, say
from app.smt.commands.options.corpus.merging import MergeExtractsOptions
from app.smt.corpus.trees.merging import merge_extractions
from app.smt.corpus.trees.provenance import compare_extractions, used_pairs

__all__ = ["merge"]

MEGABYTE = 1024**2
MOST = 8


def merge(options: MergeExtractsOptions) -> None:
    """Join extracted pairs of phrases for one table or for those of all subsets, and tell what extractions share."""
    folders = {
        name: Path(folder) for name, mark, folder in (word.partition("=") for word in options.extractions) if mark and folder
    }
    if not 1 <= len(folders) <= MOST or len(folders) < len(options.extractions) or any(not name.isalnum() for name in folders):
        detail = f"one to {MOST} extractions as NAME=FOLDER, names of letters and digits, each once"
        raise InputError("invalid-request", detail, ("EXTRACTIONS",))
    if (options.trace is None) != (options.text is None):
        raise InputError("invalid-request", "a trace names places of words, so --trace and --text belong together", ("--trace",))
    if options.subsets and options.out is None:
        raise InputError("invalid-request", "subsets are written into the folder --out", ("--subsets",))
    used = used_pairs(options.trace, options.text) if options.trace and options.text else None
    if options.out is not None:
        made = merge_extractions(folders, options.out, options.replace, options.subsets)
        say(f"wrote {counted(len(made), 'extraction')} to {options.out}")
    compared = compare_extractions(folders, used, options.memory * MEGABYTE)
    sizes: list[dict[str, str | int]] = [
        {"extraction": name, "extracted": compared.extracted[number], "distinct": compared.size(number)}
        for number, name in enumerate(folders)
    ]
    tables: dict[str, list[dict[str, str | int]]] = {
        "extractions": sizes,
        "overlaps": compared.overlaps(),
        "regions": compared.regions(),
    }
    if options.form is Format.JSON:
        print_json(tables)
        return
    for number, rows in enumerate(tables.values()):
        if rows:
            print("\n" * (number > 0), end="")
            print_rows(rows, options.form)
