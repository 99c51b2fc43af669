"""Reader of trees in TIGER-XML, sentence by sentence; nodes may be discontinuous."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from lxml import etree

from app.building.line_files import read_lines
from app.errors import InputError
from app.smt.corpus.lines import line_error
from app.text.trees.tree import MOST_NODES, MOST_WORDS, FileLine, Tree, build_tree, size_error

__all__ = ["read_tiger_xml"]

# Some programs write the document as one line.
LONGEST_LINE: Final = 1 << 26
DOCTYPE: Final = b"<!DOCTYPE"
# The label of an edge to the head of a constituent.
HEAD: Final = "HD"


def read_tiger_xml(path: Path) -> Iterator[Tree]:
    """Yield the trees of a TIGER-XML file, gzipped or plain, in constant memory.

    `names` are ids of the file. A single edge HD marks the head of a node. Secondary edges are skipped. Document types are refused
    (`unsafe-document`), and nothing is fetched. InputError names the file and the line of a sentence: unknown ids, ids below two
    nodes, nodes without words or in a cycle, more than `MOST_WORDS` words or `MOST_NODES` nodes.
    """
    parser: Any = etree.XMLPullParser(
        events=("start", "end"),
        tag=("corpus", "s", "t", "nt"),
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
    )
    root_checked = False
    counts = {"t": 0, "nt": 0}
    with ExitStack() as stack:
        number = 0
        try:
            for number, line in enumerate(read_lines(path, stack, LONGEST_LINE), 1):
                if not root_checked and DOCTYPE in line.upper():
                    raise line_error(path, number, "declares a document type", "unsafe-document")
                parser.feed(line)
                for event, element in parser.read_events():
                    if not root_checked:
                        root_checked = True
                        if element.getroottree().docinfo.internalDTD is not None:
                            raise InputError("unsafe-document", f"{path} declares a document type", (str(path), number))
                    if event == "start":
                        counts = {"t": 0, "nt": 0} if element.tag == "s" else counts
                    elif element.tag == "s":
                        yield _tree(element, (str(path), element.sourceline))
                        element.clear()
                        while element.getprevious() is not None:
                            del element.getparent()[0]
                    elif element.tag in counts:
                        counts[element.tag] += 1
                        if counts["t"] > MOST_WORDS or counts["nt"] > MOST_NODES:
                            raise size_error((str(path), number))
            parser.close()
        except etree.XMLSyntaxError as error:
            line_number, _ = error.position or (number, 1)
            detail = f"line {line_number} of {path}: this is not well-formed XML"
            raise InputError("invalid-document", detail, (str(path), line_number)) from None


def _tree(sentence: Any, place: FileLine) -> Tree:
    terminals, nonterminals = sentence.findall(".//t"), sentence.findall(".//nt")
    elements = [*terminals, *nonterminals]
    names = [element.get("id", "") for element in elements]
    number = {name: place_of for place_of, name in enumerate(names)}
    if len(number) < len(names):
        raise _refuse(place, "has an id twice, or an element without one")
    words = ["_".join(element.get("word", "").split()) for element in terminals]
    if not all(words):
        raise _refuse(place, "has a terminal without a word")
    parents, heads = [-1] * len(elements), list[int]()
    for node, element in enumerate(nonterminals):
        head = list[int]()
        for edge in element.findall("edge"):
            child = number.get(edge.get("idref", ""), -1)
            if child < 0:
                raise _refuse(place, "has an edge to an unknown id")
            if parents[child] >= 0:
                raise _refuse(place, f"has {names[child]} below two nodes")
            parents[child] = node
            if edge.get("label") == HEAD:
                head.append(child)
        heads.append(head[0] if len(head) == 1 else -1)
    tags = [element.get("pos", "") for element in terminals]
    labels = [element.get("cat", "") for element in nonterminals]
    count = len(terminals)
    tree = build_tree(words, tags, parents[:count], labels, parents[count:], place, heads, (names[:count], names[count:]))
    if len(set(tree.names) - {""}) < len(elements):
        raise _refuse(place, "has nodes without words, or in a cycle")
    return tree


def _refuse(place: FileLine, reason: str) -> InputError:
    return line_error(*place, f"begins a sentence that {reason}", "invalid-document")
