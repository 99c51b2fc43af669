"""The head-final rule: examples of the literature, and laws."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.smt.preordering.head_final import HeadFinalRule

# "John hit a ball ." of Isozaki et al. 2010 (figure 1), which becomes "John a ball hit ."
HIT = ([1, -1, 3, 1, 1], ["PROPN", "VERB", "DET", "NOUN", "PUNCT"])
RULE = HeadFinalRule()


def reordered(text: str, heads: list[int], tags: list[str], rule: HeadFinalRule = RULE) -> str:
    words = text.split()
    return " ".join(words[i] for i in rule.order(heads, tags))


def test_object_before_verb() -> None:
    assert reordered("John hit a ball .", *HIT) == "John a ball hit ."


def test_function_words() -> None:
    # I have walked in the park
    heads, tags = [2, 2, -1, 5, 5, 2], ["PRON", "AUX", "VERB", "ADP", "DET", "NOUN"]
    text = "I have walked in the park"
    assert reordered(text, heads, tags) == "I the park in walked have"
    assert reordered(text, heads, tags, HeadFinalRule(functions=False)) == "I have in the park walked"


def test_coordination_keeps_its_order() -> None:
    heads, tags = [1, -1, 1, 4, 2], ["PRON", "VERB", "NOUN", "CCONJ", "NOUN"]
    assert reordered("I drink coffee and tea", heads, tags) == "I coffee and tea drink"
    assert reordered("I drink coffee and tea", heads, tags, HeadFinalRule(conjuncts=False)) == "I and tea coffee drink"


def test_long_chains_and_several_roots() -> None:
    n = 3000
    assert HeadFinalRule().order([i - 1 for i in range(n)], [""] * n) == list(range(n - 1, -1, -1))
    assert HeadFinalRule().order([-1] * 3, [""] * 3) == [0, 1, 2]
    assert HeadFinalRule().order([], []) == []
    with pytest.raises(ValueError, match="cycle"):
        HeadFinalRule().order([1, 0, -1], [""] * 3)
    for heads, tags in (([5, -1], [""] * 2), ([1, -1], [""])):
        with pytest.raises(ValueError, match="governors from 0 to 1"):
            HeadFinalRule().order(heads, tags)


@given(st.data(), st.booleans(), st.booleans())
def test_every_word_once_and_heads_last(data: st.DataObject, functions: bool, conjuncts: bool) -> None:
    n = data.draw(st.integers(0, 12))
    # Parents come before children in a shuffled numbering, so no cycle arises.
    numbering = data.draw(st.permutations(range(n)))
    heads = [-1] * n
    for k in range(n):
        parent = data.draw(st.integers(-1, k - 1))
        heads[numbering[k]] = numbering[parent] if parent >= 0 else -1
    tags = data.draw(st.lists(st.sampled_from(["NOUN", "ADP", "PUNCT", "CCONJ"]), min_size=n, max_size=n))
    order = HeadFinalRule(functions, conjuncts).order(heads, tags)
    assert sorted(order) == list(range(n))
    plain = HeadFinalRule(functions, conjuncts).order(heads, ["NOUN"] * n)
    assert all(plain.index(word) < plain.index(head) for word, head in enumerate(heads) if head >= 0)
