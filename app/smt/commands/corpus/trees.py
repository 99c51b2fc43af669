"""`assay smt extract-trees`, `align-trees`, `convert-trees` and `merge-extracts`: phrase pairs of parallel treebanks."""

from pathlib import Path

from app.errors import InputError
from app.shell.declaration.forms import Format
from app.shell.output import counted, print_json, print_rows, say
from app.smt.commands.options.corpus.trees import AlignTreesOptions, ConvertTreesOptions, ExtractTreesOptions, MergeExtractsOptions
from app.smt.corpus.phrases.orientation import OrientationModel
from app.smt.corpus.trees.chunk_extraction import align_trees, extract_chunks
from app.smt.corpus.trees.converting import convert_trees
from app.smt.corpus.trees.merging import merge_extractions
from app.smt.corpus.trees.provenance import compare_extractions, used_pairs
from app.smt.corpus.trees.tree_pairs import Treebanks

__all__ = ["align", "convert", "extract", "merge"]

MEGABYTE = 1024**2
LARGEST_NUMBER = 8


def extract(options: ExtractTreesOptions) -> None:
    """Extract chunk pairs below linked nodes of parallel trees, like phrase pairs of assay smt extract."""
    models = [OrientationModel.parse(name) for name in options.orientation or ()]
    extraction = extract_chunks(
        _treebanks(options),
        options.links,
        options.out,
        options.lexical,
        options.max_length,
        options.consistent,
        models,
        options.replace,
    )
    say(f"wrote {counted(extraction.pairs, 'pair')} of chunks of {counted(extraction.sentences, 'sentence pair')} to {options.out}")


def align(options: AlignTreesOptions) -> None:
    """Link the nodes and words of parallel trees, greedily by lexical tables."""
    if options.links is None and options.lexical is None:
        raise InputError("invalid-request", "lexical tables come from links of words, LINKS, or from --lexical", ("LINKS",))
    count, total = align_trees(_treebanks(options), options.out, options.links, options.lexical)
    say(f"wrote {counted(total, 'link')} of {counted(count, 'pair')} of trees to {options.out}")


def _treebanks(options: ExtractTreesOptions | AlignTreesOptions) -> Treebanks:
    forms, head_tables = (options.source_form, options.target_form), (options.source_heads, options.target_heads)
    return Treebanks(options.source, options.target, options.method, forms, head_tables)


def convert(options: ConvertTreesOptions) -> None:
    """Write the words of a treebank, or its trees in another form: brackets, Moses' XML, governors of words."""
    count = convert_trees(options.trees, options.out, options.to, options.form, options.head_table)
    say(f"wrote {counted(count, 'sentence')} to {options.out}")


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
