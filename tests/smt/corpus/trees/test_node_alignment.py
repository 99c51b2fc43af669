"""Links of nodes: the worked example, and the definition of what links may not contradict."""

from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import InputError
from app.smt.corpus.trees import node_alignment
from app.smt.corpus.trees.node_alignment import NodeAligner, WordProbabilities, node_scores
from app.text.hashing import hash_tokens
from app.text.trees.tree import Tree, build_tree

FRENCH = Tree(("la", "maison", "bleue"), ("D", "N", "A"), ("NP", "N'"), ((0, 4), (1, 2)), (-1, -1))
ENGLISH = Tree(("the", "blue", "house"), ("D", "A", "N"), ("NP", "N'"), ((0, 4), (1, 2)), (-1, -1))
E2F = "la the .6\nla house .05\nla blue .02\nmaison the .05\nmaison house .7\nmaison blue .05\nbleue the .02\nbleue house .05\nbleue blue .8\n"
F2E = "the la .7\nthe maison .03\nthe bleue .02\nhouse la .05\nhouse maison .8\nhouse bleue .05\nblue la .02\nblue maison .05\nblue bleue .75\n"


def aligner(folder: Path, e2f: str = E2F, f2e: str = F2E, mixed: bool = False) -> NodeAligner:
    (folder / "lex.e2f").write_text(e2f, encoding="utf-8")
    (folder / "lex.f2e").write_text(f2e, encoding="utf-8")
    return NodeAligner.read(folder, mixed=mixed)


@pytest.mark.parametrize("mixed", [False, True])
def test_the_worked_example(mixed: bool, tmp_path: Path) -> None:
    ours = aligner(tmp_path, mixed=mixed)
    # D-D, N-N, A-A, NP-NP, N'-N'.
    assert ours.align(FRENCH, ENGLISH) == [(0, 0), (1, 2), (2, 1), (3, 3), (4, 4)]
    forward = np.array([[0.6, 0.02, 0.05], [0.05, 0.05, 0.7], [0.02, 0.8, 0.05]])
    backward = np.array([[0.7, 0.03, 0.02], [0.02, 0.05, 0.75], [0.05, 0.8, 0.05]])
    scores = np.exp(node_scores(forward, backward, FRENCH.yields.astype(float), ENGLISH.yields.astype(float), 0.0))
    right = {(4, 4): 0.011379375, (0, 0): 0.011379375, (2, 1): 0.011343515625, (1, 2): 0.0098649936, (3, 3): 0.00035405777778,
             (4, 1): 0.000182, (2, 4): 0.000174515625, (1, 4): 0.0000648, (3, 0): 0.0}  # fmt: skip
    for pair, score in right.items():
        assert scores[pair] == pytest.approx(score, rel=1e-9)


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """Any tree, of pieces that are joined until one is left, with chains of single children among them."""
    count = draw(st.integers(1, 5))
    words = [draw(st.sampled_from("abc")) for _ in range(count)]
    parents, labels, tops = [-1] * count, list[str](), list(range(count))
    node_parents: list[int] = []
    while len(tops) > 1 or draw(st.booleans()):
        width = draw(st.integers(1, min(3, len(tops))))
        first = draw(st.integers(0, len(tops) - width))
        labels.append("X")
        node_parents.append(-1)
        for top in tops[first : first + width]:
            (parents if top < count else node_parents)[top if top < count else top - count] = len(labels) - 1
        tops[first : first + width] = [count + len(labels) - 1]
        if len(labels) > 6:
            break
    return build_tree(words, [""] * count, parents, labels, node_parents, ("", 0))


def alpha(words: list[int], given_words: list[int], table: np.ndarray) -> float:
    total = 1.0
    for word in words:
        total *= sum(table[word, other] for other in given_words) / len(given_words) if given_words else 0.0
    return total


@settings(max_examples=60, deadline=None)
@given(trees(), trees(), st.booleans(), st.integers(0, 2**16))
def test_scores_and_links_are_those_of_the_definition(source: Tree, target: Tree, mixed: bool, seed: int) -> None:
    random = np.random.default_rng(seed)
    forward = random.random((len(source.words), len(target.words)))
    backward = random.random((len(target.words), len(source.words)))
    yields = source.yields, target.yields
    scores = node_scores(forward, backward, yields[0].astype(float), yields[1].astype(float), 0.0)
    for element, other in product(range(len(yields[0])), range(len(yields[1]))):
        expected = 1.0
        for inside in (True, False):
            words, others = (
                np.flatnonzero(side[row] == inside).tolist() for side, row in zip(yields, (element, other), strict=True)
            )
            expected *= alpha(words, others, forward) * alpha(others, words, backward)
        assert np.exp(scores[element, other]) == pytest.approx(expected, rel=1e-9)
    probabilities = WordProbabilities.of(*_table(seed))
    links = NodeAligner(probabilities, probabilities, mixed=mixed).align(source, target)
    above = [_above(source), _above(target)]
    for (one, other), (again, and_other) in combinations(links, 2):
        assert one != again and other != and_other
        assert ((one, again) in above[0]) == ((other, and_other) in above[1])
        assert ((again, one) in above[0]) == ((and_other, other) in above[1])
    if not mixed:
        assert all((one < len(source.words)) == (other < len(target.words)) for one, other in links)
    assert links == sorted(links)


def _table(seed: int) -> tuple[np.ndarray, np.ndarray]:
    from app.text.hashing import combine_all, hash_tokens

    random = np.random.default_rng(seed)
    letters = hash_tokens(list("abc"))
    return combine_all(np.repeat(letters, 3), np.tile(letters, 3)), random.random(9) * (random.random(9) > 0.3)


def _above(tree: Tree) -> set[tuple[int, int]]:
    """Pairs of a node and what is below it."""
    count = len(tree.words)
    pairs = {(count + node, child) for node, children in enumerate(tree.children) for child in children}
    while grown := {(top, below) for top, middle in pairs for other, below in pairs if middle == other} - pairs:
        pairs |= grown
    return pairs


def test_nothing_is_linked_that_no_table_has(tmp_path: Path) -> None:
    assert aligner(tmp_path, "x y .5\n", "").align(FRENCH, ENGLISH) == []
    empty = Tree((), (), (), (), ())
    assert aligner(tmp_path).align(FRENCH, empty) == []


@pytest.mark.parametrize("part", [1, 2, 3])
def test_no_word_pair_of_a_long_table_is_lost(part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_alignment, "LINES", part)
    (tmp_path / "lex").write_text("".join(f"s{k} t 0.{k}\n" for k in range(1, 8)))
    table = WordProbabilities.read(tmp_path / "lex")
    words, given = (hash_tokens(side) for side in ([f"s{k}" for k in range(1, 8)], ["t"]))
    assert table.between(words, given)[:, 0].tolist() == [k / 10 for k in range(1, 8)]


@pytest.mark.parametrize("line", ["la the\n", "la the much\n", "la the nan\n", "la the 1.5\n"])
def test_tables_that_are_refused(line: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"line 10 of .*lex.e2f is not two words and a probability"):
        aligner(tmp_path, E2F + line)
