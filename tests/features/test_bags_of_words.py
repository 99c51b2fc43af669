"""Topics, triggers and the word lexicon against scikit-learn, scipy, and counts by hand."""

import math
from collections import Counter
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon
from scipy.special import digamma, expit
from scipy.stats import entropy
from sklearn.decomposition import LatentDirichletAllocation

from app.building.bags_of_words import train_bags_of_words
from app.building.bags_of_words.topics import train_topics
from app.building.bags_of_words.triggers import find_triggers
from app.building.building import build_language_resources, build_pair_resources
from app.features import PairResources, exact_set, extract_features
from app.resources.bags_of_words import BagsOfWords, TopicModel, TopicWords, WordLexicon
from app.resources.lexical_table import LexicalTable
from app.resources.loading import open_resources
from app.text import LanguagePair, SegmentBatch, pack_lines, pack_tokens
from app.text.hashing import hash_tokens
from app.text.parallel_corpus import ParallelCorpus

RO = LanguagePair("ro", "en")
IDS = ("1300", "1301", "1302", "1303", "1304", "1400")


def topic_words(words: str, weights: np.ndarray) -> TopicWords:
    hashes = hash_tokens(words.split())
    order = np.argsort(hashes)
    return TopicWords(hashes[order], weights[order].astype(np.float32))


def features_of(bags: BagsOfWords, source: str, target: str) -> list[float]:
    batch = SegmentBatch(RO, pack_lines([source]), pack_lines([target]))
    return extract_features(batch, exact_set("t", IDS), PairResources(RO, bags_of_words=bags), strict=True).values[0].tolist()


@pytest.fixture(scope="module")
def bags() -> BagsOfWords:
    rng = np.random.default_rng(5)
    pairs = [("casa veche", "old house"), ("casa mare", "big house"), ("masa veche", "old table"), ("masa rece", "cold table")]
    rows = [pairs[k] for k in rng.integers(0, 4, 200)]
    return train_bags_of_words(ParallelCorpus.of_lines([row[0] for row in rows], [row[1] for row in rows]))


def test_shares_of_topics_are_those_of_scikit_learn() -> None:
    rng = np.random.default_rng(1)
    words = [f"w{k}" for k in range(30)]
    # Two kinds of texts.
    texts = [rng.choice(words[:18] if k % 2 else words[12:], 8, replace=False).tolist() for k in range(60)]
    matrix = np.array([[word in text for word in words] for text in texts], np.float64)
    peer = LatentDirichletAllocation(4, max_iter=5, max_doc_update_iter=40, mean_change_tol=0, random_state=0).fit(matrix)
    weights = np.exp(digamma(peer.components_) - digamma(peer.components_.sum(1, keepdims=True))).T
    side = topic_words(" ".join(words), weights)
    model = TopicModel(side, side, peer.doc_topic_prior_)
    # Repeated and unknown words change nothing.
    found = model.source_shares(pack_tokens([[*text, text[0], "unknown"] for text in texts]))
    assert found == pytest.approx(peer.transform(matrix), abs=1e-5)
    assert model.source_shares(pack_lines(["", "unknown"])) == pytest.approx(np.full((2, 4), 0.25))
    chunks = np.vstack([model.source_shares(pack_tokens([text])) for text in texts])
    assert (chunks == model.source_shares(pack_tokens(texts))).all()


def test_divergences_are_those_of_scipy(bags: BagsOfWords) -> None:
    for source, target in (("casa veche", "cold table"), ("masa", "big house house"), ("", "x")):
        p = bags.topics.source_shares(pack_lines([source]))[0]
        q = bags.topics.target_shares(pack_lines([target]))[0]
        values = features_of(bags, source, target)
        assert values[0] == pytest.approx(entropy(p, q, base=2))
        assert values[1] == pytest.approx(jensenshannon(p, q, base=2) ** 2, abs=1e-12)


def test_topics_pair_the_words_of_both_languages() -> None:
    fields = [("mar para pruna", "apple pear plum"), ("motor roata frana", "engine wheel brake")]
    rng = np.random.default_rng(3)
    # Other words are in too many or too few segments.
    rows = [
        [f"si {' '.join(rng.permutation(fields[k % 2][side].split())[:2])} n{k}" for side in (0, 1)] if k < 40 else ["si"] * 2
        for k in range(400)
    ]
    model = train_topics(*(pack_lines([row[side] for row in rows]) for side in (0, 1)), topics=3)
    assert hash_tokens(["motor"])[0] in model.source.words and hash_tokens(["wheel"])[0] in model.target.words
    assert not set(hash_tokens(["si", "n0"]).tolist()) & set(model.source.words.tolist())
    source, target = model.source_shares(pack_lines(["motor frana"])), model.target_shares(pack_lines(["engine wheel"]))
    assert source.argmax() == target.argmax()


def test_mutual_information_by_hand() -> None:
    # Of ten segments a is in four, x in five, both in four; y is in one with a.
    lines = [("a b", "x"), ("a", "x y"), ("a c", "x"), ("a", "x"), ("b", "x"), *[("c", "z")] * 5]
    table = find_triggers(*(pack_lines([line[side] for line in lines]) for side in (0, 1)))
    row = int(table.rows(hash_tokens(["a"]))[0])
    place = slice(table.offsets[row], table.offsets[row + 1])
    x, y = math.log10(10 * 4 / (4 * 5)), math.log10(10 * 1 / (4 * 1))
    assert table.target[place].tolist() == hash_tokens(["y", "x"]).tolist()
    assert table.probability[place].tolist() == pytest.approx([y / (x + y), x / (x + y)])


def direct_triggers(lines: list[tuple[set[str], set[str]]], word: str, own: bool) -> dict[str, float]:
    n = len(lines)
    joint = Counter(partner for words, partners in lines if word in words for partner in partners if not (own and partner == word))
    counts = Counter(partner for _, partners in lines for partner in partners)
    own_count = sum(word in words for words, _ in lines)
    scores = {partner: math.log10(n * count / (own_count * counts[partner])) for partner, count in joint.items()}
    candidates = sorted((p for p in scores if scores[p] > 1e-12), key=lambda p: -joint[p] * scores[p])[:20]
    best = sorted(candidates, key=lambda p: -scores[p])[:5]
    return {partner: scores[partner] / sum(scores[p] for p in best) for partner in best}


@settings(max_examples=40)
@given(st.integers(0, 2**30), st.booleans())
def test_triggers_against_a_direct_count(seed: int, own: bool) -> None:
    rng = np.random.default_rng(seed)
    sides = [[[f"w{k}" for k in rng.geometric(0.06, 12) % 40] for _ in range(25)] for _ in (0, 1)]
    sides[1] = sides[0] if own else sides[1]
    table = find_triggers(*(pack_tokens(side) for side in sides), own_language=own)
    lines = [(set(a), set(b)) for a, b in zip(*sides, strict=True)]
    for word in {word for words, _ in lines for word in words}:
        row = int(table.rows(hash_tokens([word]))[0])
        found = table.probability[table.offsets[row] : table.offsets[row + 1]]
        # Equal values may stand in another order, or be other words.
        assert sorted(found.tolist()) == pytest.approx(sorted(direct_triggers(lines, word, own).values()), rel=1e-5, abs=1e-6)


def test_scores_of_triggers_are_means_over_pairs(bags: BagsOfWords) -> None:
    def weight(table: LexicalTable, word: str, partner: str) -> float:
        row = int(table.rows(hash_tokens([word]))[0])
        place = slice(table.offsets[row], table.offsets[row + 1]) if row >= 0 else slice(0)
        weights = dict(zip(table.target[place].tolist(), table.probability[place].tolist(), strict=True))
        return weights.get(int(hash_tokens([partner])[0]), 0.0)

    source, target = "casa casa veche zzz", "old old house table"
    s, t = {"casa", "veche", "zzz"}, {"old", "house", "table"}
    expected = [
        sum(weight(bags.source_triggers, *pair) for pair in permutations(s, 2)) / 6,
        sum(weight(bags.target_triggers, *pair) for pair in permutations(t, 2)) / 6,
        sum(weight(bags.triggers, *pair) for pair in product(s, t)) / 9,
    ]
    assert features_of(bags, source, target)[2:5] == pytest.approx(expected)
    assert expected[2] > 0
    # A single word has no pairs.
    assert features_of(bags, "casa", "")[2:5] == [0, 0, 0]


def test_the_word_lexicon_is_a_geometric_mean_of_probabilities(bags: BagsOfWords) -> None:
    hashes = [hash_tokens(words) for words in (["a", "b"], ["x", "y"])]
    orders = [np.argsort(part) for part in hashes]
    weights, bias = np.array([[0.5, -1.0], [2.0, 0.25]]), np.array([-0.5, 0.75])
    ordered = weights[orders[0]][:, orders[1]].astype(np.float32)
    lexicon = WordLexicon(
        hashes[0][orders[0]],
        hashes[1][orders[1]],
        bias[orders[1]].astype(np.float32),
        np.array([0, 2, 4]),
        np.array([0, 1, 0, 1], np.int32),
        ordered.ravel(),
    )
    model = BagsOfWords(bags.topics, bags.source_triggers, bags.target_triggers, bags.triggers, lexicon)
    # Repeated source words count once, words of the translation each time, unknown words never.
    x, y = expit(bias + weights[0] + weights[1])
    assert features_of(model, "a b a q", "x y x q")[5] == pytest.approx((x * y * x) ** (1 / 3))
    assert features_of(model, "q", "x")[5] == pytest.approx(expit(-0.5))
    assert features_of(model, "a", "q")[5] == 0


def test_right_translations_have_higher_probabilities(bags: BagsOfWords) -> None:
    right, wrong = (features_of(bags, "casa veche", target) for target in ("old house", "cold table"))
    assert right[5] > wrong[5] and right[4] > wrong[4]


def test_a_built_pair_has_them_in_its_direction(tmp_path: Path) -> None:
    text = tmp_path / "text.tsv"
    text.write_text("source\ttarget\n" + "casa veche\told house\nmasa mare\tbig table\n" * 20, "utf-8")
    for language, column in (("ro", "source"), ("en", "target")):
        build_language_resources(language, [f"{text}:{column}"], tmp_path / "r" / language)
    folder = tmp_path / "r" / "ro-en"
    build_pair_resources(RO, f"{text}:source", f"{text}:target", folder, topics=True)
    first = (folder / "bags.safetensors").read_bytes()
    resources = PairResources.of(open_resources(tmp_path / "r"), RO)
    assert resources.bags_of_words is not None and "bags_of_words" in resources.files and "target_counts" in resources.files
    batch = SegmentBatch(RO, pack_lines(["casa veche"]), pack_lines(["old house"]))
    assert len(extract_features(batch, exact_set("t", IDS), resources).features) == len(IDS)
    build_pair_resources(RO, f"{text}:source", f"{text}:target", folder, replace=True, topics=True)
    assert (folder / "bags.safetensors").read_bytes() == first
    # Built again without them, the pair has none, and answers say so.
    build_pair_resources(RO, f"{text}:source", f"{text}:target", folder, replace=True)
    matrix = extract_features(batch, exact_set("t", ["1002", *IDS]), PairResources.of(open_resources(tmp_path / "r"), RO))
    assert matrix.values.tolist() == [[2]]
    assert {omission.reason for omission in matrix.left_out} == {"topics, triggers and word lexicon not loaded"}
