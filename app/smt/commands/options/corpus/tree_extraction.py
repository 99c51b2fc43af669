"""Options of `assay smt extract-trees` and `assay smt align-trees`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from app.shell.declaration.command import declare
from app.shell.declaration.fields import argument, option
from app.shell.declaration.files import PLAIN_TEXT, InFile, OutFile, OutFolder, Replacing

__all__ = ["AlignTreesOptions", "ExtractTreesOptions"]

Source = Annotated[Path, argument(help="Source trees: brackets, TIGER-XML, CoNLL-U, Moses' XML.")]
Target = Annotated[Path, argument(help="Target trees.")]
Method = Annotated[str, option(help="con, dep or perc: constituents, dependencies, percolated ones.")]
SourceHeads = Annotated[str | None, option(help="Head table of the source, for perc: a language, as english, or a file.")]
TargetHeads = Annotated[str | None, option(help="Head table of the target.")]
SourceForm = Annotated[str | None, option(help="Form of the source, if unclear: brackets, tiger-xml, conllu ...")]
TargetForm = Annotated[str | None, option(help="Form of the target.")]


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class ExtractTreesOptions(Replacing):
    """Options of `assay smt extract-trees`."""

    source: Annotated[Source, InFile()]
    target: Annotated[Target, InFile()]
    links: Annotated[Path, argument(help="Word links, as 0-0 1-2."), InFile()]
    method: Annotated[Method, PLAIN_TEXT]
    out: Annotated[Path, option(help="Output folder of extract.gz, extract.inv.gz, extract.o.gz."), OutFolder()]
    source_heads: Annotated[SourceHeads, InFile(shipped=True)] = None
    target_heads: Annotated[TargetHeads, InFile(shipped=True)] = None
    lexical: Annotated[Path | None, option(help="Folder of lex.e2f and lex.f2e; default: from the links."), InFile()] = None
    max_length: Annotated[int | None, option(min=1, max=500, help="Most words of a chunk; default: any.")] = None
    consistent: Annotated[bool, option("--consistent", help="Leave out pairs that a word link leaves.")] = False
    orientation: Annotated[list[str] | None, option(help="wbe-, phrase- or hier-, with msd or mslr. Repeatable."), PLAIN_TEXT] = (
        None
    )
    source_form: Annotated[SourceForm, PLAIN_TEXT] = None
    target_form: Annotated[TargetForm, PLAIN_TEXT] = None


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class AlignTreesOptions(Replacing):
    """Options of `assay smt align-trees`."""

    source: Annotated[Source, InFile()]
    target: Annotated[Target, InFile()]
    method: Annotated[Method, PLAIN_TEXT]
    out: Annotated[Path, option(help="Output: links, as 0-0 1-2 n0-n1; .gz packs."), OutFile()]
    links: Annotated[Path | None, option(help="Word links, for lexical tables."), InFile()] = None
    lexical: Annotated[Path | None, option(help="Folder of lex.e2f and lex.f2e instead."), InFile()] = None
    source_heads: Annotated[SourceHeads, InFile(shipped=True)] = None
    target_heads: Annotated[TargetHeads, InFile(shipped=True)] = None
    source_form: Annotated[SourceForm, PLAIN_TEXT] = None
    target_form: Annotated[TargetForm, PLAIN_TEXT] = None
