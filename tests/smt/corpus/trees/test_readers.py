"""Readers of trees: examples of each format, and what is refused, by file and line."""

import gzip
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from app.errors import InputError
from app.smt.corpus.trees.converting import convert_trees
from app.smt.corpus.trees.moses_xml import write_moses_xml
from app.smt.corpus.trees.reading import read_brackets, read_trees
from app.text.trees.brackets import write_brackets
from app.text.trees.tree import Dependencies, Tree

Write = Callable[[str], Path]

# Penn Treebank, wsj_0001: over several lines, with a trace and functions.
PENN = """
( (S
    (NP-SBJ (NNP Vinken) )
    (VP (MD will)
      (VP (VB join)
        (NP (DT the) (NN board) )
        (NP-TMP (-NONE- *T*-1))))
    (-LRB- -LRB-) (. .) ))
"""
# TIGER's format: "Er hat ... gekauft" with a verb phrase in two pieces.
TIGER = """<?xml version="1.0" encoding="ISO-8859-1"?>
<corpus id="c"><body>
<s id="s1">
<graph root="s1_500">
<terminals>
<t id="s1_1" word="Das" pos="PDS"/>
<t id="s1_2" word="hat" pos="VAFIN"><secedge label="SB" idref="s1_3"/></t>
<t id="s1_3" word="er" pos="PPER"/>
<t id="s1_4" word="gegönnt" pos="VVPP"/>
<t id="s1_5" word="." pos="$."/>
</terminals>
<nonterminals>
<nt id="s1_500" cat="S"><edge label="HD" idref="s1_2"/><edge label="SB" idref="s1_3"/><edge label="OC" idref="s1_501"/></nt>
<nt id="s1_501" cat="VP"><edge label="OA" idref="s1_1"/><edge label="HD" idref="s1_4"/></nt>
</nonterminals>
</graph>
</s>
</body></corpus>
"""
CONLLU = """# sent_id = 1
1-2	im	_	_	_	_	_	_	_	_
1	in	in	ADP	_	_	3	case	_	_
2	dem	der	DET	_	_	3	det	_	_
2.1	gibt	_	VERB	_	_	_	_	_	_
3	Haus	Haus	NOUN	_	_	0	root	_	_

1	ja	ja	INTJ	_	_	0	root	_	_
"""


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(text: str) -> Path:
        path = tmp_path / "trees"
        path.write_bytes(gzip.compress(text.encode("utf-8")))
        return path

    return written


def one(path: Path) -> Tree:
    (tree,) = read_trees(path)
    assert isinstance(tree, Tree)
    return tree


def test_brackets_inside_of_words_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "trees"
    path.write_text("(S (NN a-LRB-b-RRB-) (NN -LSB--RSB-) (NN -LRB))\n")
    (tree,) = read_brackets(path)
    assert tree.words == ("a(b)", "[]", "-LRB")
    path.write_text(write_brackets(tree) + "\n")
    assert next(read_brackets(path)).words == tree.words


def test_brackets_of_the_penn_treebank(write: Write) -> None:
    tree = one(write(PENN))
    assert tree.words == ("Vinken", "will", "join", "the", "board", "(", ".")
    assert tree.tags == ("NNP", "MD", "VB", "DT", "NN", "-LRB-", ".")
    assert tree.labels == ("S", "NP-SBJ", "VP", "VP", "NP")
    assert tree.children == ((8, 9, 5, 6), (0,), (1, 10), (2, 11), (3, 4))
    assert write_brackets(tree) == (
        "(S (NP-SBJ (NNP Vinken)) (VP (MD will) (VP (VB join) (NP (DT the) (NN board)))) (-LRB- -LRB-) (. .))"
    )


def test_sentences_without_a_tree_keep_their_place(write: Write) -> None:
    assert [len(tree.words) for tree in read_trees(write("(NP a b)\n(())\n()\n(TOP)\n((X c))(Y d e)\n"))] == [2, 0, 0, 0, 1, 2]


def test_tiger_xml_with_a_constituent_in_two_pieces(write: Write) -> None:
    tree = one(write(TIGER.replace("ISO-8859-1", "UTF-8")))
    # The full stop hangs nowhere: a root above both.
    assert tree.labels == ("", "S", "VP") and tree.words[3] == "gegönnt"
    assert tree.children == ((6, 4), (7, 1, 2), (0, 3))
    assert tree.heads == (-1, 1, 1) and tree.names[:2] == ("s1_1", "s1_2") and tree.names[5:] == ("", "s1_500", "s1_501")
    assert tree.yields[7].tolist() == [True, False, False, True, False]
    for writer in (write_brackets, write_moses_xml):
        with pytest.raises(InputError, match="is discontinuous"):
            writer(tree)


def test_conllu_with_a_contraction_and_a_word_that_is_not_written(write: Write) -> None:
    assert list(read_trees(write(CONLLU))) == [
        Dependencies(("in", "dem", "Haus"), ("ADP", "DET", "NOUN"), (2, 2, -1)),
        Dependencies(("ja",), ("INTJ",), (-1,)),
    ]


def test_xml_of_moses_about_words_and_by_spans(write: Write) -> None:
    nested = (
        '<tree label="S"> <tree label="NP"> <tree label="DT"> the </tree> <tree label="NN"> a&amp;b </tree> </tree> is </tree>\n'
    )
    spans = 'the a&amp;b is <tree label="S" span="0-2"/><tree label="DT" span="0-0"/> <tree span="0,1" label="NP"/><tree label="NN" span="1-1"/>\n'
    trees = list(read_trees(write(f"{nested}{spans}\n"), "moses-xml"))
    assert trees[0] == trees[1] == Tree(("the", "a&b", "is"), ("DT", "NN", ""), ("S", "NP"), ((4, 2), (0, 1)), (-1, -1))
    assert isinstance(trees[0], Tree) and f"{write_moses_xml(trees[0])}\n" == nested
    assert len(trees) == 3 and not trees[2].words


@pytest.mark.parametrize(
    ("text", "code", "what"),
    [
        ("(S (NP a b)\n", "invalid-table", "line 1 of .* never closed"),
        ("(S a b)\n)\n", "invalid-table", "line 2 of .* outside of brackets"),
        ("(S (NP) b)\n", "invalid-table", r"line 1 of .* \(NP\) without words"),
        ("(S a b)\n(S" + " a" * 10_000 + ")\n", "segment-too-long", "line 2 of .* at most 500 words"),
        ("(S a b)\n" + "(S " * 10_000 + "a b" + ")" * 10_000, "segment-too-long", "line 2 of .* 2000 nodes"),
        ('<tree label="A"> b\n', "invalid-table", "line 1 of .* unclosed tree"),
        ('<tree label="A"> b </tree> </tree>\n', "invalid-table", "line 1 of .* was not opened"),
        ('<tree label="A"> <np> b </np> </tree>\n', "invalid-table", "line 1 of .* unknown tag; tags are <tree"),
        ('a b c <tree label="A" span="0-1"/> <tree label="B" span="1-2"/>\n', "invalid-table", "line 1 of .* cross"),
        ('a b c <tree label="A" span="1-3"/>\n', "invalid-table", "line 1 of .* to word 3"),
        (CONLLU.replace("ADP\t_\t_\t3", "ADP\t_\t_\t2"), "invalid-table", None),
        (CONLLU.replace("0\troot", "1\troot", 1), "invalid-table", "line 3 of .* in a cycle"),
        (CONLLU.replace("0\troot", "9\troot", 1), "invalid-table", "line 3 of .* depends on word 9"),
        (CONLLU.replace("0\troot", "3\troot", 1), "invalid-table", "line 3 of .* governs itself"),
        (CONLLU.replace("3\tHaus", "4\tHaus"), "invalid-table", "line 6 of .* another number than 3"),
        ("1\ta\tb\n", "invalid-table", "line 1 of .* 3 columns"),
        ("\n".join(f"{k}\ta\t_\tX\t_\t_\t0\troot\t_\t_" for k in range(1, 10_000)), "segment-too-long", "line 501 of"),
        ("some text\n", "unknown-format", "no known format of trees"),
        ('<?xml version="1.0"?>\n<!DOCTYPE corpus [<!ENTITY a "b">]>\n<corpus></corpus>\n', "unsafe-document", "line 2 of"),
        ('<corpus>\n<s id="1">\n', "invalid-document", "not well-formed"),
        (TIGER.replace("ISO-8859-1", "UTF-8").replace('idref="s1_501"', 'idref="s1_777"'), "invalid-document", "line 3 of .* an unknown id"),
        (TIGER.replace("ISO-8859-1", "UTF-8").replace('idref="s1_1"', 'idref="s1_500"'), "invalid-table", "line 3 of .* below itself"),
        (TIGER.replace("ISO-8859-1", "UTF-8").replace('idref="s1_1"', 'idref="s1_3"'), "invalid-document", "below two nodes"),
    ],
)  # fmt: skip
def test_what_is_refused(text: str, code: str, what: str | None, write: Write) -> None:
    path = write(text)
    if what is None:
        # Governed by another word, and nothing wrong with it.
        assert len(list(read_trees(path))) == 2
        return
    with pytest.raises(InputError, match=what) as refused:
        list(read_trees(path))
    assert refused.value.code == code and str(path) in refused.value.detail


def test_entities_in_attributes_are_never_read(write: Write) -> None:
    bomb = "".join(f'<!ENTITY a{k} "{f"&a{k - 1};" * 10 if k else "x"}">' for k in range(10))
    with pytest.raises(InputError) as refused:
        list(read_trees(write(f'<?xml version="1.0"?>\n<!DOCTYPE c [{bomb}]>\n<corpus id="&a9;"/>\n')))
    assert refused.value.code == "unsafe-document"


def test_conversion_writes_what_is_read_again(write: Write, tmp_path: Path) -> None:
    forms = {"conllu": "conllu", "brackets": "brackets", "moses-xml": "moses-xml"}
    paths = [write(PENN + "(S (NP (PRP It)) (VP (VBZ is)))\n")]
    table = "english"
    for to in ("conllu", "brackets", "moses-xml", "words"):
        path = tmp_path / f"{to}.gz"
        assert convert_trees(paths[-1], path, to, forms.get(paths[-1].name[:-3]), table if to == "conllu" else None) == 2
        paths.append(path)
    # Brackets of governors are percolated from nothing but words below them.
    assert list(read_trees(paths[1]))[1] == Dependencies(("It", "is"), ("PRP", "VBZ"), (1, -1))
    assert gzip.decompress(paths[2].read_bytes()).decode().splitlines()[1] == "(VBZ (PRP It) (VBZ is))"
    assert gzip.decompress(paths[-1].read_bytes()).decode().splitlines()[1] == "It is"
    for tree, other in pairwise([list(read_trees(paths[2])), list(read_trees(paths[3]))]):
        assert tree == other
    for fault in ({"to": "tiger-xml"}, {"to": "conllu"}, {"to": "conllu", "head_table": "klingon"}):
        with pytest.raises(InputError):
            convert_trees(paths[0], tmp_path / "new", **fault)
    assert not (tmp_path / "new").exists()
