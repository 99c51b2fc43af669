"""N-best lists, search counts and token probabilities, by hand and on a real list of Moses."""

import gzip
import math
from pathlib import Path

import numpy as np
import pytest
from sacrebleu.metrics import CHRF

from app.engine import Engine
from app.engine.segments import Segments
from app.features import PairResources, exact_set, extract_features, feature_set
from app.features.glass_box.n_best import centre_candidates
from app.text import LanguagePair, SegmentBatch, pack_lines
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
            {"text": "a c", "score": math.log(0.25), "features": {"d": [-9]}},
            {"text": "a b c", "score": math.log(0.25)},
        ]
    ]
)


def test_a_list_by_hand() -> None:
    assert one("a b", LIST, "2001", "2002", "2003") == pytest.approx([math.log(0.5), math.log(0.5) / 2, 3])
    # Words of the list: a 3, b 2, c 2 of seven; weighted by posterior: a 1, b 0.75, c 0.5 of 2.25.
    assert one("a b", LIST, "2044", "2045") == pytest.approx([(3 + 2) / 2 / 7, (1 + 0.75) / 2 / 2.25])
    assert one("a b", LIST, "2046", "2047") == pytest.approx([(3 + 2) / 2 / 3, 0.5])
    assert one("a b", LIST, "2049", "2050", "2051") == pytest.approx([7 / 3, 3 / (7 / 3), 3 / 2])
    # Distances: ab-ac 1, ab-abc 1, ac-abc 1: the first is the centre.
    assert one("a b", LIST, "2052", "2053", "2054") == [0, 0, 0]
    assert one("x y z", LIST, "2052", "2053", "2054") == pytest.approx([3, 1, 2 / 3 + 1 / 3])
    assert one("a b", LIST, "nbest.margin", "nbest.entropy") == pytest.approx([math.log(2), 1.5 * math.log(2)])
    assert one("a b", LIST, "2014", "2015", "2016", "2021", "2026", "nbest.lm") == [-1, -2, 0, 3, -2, -9]
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
    ids = ("2055", "2056", "2057", "2058", "2059", "2061", "2041", "2042", "2043")
    assert one("a b", SideInformation(search=search), *ids) == pytest.approx([100, 0, 0, 10, 0.2, 0, 1, 3, 0.5])


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


def test_an_empty_list_and_an_empty_translation_are_defined() -> None:
    ids = [feature.id for feature in feature_set("glassbox-smt").features if N_BEST in feature.needs]
    assert one("a", SideInformation(n_best=((),)), *ids) == [0.0] * len(ids)
    assert np.isfinite(one("", LIST, *ids)).all()


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
    assert (found["2047"] >= 1 / 200).all()
    assert (found["2003"] <= 200).all()
    assert np.isfinite(matrix.values).all()
