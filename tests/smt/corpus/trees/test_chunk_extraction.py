"""Pairs of chunks: by hand, and by what they must agree with, the trees and the links."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import InputError
from app.smt.corpus.phrases.orientation import OrientationModel
from app.smt.corpus.phrases.scoring.tables import TableOptions, build_tables
from app.smt.corpus.trees.chunk_extraction import align_trees, chunk_rows, extract_chunks
from app.smt.corpus.trees.tree_pairs import Treebanks
from app.text.trees.tree import Tree
from tests.smt.corpus.trees.test_node_alignment import E2F, F2E, trees

FRENCH = "(NP (D la) (NBAR (N maison) (A bleue)))\n"
ENGLISH = "(NP (D the) (NBAR (A blue) (N house)))\n"
LINKS = "0-0 1-2 2-1\n"


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    contents = {"source": FRENCH + "()\n" + FRENCH, "target": ENGLISH + "()\n" + ENGLISH, "links": LINKS + "\n0-0 1-2\n"}
    for name, content in {**contents, "lex.e2f": E2F, "lex.f2e": F2E}.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    return [tmp_path / name for name in contents]


def lines(path: Path) -> list[str]:
    return gzip.decompress(path.read_bytes()).decode().splitlines()


def test_the_worked_example(files: list[Path], tmp_path: Path) -> None:
    source, target, links = files
    made = extract_chunks(
        Treebanks(source, target, "con"), links, tmp_path / "out", tmp_path, models=[OrientationModel.parse("wbe-msd")]
    )
    first = ["la ||| the ||| 0-0", "la maison bleue ||| the blue house ||| 0-0 2-1 1-2", "bleue ||| blue ||| 0-0",
             "maison bleue ||| blue house ||| 1-0 0-1", "maison ||| house ||| 0-0"]  # fmt: skip
    # bleue has no link in the last sentence: its pair is rejected, and others have less links.
    last = ["la ||| the ||| 0-0", "la maison bleue ||| the blue house ||| 0-0 1-2", "maison bleue ||| blue house ||| 0-1",
            "maison ||| house ||| 0-0"]  # fmt: skip
    assert lines(tmp_path / "out" / "extract.gz") == first + last and (made.sentences, made.pairs) == (3, 9)
    assert lines(tmp_path / "out" / "extract.inv.gz")[1] == "the blue house ||| la maison bleue ||| 0-0 1-2 2-1"
    assert lines(tmp_path / "out" / "extract.o.gz")[0] == "la ||| the ||| mono other"
    assert build_tables(tmp_path / "out", tmp_path / "tables", TableOptions()).pairs == 5
    assert lines(tmp_path / "tables" / "phrase-table.gz")[0].startswith("bleue ||| blue ||| 1 ")


def test_lengths_and_consistency(files: list[Path], tmp_path: Path) -> None:
    source, target, links = files
    links.write_text("0-0 1-2 2-1 0-2\n\n\n", encoding="utf-8")
    banks = Treebanks(source, target, "con")
    extract_chunks(banks, links, tmp_path / "out", tmp_path, longest=2)
    texts = [line.rpartition(" ||| ")[0] for line in lines(tmp_path / "out" / "extract.gz")]
    assert texts == ["la ||| the", "bleue ||| blue", "maison bleue ||| blue house", "maison ||| house"]
    extract_chunks(banks, links, tmp_path / "out", tmp_path, consistent=True, replace=True)
    # Whatever is with "la" and without "house" has a link that leaves it.
    assert [line.rpartition(" ||| ")[0] for line in lines(tmp_path / "out" / "extract.gz")] == [
        "la maison bleue ||| the blue house", "bleue ||| blue",
    ]  # fmt: skip


def test_links_of_nodes_are_written(files: list[Path], tmp_path: Path) -> None:
    source, target, links = files
    assert align_trees(Treebanks(source, target, "con"), tmp_path / "nodes", None, tmp_path) == (3, 10)
    assert (tmp_path / "nodes").read_text().splitlines() == ["0-0 1-2 2-1 n0-n0 n1-n1", "", "0-0 1-2 2-1 n0-n0 n1-n1"]
    # By the tables of the links themselves.
    assert align_trees(Treebanks(source, target, "perc", head_tables=("french", "english")), tmp_path / "perc", links)[0] == 3


@settings(max_examples=60, deadline=None)
@given(trees(), trees(), st.data())
def test_every_pair_agrees_with_trees_and_links(source: Tree, target: Tree, data: st.DataObject) -> None:
    sizes = len(source.words), len(target.words)
    places = st.tuples(st.integers(0, sizes[0] - 1), st.integers(0, sizes[1] - 1))
    linked = np.array(sorted(data.draw(st.sets(places, max_size=6))), np.int32).reshape(-1, 2)
    counts = len(source.yields), len(target.yields)
    elements = data.draw(st.lists(st.tuples(st.integers(0, counts[0] - 1), st.integers(0, counts[1] - 1)), max_size=8))
    consistent = data.draw(st.booleans())
    rows = chunk_rows(source, target, elements, (linked[:, 0], linked[:, 1]), None, consistent)
    spans = [{tuple(np.flatnonzero(row).tolist()) for row in tree.yields} for tree in (source, target)]
    assert len({tuple(row) for row in rows.tolist()}) == len(rows)
    for first, last, other_first, other_last in rows.tolist():
        words, others = tuple(range(first, last + 1)), tuple(range(other_first, other_last + 1))
        assert words in spans[0] and others in spans[1]
        inside = [(i in words, j in others) for i, j in linked.tolist()]
        assert (True, True) in inside
        assert not consistent or all(one == other for one, other in inside)


@pytest.mark.parametrize(
    ("name", "text", "code", "what"),
    [
        ("links", LINKS, "unequal-lengths", "links has fewer lines"),
        ("links", LINKS + 3 * "\n", "unequal-lengths", "links has more lines"),
        ("links", "0-0\n\n0-3\n", "invalid-table", "line 3 of .*links has a link beyond the words"),
        ("links", "0-0\nx\n\n", "invalid-table", "line 2 of .*links has a malformed link"),
        ("target", ENGLISH, "unequal-lengths", "target has 1 sentences"),
        ("target", "1\tthe\t_\tDET\t_\t_\t0\troot\t_\t_\n\n" * 3, "invalid-request", "target, sentence 1: con takes"),
        ("source", "(NP a |||)\n" * 3, "invalid-character", "source, sentence 1 has a word"),
    ],
)  # fmt: skip
def test_what_is_refused(name: str, text: str, code: str, what: str, files: list[Path], tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=what) as refused:
        extract_chunks(Treebanks(files[0], files[1], "con"), files[2], tmp_path / "out")
    assert refused.value.code == code and not (tmp_path / "out").exists()
    with pytest.raises(InputError, match="methods are"):
        next(Treebanks(files[0], files[1], "str").trees())
