"""Properties that every Kneser-Ney model has."""

from collections.abc import Sequence

import kenlm
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.building.kenlm_trie import write_kenlm_trie
from app.building.kneser_ney import estimate_language_model
from app.errors import InputError
from app.resources.language_models import open_language_model
from app.text import pack_tokens

CORPUS = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=8), min_size=1, max_size=20).filter(lambda c: any(c))


@settings(max_examples=40, deadline=None)
@given(CORPUS)
def test_probabilities_of_unigrams_sum_to_one(corpus: Sequence[Sequence[str]]) -> None:
    model = estimate_language_model(pack_tokens(corpus), 3)
    probabilities = 10 ** model.orders[0].log_prob
    # <s> is never predicted.
    assert np.delete(probabilities, 1).sum() == pytest.approx(1, abs=1e-9)


@settings(max_examples=25, deadline=None)
@given(CORPUS, st.integers(2, 4))
@example([["a"]], 4)
@example([["a"], ["b", "a"]], 4)
def test_kenlm_agrees_on_any_corpus(tmp_path_factory: pytest.TempPathFactory, corpus: list[list[str]], order: int) -> None:
    path = tmp_path_factory.mktemp("lm") / "lm.binary"
    write_kenlm_trie(estimate_language_model(pack_tokens(corpus), order), path)
    peer = kenlm.Model(str(path))
    lines = [*corpus, ["a", "z", "b"]]
    expected = [sum(p for p, _, oov in peer.full_scores(" ".join(line)) if not oov) for line in lines]
    assert open_language_model(path).score(pack_tokens(lines)).log_prob == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("corpus", [[], [[]], [["<s>"]]])
def test_a_corpus_without_tokens_is_refused(corpus: list[list[str]]) -> None:
    with pytest.raises(InputError):
        estimate_language_model(pack_tokens(corpus), 3)
