"""`assay extract-trees` and `assay align-trees`: pairs of chunks out of parallel treebanks, and the links of their nodes."""

from pathlib import Path
from typing import Annotated

import typer

from app.errors import InputError
from app.shell.output import check_file, check_folder, counted, say
from app.smt.corpus.phrases.orientation import MODELS, OrientationModel
from app.smt.corpus.trees.bracketing import METHODS
from app.smt.corpus.trees.chunk_extraction import align_trees, extract_chunks
from app.smt.corpus.trees.percolation import HEAD_TABLES
from app.smt.corpus.trees.reading import FORMS
from app.smt.corpus.trees.tree_pairs import Treebanks

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)

Source = Annotated[Path, typer.Argument(help="Source trees: brackets, TIGER-XML, CoNLL-U or Moses' XML; gzip is read.")]
Target = Annotated[Path, typer.Argument(help="Target trees, of the same sentences.")]
Method = Annotated[str, typer.Option(help=f"Chunks: {', '.join(METHODS)} (constituents, dependencies, percolated dependencies).")]
SourceHeads = Annotated[
    str | None, typer.Option(help=f"Table of heads of the source, for perc: {', '.join(HEAD_TABLES)}, or a TOML file of one's own.")
]
TargetHeads = Annotated[str | None, typer.Option(help="Table of heads of the target.")]
SourceForm = Annotated[str | None, typer.Option(help=f"Form of the source, if its beginning does not tell: {', '.join(FORMS)}.")]
TargetForm = Annotated[str | None, typer.Option(help="Form of the target.")]
Replace = Annotated[bool, typer.Option("--replace", help="Write in the place of files that are there already.")]


@commands.command("extract-trees")
def extract(
    source: Source,
    target: Target,
    links: Annotated[Path, typer.Argument(help="Links of words, source place and target place from 0, as 0-0 1-2.")],
    method: Method,
    out: Annotated[Path, typer.Option(help="Folder to write extract.gz, extract.inv.gz and extract.o.gz into.")],
    source_heads: SourceHeads = None,
    target_heads: TargetHeads = None,
    lexical: Annotated[Path | None, typer.Option(help="Folder with lex.e2f and lex.f2e; those of the links otherwise.")] = None,
    max_length: Annotated[int | None, typer.Option(min=1, max=500, help="Most words of a chunk; any otherwise.")] = None,
    consistent: Annotated[bool, typer.Option("--consistent", help="Leave out pairs that a link of words leaves.")] = False,
    orientation: Annotated[
        list[str] | None, typer.Option(help=f"Model of orientation ({', '.join(MODELS)}); repeat for one of each unit.")
    ] = None,
    source_form: SourceForm = None,
    target_form: TargetForm = None,
    replace: Replace = False,
) -> None:
    """Extract the pairs of chunks that linked nodes of parallel trees have below them, as assay extract does of phrases."""
    models = [OrientationModel.parse(name) for name in orientation or ()]
    check_folder(out, "--out")
    treebanks = Treebanks(source, target, method, (source_form, target_form), (source_heads, target_heads))
    made = extract_chunks(treebanks, links, out, lexical, max_length, consistent, models, replace)
    say(f"wrote {counted(made.pairs, 'pair')} of chunks of {counted(made.sentences, 'sentence pair')} to {out}")


@commands.command("align-trees")
def align(
    source: Source,
    target: Target,
    method: Method,
    out: Annotated[Path, typer.Option(help="File to write, a line 0-0 1-2 n0-n1 a pair of trees; .gz packs.")],
    links: Annotated[Path | None, typer.Option(help="Links of words, whose lexical tables are used.")] = None,
    lexical: Annotated[Path | None, typer.Option(help="Folder with lex.e2f and lex.f2e instead.")] = None,
    source_heads: SourceHeads = None,
    target_heads: TargetHeads = None,
    source_form: SourceForm = None,
    target_form: TargetForm = None,
    replace: Replace = False,
) -> None:
    """Link the nodes and words of parallel trees, greedily by lexical tables."""
    if (links is None) == (lexical is None):
        raise InputError("invalid-request", "say by which tables: --links or --lexical")
    check_file(out, "--out")
    if out.exists() and not replace:
        raise InputError("invalid-request", f"{out} is there already; --replace writes another in its place", ("--replace",))
    treebanks = Treebanks(source, target, method, (source_form, target_form), (source_heads, target_heads))
    count, total = align_trees(treebanks, out, links, lexical)
    say(f"wrote {counted(total, 'link')} of {counted(count, 'pair')} of trees to {out}")
