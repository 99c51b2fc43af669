"""`assay merge-extracts`: several extractions as one, or as all their subsets, and what they share."""

from pathlib import Path
from typing import Annotated

import typer

from app.errors import InputError
from app.shell.output import Format, check_folder, counted, print_json, print_rows, say
from app.smt.corpus.external_sort import DEFAULT_MEMORY
from app.smt.corpus.trees.merging import merge_extractions
from app.smt.corpus.trees.provenance import compare_extractions, used_pairs

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)
MEGABYTE = 1024**2
MOST = 8


@commands.command("merge-extracts")
def merge(
    extractions: Annotated[list[str], typer.Argument(help="NAME=FOLDER of each extraction, as s=phrases c=chunks.")],
    out: Annotated[
        Path | None, typer.Option(help="Folder to write their pairs into; only what they share is told otherwise.")
    ] = None,
    subsets: Annotated[
        bool, typer.Option("--subsets", help="Write every subset, into a folder of its names within --out.")
    ] = False,
    trace: Annotated[Path | None, typer.Option(help="What assay decode --trace wrote: tell whose pairs were used.")] = None,
    text: Annotated[Path | None, typer.Option(help="The text that was decoded, for --trace.")] = None,
    memory: Annotated[int, typer.Option(min=16, help="Megabytes that sorting takes.")] = DEFAULT_MEMORY // MEGABYTE,
    form: Annotated[Format, typer.Option("--format", help="text, json, tsv or markdown.")] = Format.TEXT,
    replace: Annotated[bool, typer.Option("--replace", help="Write in the place of files that are there already.")] = False,
) -> None:
    """Join extracted pairs of phrases for one table or for those of all subsets, and tell what extractions share."""
    folders = {name: Path(folder) for name, mark, folder in (word.partition("=") for word in extractions) if mark and folder}
    if not 1 <= len(folders) <= MOST or len(folders) < len(extractions) or any(not name.isalnum() for name in folders):
        detail = f"one to {MOST} extractions as NAME=FOLDER, names of letters and digits, each once"
        raise InputError("invalid-request", detail, ("EXTRACTIONS",))
    if (trace is None) != (text is None):
        raise InputError("invalid-request", "a trace names places of words, so --trace and --text belong together", ("--trace",))
    if subsets and out is None:
        raise InputError("invalid-request", "subsets are written into the folder --out", ("--subsets",))
    used = used_pairs(trace, text) if trace and text else None
    if out is not None:
        check_folder(out, "--out")
        made = merge_extractions(folders, out, replace, subsets)
        say(f"wrote {counted(len(made), 'extraction')} to {out}")
    compared = compare_extractions(folders, used, memory * MEGABYTE)
    sizes: list[dict[str, str | int]] = [
        {"extraction": name, "extracted": compared.extracted[number], "distinct": compared.size(number)}
        for number, name in enumerate(folders)
    ]
    tables: dict[str, list[dict[str, str | int]]] = {
        "extractions": sizes,
        "overlaps": compared.overlaps(),
        "regions": compared.regions(),
    }
    if form is Format.JSON:
        print_json(tables)
        return
    for number, rows in enumerate(tables.values()):
        if rows:
            print("\n" * (number > 0), end="")
            print_rows(rows, form)
