"""Drawings of trees: text, and SVG as XML."""

import re
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.smt.reordering.drawings import indented, svg_of_trees
from app.smt.reordering.trees import permutation_of, tree_of

NAMES = {"svg": "http://www.w3.org/2000/svg"}


def test_text_is_indented_by_level() -> None:
    tree = tree_of(permutation_of([5, 7, 2, 4, 1, 3, 6]))
    assert indented(tree, list("abcdefg")).splitlines() == [
        "P2413", "  a", "  b", "  P2413", "    c", "    d", "    e", "    f", "  g",
    ]  # fmt: skip


def test_sentences_without_a_node() -> None:
    single, empty = tree_of(np.array([0])), tree_of(np.empty(0, np.int64))
    assert indented(single, ["a"]) == "a"
    assert indented(empty, []) == ""
    root = ElementTree.fromstring(svg_of_trees([(single, ["a"]), (empty, [])]))
    assert [text.text for text in root.iterfind(".//svg:text", NAMES)] == ["a"]


@given(st.permutations(range(1, 9)), st.lists(st.text(max_size=5), min_size=8, max_size=8))
def test_drawings_are_xml_with_all_words_and_no_address(values: list[int], words: list[str]) -> None:
    tree = tree_of(permutation_of(values), "flat")
    text = svg_of_trees([(tree, words)])
    root = ElementTree.fromstring(text)
    texts = root.findall(".//svg:text", NAMES)
    assert len(texts) == 8 + tree.nodes
    assert len(root.findall(".//svg:line", NAMES)) == len(tree.children)
    plain = [word for word in words if re.fullmatch(r"[ -~]+", word)]
    leaves = [element.text for element in texts if "class" not in element.attrib]
    assert set(plain) <= set(leaves)
    assert text.count("http") == 1 + sum(word.count("http") for word in words)
    assert {element.tag.rpartition("}")[2] for element in root.iter()} <= {"svg", "style", "g", "line", "text"}


def test_markup_in_words_is_text() -> None:
    tree = tree_of(permutation_of([2, 1]))
    words = ["<script>", "a&b"]
    root = ElementTree.fromstring(svg_of_trees([(tree, words)]))
    assert [text.text for text in root.iterfind(".//svg:text", NAMES)] == ["P21", *words]


def test_room_of_words_of_any_script() -> None:
    words = ["e\u0301e\u0301", "WW", "北京", "ii"]
    root = ElementTree.fromstring(svg_of_trees([(tree_of(permutation_of([1, 2, 3, 4]), "flat"), words)]))
    places = [float(text.attrib["x"]) for text in root.iterfind(".//svg:text", NAMES) if "class" not in text.attrib]
    # Marks above letters take no room; W is wide, and signs of Chinese are the widest.
    rooms = [2 * places[0]]
    for before, place in pairwise(places):
        rooms.append(2 * (place - before - 16) - rooms[-1])
    assert rooms == [16, 28, 32, 16]
    assert root.attrib["viewBox"] == f"0 0 {root.attrib['width']} {root.attrib['height']}"
    assert float(root.attrib["width"]) == sum(rooms) + 5 * 16
