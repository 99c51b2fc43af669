"""A chain among derivations: after any moves, features are those of the derivation from nothing."""

from pathlib import Path

import numpy as np
import pytest

from app.metrics import metric_named
from app.smt.decoder.sampling.neighbourhood import DerivationNeighbourhood
from app.smt.decoder.sampling.operators import OPERATORS, is_reachable
from app.smt.decoder.system import load_system
from app.smt.tuning.matrix import HypothesisFeatures
from tests.smt.decoder.plain_features import features_of_derivation, sparse_of_derivation
from tests.smt.decoder.sparse.systems import NAMES, write_sparse_system
from tests.smt.decoder.systems import SENTENCE, all_derivations, write_system

SOURCES = [SENTENCE, "s4 s4 new s0 s1 s2 s3 s3", "s0", ""]
REFERENCES = [["t0 t1 new t2", "t3 t3 new t1 t1 t0", "t0", "t1"]]


@pytest.mark.parametrize(
    ("reordering", "distortion"),
    [("hier-mslr-bidirectional-fe", 3), ("phrase-msd-bidirectional-f", -1), ("hier-msd-backward-f", 1)],
)
def test_features_after_any_moves_are_those_from_nothing(reordering: str, distortion: int, tmp_path: Path) -> None:
    system = load_system(write_system(tmp_path, 4, reordering, distortion))
    metric = metric_named("bleu")
    around = DerivationNeighbourhood(system, SOURCES, REFERENCES, metric)
    rng = np.random.default_rng(4)
    width = len(system.weights)
    for segment, source in enumerate(SOURCES):
        row = around.first(segment)
        standing = row.hypotheses[0]
        for _ in range(60):
            row = around.around(segment, standing, rng)
            assert row.hypotheses[row.current].phrases == standing.phrases
            place = int(rng.integers(len(row.hypotheses)))
            standing = row.hypotheses[place]
            values = features_of_derivation(system, standing.phrases)
            assert isinstance(row.features, np.ndarray) and row.features.shape[1] == width
            np.testing.assert_allclose(row.features[place], values, rtol=0, atol=1e-9)
            assert is_reachable(standing.phrases, distortion)
            assert sorted(t for phrase in standing.phrases for t in range(phrase.start, phrase.end)) == list(
                range(len(source.split()))
            )
        texts = [one.text for one in row.hypotheses]
        expected = metric.prepare(REFERENCES).statistics(texts, np.full(len(texts), segment))
        np.testing.assert_array_equal(row.statistics, expected)


def test_operators_reach_all_that_the_search_may(tmp_path: Path) -> None:
    """Sampled at an even temperature, a chain comes to every derivation of a small sentence."""
    system = load_system(write_system(tmp_path, 2, "msd-backward-f", 2))
    source = "s1 s0 s3"
    around = DerivationNeighbourhood(system, [source], [["t0 t1"]], metric_named("bleu"), operators=OPERATORS)
    rng = np.random.default_rng(0)
    standing = around.first(0).hypotheses[0]
    reached = set()
    for _ in range(3000):
        row = around.around(0, standing, rng)
        standing = row.hypotheses[int(rng.integers(len(row.hypotheses)))]
        reached.add(standing.phrases)
    assert reached == {derivation.phrases for derivation in all_derivations(system, source)}


@pytest.mark.parametrize("drop", [False, True])
def test_sparse_features_after_any_moves_are_those_from_nothing(drop: bool, tmp_path: Path) -> None:
    config = write_sparse_system(tmp_path, 4, "msd-bidirectional-fe", 3, NAMES)
    if drop:
        config.write_text(config.read_text().replace("[stack]", "[drop-unknown]\n1\n[stack]"))
    system = load_system(config)
    around = DerivationNeighbourhood(system, SOURCES, REFERENCES, metric_named("bleu"))
    rng = np.random.default_rng(4)
    for segment in range(len(SOURCES)):
        row = around.first(segment)
        standing = row.hypotheses[0]
        for _ in range(40):
            row = around.around(segment, standing, rng)
            assert isinstance(row.features, HypothesisFeatures) and row.features.width == len(system.weights) + len(
                system.sparse.names
            )
            place = int(rng.integers(len(row.hypotheses)))
            standing = row.hypotheses[place]
            values = sparse_of_derivation(system, standing.phrases)
            ours = row.features.row(place)
            np.testing.assert_allclose(ours[: len(system.weights)], features_of_derivation(system, standing.phrases), atol=1e-9)
            found = {system.sparse.names.names[n]: value for n, value in enumerate(ours[len(system.weights) :].tolist()) if value}
            assert found == pytest.approx({name: value for name, value in values.items() if value})
