"""Options of `assay smt extract-trees` and `assay smt align-trees`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from app.shell.declaration.command import declare
from app.shell.declaration.files import PLAIN_TEXT, InFile, OutFile, OutFolder, Replacing

__all__ = ["AlignTreesOptions", "ExtractTreesOptions"]

Source = Annotated[Path, typer.Argument(help="Source trees: brackets, TIGER-XML, CoNLL-U, Moses' XML.")]
Target = Annotated[Path, typer.Argument(help="Target trees.")]
Method = Annotated[str, typer.Option(help="con, dep or perc: constituents, dependencies, percolated ones.")]
SourceHeads = Annotated[
    str | None,
    typer.Option(help="Head table of the source, for perc: a language, as english, or a file."),
]
TargetHeads = Annotated[str | None, typer.Option(help="Head table of the target.")]
SourceForm = Annotated[str | None, typer.Option(help="Form of the source, if unclear: brackets, tiger-xml, conllu ...")]
TargetForm = Annotated[str | None, typer.Option(help="Form of the target.")]


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class ExtractTreesOptions(Replacing):
    """Options of `assay smt extract-trees`."""

    source: Annotated[Source, InFile()]
    target: Annotated[Target, InFile()]
    links: Annotated[Path, typer.Argument(help="Word links, as 0-0 1-2."), InFile()]
    method: Annotated[Method, PLAIN_TEXT]
    out: Annotated[Path, typer.Option(help="Output folder of extract.gz, extract.inv.gz, extract.o.gz."), OutFolder()]
    source_heads: Annotated[SourceHeads, InFile(shipped=True)] = None
    target_heads: Annotated[TargetHeads, InFile(shipped=True)] = None
    lexical: Annotated[Path | None, typer.Option(help="Folder of lex.e2f and lex.f2e; default: from the links."), InFile()] = None
    max_length: Annotated[int | None, typer.Option(min=1, max=500, help="Most words of a chunk; default: any.")] = None
    consistent: Annotated[bool, typer.Option("--consistent", help="Leave out pairs that a word link leaves.")] = False
    orientation: Annotated[
        list[str] | None,
        typer.Option(help="wbe-, phrase- or hier-, with msd or mslr. Repeatable."),
        PLAIN_TEXT,
    ] = None
    source_form: Annotated[SourceForm, PLAIN_TEXT] = None
    target_form: Annotated[TargetForm, PLAIN_TEXT] = None


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class AlignTreesOptions(Replacing):
    """Options of `assay smt align-trees`."""

    source: Annotated[Source, InFile()]
    target: Annotated[Target, InFile()]
    method: Annotated[Method, PLAIN_TEXT]
    out: Annotated[Path, typer.Option(help="Output: links, as 0-0 1-2 n0-n1; .gz packs."), OutFile()]
    links: Annotated[Path | None, typer.Option(help="Word links, for lexical tables."), InFile()] = None
    lexical: Annotated[Path | None, typer.Option(help="Folder of lex.e2f and lex.f2e instead."), InFile()] = None
    source_heads: Annotated[SourceHeads, InFile(shipped=True)] = None
    target_heads: Annotated[TargetHeads, InFile(shipped=True)] = None
    source_form: Annotated[SourceForm, PLAIN_TEXT] = None
    target_form: Annotated[TargetForm, PLAIN_TEXT] = None
