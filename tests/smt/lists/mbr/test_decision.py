"""MBR decisions against the thesis' worked example, published values, sacreBLEU on every pair, and a plain twin."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import InputError
from app.metrics import metric_named
from app.smt.lists.mbr.decision import decide, parse_way
from app.smt.lists.mbr.probabilities import model_probabilities, uniform_probabilities
from app.text.ragged import offsets_of


@dataclass(frozen=True)
class Lists:
    texts: list[str]
    offsets: np.ndarray

    @classmethod
    def of(cls, *lists: list[str]) -> "Lists":
        return cls([text for row in lists for text in row], offsets_of([len(row) for row in lists]))


# Srivastava's thesis, figure 4.3; figures of the digest, 4.3.
MIDDLES = (
    "approach would lead to",
    "approach would be",
    "way of doing this would lead to",
    "way of doing this would be",
    "approach would have",
    "approach would entail",
    "approach would result in",
    "approach would mean",
)
FIGURE = Lists.of([f"any other {middle} a major democratic deficit ." for middle in MIDDLES])
COSTS = np.array([-7.17474, -7.19585, -7.45051, -7.45701, -7.53336, -7.54438, -7.62037, -7.65906])
OWN_IN = [0.628360, 0.641856, 0.497640, 0.508996, 0.611901, 0.611579, 0.583057, 0.608434]
OWN_OUT = [0.475631, 0.492317, 0.381720, 0.393828, 0.505198, 0.506046, 0.485247, 0.514335]
POSTERIORS = [0.162911, 0.159508, 0.123647, 0.122846, 0.113816, 0.112569, 0.104331, 0.100372]


def test_the_worked_example_of_the_thesis() -> None:
    shares = model_probabilities(COSTS, FIGURE.offsets)
    np.testing.assert_allclose(shares, POSTERIORS, atol=5e-7)
    metric = metric_named("sbleu|tok:none")
    kept, left_out = decide(FIGURE, metric, shares), decide(FIGURE, metric, shares, self_included=False)
    np.testing.assert_allclose(kept.expected, OWN_IN, atol=5e-7)
    np.testing.assert_allclose(left_out.expected, OWN_OUT, atol=5e-7)
    assert kept.chosen.tolist() == [1] and left_out.chosen.tolist() == [7]


# The lists and the values of naist-nlp/mbrs' own tests (mbrs/decoders/*_test.py, mbrs/metrics/*_test.py).
PRODUCED = "Producția de zahăr primă va fi exprimată în ceea ce privește zahărul alb;"
RAW = "producţia de zahăr brut se exprimă în zahăr alb;"
TESTS = ["another test", "this is a test", "this is an test", "this is a fest"]
HYPOTHESES = Lists.of(TESTS, ["another test", "this is a fest", "this is a test"], ["this is a test"], [PRODUCED])
REFERENCES = Lists.of(TESTS, ["this is a test", "ref1 ref2 ref3 ref4"], ["this is a test"], [RAW])


@pytest.mark.parametrize(
    ("metric", "way", "chosen", "expected"),
    [
        ("bleu", "exact", [1, 2, 0, 0], [52.697, 50.0, 100.0, 8.493]),
        ("ter", "exact", [1, 2, 0, 0], [50.0, 50.0, 0.0, 100.0]),
        ("bleu", "counts", [1, 2, 0, 0], [42.36951, 50.0, 100.0, 8.49310]),
        ("chrf", "counts", [2, 2, 0, 0], [63.75969, 40.86618, 100.0, 46.16121]),
    ],
)
@pytest.mark.parametrize("model", [False, True])
def test_the_published_decisions_of_mbrs(metric: str, way: str, chosen: list[int], expected: list[float], model: bool) -> None:
    shares = model_probabilities(np.full(len(REFERENCES.texts), -2.0), REFERENCES.offsets) if model else None
    made = decide(HYPOTHESES, metric_named(metric), shares, REFERENCES, parse_way(way))
    assert (made.chosen - HYPOTHESES.offsets[:-1]).tolist() == chosen
    np.testing.assert_allclose(made.expected[made.chosen], expected, rtol=1e-4, atol=5e-4)


def test_the_published_pruned_decisions_of_mbrs() -> None:
    tests = ["another test", "this is a test", "this is a fest", "x", "this is test"]
    hypotheses = Lists.of(tests, ["another test", "this is a fest", "this is a test"], ["this is a test"], [PRODUCED])
    references = Lists.of(tests, ["this is a test", "ref", "these are tests", "this is the test"], ["this is a test"], [RAW])
    for way in ("pruned", "exact", "coarse|keep:2"):
        made = decide(hypotheses, metric_named("chrf"), references=references, way=parse_way(way))
        assert (made.chosen - hypotheses.offsets[:-1]).tolist() == [1, 2, 0, 0], way
        np.testing.assert_allclose(made.expected[made.chosen], [48.912, 44.239, 100.0, 46.161], rtol=1e-4, atol=5e-4)


PUBLISHED = Lists.of(["this is a test", "another test", "this is a fest", PRODUCED])
AGAINST = Lists.of(["ref", "this is a test", RAW])


@pytest.mark.parametrize(
    ("metric", "way", "expected"),
    [
        ("chrf", "exact", [(7.246 + 100 + 3.411) / 3, (14.493 + 23.060 + 4.386) / 3, (14.493 + 60.628 + 3.411) / 3, (6.849 + 7.224 + 46.161) / 3]),
        ("chrf", "counts", [23.08157, 10.29285, 16.35524, 29.16298]),
        ("bleu", "exact", [100 / 3, 18.394 / 3, 59.460 / 3, 8.493 / 3]),
        ("bleu", "counts", [25.96003, 6.44121, 20.31482, 5.13217]),
        ("ter", "exact", [500 / 3, 375 / 3, 525 / 3, 1725 / 3]),
    ],
)  # fmt: skip
def test_the_published_expected_scores_of_mbrs(metric: str, way: str, expected: list[float]) -> None:
    made = decide(PUBLISHED, metric_named(metric), references=AGAINST, way=parse_way(way))
    np.testing.assert_allclose(made.expected, expected, rtol=1e-4, atol=5e-4)


def test_the_published_scores_of_empty_texts() -> None:
    hypotheses, references = Lists.of(["thank you", ""]), Lists.of(["thank you so much", "", "thank you.", "thank you", ""])
    for metric, best in (("chrf", 68.2679), ("bleu", 60.0)):
        made = decide(hypotheses, metric_named(metric), references=references, way=parse_way("counts"))
        np.testing.assert_allclose(made.expected, [best, 0.0], rtol=1e-4, atol=5e-4)


WORDS = st.lists(st.sampled_from(["a", "b", "aa", "the", "cat", ".", "ש", "é"]), max_size=7).map(" ".join)
LISTS = st.lists(st.lists(WORDS, min_size=1, max_size=6), min_size=1, max_size=3)
PEERS = {
    "bleu": sacrebleu.BLEU(effective_order=True),
    "chrf": sacrebleu.CHRF(),
    "chrf++|case:lc": sacrebleu.CHRF(word_order=2, lowercase=True),
    "ter": sacrebleu.TER(),
}


@settings(max_examples=25, deadline=None)
@given(LISTS, st.sampled_from(sorted(PEERS)), st.randoms(use_true_random=False))
def test_exact_scores_are_the_mean_of_every_pair(lists: list[list[str]], name: str, random: object) -> None:
    ours, scores = Lists.of(*lists), np.array([random.uniform(-5, 0) for row in lists for _ in row])  # type: ignore[attr-defined]
    shares, metric = model_probabilities(scores, ours.offsets, 0.5), metric_named(name)
    brute = [
        sum(shares[begin + k] * PEERS[name].sentence_score(text, [other]).score for k, other in enumerate(row))
        for begin, row in zip(ours.offsets, lists, strict=False) for text in row
    ]  # fmt: skip
    np.testing.assert_allclose(decide(ours, metric, shares).expected, brute, rtol=1e-9, atol=1e-9)


@settings(max_examples=25, deadline=None)
@given(LISTS, LISTS, st.sampled_from(["bleu", "sbleu|tok:none", "chrf", "chrf++|space:yes", "per", "chrf|eff:no"]))
def test_quick_pairs_are_the_metric_s_own(lists: list[list[str]], others: list[list[str]], name: str) -> None:
    size = min(len(lists), len(others))
    ours, theirs, metric = Lists.of(*lists[:size]), Lists.of(*others[:size]), metric_named(name)
    brute = []
    for row, references in zip(lists, others, strict=False):
        prepared = metric.prepare([references])
        everyone = np.arange(len(references))
        brute += [metric.segment_scores(prepared.statistics([text] * len(references), everyone)).mean() for text in row]
    np.testing.assert_allclose(decide(ours, metric, references=theirs).expected, brute, rtol=1e-9, atol=1e-9)


@settings(max_examples=25, deadline=None)
@given(LISTS, st.sampled_from([1, 2, 3]))
def test_expected_counts_are_those_of_a_plain_twin(lists: list[list[str]], orders: int) -> None:
    ours, metric = Lists.of(*lists), metric_named(f"chrf|nc:{orders}")
    twin = []
    for row in lists:
        grams = [[_grams(text, order) for order in range(1, orders + 1)] for text in row]
        for own in grams:
            statistics = []
            for order, mine in enumerate(own):
                expected: Counter[str] = Counter()
                for text in grams:
                    for gram, count in text[order].items():
                        expected[gram] += count / len(row)  # type: ignore[assignment]
                theirs = sum(expected.values())
                shared = sum(min(count, expected[gram]) for gram, count in mine.items())
                statistics += [mine.total() if theirs else 0.0, theirs, shared]
            twin.append(float(metric.segment_scores(np.array([statistics]))[0]))
    np.testing.assert_allclose(decide(ours, metric, way=parse_way("counts")).expected, twin, rtol=1e-9, atol=1e-9)


def _grams(text: str, order: int) -> Counter[str]:
    letters = "".join(text.split())
    return Counter(letters[at : at + order] for at in range(len(letters) - order + 1))


@settings(max_examples=15, deadline=None)
@given(LISTS)
def test_ways_that_leave_pairs_out_score_the_others_exactly(lists: list[list[str]]) -> None:
    ours, metric = Lists.of(*lists), metric_named("bleu")
    exact = decide(ours, metric)
    everyone = decide(ours, metric, way=parse_way("coarse|keep:1000"))
    np.testing.assert_allclose(everyone.expected, exact.expected, rtol=1e-9)
    for spec in ("coarse|keep:2|by:bleu", "pruned|confidence:0.9|samples:50"):
        made = decide(ours, metric, way=parse_way(spec))
        there = np.isfinite(made.expected)
        np.testing.assert_allclose(made.expected[there], exact.expected[there], rtol=1e-9, atol=1e-9)
        assert there[made.chosen].all() and made.pairs <= exact.pairs


def test_pruning_scores_fewer_pairs_and_decides_the_same_where_one_is_clearly_best() -> None:
    rng = np.random.default_rng(3)
    row = [" ".join(rng.choice(list("abcdefghij"), 8)) for _ in range(40)] + ["a b c d e f g h"] * 40
    ours, metric = Lists.of([row[k] for k in rng.permutation(80)]), metric_named("chrf")
    exact, pruned = decide(ours, metric), decide(ours, metric, way=parse_way("pruned"))
    assert exact.chosen.tolist() == pruned.chosen.tolist() and pruned.pairs < 0.8 * exact.pairs
    again = decide(ours, metric, way=parse_way("pruned"))
    np.testing.assert_array_equal(pruned.expected, again.expected)


@pytest.mark.parametrize("metric", ["chrf++", "ter"])
def test_long_lists_in_parts_are_scored_as_whole_ones(metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    ours = Lists.of(*([" ".join(rng.choice(list("abcde"), 4)) for _ in range(size)] for size in (9, 1, 0, 30)))
    whole = decide(ours, metric_named(metric)).expected
    monkeypatch.setattr("app.smt.lists.mbr.pairs.PAIRS_AT_ONCE", 7)
    np.testing.assert_array_equal(decide(ours, metric_named(metric)).expected, whole)


def test_equal_texts_share_their_score_and_the_first_is_chosen() -> None:
    made = decide(Lists.of(["x", "a b", "a b", "a c"]), metric_named("chrf"))
    assert made.chosen.tolist() == [1] and made.expected[1] == made.expected[2]


def test_of_equally_good_candidates_the_first_is_chosen_whatever_sums_round_to() -> None:
    """All texts have seven words, so sacreBLEU's rates are sevenths, and risks are exact as whole numbers of edits."""
    rng, tied = np.random.default_rng(5), 0
    for _ in range(30):
        texts = list(dict.fromkeys(" ".join(rng.choice(["a", "b"], 7)) for _ in range(9)))
        risks = [sum(round(PEERS["ter"].sentence_score(a, [b]).score * 7 / 100) for b in texts) for a in texts]
        tied += risks.count(min(risks)) > 1
        for way in ("exact", "coarse|keep:100"):
            assert decide(Lists.of(texts), metric_named("ter"), way=parse_way(way)).chosen.tolist() == [risks.index(min(risks))]
    assert tied > 5


@pytest.mark.parametrize("metric", ["bleu", "chrf++", "ter", "wer", "per", "nist", "simpbleu:PABC4", "order:kendall", "sbleu"])
@pytest.mark.parametrize("way", ["exact", "coarse|keep:2", "pruned"])
def test_any_metric_and_any_text(metric: str, way: str) -> None:
    ours = Lists.of(["", " ", "\ud800 x"], [], ["שלום עולם", "שלום", "a"], ["one"], [""])
    made = decide(ours, metric_named(metric), way=parse_way(way))
    assert made.chosen[1] == -1 and made.chosen[3] == 6 and made.chosen[4] == 7
    assert all(begin <= h < end for begin, end, h in zip(ours.offsets, ours.offsets[1:], made.chosen, strict=False) if h >= 0)


def test_no_list_at_all() -> None:
    made = decide(Lists.of(), metric_named("chrf"))
    assert not len(made.expected) and not len(made.chosen)


def test_what_cannot_be_decided_is_refused() -> None:
    ours, chrf = Lists.of(["a", "b"]), metric_named("chrf")
    for refused in (
        lambda: decide(ours, chrf, references=Lists.of([])),
        lambda: decide(ours, chrf, references=Lists.of(["a"], ["b"])),
        lambda: decide(ours, chrf, references=ours, self_included=False),
        lambda: decide(ours, chrf, way=parse_way("counts"), self_included=False),
        lambda: decide(ours, metric_named("ter"), way=parse_way("counts")),
        lambda: parse_way("guess"),
        lambda: parse_way("coarse|keep:0"),
        lambda: parse_way("exact|keep:1"),
        lambda: model_probabilities(np.array([0.0, np.nan]), ours.offsets),
        lambda: model_probabilities(np.array([0.0, np.inf]), ours.offsets),
    ):
        with pytest.raises(InputError):
            refused()


def test_probabilities_of_scores_of_any_size() -> None:
    offsets = offsets_of([2, 0, 3, 1])
    scores = np.array([1e300, -1e300, -4.0, -3.0, -3.0, 7.0])
    shares = model_probabilities(scores, offsets, 10.0)
    np.testing.assert_allclose([shares[:2].sum(), shares[2:5].sum(), shares[5]], 1.0)
    assert shares[0] == 1.0 and shares[3] == shares[4] > shares[2]
    np.testing.assert_allclose(model_probabilities(scores, offsets, 0.0), uniform_probabilities(offsets))
    # What all share, as a penalty for unknown words, changes nothing.
    np.testing.assert_allclose(
        model_probabilities(scores[2:5] - 100, offsets_of([3])), model_probabilities(scores[2:5], offsets_of([3]))
    )
