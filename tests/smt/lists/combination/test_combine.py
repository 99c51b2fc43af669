"""Confusion networks: alignments by hand, paths against brute force, laws of what is combined."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import InputError
from app.metrics import metric_named
from app.metrics.lexical.ter_kernels import align_words, count_edits
from app.smt.lists.combination.combine import Combiner
from app.smt.lists.combination.measuring import measure_combination
from app.smt.lists.combination.network import ConfusionNetwork, build_network
from app.smt.lists.combination.outputs import SystemOutputs
from app.smt.lists.combination.path_kernels import best_paths
from app.smt.lists.combination.paths import Scorers, feature_names, start_weights
from app.smt.lists.combination.words import Spacing, Word, split_words

BLEU = metric_named("bleu")
SCORERS = Scorers(BLEU)


def numbers(*texts: str) -> list[np.ndarray]:
    table: dict[str, int] = {}
    return [np.array([table.setdefault(word, len(table)) for word in text.split()], np.int64) for text in texts]


def test_alignments_of_ter_by_hand() -> None:
    # One block moves, so that one edit is left of four; then a substitution, a deletion and an insertion.
    edits, order, partners = align_words(*numbers("c d a b e", "a b c d e"))
    assert edits == 1 and order.tolist() == [2, 3, 0, 1, 4] and partners.tolist() == [0, 1, 2, 3, 4]
    edits, order, partners = align_words(*numbers("a x c", "a b c"))
    assert (edits, order.tolist(), partners.tolist()) == (1, [0, 1, 2], [0, 1, 2])
    edits, order, partners = align_words(*numbers("a x b", "a b"))
    assert (edits, partners.tolist()) == (1, [0, -1, 1])
    assert align_words(*numbers("", "a b"))[0] == 2
    assert [part if isinstance(part, int) else part.tolist() for part in align_words(*numbers("a b", ""))] == [2, [0, 1], [-1, -1]]


SHORT = st.lists(st.integers(0, 5), max_size=9).map(lambda row: np.array(row, np.int64))


@settings(max_examples=60, deadline=None)
@given(SHORT, SHORT)
def test_an_alignment_is_what_its_edits_count(hypothesis: np.ndarray, reference: np.ndarray) -> None:
    edits, order, partners = align_words(hypothesis, reference)
    ends = np.array([0, len(hypothesis)]), np.array([0, len(reference)])
    assert edits == count_edits(hypothesis, ends[0], reference, ends[1], np.zeros(1, np.int64))[0]
    assert sorted(order.tolist()) == list(range(len(hypothesis)))
    beside = partners[partners >= 0]
    assert (np.diff(beside) > 0).all()
    moved = hypothesis[order]
    errors = int((moved[partners >= 0] != reference[beside]).sum()) + int((partners < 0).sum()) + len(reference) - len(beside)
    # What is not an error in place is a shift.
    assert errors <= edits and (errors == edits or not np.array_equal(order, np.arange(len(order))))


def rows(network: ConfusionNetwork) -> list[dict[str, list[int]]]:
    return [
        {network.words[arc].text: np.flatnonzero(network.votes[arc]).tolist() for arc in range(begin, end)}
        for begin, end in zip(network.offsets[:-1].tolist(), network.offsets[1:].tolist(), strict=True)
    ]


def test_a_network_by_hand() -> None:
    texts = ["the big house stands here", "the large house stands here", "The house here stands", "the big old house stands"]
    network = build_network([split_words(text) for text in texts], 0)
    assert rows(network) == [
        {"the": [0, 1, 3], "The": [2]},
        {"big": [0, 3], "large": [1], "": [2]},
        {"": [0, 1, 2], "old": [3]},
        {"house": [0, 1, 2, 3]},
        {"stands": [0, 1, 2, 3]},
        {"here": [0, 1, 2], "": [3]},
    ]
    # The third system's "here stands" was one shift away.


def test_words_that_several_insert_at_one_place_share_slots() -> None:
    network = build_network([split_words(text) for text in ("a d", "a b c d", "a c d", "a b x d")], 0)
    assert rows(network) == [{"a": [0, 1, 2, 3]}, {"": [0, 2], "b": [1, 3]}, {"": [0], "c": [1, 2], "x": [3]}, {"d": [0, 1, 2, 3]}]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=3), max_size=5), st.integers(1, 12))
def test_the_best_paths_are_those_of_all_paths(slots: list[list[float]], most: int) -> None:
    scores = np.array([score for slot in slots for score in slot])
    offsets = np.concatenate([[0], np.cumsum([len(slot) for slot in slots])]).astype(np.int64)
    paths = best_paths(scores, offsets, most)
    arcs = [range(begin, end) for begin, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)]
    everyone = sorted((sum(scores[list(path)]) for path in product(*arcs)), reverse=True)
    assert [sum(scores[path]) for path in paths] == everyone[:most]
    assert len({tuple(path) for path in paths.tolist()}) == len(paths)


@pytest.mark.parametrize(
    "text", ["", "  ", 'Yes, (he said) "no-one\'s" there!', "...", "3.5 % of 1,000", "שלום, עולם.", "\ud800 x!", "¿Qué? ¡Ya!"]
)
def test_words_are_spaced_as_they_were(text: str) -> None:
    words = split_words(text)
    assert Spacing([words]).joined(words) == " ".join(text.split())
    assert all(word.text for word in words)


def test_marks_stand_alone_and_words_keep_what_is_inside() -> None:
    assert split_words('He said: "two-year" 3.5%.') == [
        Word("He"), Word("said"), Word(":", True), Word('"'), Word("two-year", True), Word('"', True), Word("3.5"), Word("%", True),
        Word(".", True),
    ]  # fmt: skip


SYSTEMS = {
    "one": ["The big house stands here.", "he goes away", ""],
    "two": ["The large house stands here.", "he go away now", "x"],
    "three": ["A big house stand here.", "he goes now", ""],
}


def test_votes_make_a_text_that_no_system_gave_and_tell_whose_words_they_are() -> None:
    systems = {"one": ["the big houses stands here"], "two": ["the large house stands here"], "three": ["the big house stand here"]}
    votes = np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
    combined = Combiner(SystemOutputs(systems), BLEU, SCORERS).combine(votes)[0]
    assert combined.text == "the big house stands here"
    assert {word.text: word.systems for word in combined.words} == {
        "the": ("one", "two", "three"),
        "big": ("one", "three"),
        "house": ("two", "three"),
        "stands": ("one", "two"),
        "here": ("one", "two", "three"),
    }


def test_systems_that_agree_are_left_as_they_are() -> None:
    texts = ["A house, here.", "", "שלום!"]
    combined = Combiner(SystemOutputs({"a": texts, "b": texts}), BLEU, SCORERS).combine(start_weights(2, SCORERS))
    assert [row.text for row in combined] == texts


def test_weights_for_one_system_give_its_words() -> None:
    outputs = SystemOutputs(SYSTEMS)
    for place, (name, texts) in enumerate(SYSTEMS.items()):
        weights = np.zeros(len(feature_names(3, SCORERS)))
        weights[place] = 1.0
        combined = Combiner(outputs, BLEU, SCORERS, path_limit=10).combine(weights)
        for row, text in zip(combined, texts, strict=True):
            assert sorted(word.text for word in row.words) == sorted(word.text for word in split_words(text)), name


def test_tuned_weights_are_no_worse_on_the_pool_and_the_same_for_a_seed() -> None:
    references = ["The big house stands here.", "he goes away now", "x"]
    runs = []
    for _ in range(2):
        combiner = Combiner(SystemOutputs(SYSTEMS), BLEU, SCORERS, path_limit=20)
        tuned = combiner.tune(BLEU, [references], start_weights(3, SCORERS), "mert|restarts:1", rounds=2)
        # The weights are the best of all rounds, measured by what they combine.
        texts = [row.text for row in combiner.combine(tuned.weights)]
        assert tuned.score == max(tuned.rounds) >= tuned.rounds[0] and len(tuned.rounds) == 3
        assert BLEU.score(BLEU.prepare([references]).statistics(texts).sum(0)[None])[0] == pytest.approx(tuned.score)
        runs.append((tuned.weights.tolist(), [row.text for row in combiner.combine(tuned.weights)]))
    assert runs[0] == runs[1]


def test_the_oracle_among_systems_is_the_best_of_each_segment() -> None:
    references = [["The large house stands here.", "he goes now", "x"]]
    outputs = SystemOutputs(SYSTEMS)
    ter = metric_named("ter")
    scores = measure_combination(outputs, SYSTEMS["one"], np.array([0, 0, 0]), ter, references)
    by_hand = [
        min(ter.segment_scores(ter.prepare([[r]]).statistics([text]))[0] for text in row)
        for r, row in zip(references[0], zip(*SYSTEMS.values(), strict=True), strict=True)
    ]
    assert by_hand == [0.0, 0.0, 0.0] and scores["(oracle)"].score == 0.0
    assert scores["(mbr)"] == scores["(combined)"] == scores["one"] and scores["one"].score > 0.0
    assert scores["one"].interval.low <= scores["one"].score <= scores["one"].interval.high


def test_what_cannot_be_combined_is_refused() -> None:
    for systems in ({}, {"a": ["x"]}, {"a": ["x"], "b": ["x", "y"]}):
        with pytest.raises(InputError):
            SystemOutputs(systems)
