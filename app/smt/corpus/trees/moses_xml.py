"""Trees in the XML of Moses: a sentence a line, with `<tree label="NP"> ... </tree>` around words, or tags with spans."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from app.smt.corpus.lines import line_error, numbered_lines
from app.text.trees.tree import MOST_NODES, MOST_WORDS, FileLine, Tree, build_tree, nested_text, size_error

__all__ = ["read_moses_xml", "write_moses_xml"]

PIECE: Final = re.compile(r"<[^<>]*>|[^\s<>]+")
TAG: Final = re.compile(r"<(/?)tree((?:\s+\w+=\"[^\"]*\")*)\s*(/?)>")
ATTRIBUTE: Final = re.compile(r"(\w+)=\"([^\"]*)\"")
SPAN: Final = re.compile(r"(\d{1,6})[-,](\d{1,6})")
# Escapes of the Moses tokeniser for special characters.
ESCAPES: Final = {"lt": "<", "gt": ">", "quot": '"', "apos": "'", "#91": "[", "#93": "]", "#124": "|", "bar": "|", "amp": "&"}
ENTITY: Final = re.compile(r"&(#?\w{1,5});")

# First word, end, label.
Span = tuple[int, int, str]


def read_moses_xml(path: Path) -> Iterator[Tree]:
    """Yield the trees of a file, gzipped or plain. An empty line is a sentence without words; words without tags are one node.

    A node surrounds words, ``<tree label="NP"> the house </tree>``, or names a span, ``<tree label="NP" span="0-1"/>``. A node of a
    single word is its tag. Escapes such as ``&lt;`` are resolved. InputError names file and line: unknown or unbalanced tags, spans
    that cross or exceed the words, more than `MOST_WORDS` words or `MOST_NODES` nodes.
    """
    return (_tree(line, (str(path), number)) for number, line in numbered_lines(path))


def _tree(text: str, place: FileLine) -> Tree:
    words: list[str] = []
    spans: list[Span | None] = []
    open_nodes: list[tuple[int, int, str]] = []
    for match in PIECE.finditer(text):
        piece = match[0]
        if not piece.startswith("<"):
            words.append(_plain(piece))
        else:
            tag = TAG.fullmatch(piece)
            if tag is None:
                raise line_error(*place, 'has an unknown tag; tags are <tree label="..."> and </tree>')
            closing, attributes, self_closing = tag.groups()
            if closing:
                if not open_nodes:
                    raise line_error(*place, "closes a tree that was not opened")
                row, begin, label = open_nodes.pop()
                if spans[row] is None:
                    spans[row] = begin, len(words), label
            else:
                values = dict(ATTRIBUTE.findall(attributes))
                span = _span(values, place)
                spans.append(span)
                if not self_closing:
                    open_nodes.append((len(spans) - 1, len(words), _plain(values.get("label", ""))))
                elif span is None:
                    raise line_error(*place, "has an empty tree without a span")
        if len(words) > MOST_WORDS or len(spans) > MOST_NODES + MOST_WORDS:
            raise size_error(place)
    if open_nodes:
        raise line_error(*place, "has an unclosed tree")
    return _nested(words, [span for span in spans if span is not None and span[0] < span[1]], place)


def _span(values: dict[str, str], place: FileLine) -> Span | None:
    if "span" not in values:
        return None
    match = SPAN.fullmatch(values["span"])
    if match is None:
        raise line_error(*place, "has a malformed span; spans are first-last, word numbers from 0")
    return int(match[1]), int(match[2]) + 1, _plain(values.get("label", ""))


def _nested(words: Sequence[str], spans: Sequence[Span], place: FileLine) -> Tree:
    labels, parents, word_parents = list[str](), list[int](), [-1] * len(words)
    tags = [""] * len(words)
    open_nodes: list[tuple[int, int]] = []
    # Wider spans stand above narrower ones; ties keep their order.
    sorted_spans = sorted(spans, key=lambda span: (span[0], -span[1]))
    for row, (begin, end, label) in enumerate(sorted_spans):
        if end > len(words):
            raise line_error(*place, f"has a span to word {end - 1}, but its last word is {len(words) - 1}")
        while open_nodes and open_nodes[-1][1] <= begin:
            open_nodes.pop()
        if open_nodes and open_nodes[-1][1] < end:
            raise line_error(*place, f"has trees that cross, about words {begin} and {open_nodes[-1][1] - 1}")
        if end == begin + 1 and (row + 1 == len(sorted_spans) or sorted_spans[row + 1][:2] != (begin, end)):
            tags[begin] = label
            continue
        parents.append(open_nodes[-1][0] if open_nodes else -1)
        open_nodes.append((len(labels), end))
        labels.append(label)
        for word in range(begin, end):
            word_parents[word] = len(labels) - 1
    return build_tree(words, tags, word_parents, labels, parents, place)


def write_moses_xml(tree: Tree) -> str:
    """Text of a tree on one line. InputError for a discontinuous node."""
    texts = [
        f"<tree label={_attribute(tag)}> {_quoted(word)} </tree>" if tag else _quoted(word)
        for word, tag in zip(tree.words, tree.tags, strict=True)
    ]
    text = nested_text(tree, texts, lambda label, inside: f"<tree label={_attribute(label)}> {inside} </tree>")
    return " ".join(texts) if text is None else text


def _attribute(text: str) -> str:
    return f'"{_quoted(text)}"'


def _quoted(text: str) -> str:
    text = text.replace("&", "&amp;")
    for letter, entity in (("<", "lt"), (">", "gt"), ('"', "quot"), ("|", "#124"), ("[", "#91"), ("]", "#93")):
        text = text.replace(letter, f"&{entity};")
    return text


def _plain(text: str) -> str:
    return ENTITY.sub(lambda match: ESCAPES.get(match[1], match[0]), text)
