"""Percolated heads and the brackets of governors: worked examples, and that one becomes the other again."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import InputError
from app.smt.corpus.trees.bracketing import METHODS, bracket, chunk_tree
from app.smt.corpus.trees.percolation import HEAD_TABLES, HeadRule, HeadTable, percolate
from app.smt.corpus.trees.reading import read_trees
from app.text.trees.tree import Dependencies, Tree

BOARD = (
    "(S (NP (NNP Vinken)) (VP (MD will) (VP (VB join) (NP (DT the) (NN board)) (PP (IN as) (NP (DT a) (JJ nonexecutive) "
    "(NN director))) (NP (NNP Nov) (CD 29)))))"
)
NIKITIN = "(S (NP (PRP It)) (VP (VBZ is) (NP (NP (DT the) (NN case)) (PP (IN of) (NP (NNP Alexander) (NNP Nikitin))))) (. .))"


def tree_of(text: str, folder: Path) -> Tree:
    (folder / "tree").write_text(text, encoding="utf-8")
    (tree,) = read_trees(folder / "tree")
    assert isinstance(tree, Tree)
    return tree


def chunks(tree: Tree) -> list[str]:
    below = tree.yields[len(tree.words) :]
    return [" ".join(word for word, inside in zip(tree.words, row, strict=True) if inside) for row in below.tolist()]


@pytest.mark.parametrize(
    ("text", "governors", "phrases"),
    [
        (
            BOARD,
            "will - will board join join director director as join Nov",
            [
                "Vinken will join the board as a nonexecutive director Nov 29", "join the board as a nonexecutive director Nov 29",
                "the board", "as a nonexecutive director", "a nonexecutive director", "Nov 29",
            ],
        ),
        (
            NIKITIN,
            "is - case is case Nikitin of is",
            ["It is the case of Alexander Nikitin .", "the case of Alexander Nikitin", "of Alexander Nikitin", "Alexander Nikitin"],
        ),
        # The head of a coordination is what stands before the conjunction.
        ("(NP (NN bread) (CC and) (NN butter))", "- bread bread", ["bread and butter"]),
        ("(NP-SBJ-1 (DT The) (NN box))", "box -", ["The box"]),
    ],
)  # fmt: skip
def test_heads_of_worked_examples(text: str, governors: str, phrases: list[str], tmp_path: Path) -> None:
    tree = tree_of(text, tmp_path)
    sentence = percolate(tree, HeadTable.of("english"))
    assert ["-" if head < 0 else tree.words[head] for head in sentence.heads] == governors.split()
    assert chunks(bracket(sentence)) == phrases == chunks(chunk_tree(tree, "perc", HeadTable.of("english")))


@st.composite
def governed(draw: st.DrawFn) -> Dependencies:
    """Any tree: each word of a random order hangs on one before it."""
    count = draw(st.integers(1, 9))
    order = draw(st.permutations(range(count)))
    heads = [-1] * count
    for place in range(1, count):
        heads[order[place]] = order[draw(st.integers(0, place - 1))]
    words = tuple(f"w{word}" for word in range(count))
    return Dependencies(words, ("X",) * count, tuple(heads))


@settings(max_examples=150, deadline=None)
@given(governed())
def test_brackets_of_governors_have_their_heads(sentence: Dependencies) -> None:
    tree = bracket(sentence)
    assert percolate(tree, None) == sentence
    # By the definition: what a node has below it are a word and all that hangs on it.
    count = len(sentence.words)
    expected = set()
    for word in set(sentence.heads) - {-1}:
        inside = {word}
        while grown := {other for other in range(count) if sentence.heads[other] in inside} - inside:
            inside |= grown
        expected.add(tuple(sorted(inside)))
    assert sorted(tuple(row.nonzero()[0].tolist()) for row in tree.yields[count:]) == sorted(expected)


def test_several_roots_have_one_above_them() -> None:
    tree = bracket(Dependencies(("a", "b", "c"), ("", "", ""), (-1, 0, -1)))
    assert tree.labels == ("", "X") and tree.children == ((4, 2), (0, 1)) and tree.heads == (-1, 0)


def test_tables_that_ship_can_be_read() -> None:
    assert HEAD_TABLES == ("english", "french", "german", "spanish")
    for name in HEAD_TABLES:
        table = HeadTable.of(name)
        assert table.rules and table.head("UNHEARD-OF", ["A", "B"]) in (0, 1)


@pytest.mark.parametrize(
    "text",
    ["default = 1\n[labels]\n", "[labels]\nNP = ['middle NN']\n", "[labels]\nNP = 'left'\n", "labels", "more = 1\n[labels]\n"],
)
def test_tables_of_heads_that_are_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"table\.toml") as refused:
        HeadTable.of(str(tmp_path / "table.toml"))
    assert refused.value.code == "invalid-table"


def test_methods_take_what_they_are_about(tmp_path: Path) -> None:
    tree, sentence = tree_of(BOARD, tmp_path), Dependencies(("a",), ("X",), (-1,))
    assert METHODS == ("con", "dep", "perc") and chunk_tree(tree, "con") is tree
    for given_sentence, method in ((tree, "dep"), (sentence, "con"), (sentence, "perc"), (tree, "perc")):
        with pytest.raises(InputError):
            chunk_tree(given_sentence, method)


LABELS = st.sampled_from("ABCDE")


@settings(deadline=None)
@given(st.lists(LABELS, max_size=6), st.lists(LABELS, max_size=6), st.sampled_from(["left", "right"]), st.booleans())
def test_a_rule_finds_what_its_definition_says(children: list[str], labels: list[str], side: str, whichever: bool) -> None:
    """Children from a side: the first of any label, or the first of the first label that one has."""
    places = list(range(len(children))) if side == "left" else list(range(len(children)))[::-1]
    if whichever:
        expected = [place for place in places if children[place] in labels]
    else:
        expected = [place for label in labels for place in places if children[place] == label]
    assert HeadRule(side, whichever, tuple(labels)).child(children) == (expected[0] if expected else None)


@pytest.mark.parametrize(
    "table",
    [
        "labels = " + "[" * 30_000,
        "[labels]\nS = ['left']\n" + "#" * 70_000,
        'cut = "abcdefghijklmnopq"\n[labels]\nS = ["left A"]\n',
    ],
)
def test_tables_of_a_strangers_are_bounded(table: str, tmp_path: Path) -> None:
    (tmp_path / "heads.toml").write_text(table)
    with pytest.raises(InputError):
        HeadTable.of(str(tmp_path / "heads.toml"))
