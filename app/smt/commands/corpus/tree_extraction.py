"""`assay smt extract-trees` and `align-trees`: phrase pairs of parallel treebanks, and links of their nodes."""

from app.errors import InputError
from app.shell.output import counted, say
from app.smt.commands.options.corpus.tree_extraction import AlignTreesOptions, ExtractTreesOptions
from app.smt.corpus.phrases.orientation import OrientationModel
from app.smt.corpus.trees.chunk_extraction import align_trees, extract_chunks
from app.smt.corpus.trees.tree_pairs import Treebanks

__all__ = ["align", "extract"]


def extract(options: ExtractTreesOptions) -> None:
    """Extract chunk pairs below linked nodes of parallel trees, like phrase pairs of assay smt extract."""
    models = [OrientationModel.parse(name) for name in options.orientation or ()]
    treebanks = Treebanks(
        options.source,
        options.target,
        options.method,
        (options.source_form, options.target_form),
        (options.source_heads, options.target_heads),
    )
    extraction = extract_chunks(
        treebanks, options.links, options.out, options.lexical, options.max_length, options.consistent, models, options.replace
    )
    say(f"wrote {counted(extraction.pairs, 'pair')} of chunks of {counted(extraction.sentences, 'sentence pair')} to {options.out}")


def align(options: AlignTreesOptions) -> None:
    """Link the nodes and words of parallel trees, greedily by lexical tables."""
    if (options.links is None) == (options.lexical is None):
        raise InputError("invalid-request", "name either --links or --lexical, for lexical tables")
    treebanks = Treebanks(
        options.source,
        options.target,
        options.method,
        (options.source_form, options.target_form),
        (options.source_heads, options.target_heads),
    )
    count, total = align_trees(treebanks, options.out, options.links, options.lexical)
    say(f"wrote {counted(total, 'link')} of {counted(count, 'pair')} of trees to {options.out}")
