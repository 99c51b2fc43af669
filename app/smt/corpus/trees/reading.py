"""Reading of treebanks of all formats; the first line decides."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from app.building.line_files import read_lines
from app.errors import InputError
from app.smt.corpus.lines import numbered_lines
from app.smt.corpus.trees.conllu import read_conllu
from app.smt.corpus.trees.moses_xml import read_moses_xml
from app.smt.corpus.trees.tiger_xml import LONGEST_LINE, read_tiger_xml
from app.text.trees.brackets import bracketed_trees
from app.text.trees.tree import Dependencies, Tree

__all__ = ["FORMS", "form_of", "read_brackets", "read_trees"]


def read_brackets(path: Path) -> Iterator[Tree]:
    """Yield the trees of a file of brackets, gzipped or plain; errors are those of `bracketed_trees`."""
    return bracketed_trees(numbered_lines(path), str(path))


FORMS: Final[dict[str, Callable[[Path], Iterator[Tree | Dependencies]]]] = {
    "brackets": read_brackets,
    "tiger-xml": read_tiger_xml,
    "conllu": read_conllu,
    "moses-xml": read_moses_xml,
}


def form_of(path: Path) -> str:
    """Format of a file, a key of `FORMS`, from its first nonempty line; InputError for an unknown format."""
    with ExitStack() as stack:
        for line in read_lines(path, stack, LONGEST_LINE):
            start = line.strip()
            if not start:
                continue
            if start.startswith(b"("):
                return "brackets"
            if start.startswith((b"<?xml", b"<corpus", b"<!--", b"<!DOCTYPE")):
                return "tiger-xml"
            if start.startswith(b"#") or b"\t" in start:
                return "conllu"
            if b"<tree" in start:
                return "moses-xml"
            break
    raise InputError("unknown-format", f"{path} has no known format of trees; name one of {', '.join(FORMS)}", (str(path),))


def read_trees(path: Path, form: str | None = None) -> Iterator[Tree | Dependencies]:
    """Yield the sentences of a file of any format; errors are those of its reader and of `form_of`."""
    if form is not None and form not in FORMS:
        raise InputError("invalid-request", f"forms of trees are {', '.join(FORMS)}", ("--form",))
    return FORMS[form or form_of(path)](path)
