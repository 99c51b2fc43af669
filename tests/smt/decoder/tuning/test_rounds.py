"""Rounds of tuning: weights that pay for jumps are not tried, and a draw that finds nothing is not the last."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.metrics import metric_named
from app.smt.decoder.moses_ini import SearchLimits
from app.smt.decoder.system import SystemParts, load_parts
from app.smt.decoder.tuning import rounds
from app.smt.decoder.tuning.rounds import RoundOptions, tune_by_rounds
from app.smt.tuning.tune import tune
from tests.smt.decoder.systems import SOURCE, TARGET, write_system

METRIC = metric_named("bleu|tok:none")


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> SystemParts:
    return load_parts(write_system(tmp_path_factory.mktemp("system"), 8, "hier-mslr-bidirectional-fe", 3))


def text(words: Sequence[str], seed: int) -> list[str]:
    generator = np.random.default_rng(seed)
    return [" ".join(generator.choice(words, 6)) for _ in range(8)]


@pytest.mark.parametrize("distortion", [0, 3, -1])
def test_jumps_are_never_paid_for(parts: SystemParts, tmp_path: Path, distortion: int) -> None:
    options = RoundOptions("mert|restarts:3", 1, 4, 20, SearchLimits(stack=20, distortion=distortion), threads=1)
    done = tune_by_rounds(parts, text(SOURCE, 1), [text(TARGET, 2)], METRIC, options, tmp_path)
    of_order = np.array([name in ("R", "Distortion0") for name in parts.names])
    weights = np.array([one.weights for one in done.passes])
    assert len(weights) > 2
    # Where nothing can jump, a negative weight of an orientation is as good as any.
    assert (weights[:, of_order] < 0).any() == (distortion == 0)
    assert (weights[:, ~of_order] < 0).any()


def test_what_was_negative_may_stay_so(parts: SystemParts, tmp_path: Path) -> None:
    negative = replace(
        parts,
        features=tuple(
            replace(feature, weights=(-0.2,)) if feature.kind == "Distortion" else feature for feature in parts.features
        ),
    )
    options = RoundOptions("mert|restarts:3", 1, 3, 20, SearchLimits(stack=20, distortion=3), threads=1)
    done = tune_by_rounds(negative, text(SOURCE, 1), [text(TARGET, 2)], METRIC, options, tmp_path)
    column = parts.names.index("Distortion0")
    assert done.passes[0].weights[column] == -0.2 and done.passes[1].weights[column] < 0


def test_other_draws_are_tried_before_it_ends(parts: SystemParts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int] = []

    def nothing(data: Any, method: str, given: Sequence[int], *more: Any) -> Any:
        seeds.extend(given)
        told = tune(data, method, given, *more)
        return replace(told, selection=replace(told.selection, weights=data.start))

    monkeypatch.setattr(rounds, "tune", nothing)
    options = RoundOptions("mira", 7, 5, 20, SearchLimits(stack=20, distortion=3), threads=1)
    done = tune_by_rounds(parts, text(SOURCE, 1), [text(TARGET, 2)], METRIC, options, tmp_path)
    assert done.notes["converged"] and len(done.passes) == 1
    assert seeds == [7, 1007, 2007]
