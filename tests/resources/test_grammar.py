"""Grammars: likelihoods and best trees against all trees of a sentence, listed by brute force in this file."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.building.grammars import induced_grammar
from app.errors import InputError
from app.resources.grammar import Grammar, load_grammar, save_grammar
from app.text.batch import pack_tokens
from app.text.trees.brackets import bracketed_trees

TREEBANK = """(S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT a) (NN cat))))
(S (NP (PRP he)) (VP (VBZ sees) (NP (NP (DT the) (NN cat)) (PP (IN with) (NP (DT a) (NN dog))))))
(S (NP (PRP he)) (VP (VBZ sees) (NP (DT the) (NN cat)) (PP (IN with) (NP (DT a) (NN dog)))))
(NP (DT the) (JJ big) (NN dog))
"""


def grammar_of(text: str, characters: bool = False) -> Grammar:
    return induced_grammar(bracketed_trees(enumerate(text.splitlines(), 1), "bank"), characters)


GRAMMAR = grammar_of(TREEBANK)


def all_trees(grammar: Grammar, words: list[str]) -> list[float]:
    """Log-probability of every tree, or of every sequence of trees if the sentence has none, best first."""
    rows, n = grammar._rows(tuple(words)), len(words)
    # A symbol that begins no tree of the treebank counts .01.
    shares = np.exp(grammar.roots) * math.expm1(-grammar.go_on) + 0.01
    any_roots = np.log(shares / shares.sum())

    def trees(begin: int, end: int, symbol: int) -> list[float]:
        if end - begin == 1:
            entries = range(grammar.key_offsets[rows[begin]], grammar.key_offsets[rows[begin] + 1])
            return [float(grammar.tag_logs[k]) for k in entries if grammar.tags[k] == symbol]
        return [
            left + right + float(grammar.rule_logs[rule])
            for middle in range(begin + 1, end)
            for rule in np.flatnonzero(grammar.parents == symbol)
            for left in trees(begin, middle, grammar.lefts[rule])
            for right in trees(middle, end, grammar.rights[rule])
        ]

    def sequences(begin: int) -> list[float]:
        out = []
        for end in range(begin + 1, n + 1):
            rest = [math.log1p(-math.exp(grammar.go_on))] if end == n else [grammar.go_on + value for value in sequences(end)]
            tops = [value + any_roots[symbol] for symbol in range(len(grammar.symbols)) for value in trees(begin, end, symbol)]
            out += [top + value for top in tops for value in rest]
        return out

    symbols = np.flatnonzero(np.isfinite(grammar.roots))
    whole = [float(value + grammar.roots[symbol]) for symbol in symbols for value in trees(0, n, symbol)]
    return sorted(whole or sequences(0), reverse=True)


@given(st.lists(st.sampled_from(["the", "a", "dog", "cat", "sees", "with", "he", "big", "Unknown"]), min_size=1, max_size=6))
def test_likelihood_best_and_mean_tree_are_those_of_all_trees(words: list[str]) -> None:
    logs = all_trees(GRAMMAR, words)
    parses = GRAMMAR.parse(pack_tokens([words]))
    assert parses.likelihood[0] == pytest.approx(float(np.logaddexp.reduce(logs)), abs=1e-9)
    assert parses.best[0] == pytest.approx(logs[0], abs=1e-9)
    count = min(len(logs), 100)
    assert parses.trees[0] == count
    assert parses.mean[0] == pytest.approx(float(np.mean(logs[:count])), abs=1e-9)


def test_a_list_of_trees_ends_at_a_hundred_and_is_in_order() -> None:
    """The grammar S -> X S | S X | X X gives 2^(n - 2) trees of n words."""
    grammar = grammar_of("(S (X a) (S (X a) (X a)))\n" * 2 + "(S (S (X a) (X a)) (X a))\n")
    words = ["a"] * 9
    logs = all_trees(grammar, words)
    parses = grammar.parse(pack_tokens([words]))
    assert len(logs) == 128
    assert parses.trees[0] == 100
    assert parses.mean[0] == pytest.approx(float(np.mean(logs[:100])), abs=1e-9)


def test_probabilities_are_relative_frequencies() -> None:
    """Worked by hand: one tree, both words seen once, so each tag emits its word and its class with 1/2."""
    grammar = grammar_of("(S (A x) (B y))")
    parses = grammar.parse(pack_tokens([["x", "y"]]))
    assert parses.best[0] == parses.mean[0] == pytest.approx(2 * math.log(1 / 2), abs=1e-6)
    assert parses.trees[0] == 1
    assert parses.counts[0].tolist() == [0, 0, 0, 0, 0, 0, 1, 2]
    # Two parts: a further tree follows with 1/2, and A begins no tree of the treebank.
    expected = math.log(0.01 / 1.03) + math.log(1 / 2) + math.log(1.01 / 1.03) + math.log(1 / 2) + 3 * math.log(1 / 2)
    assert grammar.parse(pack_tokens([["x", "x", "y"]])).best[0] == pytest.approx(expected, abs=1e-6)


def test_one_tree_of_a_grammar_without_rare_words() -> None:
    """One tree twice, of ten words in all: without rare words, each tag has a tenth of its counts for the class of its words."""
    grammar = grammar_of(2 * ("(S (NP (D the) (N man)) (VP (V saw) (NP (D the) (N dog))))\n"))
    parses = grammar.parse(pack_tokens([["the", "man", "saw", "the", "dog"]]))
    expected = 2 * math.log(4 / 4.4) + 2 * math.log(2 / 4.4) + math.log(2 / 2.2)
    assert parses.best[0] == parses.likelihood[0] == pytest.approx(expected, abs=1e-6)
    assert parses.trees[0] == 1


def test_best_trees_have_the_phrases_of_the_treebank() -> None:
    sentence = ["he", "sees", "the", "cat"]
    # NP, VP, NP below S; the farthest word is below S, VP, NP and its tag.
    assert GRAMMAR.parse(pack_tokens([sentence])).counts[0].tolist() == [0, 2, 1, 0, 0, 0, 4, 4]
    empty = GRAMMAR.parse(pack_tokens([[]]))
    assert empty.likelihood[0] == empty.trees[0] == 0


def test_long_sentences_are_the_sum_of_their_parts() -> None:
    words = ["the", "dog", "sees", "a"] * 25
    whole = GRAMMAR.parse(pack_tokens([words]))
    parts = GRAMMAR.parse(pack_tokens([words[:40], words[40:80], words[80:]]))
    assert whole.likelihood[0] == pytest.approx(parts.likelihood.sum())
    assert whole.counts[0, -1] == parts.counts[:, -1].max()


def test_characters_are_words_where_tokens_are_characters() -> None:
    grammar = grammar_of("(IP (NP (NN 苹果)) (VP (VV 好)))", characters=True)
    parses = grammar.parse(pack_tokens([["苹", "果", "好"]]))
    assert parses.counts[0].tolist()[:7] == [0, 1, 1, 0, 0, 0, 3]


def test_files_hold_the_grammar_or_are_refused(tmp_path: Path) -> None:
    save_grammar(GRAMMAR, tmp_path / "grammar.safetensors")
    words = pack_tokens([["the", "dog", "sees"]])
    assert load_grammar(tmp_path / "grammar.safetensors").parse(words).likelihood == GRAMMAR.parse(words).likelihood
    for field, bad in (("rights", GRAMMAR.rights + 1000), ("tags", GRAMMAR.tags - 1), ("go_on", 1.0),
        ("roots", GRAMMAR.roots + 1.0), ("rule_logs", GRAMMAR.rule_logs + 9), ("keys", GRAMMAR.keys[::-1].copy()),
        ("keys", GRAMMAR.keys[:, None]), ("roots", np.where(np.isfinite(GRAMMAR.roots), -1e308, -np.inf))):  # fmt: skip
        fields = {name: getattr(GRAMMAR, name) for name in GRAMMAR.__dataclass_fields__}
        save_grammar(Grammar(**{**fields, field: bad}), tmp_path / "bad.safetensors")
        with pytest.raises(InputError, match="does not hold a grammar"):
            load_grammar(tmp_path / "bad.safetensors")
    (tmp_path / "bad.safetensors").write_bytes(b"no")
    with pytest.raises(InputError, match="no safetensors"):
        load_grammar(tmp_path / "bad.safetensors")


def test_a_treebank_without_words_is_refused() -> None:
    with pytest.raises(InputError, match="no trees"):
        grammar_of("()\n(())")
