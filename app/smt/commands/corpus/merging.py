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
LARGEST_NUMBER = 8


def merge(options: MergeExtractsOptions) -> None:
    """Merge extracted phrase pairs, all or in subsets, and print the overlap of extractions."""
    folders = {
        name: Path(folder) for name, mark, folder in (word.partition("=") for word in options.extractions) if mark and folder
    }
    if (
        not 1 <= len(folders) <= LARGEST_NUMBER
        or len(folders) < len(options.extractions)
        or any(not name.isalnum() for name in folders)
    ):
        detail = f"one to {LARGEST_NUMBER} extractions as NAME=FOLDER, names of letters and digits, each once"
        raise InputError("invalid-request", detail, ("EXTRACTIONS",))
    if (options.trace is None) != (options.text is None):
        raise InputError("invalid-request", "a trace names positions of words in a text, so --trace needs --text", ("--trace",))
    if options.subsets and options.out is None:
        raise InputError("invalid-request", "subsets are written into the folder --out", ("--subsets",))
    uses = used_pairs(options.trace, options.text) if options.trace and options.text else None
    if options.out is not None:
        folders_out = merge_extractions(folders, options.out, options.replace, options.subsets)
        say(f"wrote {counted(len(folders_out), 'extraction')} to {options.out}")
    provenance = compare_extractions(folders, uses, options.memory * MEGABYTE)
    sizes: list[dict[str, str | int]] = [
        {"extraction": name, "extracted": provenance.occurrences[number], "distinct": provenance.size(number)}
        for number, name in enumerate(folders)
    ]
    tables: dict[str, list[dict[str, str | int]]] = {
        "extractions": sizes,
        "overlaps": provenance.overlaps(),
        "regions": provenance.regions(),
    }
    if options.form is Format.JSON:
        print_json(tables)
        return
    for number, rows in enumerate(tables.values()):
        if rows:
            print("\n" * (number > 0), end="")
            print_rows(rows, options.form)
