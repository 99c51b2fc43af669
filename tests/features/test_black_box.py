"""Black-box features by hand, and what must hold for any text."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine import Engine
from app.engine.segments import Segments
from app.errors import InputError
from app.features import CATALOGUE, PairResources, exact_set, extract_features, feature_set
from app.features.dependency_kernels import matched_dependencies, tree_shapes
from app.features.lexical_links import find_links
from app.features.overlap_kernel import clipped_matches, smoothed_precision
from app.resources.corpus_index import SegmentIndex
from app.resources.lexical_table import LexicalTable
from app.text import LanguagePair, SegmentBatch, pack_lines, pack_tokens
from app.text.side_information import SideInformation

RO = LanguagePair("ro", "en")


def one(source: str, target: str, *ids: str, **side_information: object) -> list[float]:
    """Values of features that need no resource, on tokens as given."""
    batch = SegmentBatch(RO, pack_lines([source]), pack_lines([target]), side_information=SideInformation(**side_information))  # type: ignore[arg-type]
    return extract_features(batch, exact_set("t", ids), PairResources(RO), strict=True).values[0].tolist()


def test_lengths() -> None:
    assert one("a b c d", "a b", "1003", "1004", "1005") == [2, 0.5, 0.5]
    assert one("abc d", "ab", "surface.target_token_length", "surface.character_ratio") == [2, 0.5]
    assert one("a a b", "x", "surface.source_repetition") == [1.5]


@pytest.mark.parametrize(
    ("text", "brackets", "quotes"),
    [
        ("( a )", 0, 0), ("( a", 1, 0), (") a (", 0, 0), ("( [ { a", 3, 0), ('" a "', 0, 0), ('" a', 0, 1), ("« a", 0, 1),
        ("» a «", 0, 0), ("„ a “", 0, 0), ("„ a", 0, 1), ("（ a", 1, 0), ("「 a", 0, 1), ("it 's", 0, 0), ("a", 0, 0),
    ],
)  # fmt: skip
def test_unbalanced_brackets_and_quotes(text: str, brackets: int, quotes: int) -> None:
    assert one("x", text, "1007", "1008") == [brackets, quotes]


def test_marks_are_compared_one_by_one() -> None:
    source, target = "a , b , c ; d ?", "a , b ! !"
    ids = [str(number) for number in range(1062, 1074)]
    found = dict(zip(ids, one(source, target, *ids), strict=True))
    # . , : ; ? ! in the source: 0 2 0 1 1 0, in the translation of five tokens: 0 1 0 0 0 2.
    assert [found[str(number)] for number in range(1062, 1074, 2)] == [0, 1, 0, 1, 1, 2]
    assert [found[str(number)] for number in range(1063, 1074, 2)] == pytest.approx([0, 1 / 5, 0, 1 / 5, 1 / 5, 2 / 5])
    assert one(source, target, "1074", "1075", "1074.share", "1075.share", "1076") == [4, 3, 4 / 8, 3 / 5, 1 / 5]


@pytest.mark.parametrize("number", ["5", "5,300", "3.14", "-7", "50%", "12:30", "1/2", "٣", "५"])
def test_what_is_a_number(number: str) -> None:
    assert one(f"{number} a", "b", "1077", "1080") == [0.5, 0.5]


@pytest.mark.parametrize(("word", "alphabetic"), [("a1", 0), ("é", 1), ("नेपाल", 1), ("我", 1), ("a-b", 0), ("😀", 0), (".", 0)])
def test_what_is_no_number_and_what_is_alphabetic(word: str, alphabetic: int) -> None:
    assert one(word, "b", "1077", "1080", "1081") == [0, 1 - alphabetic, 0]


def test_numbers_and_letters_are_compared() -> None:
    assert one("5 6 a b", "5 a", "1077", "1078", "1079", "1080", "1081", "1082") == [0.5, 0.5, 0.5, 0.5, 0.5, 1]


def test_copied_words_names_and_figures() -> None:
    assert one("the Dacia x 2019 Arad", "Dacia went to Cluj", "surface.copied") == [1 / 4]
    # Capitalised and not first: Dacia, Arad in the source; Cluj in the translation.
    assert one("the Dacia x Arad", "Dacia went to Cluj", "names.source", "names.target", "names.carried") == [2 / 4, 1 / 4, 1 / 2]
    assert one("in 2019 , 7 x", "in 2019 x", "figures.carried", "names.carried") == [1 / 2, 1]


def test_readability_is_lix() -> None:
    # Seven words, one end of sentence, two words of more than six letters: 7 / 1 + 100 * 2 / 7.
    assert one("we are reading extraordinarily long words here .", "a", "ir.source.lix") == pytest.approx([7 + 200 / 7])
    assert one("abcd ab .", "abc", "ir.source.word_length", "ir.target.word_length", "ir.word_length_ratio") == [3, 3, 1]


def test_links_take_the_most_probable_word_then_the_diagonal() -> None:
    table = LexicalTable.from_entries([("a", "x", 0.6), ("a", "y", 0.4), ("b", "x", 0.2), ("NULL", "x", 0.1), ("c", "z", 1.0)])
    links = find_links(table, pack_lines(["b a", "a a"]), pack_lines(["x y q", "x x"]))
    assert links.place.tolist() == [1, 1, -1, 0, 1]
    assert links.probability.tolist() == pytest.approx([0.6, 0.4, 0, 0.6, 0.6])
    assert links.total.tolist() == pytest.approx([0.6 + 0.2 + 0.1, 0.4, 0, 1.3, 1.3])


def test_model_one_probability_of_words() -> None:
    table = LexicalTable.from_entries([("a", "x", 0.5), ("NULL", "x", 0.25)])
    resources = PairResources(RO, lexical_table=table)
    batch = SegmentBatch(RO, pack_lines(["a b"]), pack_lines(["x q"]))
    values = extract_features(batch, exact_set("t", ["lex.target", "lex.target_unlinked"]), resources).values[0]
    # Two source words and NULL share the mass; the unexplained word gets 1e-4.
    assert values.tolist() == pytest.approx([(math.log10(0.75 / 3) + math.log10(1e-4 / 3)) / 2, 0.5])


def test_tree_shapes_and_matched_dependencies() -> None:
    # 0 is the root, 1 and 2 hang on it, 3 on 2; then a single root.
    heads, offsets = np.array([-1, 0, 0, 2, -1], np.int32), np.array([0, 4, 5], np.int64)
    assert tree_shapes(heads, offsets, -1).tolist() == [[3, 2, (1 + 2 + 1) / 3], [1, 0, 0]]
    chain = np.array([1, 2, 3, 4, -1], np.int32)
    assert tree_shapes(chain, np.array([0, 5]), -1)[0].tolist() == [5, 1, 1]
    cycle = np.array([1, 0], np.int32)
    assert np.isfinite(tree_shapes(cycle, np.array([0, 2]), -1)).all()
    # Both sides: word 1 hangs on word 0; in the second pair the other way round.
    source, target = np.array([-1, 0, -1, 0], np.int32), np.array([-1, 0, 1, -1], np.int32)
    pairs = np.array([0, 2, 4], np.int64)
    links, sure = np.array([0, 1, 0, 1], np.int32), np.array([0.5, 0.5, 0.5, 0.05], np.float32)
    assert matched_dependencies(source, pairs, target, pairs, links, sure, -1).tolist() == [[1, 1, 1, 1], [0, 1, 0, 1]]


def test_smoothed_precision_against_a_direct_count() -> None:
    hypothesis, reference = pack_lines(["a b c a b"]), pack_lines(["a b a b d"])
    h, r = hypothesis.hashes[hypothesis.ids], reference.hashes[reference.ids]
    ends = np.array([5], np.int64)
    begins = np.zeros(1, np.int64)
    counts = clipped_matches(h, begins, ends, r, begins, ends)
    # a b a b | ab ab | none | none
    assert counts.tolist() == [[4, 2, 0, 0, 5, 4, 3, 2]]
    assert smoothed_precision(counts)[0] == pytest.approx((5 / 6 * 3 / 5 * 1 / 4 * 1 / 3) ** 0.25)


def test_nearest_segments_are_those_of_a_direct_computation() -> None:
    rng = np.random.default_rng(3)
    corpus = [[f"w{k}" for k in rng.integers(0, 30, rng.integers(1, 12))] for _ in range(60)]
    queries = [[f"w{k}" for k in rng.integers(0, 34, rng.integers(1, 12))] for _ in range(20)]
    rows, cosines = SegmentIndex.of(pack_tokens(corpus)).nearest(pack_tokens(queries), 5)
    idf = {word: math.log(60 / sum(word in each for each in corpus)) for each in corpus for word in each}

    def vector(tokens: list[str]) -> dict[str, float]:
        return {word: tokens.count(word) * idf.get(word, math.log(60)) for word in tokens}

    def cosine(a: dict[str, float], b: dict[str, float]) -> float:
        norm = math.sqrt(sum(v * v for v in a.values()) * sum(v * v for v in b.values()))
        return sum(v * b.get(k, 0) for k, v in a.items()) / norm if norm else 0.0

    # Equal segments of the corpus are found once.
    distinct = [list(each) for each in dict.fromkeys(map(tuple, corpus))]
    for query, found, values in zip(queries, rows, cosines, strict=True):
        expected = sorted((cosine(vector(query), vector(each)) for each in distinct), reverse=True)[:5]
        assert values.tolist() == pytest.approx(expected, abs=1e-12)
        for row, value in zip(found, values, strict=True):
            if row >= 0:
                assert cosine(vector(query), vector(corpus[row])) == pytest.approx(value, abs=1e-12)


def test_an_index_holds_segments_word_for_word() -> None:
    rng = np.random.default_rng(4)
    corpus = [[f"w{k}" for k in rng.integers(0, 3, rng.integers(0, 5))] for _ in range(40)]
    queries = [[f"w{k}" for k in rng.integers(0, 4, rng.integers(0, 5))] for _ in range(300)]
    held = SegmentIndex.of(pack_tokens(corpus)).holds(pack_tokens(queries))
    assert held.tolist() == [bool(query) and query in corpus for query in queries] and 0 < held.mean() < 1
    assert not SegmentIndex.of(pack_tokens([])).holds(pack_tokens([["w1"]])).any()


def test_other_translations() -> None:
    same = one("s", "the cat sat on the mat", "pr.precision", "pr.chrf", "pr.bleu", "pr.ter",
               pseudo_references=(("the cat sat on the mat",),))  # fmt: skip
    assert same == pytest.approx([1, 100, 100, 0])
    ids = ("pr.ter", "pr.best_ter", "pr.chrf", "pr.best_chrf")
    two = one("s", "the cat sat", *ids, pseudo_references=(("the cat sat", "dogs"),))
    assert two[1] == 0
    assert two[0] > 0
    assert two[3] == pytest.approx(100)
    assert two[2] < 100
    assert one("a b", "x", "bt.chrf", "bt.bleu", back_translations=("a b",)) == pytest.approx([100, 100])


def test_what_is_missing_is_left_out_and_named(engine: Engine) -> None:
    matrix = engine.features(Segments(LanguagePair("si", "en"), ["a"], ["b"]), "blackbox-79")
    assert {each.feature.id for each in matrix.left_out} == {"1083", "1085", "1088", "1090", "1092", "1093", "1094"}
    assert {each.reason for each in matrix.left_out} == {"source tagger not loaded"}
    assert len(matrix.features) == 72
    with pytest.raises(InputError, match="n-best list"):
        engine.features(Segments(RO, ["a"], ["b"]), "glassbox-smt")
    with pytest.raises(InputError) as caught:
        extract_features(SegmentBatch(RO, pack_lines(["a"]), pack_lines(["b"])), exact_set("t", ["1009"]), PairResources(RO))
    assert caught.value.code == "missing-resource"


@settings(max_examples=15)
@given(st.lists(st.sampled_from(["the", "cat", ".", "Dacia", "5", "(", "x", "ț", "我"]), max_size=12), st.integers(0, 2**30))
def test_order_of_segments_and_blanks_do_not_matter(engine: Engine, words: list[str], seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = [(" ".join(rng.permutation(words)), " ".join(rng.permutation(words))) for _ in range(4)]
    wanted = feature_set("all-blackbox")
    straight = engine.features(Segments(RO, [s for s, _ in rows], [t for _, t in rows]), wanted).values
    turned = engine.features(Segments(RO, [s for s, _ in rows[::-1]], [t for _, t in rows[::-1]]), wanted).values
    spaced = engine.features(Segments(RO, [f"  {s} " for s, _ in rows], [t.replace(" ", "  ") for _, t in rows]), wanted).values
    assert straight == pytest.approx(turned[::-1], abs=1e-9)
    assert straight == pytest.approx(spaced, abs=1e-9)


@settings(max_examples=30)
@given(st.text(max_size=60), st.text(max_size=60))
def test_every_black_box_feature_of_anything_is_finite_and_in_range(engine: Engine, source: str, translation: str) -> None:
    side_information = SideInformation(pseudo_references=((source, ""),), back_translations=(translation,))
    matrix = engine.features(Segments(RO, [source], [translation], side_information=side_information), "all-blackbox")
    assert np.isfinite(matrix.values).all()
    for feature, value in zip(matrix.features, matrix.values[0], strict=True):
        if feature.description.startswith("Share"):
            assert 0 <= value <= 1 + 1e-12, feature.id


def test_no_words_and_unknown_words_only(engine: Engine) -> None:
    rows = Segments(RO, ["", "qzx", "qzx qzx"], ["", "qzx", ""])
    matrix = engine.features(rows, "all-blackbox")
    found = {feature.id: matrix.values[:, k] for k, feature in enumerate(matrix.features)}
    assert found["1011"].tolist() == [0, 0, 0]
    assert found["lm.source.unknown"].tolist() == [0, 1, 1]
    assert found["1046"].tolist() == [0, 0, 0]
    assert found["1003"].tolist() == [0, 1, 0]


def test_names_are_unique_and_ids_are_catalogued() -> None:
    assert len({feature.name for feature in CATALOGUE.values()}) == len(CATALOGUE)
    assert len({feature.description for feature in CATALOGUE.values()}) > len(CATALOGUE) - 12
