"""BEER and ROSE features against hand-worked cases, and the scalings of the theses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InputError
from app.metrics import TrainedMetric, metric_named
from app.metrics.learnt.features import feature_values
from app.metrics.learnt.linear_metric import PairMaker
from app.metrics.learnt.several_references import SeveralReferences
from scripts.mlqe_pe.published_beer import read_published_beer

FUNCTION = ("a", "the", "in", "on", "of", "to", "is")


def metric(features: list[str], **fields: object) -> TrainedMetric:
    n = len(features)
    return TrainedMetric("test", "test", "en", tuple(features), (0.0,) * n, (1.0,) * n, (1.0,) * n, tokenise="none", **fields)  # type: ignore[arg-type]


def values(features: list[str], system: str, reference: str, factored: bool = False) -> list[float]:
    maker = PairMaker(metric(features, function_words=FUNCTION), factored, metric_named)
    sides = [(maker.side([text], "systems"), [text]) for text in (system, reference)]
    return feature_values(features, maker.pair(*sides))[0].tolist()  # type: ignore[arg-type]


# unit: P, R, F1, F2, F0.5 of `the cat sat on mat` against `the cat sat on the mat` (digest, 4.12)
TABLE = {
    "character1": (1.0000, 0.8182, 0.9000, 0.8491, 0.9574),
    "character2": (1.0000, 0.8095, 0.8947, 0.8416, 0.9551),
    "character3": (0.9375, 0.7500, 0.8333, 0.7812, 0.8929),
    "character4": (0.8667, 0.6842, 0.7647, 0.7143, 0.8228),
    "character5": (0.7857, 0.6111, 0.6875, 0.6395, 0.7432),
    "character6": (0.7692, 0.5882, 0.6667, 0.6173, 0.7246),
    "word1": (1.0000, 0.8333, 0.9091, 0.8621, 0.9615),
    "word2": (0.7500, 0.6000, 0.6667, 0.6250, 0.7143),
    "word3": (0.6667, 0.5000, 0.5714, 0.5263, 0.6250),
    "word4": (0.5000, 0.3333, 0.4000, 0.3571, 0.4545),
    "skip2": (0.8889, 0.6667, 0.7619, 0.7018, 0.8333),
    "skip1000000": (1.0000, 0.6667, 0.8000, 0.7143, 0.9091),
}


@pytest.mark.parametrize("unit", TABLE)
def test_overlaps_of_the_digest(unit: str) -> None:
    names = [f"{unit}.{value}" for value in ("p", "r", "pf.1", "pf.2", "pf.0.5")]
    assert values(names, "the cat sat on mat", "the cat sat on the mat") == pytest.approx(TABLE[unit], abs=5e-5)
    # The smaller takes precision's place: here recall, so F2 and F0.5 change places.
    names = [f"{unit}.{value}" for value in ("b", "a", "f.1", "f.0.5", "f.2")]
    assert values(names, "the cat sat on mat", "the cat sat on the mat") == pytest.approx(TABLE[unit], abs=5e-5)


def test_reordered_words_and_lengths_of_the_digest() -> None:
    names = ["character1.p", "character2.p", "character3.p", "character4.p", "character5.p", "word1.p", "word2.p", "word3.p",
             "word4.p", "skip2.p", "skip1000000.p", "len_disbalance_word.d.1", "len_disbalance_char.d.1"]  # fmt: skip
    expected = [1, 20 / 21, 18 / 20, 15 / 19, 13 / 18, 1, 4 / 5, 2 / 4, 0, 6 / 12, 7 / 15, 0, 0]
    assert values(names, "on the mat the cat sat", "the cat sat on the mat") == pytest.approx(expected)
    assert values(names[-2:], "the cat sat on mat", "the cat sat on the mat") == pytest.approx([0.2, 4 / 18])


def test_released_beer_counts_edges_and_shorter_characters() -> None:
    # "ab c" and "ab d": nominal order 2 is single characters but for the last: a, b, blank; order 1 the lengths.
    assert values(["char1.a", "char1.b", "char2.a", "char3.a"], "ab c", "ab dd") == pytest.approx([4 / 5, 1, 3 / 4, 2 / 3])
    # Unigrams ab, plus <S> ab and c </S>: two of four match on one side.
    assert values(["ngram1.p", "ngram2.p"], "ab c", "ab d") == pytest.approx([2 / 4, 0 / 3])
    assert values(["ngram4.p"], "ab c", "ab c") == [1.0]


@given(st.text("abc ", max_size=20), st.text("abc ", max_size=20))
def test_symmetric_features_do_not_see_which_side_is_the_reference(one: str, other: str) -> None:
    names = [f"{unit}.{value}" for unit in ("char3", "ngram2", "skip2", "character2", "word1") for value in ("a", "b", "f.1", "g.1", "f.2")]  # fmt: skip
    names += ["len_disbalance_word.d.1", "len_disbalance_char.d.1"]
    assert values(names, one, other) == values(names, other, one)


CORE = [f"word{n}.{v}" for v in ("p", "r", "pf.1") for n in (1, 2, 3, 4)] + ["average4.p"]
CORE += ["ratio.words", "ratio.function", "ratio.punctuation", "ratio.content"]
TAGS = [f"pos{n}.{v}" for v in ("p", "r", "pf.1") for n in (1, 2, 3, 4)] + [f"mixed{n}.p" for n in (1, 2, 3, 4)]


def test_rose_vectors_of_the_digest() -> None:
    reference = "A|DT red|ADJ vehicle|NN"
    words = [2 / 3, 1 / 2, 0, 0]
    core = [*words, *words, *words, 0.291667, 1, 1, 1, 1]
    expected = [*core, *([1, 1, 1, 0] * 4)]
    assert values(CORE + TAGS, "A|DT red|ADJ car|NN", reference, True) == pytest.approx(expected, abs=1e-6)
    expected = [*core, *(words * 4)]
    assert values(CORE + TAGS, "A|DT red|ADJ red|ADJ", reference, True) == pytest.approx(expected, abs=1e-6)
    system = "the|DT the|DT cat|NN is|VBZ on|IN a|DT mat|NN"
    reference = "the|DT cat|NN sat|VBD on|IN the|DT mat|NN .|."
    words, tags = [0.714286, 0.166667, 0, 0], [0.714286, 0.5, 0.2, 0]
    expected = [*(words * 3), 0.220238, 1, 5 / 3, 0, 2 / 3, *(tags * 3), 5 / 7, 3 / 6, 1 / 5, 0]
    assert values(CORE + TAGS, system, reference, True) == pytest.approx(expected, abs=1e-6)


def test_roses_way_with_several_references() -> None:
    names = ["word1.p", "word1.r", "word2.p", "word2.r", "word1.pf.1", "ratio.words", "ratio.words.difference", "pos1.p"]
    maker = PairMaker(metric(names), True, metric_named)
    ours = ["a|X b|Y c|X", "a|X"]
    references = [["a|X b|X", "q|X"], ["c|Z d|Z", "b|Y a|X"]]
    sides = [maker.side(each, "references") for each in (ours, *references)]
    pairs = SeveralReferences.of(
        [maker.pair((sides[0], ours), (side, each)) for side, each in zip(sides[1:], references, strict=True)]
    )
    # a and b are in the first reference, c in the second; no single one has all three.
    expected = [[1, 1, 1 / 2, 1, 1, 3 / 2, 1 / 2, 2 / 3], [1, 1 / 2, 0, 0, 2 / 3, 1, 0, 1]]
    assert feature_values(names, pairs).tolist() == [pytest.approx(row) for row in expected]


def test_scalings_of_the_digest() -> None:
    phi = np.array([[1.0, 1.0], [0.8, 0.6], [0.5, 0.4], [0.0, 0.0]])
    plain = TrainedMetric("x", "beer", "en", ("a", "b"), (0, 0), (1, 1), (2.0, 1.0), output="logistic")
    assert plain.scores(phi) == pytest.approx([0.952574, 0.900250, 0.802184, 0.5], abs=1e-6)
    ratio = TrainedMetric("x", "beer", "en", ("a", "b"), (0, 0), (1, 1), (2.0, 1.0), output="ratio")
    assert ratio.scores(phi, np.ones((4, 2))) == pytest.approx([1, 0.620051, 0.335963, 0.094852], abs=1e-6)


def test_published_beer_is_read_and_bounded(shared) -> None:  # type: ignore[no-untyped-def]
    published = read_published_beer(shared / "reference" / "beer")
    assert len(published.features) == 62
    trained = {published.id: published}
    beer = metric_named("beer", trained)
    systems = ["the cat sat on the mat", "on the mat the cat sat", "dogs", ""]
    scores = beer.segment_scores(beer.prepare([["the cat sat on the mat"] * 4]).statistics(systems))
    # All 60 overlaps are 1 and both disbalances 0 for equal sides: the scaler's line at the sum of the weights.
    total = sum(w for f, w in zip(published.features, published.weights, strict=True) if not f.startswith("len"))
    assert scores[0] == pytest.approx(min(100.0, 8.580459341342790 + 20.51272094172102 * total))
    assert scores[0] > scores[1] > scores[2] >= scores[3] >= 0


def test_a_combination_of_metrics_is_a_trained_metric() -> None:
    mixed = metric(["metric(bleu|tok:none)", "metric(chrf)"])
    trained = metric_named("trained:test", {"test": mixed})
    hypotheses, references = ["the cat sat", "a b c"], ["the cat sat down", "a b d"]
    got = trained.segment_scores(trained.prepare([references]).statistics(hypotheses))
    parts = [m.segment_scores(m.prepare([references]).statistics(hypotheses)) for m in map(metric_named, ("bleu|tok:none", "chrf"))]
    assert got == pytest.approx((parts[0] + parts[1]) / 100)


def test_refusals_say_what_there_is() -> None:
    with pytest.raises(InputError, match="loaded trained metrics: none"):
        metric_named("beer")
    needs_tags = metric_named("trained:test", {"test": metric(["pos1.p"])})
    with pytest.raises(InputError, match="factored:yes"):
        needs_tags.prepare([["a"]])
    tagged = metric_named("trained:test|factored:yes", {"test": metric(["pos1.p"])})
    with pytest.raises(InputError) as refused:
        tagged.prepare([["a|X", "b|"]])
    assert refused.value.where == ("references", 1)
