"""A chain among derivations: after any moves, features are those of the derivation from nothing."""

from pathlib import Path

import numpy as np
import pytest

from app.metrics import metric_named
from app.translation.derivation import features_of_derivation
from app.translation.sampling.boundaries import BoundaryTags
from app.translation.sampling.neighbourhood import DerivationNeighbourhood
from app.translation.sampling.operators import OPERATORS, is_reachable
from app.translation.system import load_system
from tests.translation.systems import SENTENCE, TARGET, all_derivations, write_system

SOURCES = [SENTENCE, "s4 s4 new s0 s1 s2 s3 s3", "s0", ""]
REFERENCES = [["t0 t1 new t2", "t3 t3 new t1 t1 t0", "t0", "t1"]]


@pytest.mark.parametrize(
    ("reordering", "distortion"),
    [("hier-mslr-bidirectional-fe", 3), ("phrase-msd-bidirectional-f", -1), ("hier-msd-backward-f", 1)],
)
def test_features_after_any_moves_are_those_from_nothing(reordering: str, distortion: int, tmp_path: Path) -> None:
    system = load_system(write_system(tmp_path, 4, reordering, distortion))
    tags = BoundaryTags({word: word[-1] for word in TARGET[:3]})
    metric = metric_named("bleu")
    around = DerivationNeighbourhood(system, SOURCES, REFERENCES, metric, boundaries=tags)
    rng = np.random.default_rng(4)
    width = len(system.weights)
    for segment, source in enumerate(SOURCES):
        row = around.first(segment)
        standing = row.hypotheses[0]
        for _ in range(60):
            row = around.around(segment, standing, rng)
            assert row.hypotheses[row.here].phrases == standing.phrases
            place = int(rng.integers(len(row.hypotheses)))
            standing = row.hypotheses[place]
            values = features_of_derivation(system, standing.phrases)
            np.testing.assert_allclose(row.features[place, :width], values, rtol=0, atol=1e-9)
            counted = np.bincount(list(tags.columns(standing.phrases)), minlength=len(tags.names))
            np.testing.assert_array_equal(row.features[place, width:], counted)
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
