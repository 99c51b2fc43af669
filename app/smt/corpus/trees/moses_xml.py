"""Trees as Moses has them: a sentence a line, `<tree label="NP"> ... </tree>` about words, or tags that name a span."""

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from app.building.line_files import read_lines
from app.errors import InputError
from app.smt.corpus.trees.tree import MOST_NODES, MOST_WORDS, Place, Tree, build_tree
from app.text.reading.lines import decode_text

__all__ = ["read_moses_xml", "write_moses_xml"]

PIECE: Final = re.compile(r"<[^<>]*>|[^\s<>]+")
TAG: Final = re.compile(r"<(/?)tree((?:\s+\w+=\"[^\"]*\")*)\s*(/?)>")
ATTRIBUTE: Final = re.compile(r"(\w+)=\"([^\"]*)\"")
SPAN: Final = re.compile(r"(\d{1,6})[-,](\d{1,6})")
# What Moses' tokeniser writes in the place of letters that mean something to Moses.
ESCAPES: Final = {"lt": "<", "gt": ">", "quot": '"', "apos": "'", "#91": "[", "#93": "]", "#124": "|", "bar": "|", "amp": "&"}
ENTITY: Final = re.compile(r"&(#?\w{1,5});")

# First word, word behind the last, label.
Span = tuple[int, int, str]


def read_moses_xml(path: Path) -> Iterator[Tree]:
    """Trees of a file; gzip is read too. An empty line is a sentence without words, and words without tags are one node.

    A node is about words, ``<tree label="NP"> the house </tree>``, or names them, ``<tree label="NP" span="0-1"/>``; one about a
    single word is its tag. ``&lt;`` and its like become what they stand for. InputError names file and line: other tags, tags
    without their other half, spans that cross or have no such words, more than `MOST_WORDS` words or `MOST_NODES` nodes.
    """
    with ExitStack() as stack:
        for number, line in enumerate(read_lines(path, stack), 1):
            yield _tree(decode_text(line, str(path), number), (str(path), number))


def _tree(text: str, place: Place) -> Tree:
    words: list[str] = []
    spans: list[Span | None] = []
    opened: list[tuple[int, int, str]] = []
    for match in PIECE.finditer(text):
        piece = match[0]
        if not piece.startswith("<"):
            words.append(_plain(piece))
        else:
            tag = TAG.fullmatch(piece)
            if tag is None:
                raise _refuse(place, 'has a tag that is none of <tree label="..."> and </tree>')
            closing, attributes, alone = tag.groups()
            if closing:
                if not opened:
                    raise _refuse(place, "closes a tree that was not opened")
                row, begin, label = opened.pop()
                if spans[row] is None:
                    spans[row] = begin, len(words), label
            else:
                values = dict(ATTRIBUTE.findall(attributes))
                span = _span(values, place)
                spans.append(span)
                if not alone:
                    opened.append((len(spans) - 1, len(words), _plain(values.get("label", ""))))
                elif span is None:
                    raise _refuse(place, "has a tree about nothing, without a span")
        if len(words) > MOST_WORDS or len(spans) > MOST_NODES + MOST_WORDS:
            detail = f"line {place[1]} of {place[0]}: a tree has at most {MOST_WORDS} words and {MOST_NODES} nodes"
            raise InputError("segment-too-long", detail, place)
    if opened:
        raise _refuse(place, "opens a tree that it does not close")
    return _nested(words, [span for span in spans if span is not None and span[0] < span[1]], place)


def _span(values: dict[str, str], place: Place) -> Span | None:
    if "span" not in values:
        return None
    match = SPAN.fullmatch(values["span"])
    if match is None:
        raise _refuse(place, "has a span that is not first-last, places of words from 0")
    return int(match[1]), int(match[2]) + 1, _plain(values.get("label", ""))


def _nested(words: Sequence[str], spans: Sequence[Span], place: Place) -> Tree:
    labels, parents, word_parents = list[str](), list[int](), [-1] * len(words)
    tags = [""] * len(words)
    opened: list[tuple[int, int]] = []
    # Spans that begin earlier and end later are above others; of equal ones that which came first.
    ordered = sorted(spans, key=lambda span: (span[0], -span[1]))
    for row, (begin, end, label) in enumerate(ordered):
        if end > len(words):
            raise _refuse(place, f"has a span to word {end - 1}, and the last is {len(words) - 1}")
        while opened and opened[-1][1] <= begin:
            opened.pop()
        if opened and opened[-1][1] < end:
            raise _refuse(place, f"has trees that cross, about words {begin} and {opened[-1][1] - 1}")
        if end == begin + 1 and (row + 1 == len(ordered) or ordered[row + 1][:2] != (begin, end)):
            tags[begin] = label
            continue
        parents.append(opened[-1][0] if opened else -1)
        opened.append((len(labels), end))
        labels.append(label)
        for word in range(begin, end):
            word_parents[word] = len(labels) - 1
    return build_tree(words, tags, word_parents, labels, parents, place)


def write_moses_xml(tree: Tree) -> str:
    """The tree on one line. InputError where what is below a node is not in one piece."""
    count = len(tree.words)
    texts = [
        f"<tree label={_attribute(tag)}> {_quoted(word)} </tree>" if tag else _quoted(word)
        for word, tag in zip(tree.words, tree.tags, strict=True)
    ]
    written = [""] * len(tree.labels)
    for node in range(len(tree.labels) - 1, -1, -1):
        places = tree.yields[count + node].nonzero()[0]
        if places[-1] - places[0] >= len(places):
            raise InputError("invalid-table", f"what is below node n{node} is not in one piece, which nested tags cannot say")
        inside = " ".join(texts[child] if child < count else written[child - count] for child in tree.children[node])
        written[node] = f"<tree label={_attribute(tree.labels[node])}> {inside} </tree>"
    return written[0] if written else " ".join(texts)


def _attribute(text: str) -> str:
    return f'"{_quoted(text)}"'


def _quoted(text: str) -> str:
    text = text.replace("&", "&amp;")
    for letter, entity in (("<", "lt"), (">", "gt"), ('"', "quot"), ("|", "#124"), ("[", "#91"), ("]", "#93")):
        text = text.replace(letter, f"&{entity};")
    return text


def _plain(text: str) -> str:
    return ENTITY.sub(lambda match: ESCAPES.get(match[1], match[0]), text)


def _refuse(place: Place, what: str) -> InputError:
    file, line = place
    return InputError("invalid-table", f"line {line} of {file} {what}", place)
