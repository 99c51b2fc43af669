"""Oracles against an enumeration of all derivations of small systems, and against n-best lists of larger searches."""

from dataclasses import replace

import numpy as np
import pytest

from app.metrics import metric_named
from app.smt.decoder.decoder import Decoder
from app.smt.decoder.graphs.oracle import bleu_of, find_oracle
from app.smt.decoder.system import System, load_system
from app.smt.tuning.pairs.sentence_bleu import smoothed_bleu
from tests.smt.decoder.plain_features import features_of_derivation
from tests.smt.decoder.systems import SENTENCE, TARGET, all_derivations, write_system


@pytest.fixture(scope="module", params=[("hier-msd-bidirectional-fe", -1), ("msd-bidirectional-fe", 2)], ids=["hier", "msd"])
def system(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> System:
    return load_system(write_system(tmp_path_factory.mktemp("system"), 6, *request.param))


def references(seed: int, count: int) -> list[str]:
    generator = np.random.default_rng(seed)
    return [" ".join(generator.choice([*TARGET, "new", "other"], generator.integers(3, 12))) for _ in range(count)]


def test_bleu_is_that_of_the_metric() -> None:
    for seed in range(20):
        text, *others = references(seed, 3)
        rows = metric_named("bleu|tok:none").prepare([[other] for other in others]).statistics([text])
        assert bleu_of(text.split(), [other.split() for other in others]) == pytest.approx(smoothed_bleu(rows)[0])


def test_the_oracle_is_that_of_all_derivations(system: System) -> None:
    text = "s1 new s3 s2"
    every = list(all_derivations(system, text))
    result = Decoder(system).translate(text, alternatives=True)
    scores = {each.phrases: each.score for each in every}
    distinct = sorted({each.text for each in every})
    for seed in range(8):
        wanted = references(seed, 1 + seed % 3)
        rows = metric_named("bleu|tok:none").prepare([[other] * len(distinct) for other in wanted]).statistics(distinct)
        by_text = dict(zip(distinct, smoothed_bleu(rows).tolist(), strict=True))
        best = max(by_text.values())
        found = find_oracle(result, wanted, 100_000)
        assert found is not None and found.exact and found.bleu == pytest.approx(best, abs=1e-12)
        assert by_text[found.derivation.text] == pytest.approx(best, abs=1e-12)
        # Of equally close ones it is the most probable.
        assert found.derivation.score == pytest.approx(max(each.score for each in every if by_text[each.text] > best - 1e-12))
        assert scores[found.derivation.phrases] == pytest.approx(found.derivation.score, abs=1e-9)
        narrow = find_oracle(result, wanted, 3)
        assert narrow is not None and narrow.bleu <= best + 1e-12


def test_a_reference_that_can_be_reached_is_its_own_oracle(system: System) -> None:
    decoder = Decoder(system)
    result = decoder.translate(SENTENCE, alternatives=True)
    for derivation in result.n_best(400, distinct=True)[::40]:
        found = find_oracle(result, [derivation.text])
        assert found is not None and found.bleu == 1 and found.derivation.text == derivation.text
        assert found.derivation.score == pytest.approx(derivation.score, abs=1e-9)


def test_no_list_has_a_better_one(system: System) -> None:
    decoder = Decoder(system, replace(system.ini.limits, stack=20))
    better = 0
    for seed in range(8):
        generator = np.random.default_rng(seed)
        text = " ".join(f"s{k}" for k in generator.integers(0, 5, 12))
        result = decoder.translate(text, alternatives=True)
        (wanted,) = references(seed, 1)
        of_list = max(bleu_of(each.words, [wanted.split()]) for each in result.n_best(100, distinct=True))
        for width in (1, 20):
            found = find_oracle(result, [wanted], width)
            assert found is not None and found.bleu >= of_list
            assert found.bleu == pytest.approx(bleu_of(found.derivation.words, [wanted.split()]), abs=1e-12)
            assert features_of_derivation(system, found.derivation.phrases) @ system.weights == pytest.approx(
                found.derivation.score
            )
        better += found.bleu > of_list
    assert better


def test_nothing_has_no_oracle(system: System) -> None:
    decoder = Decoder(system)
    empty = find_oracle(decoder.translate("", alternatives=True), ["t0"])
    assert empty is not None and empty.derivation.words == [] and empty.bleu == 0
    assert find_oracle(decoder.translate("s0", True, target="no way"), ["t0"]) is None
    nothing = find_oracle(decoder.translate("s0 s1", alternatives=True), [""])
    assert nothing is not None and nothing.exact
