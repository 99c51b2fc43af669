"""Constituents and named entities of both sides, with values counted by hand."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app.errors import InputError
from app.features import PairResources, View, exact_set, extract_features, feature_set
from app.features.black_box import entities as entity_features
from app.features.lexical_links import LexicalLinks
from app.resources.linear_tagger.names import Entities, NameTagger
from app.text import LanguagePair, SegmentBatch, pack_lines
from app.text.side_information import SideInformation, check_side_information
from app.text.side_information.trees import read_tree
from app.text.trees.phrases import phrase_counts

PAIR = LanguagePair("en", "de")
# The first sentence of the Penn Treebank, as printed there, and a shorter tree.
VINKEN = """( (S (NP-SBJ (NP (NNP Pierre) (NNP Vinken)) (, ,) (ADJP (NP (CD 61) (NNS years)) (JJ old)) (, ,))
 (VP (MD will) (VP (VB join) (NP (DT the) (NN board)) (PP-CLR (IN as) (NP (DT a) (JJ nonexecutive) (NN director)))
 (NP-TMP (NNP Nov.) (CD 29)))) (. .)))"""
SHORT = "(ROOT (S (NP (PRP er)) (VP (VBZ kommt) (ADVP (RB bald)))))"


def batch_of(source_trees: list[str], translation_trees: list[str]) -> SegmentBatch:
    n = len(source_trees)
    beside = SideInformation(source_trees=source_trees, translation_trees=translation_trees)
    return replace(SegmentBatch(PAIR, pack_lines(["a"] * n), pack_lines(["b"] * n)), side_information=beside)


def test_phrases_are_counted_as_by_hand() -> None:
    # PP 1; NP: subject, Pierre Vinken, 61 years, board, director, Nov. 29; VP 2; ADJP 1; all: S and these 10.
    # The farthest word: S, VP, VP, PP, NP, DT, a.
    assert phrase_counts(read_tree(VINKEN)) == (1, 6, 2, 1, 0, 0, 11, 6)
    assert phrase_counts(read_tree(SHORT)) == (0, 1, 1, 0, 1, 0, 4, 4)


def test_features_of_sent_trees() -> None:
    ids = ["1101.constituents", *(str(number) for number in range(1102, 1116))]
    matrix = extract_features(batch_of([VINKEN], [SHORT]), exact_set("own", ids), PairResources(PAIR), strict=True)
    expected = [
        2, 1, 0, 1, 1 / 11, 5, abs(6 / 11 - 1 / 4), 1, abs(2 / 11 - 1 / 4), 1, 1 / 11, 1, 1 / 4, 0, 0,
    ]  # fmt: skip
    assert matrix.values[0] == pytest.approx(expected)


def test_a_sentence_without_a_tree_leaves_the_features_out() -> None:
    matrix = extract_features(batch_of([VINKEN, "()"], [SHORT, SHORT]), feature_set("structure"), PairResources(PAIR))
    assert [feature.id for feature in matrix.features] == ["1103", "constituents.target.depth"]
    reasons = {omitted.feature.id: omitted.reason for omitted in matrix.left_out}
    assert reasons["1102"] == "a tree of every source or source grammar: neither sent nor loaded"
    assert reasons["9300"] == "source grammar not loaded"
    assert reasons["1116"] == "source tagger of named entities not loaded"


@pytest.mark.parametrize("text", ["", "no tree", "(S (NP a)", "(S a) (S b)", "(S a))", "(S " + "(NP a) " * 600 + ")"])
def test_anything_but_one_tree_is_refused_with_its_row(text: str) -> None:
    class Segment:
        source_tree = text

    with pytest.raises(InputError) as caught:
        check_side_information([Segment()], 1000)
    assert caught.value.code == "missing-evidence"
    assert caught.value.where == ("segments", 0, "source_tree")


class Names(NameTagger):
    """A tagger with given classes of tokens: 1 person, 2 location, 3 organization, 4 other."""

    def __init__(self, classes: list[int]) -> None:
        self._classes = np.array(classes, np.int8)

    def classes(self, column: Any) -> Any:
        return self._classes


def test_features_of_entities(monkeypatch: pytest.MonkeyPatch) -> None:
    """Source: Anna Berg (person), Tartu (location), UN (organization); translation: Anna (person), Dorpat, Riga (locations)."""
    source, target = ["Anna Berg sees Tartu , UN"], ["Anna sah Dorpat und Riga"]
    batch = SegmentBatch(PAIR, pack_lines(source), pack_lines(target))
    resources = replace(PairResources(PAIR), source_names=Names([1, 1, 0, 2, 0, 3]), target_names=Names([1, 0, 2, 0, 2]))
    view = View(batch, resources)
    differences = entity_features._differences(view)[0]
    assert differences[:3] == pytest.approx([0, 1 / 3, 1 / 3])
    # Tartu is linked to Dorpat; Anna is the same word on both sides, and the table knows neither.
    places = np.array([-1, 2, 3, -1, -1], np.int32)
    links = LexicalLinks(places, np.ones(5, np.float32), np.ones(5))
    monkeypatch.setattr(entity_features, "target_links", lambda view: links)
    assert entity_features._aligned(view)[0, :3] == pytest.approx([1, 1 / 2, 0])


def test_segments_without_entities_have_zeros() -> None:
    batch = SegmentBatch(PAIR, pack_lines(["a b"]), pack_lines(["c"]))
    resources = replace(PairResources(PAIR), source_names=Names([0, 0]), target_names=Names([0]))
    view = View(batch, resources)
    assert isinstance(entity_features._source_entities(view), Entities)
    assert not entity_features._differences(view).any()
