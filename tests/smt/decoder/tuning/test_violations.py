"""Violations are violations, and weights learnt from them come to those that made the references."""

from typing import Any

import numpy as np
import pytest

from app.errors import InputError
from app.metrics import metric_named
from app.smt.decoder.decoder import Decoder
from app.smt.decoder.moses_ini import SearchLimits
from app.smt.decoder.stack_kernels import Stacks
from app.smt.decoder.system import System, SystemParts, load_parts, load_system, system_of
from app.smt.decoder.tuning.fixing import tune_by_fixing
from app.smt.decoder.tuning.methods import parse_decoder_method
from app.smt.decoder.tuning.violations import UpdateStep, partial_features, phrases_of, reach_reference, violation_of
from tests.smt.decoder.systems import SENTENCE, SOURCE, write_system

METRIC = metric_named("bleu|tok:none")
NARROW = SearchLimits(stack=4, distortion=3)


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> System:
    return load_system(write_system(tmp_path_factory.mktemp("system"), 8, "hier-mslr-bidirectional-fe", 3))


def test_features_of_what_is_translated_so_far_make_its_score(system: System) -> None:
    decoder = Decoder(system, NARROW)
    for text in (SENTENCE, "s0 s1 s2 s3 s4 s0 s1 s2"):
        result = decoder.translate(text)
        assert result.graph is not None
        stacks: Stacks = result.graph[2]
        for step in range(1, len(text.split()) + 1):
            for h in stacks.items[step, : stacks.counts[3 + step]].tolist():
                values = partial_features(decoder, phrases_of(result, h), step == len(text.split()))
                assert values @ system.weights == pytest.approx(stacks.scores[h, 0], abs=1e-9)


def sentences(parts: SystemParts, count: int) -> tuple[list[str], list[str]]:
    """Sources, and the translations by the system's own weights."""
    generator = np.random.default_rng(5)
    sources = [" ".join(generator.choice(SOURCE, 6)) for _ in range(count)]
    decoder = Decoder(system_of(parts))
    return sources, [decoder.translate(source).n_best(1)[0].text for source in sources]


def other(parts: SystemParts) -> SystemParts:
    config = parts.ini.folder / "moses.ini"
    text = config.read_text()
    config.write_text(text.replace("LM= 0.5", "LM= -0.1").replace("WordPenalty0= -0.4", "WordPenalty0= -1.5"))
    changed = load_parts(config)
    config.write_text(text)
    return changed


def test_every_update_is_one_of_a_violation(system: System) -> None:
    parts = load_parts(system.ini.folder / "moses.ini")
    sources, references = sentences(parts, 20)
    worse = system_of(other(parts))
    steps: dict[UpdateStep, list[int]] = {update: [] for update in UpdateStep}
    for source, reference in zip(sources, references, strict=True):
        decoder = Decoder(worse, NARROW)
        good = reach_reference(decoder, source, ["t0 no way", reference])
        if good is None:
            continue
        best = good.best()
        assert best is not None and best.text == reference
        of_update = {update: violation_of(decoder, source, good, update) for update in UpdateStep}
        for update, violation in of_update.items():
            if violation is not None:
                assert violation.excess > 0
                assert violation.difference @ worse.weights == pytest.approx(-violation.excess, abs=1e-9)
                steps[update].append(violation.step)
        largest = of_update[UpdateStep.MAX]
        assert all(one is None or (largest is not None and one.excess <= largest.excess) for one in of_update.values())
        standard = of_update[UpdateStep.STANDARD]
        first = decoder.translate(source).best()
        assert first is not None and (standard is None) == (first.score <= best.score)
    assert set(steps[UpdateStep.STANDARD]) == {6} and min(steps[UpdateStep.EARLY]) < 6 and min(steps[UpdateStep.MAX]) < 6
    assert reach_reference(Decoder(worse), "s0", ["no way"]) is None


def settings_of(method: str) -> dict[str, Any]:
    parsed = parse_decoder_method(method)
    assert parsed is not None
    return parsed[1]


@pytest.mark.parametrize(
    "method",
    [
        "violations-decoder|batch:1|cap:0.1",
        "violations-decoder|update:early|rule:perceptron|rate:0.03|batch:2",
        "violations-decoder|update:standard|batch:1|cap:0.1",
    ],
)
def test_what_can_be_separated_is(system: System, method: str) -> None:
    parts = load_parts(system.ini.folder / "moses.ini")
    sources, references = sentences(parts, 12)
    worse = other(parts)
    settings = settings_of(method)
    limits = SearchLimits(stack=50, distortion=3)
    fixed = tune_by_fixing(worse, sources, [references], METRIC, settings, 25, 1, limits)
    assert fixed.passes[0].score < 60 and fixed.best.score > 97
    assert fixed.best.score == max(one.score for one in fixed.passes) and fixed.notes["reachable"] > 6
    again = tune_by_fixing(worse, sources, [references], METRIC, settings, 2, 1, limits)
    np.testing.assert_array_equal(again.passes[2].weights, fixed.passes[2].weights)


def test_weights_that_were_better_stay(system: System) -> None:
    parts = load_parts(system.ini.folder / "moses.ini")
    sources, references = sentences(parts, 6)
    settings = settings_of("violations-decoder|rule:perceptron|rate:5")
    fixed = tune_by_fixing(parts, [*sources, "", "s0"], [[*references, "", "no way"]], METRIC, settings, 2, 1, SearchLimits(6, 3))
    np.testing.assert_array_equal(fixed.best.weights, parts.weights)
    with pytest.raises(InputError, match="no sentence can reach"):
        tune_by_fixing(parts, sources[:1], [["no way"]], METRIC, settings, 1, 1)
    towards = settings_of("violations-decoder|gold:oracle")
    fixed = tune_by_fixing(parts, sources, [["t1 no way t2"] * 6], METRIC, towards, 1, 1, SearchLimits(20, 3))
    assert fixed.notes["reachable"] == 0 and fixed.passes[1].counts["updates"]
    assert parse_decoder_method("mira") is None
    with pytest.raises(InputError, match="update"):
        parse_decoder_method("violations-decoder|update:late")
