"""Plans of feature sets and of word tags: one kernel call gives each value that NumPy gives column by column."""

import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine import Engine
from app.features import CATALOGUE, PairResources, View, feature_set
from app.features.black_box.sum_kernels import carried_shapes, link_sums, model_numbers, translation_sums
from app.features.kernels import FIGURE, NAME, Attribute, copied_words, copies, side_counts, word_attributes, word_shapes
from app.features.plans.formulas import Formula, Quantity, difference_of, part, ratio_of
from app.features.plans.plan import FeaturePlan
from app.features.word_level import WORD_FEATURES
from app.features.word_level.keys import Key, KeyPair
from app.features.word_level.summary_kernel import summarise
from app.predictors.word_tags.bucket_plan import BucketPlan
from app.predictors.word_tags.buckets import columns_of, feature_buckets
from app.text import LanguagePair, SegmentBatch, pack_lines, tokeniser_for
from app.text.batch import TokenColumn

RO = LanguagePair("ro", "en")
TEXTS = (
    ("Guvernul numește un prefect în fiecare județ.", "The Government appoints a prefect to each county."),
    ("", ""),
    ("Ana are 3 mere (roșii) și „două” pere.", "Ana has 3 apples [red] and 2 pears!"),
    ("x", ""),
    ("", "only this"),
    ("La București, Ion Popescu plătește 1.500 de lei în 2021.", 'In Bucharest, Ion pays 1,500 lei to Maria in 2021: "yes"?'),
)
LINES = st.lists(st.text(st.sampled_from("aAbé1ß.,( Ǆİ字\U00020000")), max_size=6)


def view_of(engine: Engine) -> View:
    sources, translations = zip(*TEXTS, strict=True)
    batch = SegmentBatch.build(tokeniser_for("ro"), tokeniser_for("en"), sources, translations)
    return View(batch, engine.pair_resources(RO))


def test_the_default_set_is_formulas_alone() -> None:
    plan = FeaturePlan.of(feature_set("text-only+words").features)
    assert (len(plan.features), len(plan.formulas), plan.columns) == (95, 95, ())


def test_most_features_of_segments_are_formulas() -> None:
    features = [feature for feature in CATALOGUE.values() if feature.level == "sentence"]
    formulas = [feature for feature in features if isinstance(feature.compute, Formula | Quantity)]
    assert len(formulas) >= 0.7 * len(features)
    keys = [feature for feature in WORD_FEATURES.values() if isinstance(feature.compute, Key | KeyPair)]
    assert len(keys) == 28


@pytest.mark.parametrize("name", ["text-only+words", "blackbox-79", "quest-baseline-17"])
def test_a_plan_gives_the_columns_of_its_features(engine: Engine, name: str) -> None:
    features = feature_set(name).features
    values = FeaturePlan.of(features).values(view_of(engine), len(TEXTS))
    view = view_of(engine)
    for feature, column in zip(features, values.T, strict=True):
        assert column.tolist() == feature.column(view).tolist(), feature.id


def test_formulas_share_their_parts_and_divide_by_zero_as_ratio_does() -> None:
    table = np.array([[6.0, 3.0, 0.0, 4.0], [1.0, -2.0, 5.0, 0.0]])

    def block(view: View) -> np.ndarray:
        return table

    a, b, c, d = (part(block, k) for k in range(4))
    formulas = [
        a,
        ratio_of(a, b),
        difference_of(a, b),
        difference_of(a, b, c),
        ratio_of(ratio_of(a, b), ratio_of(c, d)),
        ratio_of(a, b),
    ]
    feature = next(iter(CATALOGUE.values()))
    declared = [type(feature)(str(k), "", "", feature.family, "", (), formula) for k, formula in enumerate(formulas)]
    view = View(SegmentBatch(RO, pack_lines(["a", "b"]), pack_lines(["c", "d"])), PairResources(RO))
    assert FeaturePlan.of(declared).values(view, 2).tolist() == [[6, 2, 3, 0, 0, 2], [1, -0.5, 3, 0.6, 0, -0.5]]


def test_buckets_are_those_of_single_columns(engine: Engine) -> None:
    view = view_of(engine)
    for tagger in engine.registry.judges(RO):
        assert tagger is not None
        for field, positions in ((tagger.words, len(view.target.ids)), (tagger.gaps, len(view.target.ids) + len(view))):
            features = [feature for feature in field.features if not any(hasattr(need, "request_field") for need in feature.needs)]
            plain = feature_buckets(features, columns_of(features, view), dict(field.bin_edges), len(field.weights))
            buckets = BucketPlan.of(features, field.bin_edges).buckets(view, positions, len(field.weights))
            assert buckets.tolist() == plain.tolist()


def words_of(column: TokenColumn) -> list[list[str]]:
    return [column.tokens(row) for row in range(len(column))]


@settings(max_examples=100, deadline=None)
@given(LINES)
def test_sums_of_a_side_are_counted_word_by_word(lines: list[str]) -> None:
    column = pack_lines(lines)
    attributes = word_attributes(column)
    counts = side_counts(attributes, column.ids, column.offsets)
    for row, words in zip(counts, words_of(column), strict=True):
        assert row[Attribute.CHARACTERS] == sum(map(len, words))
        assert row[Attribute.TOKENS] == len(words) and row[Attribute.DISTINCT] == len(set(words))
        assert row[Attribute.PUNCTUATION] == sum(word.count(mark) for word in words for mark in ".,")
        assert row[Attribute.UNBALANCED_BRACKETS] == sum(word.count("(") for word in words)


@settings(max_examples=100, deadline=None)
@given(LINES, LINES)
def test_copies_are_words_of_the_other_side(lines: list[str], opposite_lines: list[str]) -> None:
    size = min(len(lines), len(opposite_lines))
    column, opposite = pack_lines(lines[:size]), pack_lines(opposite_lines[:size])
    mask = copies(column.hashes, column.ids, column.offsets, opposite.hashes, opposite.ids, opposite.offsets)
    sides = list(zip(words_of(column), words_of(opposite), strict=True))
    assert mask.tolist() == [word in others for words, others in sides for word in words]
    attributes = word_attributes(column)
    pairs = copied_words(attributes, column.ids, column.offsets, mask)

    def is_word(word: str) -> bool:
        return len(word) > 1 and all(unicodedata.category(c)[0] in "LM" for c in word)

    expected = [[sum(w in others for w in words if is_word(w)), sum(map(is_word, words))] for words, others in sides]
    assert pairs.tolist() == expected


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(max_size=5), max_size=5))
def test_shapes_are_pythons(lines: list[str]) -> None:
    column = pack_lines(lines)
    shapes = word_shapes(column)
    for word, shape in zip(column.vocabulary, shapes.tolist(), strict=True):
        assert bool(shape & NAME) == (len(word) >= 2 and word[0].isupper() and word.isalpha())
        assert bool(shape & FIGURE) == any(c.isdigit() for c in word)


def test_names_and_figures_are_carried() -> None:
    shapes = np.array([NAME, NAME, FIGURE, 0], np.uint8)
    ids, offsets = np.array([0, 1, 1, 2, 3, 0, 3], np.int32), np.array([0, 5, 7, 7])
    copied = np.array([1, 1, 0, 1, 0, 1, 0], np.bool_)
    assert carried_shapes(shapes, ids, offsets, copied).tolist() == [[2, 0.5, 1], [0, 1, 1], [0, 1, 1]]


def test_sums_over_links_and_models_by_hand() -> None:
    place, logs = np.array([2, -1, 1, 0, 3], np.int32), np.array([-1.0, -2.0, -3.0, -4.0, -5.0])
    sums = link_sums(logs, place, np.array([0, 4, 5]), np.array([0.5, 1.0]))
    assert sums.tolist() == [[-12.0, 1, 2, 2], [-6.0, 0, 0, 0]]
    numbers = model_numbers(np.array([-6.0, -1.0, -99.0]), np.array([1, 0, 0]), np.array([4, 1, 2]), np.array([0, 3, 3, 4]), 12.0)
    assert numbers.tolist() == [[-6, 2, 3, 1, 4, 4], [-1, 1, -np.inf, 0, 1, 1], [-99, 12, 12, 0, 2, 2]]


def test_sums_of_translations_by_hand() -> None:
    source, translations = np.array([5, 9], np.uint64), np.array([[2, 1], [4, 0]])
    words, counts = np.array([5, 7], np.uint64), np.array([10, 3])
    ids, offsets = np.array([0, 1, 2, 0], np.int32), np.array([0, 3, 4, 4])
    sums = translation_sums(source, translations, words, counts, np.array([5, 9, 7], np.uint64), ids, offsets)
    assert sums.tolist() == [[6, 1, 20, 10, 0.2, 0.1], [2, 1, 20, 10, 0.2, 0.1], [0] * 6]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.lists(st.floats(0, 1), max_size=9), min_size=1, max_size=4))
def test_summaries_are_numpys(rows: list[list[float]]) -> None:
    offsets = np.cumsum([0, *map(len, rows)])
    words, gaps = np.array([p for row in rows for p in row], np.float64), np.array([p for row in rows for p in [*row, 0.25]])
    odds = words - 0.5
    summaries = summarise(words, odds, offsets, gaps, offsets + np.arange(len(offsets)))
    for row, summary in zip(rows, summaries, strict=True):
        assert summary[6:] == pytest.approx([np.mean([*row, 0.25]), max([*row, 0.25])])
        if row:
            worst = sorted(row, reverse=True)[: max(1, len(row) // 4)]
            p = np.array(row)
            expected = [p.mean(), p.max(), (p > 0.5).mean(), (p - 0.5).mean(), p.std(), np.mean(worst)]
            assert summary[:6] == pytest.approx(expected, abs=1e-12)
        else:
            assert not summary[:6].any()
