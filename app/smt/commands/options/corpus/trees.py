"""Options of `assay smt extract-trees`, `align-trees`, `convert-trees` and `merge-extracts`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from app.shell.declaration.command import declare
from app.shell.declaration.fields import argument, option
from app.shell.declaration.files import PLAIN_TEXT, InFile, OutFile, OutFolder, Replacing
from app.shell.declaration.forms import Format

__all__ = ["AlignTreesOptions", "ConvertTreesOptions", "ExtractTreesOptions", "MergeExtractsOptions"]

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
    links: Annotated[Path | None, argument(help="Word links, as 0-0 1-2; not needed with --lexical."), InFile()] = None
    method: Annotated[Method, PLAIN_TEXT]
    out: Annotated[Path, option(help="Output: links, as 0-0 1-2 n0-n1; .gz packs."), OutFile()]
    lexical: Annotated[Path | None, option(help="Folder of lex.e2f and lex.f2e; default: from the links."), InFile()] = None
    source_heads: Annotated[SourceHeads, InFile(shipped=True)] = None
    target_heads: Annotated[TargetHeads, InFile(shipped=True)] = None
    source_form: Annotated[SourceForm, PLAIN_TEXT] = None
    target_form: Annotated[TargetForm, PLAIN_TEXT] = None


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class ConvertTreesOptions(Replacing):
    """Options of `assay smt convert-trees`."""

    trees: Annotated[Path, argument(help="Trees: brackets, TIGER-XML, CoNLL-U or Moses' XML."), InFile()]
    to: Annotated[str, option(help="words, brackets, moses-xml or conllu."), PLAIN_TEXT]
    out: Annotated[Path, option(help="Output file; .gz packs."), OutFile()]
    form: Annotated[str | None, option(help="Form of the trees, if unclear."), PLAIN_TEXT] = None
    head_table: Annotated[
        str | None, option(help="Head table: english, french, german, spanish, or a TOML file."), InFile(shipped=True)
    ] = None


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class MergeExtractsOptions(Replacing):
    """Options of `assay smt merge-extracts`."""

    extractions: Annotated[list[str], argument(help="NAME=FOLDER of each extraction."), InFile()]
    out: Annotated[Path | None, option(help="Output folder of joined pairs; default: report only."), OutFolder()] = None
    subsets: Annotated[bool, option("--subsets", help="Write every subset, into folders within --out.")] = False
    trace: Annotated[Path | None, option(help="File of assay smt decode --trace: report used pairs."), InFile()] = None
    text: Annotated[Path | None, option(help="Decoded text, for --trace."), InFile()] = None
    memory: Annotated[int, option(min=16, help="Megabytes for sorting.")] = 512
    form: Annotated[Format, option("--format", help="text, json, tsv or markdown.")] = Format.TEXT
