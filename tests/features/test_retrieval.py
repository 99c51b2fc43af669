"""Features of nearest training segments against sacreBLEU, and against counts of sets and dictionaries."""

import math
from collections import Counter

import numpy as np
import pytest
import sacrebleu
from hypothesis import assume, given
from hypothesis import strategies as st

from app.features import PairResources, exact_set, extract_features, feature_set
from app.features.overlap_kernel import floored_bleu
from app.resources.corpus_index import CorpusIndex, SegmentIndex
from app.text import LanguagePair, SegmentBatch, pack_lines

RO = LanguagePair("ro", "en")
CORPUS = ["the cat sat on the mat", "a dog sat", "the cat sat on the mat", "on the mat the cat sat", "the dog ran home now"]


def values(query: str, *ids: str, corpus: list[str] = CORPUS) -> list[float]:
    index = SegmentIndex.of(pack_lines(corpus))
    batch = SegmentBatch(RO, pack_lines([query]), pack_lines(["x"]))
    resources = PairResources(RO, corpus_index=CorpusIndex(index, index))
    return extract_features(batch, exact_set("t", ids), resources, strict=True).values[0].tolist()


def ngrams(tokens: list[str], order: int) -> list[tuple[str, ...]]:
    return [tuple(tokens[k : k + order]) for k in range(len(tokens) - order + 1)]


def bleu(segment: list[str], retrieved: list[str]) -> float:
    """Sentence BLEU of the digest of QuEst's sources: the segment is the reference."""
    c, r, total = len(retrieved), len(segment), 0.0
    for order in range(1, 5):
        candidates, references = Counter(ngrams(retrieved, order)), Counter(ngrams(segment, order))
        if candidates:
            hits = sum(min(count, references[ngram]) for ngram, count in candidates.items())
            total += math.log(max(hits, 1 / (2 * c)) / sum(candidates.values())) / 4
    return math.exp(total) * (math.exp(1 - r / c) if c <= r else 1.0)


def f1(segment: list[str], retrieved: list[str]) -> float:
    types = [{ngram for order in range(1, 6) for ngram in ngrams(tokens, order)} for tokens in (segment, retrieved)]
    common = len(types[0] & types[1])
    precision, recall = common / len(types[1]), common / len(types[0])
    return 2 * precision * recall / (precision + recall) if common else 0.0


WORDS = st.lists(st.sampled_from(["the", "cat", "sat", "on", "mat"]), min_size=1, max_size=9)


@given(WORDS, WORDS)
def test_bleu_and_f1_against_direct_counts(segment: list[str], retrieved: list[str]) -> None:
    # A second, unlike segment gives every word an inverse frequency above 0.
    corpus = [" ".join(retrieved), "unlike"]
    ids = ("ir.source.1.cosine", "ir.source.1.bleu", "ir.source.1.ngram_f1")
    cosine, found_bleu, found_f1 = values(" ".join(segment), *ids, corpus=corpus)
    if cosine:
        assert found_bleu == pytest.approx(bleu(segment, retrieved))
        assert found_f1 == pytest.approx(f1(segment, retrieved))
    else:
        assert not set(segment) & set(retrieved) and found_bleu == found_f1 == 0


@given(st.lists(st.sampled_from("abcd"), min_size=4, max_size=9), st.lists(st.sampled_from("abcd"), min_size=1, max_size=9))
def test_bleu_of_four_words_and_more_is_sacrebleu_with_a_floor(retrieved: list[str], segment: list[str]) -> None:
    floor = 1 / (2 * len(retrieved))
    peer = sacrebleu.sentence_bleu(
        " ".join(retrieved),
        [" ".join(segment)],
        smooth_method="floor",
        smooth_value=floor,
        use_effective_order=False,
        tokenize="none",
    )
    # sacreBLEU calls a candidate without any match 0.
    assume(any(peer.counts))
    matches = np.array([peer.counts])
    found = floored_bleu(matches, np.array([len(retrieved)]), np.array([len(segment)]))[0]
    assert 100 * found == pytest.approx(peer.score)


def test_nearest_segments_are_distinct() -> None:
    near = values("the cat sat on the mat", *(f"ir.source.{k}.bleu" for k in range(1, 6)))
    tokens = ["the", "cat", "sat", "on", "the", "mat"]
    assert near[:2] == pytest.approx([1, bleu(tokens, ["on", "the", "mat", "the", "cat", "sat"])])
    # Four distinct segments share a word; the fifth place is empty.
    assert near[4] == 0 < near[3]


def test_the_set_has_the_thirty_five_values_of_quest() -> None:
    names = [feature.id.split(".")[-1] for feature in feature_set("information-retrieval").features]
    assert Counter(names) == {"cosine": 10, "bleu": 10, "ngram_f1": 10, "lix": 2, "word_length": 2, "word_length_ratio": 1}


def test_a_sentence_ends_at_a_mark_at_the_edge_of_a_token() -> None:
    # The mark in 12:30 ends no sentence: five words and a number in one sentence, no long word.
    assert values("we met at 12:30 all day .", "ir.source.lix") == pytest.approx([5 / 1])
    assert values("go . stay !", "ir.source.lix") == pytest.approx([2 / 2])
