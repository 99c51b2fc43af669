"""Sparse features in the search: against all derivations of small systems, and against features from words and links alone."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.smt.decoder.decoder import Decoder
from app.smt.decoder.sparse.derivations import sparse_of_list
from app.smt.decoder.system import System, load_system
from tests.smt.decoder.plain_features import features_of_derivation, sparse_of_derivation, sparse_score
from tests.smt.decoder.sparse.systems import NAMES, write_sparse_system
from tests.smt.decoder.systems import SENTENCE, all_derivations

CASES = [
    (3, "msd-bidirectional-fe", 2, NAMES),
    (4, "hier-mslr-bidirectional-fe", -1, ("pb",)),
    (5, "phrase-monotonicity-forward-f", 3, ("tb", "wt")),
    (6, "hier-msd-backward-f", 1, ("tc", "twi", "swd", "T0")),
]


@pytest.fixture(scope="module", params=CASES, ids=lambda case: "-".join(case[3]))
def system(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> System:
    return load_system(write_sparse_system(tmp_path_factory.mktemp("system"), *request.param))


def test_the_best_of_all_derivations_are_found_in_their_order(system: System) -> None:
    derivations = sorted(all_derivations(system, SENTENCE), key=lambda derivation: -derivation.score)
    ours = Decoder(system).translate(SENTENCE, alternatives=True).n_best(200)
    np.testing.assert_allclose([each.score for each in ours], [each.score for each in derivations[:200]], rtol=0, atol=1e-9)
    assert ours[0].phrases == derivations[0].phrases
    assert len({each.phrases for each in ours}) == len(ours) == min(200, len(derivations))
    assert any(abs(sparse_score(system, sparse_of_derivation(system, each.phrases))) > 0.1 for each in ours)


def test_a_model_score_is_the_weighted_sum_of_all_features(system: System) -> None:
    narrow = Decoder(system, replace(system.ini.limits, stack=3, threshold=0.01))
    for text in (SENTENCE, "s0", "other words", " ".join(f"s{k % 5}" for k in range(80))):
        lists = narrow.translate(text, alternatives=True).n_best(30)
        for derivation, quick in zip(lists, sparse_of_list(system, lists), strict=True):
            sparse = sparse_of_derivation(system, derivation.phrases)
            assert quick == pytest.approx(sparse)
            values = features_of_derivation(system, derivation.phrases)
            assert derivation.score == pytest.approx(values @ system.weights + sparse_score(system, sparse), abs=1e-6)


def test_forced_decoding_and_beginnings_count_them_too(system: System) -> None:
    decoder = Decoder(system)
    derivations = list(all_derivations(system, SENTENCE))
    for wanted in {each.text for each in derivations[:: len(derivations) // 4]}:
        best = max(each.score for each in derivations if each.text == wanted)
        ours = decoder.translate(SENTENCE, target=wanted).best()
        assert ours is not None and ours.text == wanted and ours.score == pytest.approx(best, abs=1e-9)
        begin = wanted.split()[:2]
        theirs = sorted((each.score for each in derivations if each.words[:2] == begin), reverse=True)[:50]
        found = decoder.translate(SENTENCE, True, " ".join(begin), prefix=True).n_best(50)
        np.testing.assert_allclose([each.score for each in found], theirs, atol=1e-9)


def test_unknown_words_that_are_dropped_are_no_boundary(tmp_path: Path) -> None:
    config = write_sparse_system(tmp_path, 7, "msd-bidirectional-fe", 2, ("pb", "tb", "swd", "pl"))
    config.write_text(config.read_text().replace("[stack]", "[drop-unknown]\n1\n[stack]"))
    system = load_system(config)
    for text in (SENTENCE, "new s1 s0", "s2 new", "new other"):
        scores = sorted((derivation.score for derivation in all_derivations(system, text)), reverse=True)
        ours = Decoder(system).translate(text, alternatives=True).n_best(len(scores) + 1)
        np.testing.assert_allclose([derivation.score for derivation in ours], scores, atol=1e-9)
