"""N-best lists, search counts and token probabilities, by hand and on a real list of Moses."""

import gzip
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import CHRF

from app.engine import Engine
from app.engine.segments import Segments
from app.errors import InputError
from app.features import PairResources, exact_set, extract_features, feature_set
from app.features.glass_box.n_best import centre_candidates
from app.text import LanguagePair, SegmentBatch, pack_lines
from app.text.n_best import NBestLists
from app.text.reading.n_best_files import read_lists
from app.text.reading.n_best_lists.bars import read_n_best
from app.text.side_information import SideInformation
from app.text.side_information.kinds import N_BEST

PAIR = LanguagePair("de", "en")


def one(translation: str, side_information: SideInformation, *ids: str) -> list[float]:
    batch = SegmentBatch(PAIR, pack_lines(["eins zwei"]), pack_lines([translation]), side_information=side_information)
    return extract_features(batch, exact_set("t", ids), PairResources(PAIR), strict=True).values[0].tolist()


LIST = SideInformation(
    n_best=[
        [
            {"text": "a b", "score": math.log(0.5), "features": {"d": [-1, -2], "tm": [3], "w": [-2], "lm": [-4, -5]}},
            {"text": "a c", "score": math.log(0.25), "features": {"d": [-9, -8], "tm": [1], "w": [-2], "lm": [-1, -1]}},
            {"text": "a b c", "score": math.log(0.25), "features": {"d": [-7, -7], "tm": [2], "w": [-3], "lm": [-2, -2]}},
        ]
    ]
)


def test_a_list_by_hand() -> None:
    assert one("a b", LIST, "2001", "2002", "2003") == pytest.approx([math.log(0.5), math.log(0.5) / 2, 3])
    # Three hypotheses have a, two b; the posteriors of these are 1 and 0.75, in all positions and in the same.
    assert one("a b", LIST, "2044", "2045") == pytest.approx([(3 + 2) / 2 / 3, (1 + 0.75) / 2])
    assert one("a b", LIST, "2046", "2047") == pytest.approx([(3 + 2) / 2 / 3, (1 + 0.75) / 2])
    # Words of the list: a 3, b 2, c 2 of seven; weighted by posterior: a 1, b 0.75, c 0.5 of 2.25.
    assert one("a b", LIST, "nbest.frequency", "nbest.weighted_frequency") == pytest.approx([5 / 2 / 7, 1.75 / 2 / 2.25])
    assert one("a b", LIST, "nbest.posterior") == pytest.approx([0.5])
    assert one("a b", LIST, "2049", "2050", "2051") == pytest.approx([7 / 3, 3 / (7 / 3), 3 / 2])
    # Distances: ab-ac 1, ab-abc 1, ac-abc 1: the first is the centre.
    assert one("a b", LIST, "2052", "2053", "2054") == [0, 0, 0]
    assert one("x y z", LIST, "2052", "2053", "2054") == pytest.approx([3, 1, 2 / 3 + 1 / 3])
    assert one("a b", LIST, "nbest.margin", "nbest.entropy") == pytest.approx([math.log(2), 1.5 * math.log(2)])
    assert one("a b", LIST, "2014", "2015", "2021", "2026", "nbest.lm") == [-1, -2, 3, -2, -9]
    assert one("a c", LIST, "2014", "2001") == pytest.approx([-9, math.log(0.25)])


def test_long_hypotheses_make_few_candidates() -> None:
    assert [centre_candidates(longest) for longest in (0, 20, 140, 1000, 10_000)] == [100, 100, 100, 14, 2]


def test_models_of_the_list_by_hand() -> None:
    # Vocabulary a, b, c and one for the unseen; unigrams (3+1)/(7+4), (2+1)/(7+4).
    total = math.log10(4 / 11) + math.log10(3 / 11)
    assert one("a b", LIST, "2004", "2005", "2006") == pytest.approx([total, total / 2, 10 ** (-total / 2)])
    # <s> a: 3 of 3; a b: 2 of 3.
    assert one("a b", LIST, "2007") == pytest.approx([math.log10((3 + 1) / (3 + 4)) + math.log10((2 + 1) / (3 + 4))])


def test_search_counts() -> None:
    search = ({"hypotheses": 100.0, "nodes": 50.0, "pruned": 10.0, "phrases": 2.0, "longest_phrase": 3.0, "unknown_words": 1.0},)
    ids = ("2055", "2058", "2059", "search.pruned", "2041", "2042", "2043")
    assert one("a b", SideInformation(search=search), *ids) == pytest.approx([100, 10, 0.1, 0.2, 1, 3, 0.5])


def test_entropies_passes_and_samples() -> None:
    side_information = SideInformation(
        token_entropies=((0.5, 1.5),), passes=(((-1.0, -3.0), (-1.0,)),), samples=(("the cat sat", "the cat is", "a dog"),)
    )
    assert one("the cat", side_information, "nmt.entropy_mean", "nmt.entropy_max", "nmt.entropy_std") == [1, 1.5, 0.5]
    # Means of the passes: -2 and -1.
    assert one("the cat", side_information, "nmt.passes_mean", "nmt.passes_variance", "nmt.passes_combination") == [-1.5, 0.25, 7]
    peer = CHRF()
    pairs = [("the cat sat", "the cat is"), ("the cat sat", "a dog"), ("the cat is", "a dog")]
    expected = np.mean([peer.sentence_score(a, [b]).score for a, b in pairs])
    assert one("the cat", side_information, "nmt.samples_likeness") == pytest.approx([expected])


# Digest of the papers, 2.8.8, computed by hand on one segment.
SOURCE, HYPOTHESES = (
    "casa este foarte mare",
    ("the house is big", "the home is big", "house the is large", "the house is a big one"),
)
COUNTS = {
    "hypotheses": 1000.0, "nodes": 800.0, "discarded": 100.0, "pruned": 50.0, "recombined": 20.0, "phrases": 2.0, "longest_phrase": 3.0,
    "unknown_words": 1.0,
}  # fmt: skip
DIGEST = {
    "2044": 0.875, "2045": 0.884535, "2046": 0.6875, "2047": 0.781312, "2048": 0.173913, "nbest.posterior": 0.473991, "2049": 4.5,
    "2050": 1.777778, "2051": 2.0, "2057": 0.1, "2059": 0.05, "2061": 0.02,
}  # fmt: skip


def test_the_worked_segment_of_the_digest() -> None:
    entries = [{"text": text, "score": score} for text, score in zip(HYPOTHESES, (-2.0, -2.5, -3.0, -4.0), strict=True)]
    side_information = SideInformation(n_best=[entries], search=[COUNTS])
    batch = SegmentBatch(PAIR, pack_lines([SOURCE]), pack_lines([HYPOTHESES[0]]), side_information=side_information)
    values = extract_features(batch, exact_set("t", tuple(DIGEST)), PairResources(PAIR), strict=True).values[0]
    assert dict(zip(DIGEST, values.tolist(), strict=True)) == pytest.approx(DIGEST, abs=1e-6)


def left_out(side_information: SideInformation, features: str = "glassbox-smt") -> dict[str, str]:
    batch = SegmentBatch(PAIR, pack_lines(["eins zwei"]), pack_lines(["a b"]), side_information=side_information)
    chosen = exact_set("t", [feature.id for feature in feature_set(features).features])
    return {omission.feature.id: omission.reason for omission in extract_features(batch, chosen, PairResources(PAIR)).left_out}


WHOLE = SideInformation(
    n_best=[
        [
            {
                "text": text,
                "score": -1.0 - k,
                "features": {"d": [float(k + j) for j in range(7)], "tm": [1.0, 2, 3, 4, 5], "w": [-2.0], "lm": [-3.0]},
            }
            for k, text in enumerate(("a b", "a c"))
        ]
    ],
    search=[COUNTS],
)


@pytest.mark.parametrize("count", sorted(COUNTS))
def test_a_count_that_was_not_sent_is_missing_and_not_0(count: str) -> None:
    assert not left_out(WHOLE)
    rest = {name: value for name, value in COUNTS.items() if name != count}
    omissions = left_out(WHOLE.with_kinds(search=[rest]))
    assert omissions and set(omissions.values()) == {f"the count {count} of the search not sent"}
    # No value changes but those that are gone.
    ids = [feature.id for feature in feature_set("glassbox-smt").features if feature.id not in omissions]
    assert one("a b", WHOLE, *ids) == one("a b", WHOLE.with_kinds(search=[rest]), *ids)


@pytest.mark.parametrize(("name", "ids"), [("w", {"2026"}), ("lm", {"nbest.lm"}), ("tm", {str(2021 + k) for k in range(5)})])
def test_a_score_that_was_not_sent_is_missing_and_not_0(name: str, ids: set[str]) -> None:
    lists = WHOLE.get(N_BEST)
    assert lists is not None
    for remaining in (0, 1):
        rows = lists.as_json()
        # A score of some hypotheses is none of the list's.
        for entry in rows[0][remaining:]:
            del entry["features"][name]
        assert left_out(WHOLE.with_kinds(n_best=rows)).keys() == ids
    rows = lists.as_json()
    for entry in rows[0]:
        entry["features"]["d"] = entry["features"]["d"][:3]
    omissions = left_out(WHOLE.with_kinds(n_best=rows))
    assert omissions.keys() == {"2017", "2018", "2019", "2020"}
    # The list was sent, but not this score.
    assert omissions["2017"].startswith("score 4 (") and omissions["2017"].endswith(") of every hypothesis not sent")


def test_empty_lists_samples_passes_and_references_give_no_numbers() -> None:
    ids = {feature.id for feature in feature_set("glassbox-smt").features if N_BEST in feature.needs}
    assert left_out(WHOLE.with_kinds(n_best=((),))).keys() == ids
    assert left_out(WHOLE.with_kinds(n_best=[[{"text": "a b", "score": -1.0}]])).keys() >= {"nbest.margin", "2014"}
    batch = SegmentBatch(PAIR, pack_lines(["x"]), pack_lines(["a"]), side_information=SideInformation(samples=((),), passes=((),)))
    for name in ("nmt.samples_likeness", "nmt.samples_agreement", "nmt.passes_mean", "nmt.passes_variance"):
        with pytest.raises(InputError, match="not sent"):
            extract_features(batch, exact_set("t", (name,)), PairResources(PAIR), strict=True)
    empty = SegmentBatch(PAIR, pack_lines(["x"]), pack_lines(["a"]), side_information=SideInformation(pseudo_references=((),)))
    with pytest.raises(InputError, match="a pseudo-reference for every segment not sent"):
        extract_features(empty, exact_set("t", ("pr.precision",)), PairResources(PAIR), strict=True)


def test_an_empty_translation_is_defined() -> None:
    ids = [feature.id for feature in feature_set("glassbox-smt").features if N_BEST in feature.needs]
    assert np.isfinite(one("", WHOLE, *ids)).all()


@pytest.mark.parametrize("features", ["x= 1 2", "x= 1 2 y= 3"])
def test_unequal_numbers_of_components_are_refused_by_place(features: str, tmp_path: Path) -> None:
    path = tmp_path / "lists.txt"
    path.write_text(f"0 ||| a b ||| {features} ||| -1\n0 ||| a c ||| x= 2 ||| -2\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"hypothesis 2 of .*lists.txt: x has 1 of 2 components"):
        read_lists([path])
    # Features without a component stay missing: names decide.
    path.write_text("0 ||| a b ||| x= 1 2 ||| -1\n0 ||| a c ||| y= 2 ||| -2\n", encoding="utf-8")
    assert read_lists([path]).lists.names == ("x", "x", "y")
    rows = [[{"text": "a", "score": 0.0, "features": {"x": [1.0, 2.0]}}], [{"text": "b", "score": 0.0, "features": {"x": [1.0]}}]]
    with pytest.raises(InputError, match="x has 1 of 2 components") as error:
        N_BEST.check(N_BEST.column(rows), 100, 0)
    assert error.value.where == ("segments", 1, "n_best", 0)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=6))
def test_unequal_components_are_those_of_plain_counting(counts: list[tuple[int, int]]) -> None:
    rows = [[{"text": "a", "score": 0.0, "features": {"x": [1.0] * x, "y": [1.0] * y}} for x, y in counts]]
    expected = [max(column) for column in zip(*counts, strict=True)]
    faults = [h for h, row in enumerate(counts) if any(0 < value < most for value, most in zip(row, expected, strict=True))]
    fault = NBestLists.from_json(rows).unequal_components()
    assert (None if fault is None else fault.row) == (faults[0] if faults else None)


def test_a_real_list_of_moses(shared: Path, engine: Engine) -> None:
    with gzip.open(shared / "data" / "moses-mert" / "run7.nbest.gz", "rt", encoding="utf-8") as file:
        lists = read_n_best(file.read().split("\n")[:-1])
    assert lists.lengths.tolist() == [200] * 5
    sources = (shared / "data" / "moses-mert" / "input").read_text("utf-8").split("\n")[: len(lists)]
    sent = Segments(LanguagePair("ro", "en"), sources, [lists.texts[row.start] for row in lists], SideInformation(n_best=lists))
    matrix = engine.features(sent, "glassbox-smt")
    found = {feature.id: matrix.values[:, k] for k, feature in enumerate(matrix.features)}
    assert found["2001"].tolist() == lists.scores[lists.offsets[:-1]].tolist()
    assert found["2014"].tolist() == lists.features[lists.offsets[:-1], lists.names.index("d")].tolist()
    assert (found["nbest.posterior"] >= 1 / 200).all()
    assert (found["2003"] <= 200).all()
    assert np.isfinite(matrix.values).all()
