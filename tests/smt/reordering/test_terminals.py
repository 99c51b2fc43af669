"""Terminals of a grammar: rare words as their classes, or as unknown words."""

from app.smt.reordering.decoding import parse
from app.smt.reordering.labels import Layout
from app.smt.reordering.learning import initial_grammar, split_grammar
from app.smt.reordering.terminals import UNKNOWN, class_text, number_of_span, terminals_of
from app.smt.reordering.treebank import build_treebank
from tests.smt.reordering.test_grammar import random_sentences

N, V = class_text(["N"]), class_text(["V"])


def test_rare_units_are_classes_and_rare_classes_are_unknown() -> None:
    units = [("a", N)] * 3 + [("b", N), ("c", N), ("d", V), ("a b", class_text(["N", "N"]))]
    terminals, numbers = terminals_of(units, 1)
    assert terminals == (UNKNOWN, N, "a")
    assert [terminals[number] for number in numbers] == ["a", "a", "a", N, N, UNKNOWN, UNKNOWN]


def test_without_classes_rare_units_are_unknown() -> None:
    terminals, numbers = terminals_of([("a", ""), ("b", ""), ("a", ""), ("c", "")], 1)
    assert terminals == (UNKNOWN, "a")
    assert numbers == [1, 0, 1, 0]


def test_a_span_has_the_terminal_of_its_text_before_that_of_its_classes() -> None:
    numbers = {UNKNOWN: 0, N: 1, "a": 2, class_text(["N", "V"]): 3}
    assert number_of_span(numbers, ["a"], ["N"]) == 2
    assert number_of_span(numbers, ["b"], ["N"]) == 1
    assert number_of_span(numbers, ["b"], ["V"]) == 0
    assert number_of_span(numbers, ["b"], []) == 0
    assert number_of_span(numbers, ["b", "c"], ["N", "V"]) == 3
    assert number_of_span(numbers, ["b", "c"], []) is None


def test_unseen_words_of_one_class_are_alike() -> None:
    sentences = random_sentences(60, 4)
    classes = [["N" if word in "01" else "V" for word in words] for words, _ in sentences]
    treebank = build_treebank(sentences, rare=10**6 - 1, classes=classes)
    assert treebank.words == (UNKNOWN,)
    treebank = build_treebank(sentences, rare=40, classes=classes)
    assert {N, V} <= set(treebank.words)
    grammar = split_grammar(initial_grammar(treebank), Layout(2, 1), 1, 0.5)
    logs = [parse(grammar, words, ["N", "V", "N"]).log_probability for words in (["x", "y", "z"], ["u", "v", "w"])]
    assert logs[0] == logs[1] != parse(grammar, ["x", "y", "z"]).log_probability
