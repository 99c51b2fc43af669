"""`assay smt convert-trees`: treebanks in other forms."""

from app.shell.output import counted, say
from app.smt.commands.options.corpus.tree_forms import ConvertTreesOptions
from app.smt.corpus.trees.converting import convert_trees

__all__ = ["convert"]


def convert(options: ConvertTreesOptions) -> None:
    """Write the words of a treebank, or its trees in another form: brackets, Moses' XML, governors of words."""
    count = convert_trees(options.trees, options.out, options.to, options.form, options.head_table)
    say(f"wrote {counted(count, 'sentence')} to {options.out}")
