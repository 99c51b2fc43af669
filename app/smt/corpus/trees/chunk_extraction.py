"""Chunk pairs from parallel treebanks, in the files of extracted phrase pairs."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from app.arrays import Int32s
from app.building.alignment.files import written_files
from app.building.writing import folder_aside
from app.smt.corpus.phrases.aligned_chunks import AlignedChunk
from app.smt.corpus.phrases.extraction import Extraction, write_extraction
from app.smt.corpus.phrases.lexical import LexicalCounts
from app.smt.corpus.phrases.orientation import OrientationModel
from app.smt.corpus.trees.node_alignment import FLOOR, NodeAligner
from app.smt.corpus.trees.tree_pairs import Treebanks
from app.text.trees.tree import Tree

__all__ = ["align_trees", "chunk_rows", "extract_chunks"]


def extract_chunks(
    treebanks: Treebanks,
    links: Path,
    folder: Path,
    lexical: Path | None = None,
    longest: int | None = None,
    consistent: bool = False,
    models: Sequence[OrientationModel] = (),
    replace: bool = False,
) -> Extraction:
    """Write chunk pairs below linked nodes and words, in the files of `extract_phrases`.

    Nodes are linked by the lexical tables `lex.e2f` and `lex.f2e` of a folder, or by tables of `links`, which take a further pass.
    A pair has at least one link and up to `longest` words a side; with `consistent` no link crosses its edges. Errors are those of
    `Treebanks`; nothing is written then.
    """
    with folder_aside(folder, replace) as temporary, ExitStack() as stack:
        aligner = _aligner(treebanks, links, lexical, stack)

        def pieces() -> Iterator[tuple[AlignedChunk, Int32s]]:
            for pairs, chunk in treebanks.chunks(links):
                rows = [
                    chunk_rows(source, target, aligner.align(source, target), _places(chunk, number), longest, consistent)
                    for number, (source, target) in enumerate(pairs)
                ]
                numbers = np.repeat(np.arange(len(rows), dtype=np.int32), [len(part) for part in rows])
                yield chunk, np.column_stack([numbers, np.concatenate(rows)]).astype(np.int32)

        extraction = write_extraction(pieces(), temporary, models)
        texts = [treebanks.source, treebanks.target, links]
        command = ["assay", "smt", "extract-trees", *(path.name for path in texts), "--method", treebanks.method]
        for side, form, heads in zip(("source", "target"), treebanks.forms, treebanks.head_tables, strict=True):
            command += [] if form is None else [f"--{side}-form", form]
            command += [] if heads is None else [f"--{side}-heads", Path(heads).name]
        command += [] if lexical is None else ["--lexical", lexical.name]
        command += [] if longest is None else ["--max-length", str(longest)]
        command += ["--consistent"] if consistent else []
        command += [word for model in models for word in ("--orientation", model.name)]
        extraction.write_manifest(temporary, "pairs of chunks of linked nodes of parallel trees", command, texts)
        return extraction


def align_trees(treebanks: Treebanks, out: Path, links: Path | None = None, lexical: Path | None = None) -> tuple[int, int]:
    """Write links of elements of two treebanks, a line ``0-0 1-2 n0-n1`` for each pair; return numbers of pairs and links.

    Words have numbers from 0; nodes from n0, the root, in preorder. Either `links` or `lexical` gives lexical tables, as in
    `extract_chunks`.
    """
    with ExitStack() as stack:
        aligner = _aligner(treebanks, links, lexical, stack)
        count = total = 0
        with written_files({"out": out}) as files:
            for source, target in treebanks.trees():
                element_links = aligner.align(source, target)
                ends = [
                    f"{_name(source, source_element)}-{_name(target, target_element)}"
                    for source_element, target_element in element_links
                ]
                files["out"].write(" ".join(ends) + "\n")
                count, total = count + 1, total + len(element_links)
    return count, total


def _name(tree: Tree, element: int) -> str:
    return str(element) if element < len(tree.words) else f"n{element - len(tree.words)}"


def _aligner(treebanks: Treebanks, links: Path | None, lexical: Path | None, stack: ExitStack) -> NodeAligner:
    # Among dependencies a word without dependents is a phrase; among constituents a node stands above it.
    mixed = treebanks.method != "con"
    if lexical is None and links is not None:
        counts = LexicalCounts()
        for _, chunk in treebanks.chunks(links):
            counts.add(chunk)
        lexical = Path(stack.enter_context(TemporaryDirectory()))
        counts.write(lexical)
    assert lexical is not None
    return NodeAligner.read(lexical, FLOOR, mixed)


def _places(chunk: AlignedChunk, number: int) -> tuple[Int32s, Int32s]:
    inside = slice(*chunk.link_offsets[number : number + 2])
    return chunk.links_source[inside], chunk.links_target[inside]


def chunk_rows(
    source: Tree,
    target: Tree,
    elements: Sequence[tuple[int, int]],
    links: tuple[Int32s, Int32s],
    longest: int | None = None,
    consistent: bool = False,
) -> Int32s:
    """Distinct spans of continuous linked elements: first and last source word, first and last target word; shape (pairs, 4)."""
    rows = dict.fromkeys(
        (*spans[0], *spans[1])
        for source_element, target_element in elements
        if (spans := (_span(source, source_element), _span(target, target_element)))
        and spans[0] is not None
        and spans[1] is not None
    )
    result = np.array(sorted(rows, key=lambda row: (row[2:], row[:2])), np.int32).reshape(-1, 4)
    if longest is not None:
        result = result[((result[:, 1] - result[:, 0]) < longest) & ((result[:, 3] - result[:, 2]) < longest)]
    in_source = (links[0] >= result[:, :1]) & (links[0] <= result[:, 1:2])
    in_target = (links[1] >= result[:, 2:3]) & (links[1] <= result[:, 3:])
    usable = (in_source & in_target).any(axis=1)
    if consistent:
        usable &= (in_source == in_target).all(axis=1)
    return result[usable]


def _span(tree: Tree, element: int) -> tuple[int, int] | None:
    """First and last word of a continuous element; None for a discontinuous one."""
    places = tree.yields[element].nonzero()[0]
    return (int(places[0]), int(places[-1])) if places[-1] - places[0] < len(places) else None
