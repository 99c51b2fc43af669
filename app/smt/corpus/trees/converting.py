"""Conversion of treebanks into other formats, sentence by sentence."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from app.building.alignment.files import written_files
from app.errors import InputError
from app.smt.corpus.trees.bracketing import bracket, dependencies_of
from app.smt.corpus.trees.conllu import write_conllu
from app.smt.corpus.trees.moses_xml import write_moses_xml
from app.smt.corpus.trees.percolation import HeadTable
from app.smt.corpus.trees.reading import read_trees
from app.text.trees.brackets import write_brackets
from app.text.trees.tree import Dependencies, Tree

__all__ = ["TARGETS", "convert_trees"]

Sentence = Tree | Dependencies


def _words(sentence: Sentence, table: HeadTable | None) -> str:
    return " ".join(sentence.words) + "\n"


def _conllu(sentence: Sentence, table: HeadTable | None) -> str:
    return write_conllu(dependencies_of(sentence, table))


def _in_brackets(write: Callable[[Tree], str]) -> Callable[[Sentence, HeadTable | None], str]:
    def text(sentence: Sentence, table: HeadTable | None) -> str:
        tree = bracket(dependencies_of(sentence, table)) if table or isinstance(sentence, Dependencies) else sentence
        return write(tree) + "\n"

    return text


TARGETS: Final[dict[str, Callable[[Sentence, HeadTable | None], str]]] = {
    "words": _words,
    "brackets": _in_brackets(write_brackets),
    "moses-xml": _in_brackets(write_moses_xml),
    "conllu": _conllu,
}


def convert_trees(trees: Path, out: Path, to: str, form: str | None = None, head_table: str | None = None) -> int:
    """Write a treebank in a format of `TARGETS`; return the number of sentences.

    Dependencies become brackets with a node for each governor. With a table of heads, constituents become dependencies first.
    InputError of the reader, or with the number of a sentence that the format cannot express.
    """
    if to not in TARGETS:
        raise InputError("invalid-request", f"trees are written as {', '.join(TARGETS)}", ("--to",))
    table = None if head_table is None else HeadTable.of(head_table)
    number = 0
    with written_files({"out": out}) as files:
        for number, sentence in enumerate(read_trees(trees, form), 1):
            try:
                files["out"].write(TARGETS[to](sentence, table))
            except InputError as error:
                raise InputError(error.code, f"sentence {number}: {error.detail}", (str(trees), number)) from None
    return number
