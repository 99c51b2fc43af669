"""Sums over a search are those over all derivations, and likelihoods have the gradient that differences have."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.special import logsumexp

from app.arrays import Float64s
from app.errors import InputError
from app.metrics import metric_named
from app.smt.decoder.decoder import Decoder
from app.smt.decoder.derivation import Derivation
from app.smt.decoder.graphs.lattice import lattice_of
from app.smt.decoder.moses_ini import SearchLimits
from app.smt.decoder.system import System, SystemParts, load_parts, load_system, system_of
from app.smt.decoder.tuning.expectations import expected_features
from app.smt.decoder.tuning.likelihood import log_likelihood, tune_by_likelihood
from app.smt.decoder.tuning.methods import parse_decoder_method
from tests.smt.decoder.plain_features import features_of_derivation
from tests.smt.decoder.systems import SENTENCE, SOURCE, all_derivations, write_system

METRIC = metric_named("bleu|tok:none")
REORDERINGS = ["hier-mslr-bidirectional-fe", "wbe-msd-bidirectional-fe", "phrase-mslr-backward-f", "hier-msd-forward-fe"]


def expected(system: System, derivations: list[Derivation]) -> tuple[float, Float64s]:
    """The sum and the expectation, one derivation after the other."""
    scores = np.array([derivation.score for derivation in derivations])
    features = np.array([features_of_derivation(system, derivation.phrases) for derivation in derivations])
    return float(logsumexp(scores)), np.exp(scores - logsumexp(scores)) @ features


@pytest.mark.parametrize("reordering", REORDERINGS)
@pytest.mark.parametrize("tables", [1, 2])
def test_expectations_are_those_of_all_derivations(tmp_path: Path, reordering: str, tables: int) -> None:
    system = load_system(write_system(tmp_path, 3, reordering, 3, tables))
    decoder = Decoder(system)
    for text in ("s0", SENTENCE):
        derivations = list(all_derivations(system, text))
        lattice = lattice_of(decoder.translate(text, alternatives=True))
        assert lattice is not None
        whole = lattice.sum()
        log, features = expected(system, derivations)
        assert whole.log == pytest.approx(log, abs=1e-9)
        np.testing.assert_allclose(expected_features(system, lattice, whole.shares), features, atol=1e-7)
        # Of one translation, in the lattice of all and in its own.
        for wanted in {derivations[0].text, derivations[-1].text}:
            log, features = expected(system, [derivation for derivation in derivations if derivation.text == wanted])
            forced = lattice_of(decoder.translate(text, alternatives=True, target=wanted, all_options=True))
            assert forced is not None
            for some, total in ((lattice, lattice.sum(wanted.split())), (forced, forced.sum())):
                assert total.log == pytest.approx(log, abs=1e-9)
                np.testing.assert_allclose(expected_features(system, some, total.shares), features, atol=1e-7)
        assert lattice.sum(["no", "way"]).log == -np.inf and not lattice.sum(["no", "way"]).shares.any()
    assert lattice_of(decoder.translate("", alternatives=True)) is None
    assert lattice_of(decoder.translate("s0", alternatives=True, target="no way")) is None


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> System:
    return load_system(write_system(tmp_path_factory.mktemp("system"), 8, "hier-mslr-bidirectional-fe", 3))


def test_the_gradient_is_that_of_differences(system: System) -> None:
    parts = load_parts(system.ini.folder / "moses.ini")
    lists = Decoder(system).translate(SENTENCE, alternatives=True).n_best(400, distinct=True)
    for references in ([lists[0].text], [lists[-1].text, "no way"], [lists[3].text, lists[40].text, lists[3].text]):

        def value(weights: Float64s, references: list[str] = references) -> float:
            told = log_likelihood(Decoder(system_of(parts, weights)), SENTENCE, references)
            assert told is not None
            return told[0]

        told = log_likelihood(Decoder(system), SENTENCE, references)
        assert told is not None and told[0] < 0
        derivations = list(all_derivations(system, SENTENCE))
        scores = np.array([derivation.score for derivation in derivations])
        good = np.array([derivation.text in references for derivation in derivations])
        assert told[0] == pytest.approx(logsumexp(scores[good]) - logsumexp(scores), abs=1e-9)
        np.testing.assert_allclose(told[1], approx_fprime(parts.weights, value, 1e-6), atol=2e-4)
    assert log_likelihood(Decoder(system), SENTENCE, ["no way"]) is None
    assert log_likelihood(Decoder(system), "", [""]) is None


def test_a_narrow_search_has_no_likelihood_above_one(system: System) -> None:
    """What a forced search keeps and the free one does not is in the sum too."""
    narrow = Decoder(system, SearchLimits(stack=2, distortion=3))
    lists = Decoder(system).translate(SENTENCE, alternatives=True).n_best(400, distinct=True)
    values = [told[0] for text in lists[::20] if (told := log_likelihood(narrow, SENTENCE, [text.text])) is not None]
    assert len(values) > 5 and max(values) <= 1e-12


def learnt_from(parts: SystemParts, count: int) -> tuple[list[str], list[str]]:
    generator = np.random.default_rng(5)
    sources = [" ".join(generator.choice(SOURCE, 6)) for _ in range(count)]
    decoder = Decoder(system_of(parts))
    return sources, [decoder.translate(source).n_best(1)[0].text for source in sources]


def likelihood_of(parts: SystemParts, weights: Float64s, limits: SearchLimits) -> Callable[[list[str], list[str]], float]:
    def of(sources: list[str], references: list[str]) -> float:
        decoder = Decoder(system_of(parts, weights), limits)
        told = [log_likelihood(decoder, source, [text]) for source, text in zip(sources, references, strict=True)]
        return float(np.mean([one[0] for one in told if one is not None]))

    return of


def test_what_was_learnt_from_becomes_likelier(system: System) -> None:
    parts = load_parts(system.ini.folder / "moses.ini")
    sources, references = learnt_from(parts, 12)
    config = parts.ini.folder / "worse.ini"
    text = (parts.ini.folder / "moses.ini").read_text()
    config.write_text(text.replace("LM= 0.5", "LM= -0.1").replace("WordPenalty0= -0.4", "WordPenalty0= -1.5"))
    worse, limits = load_parts(config), SearchLimits(stack=200, distortion=3, threshold=0)
    _, settings = parse_decoder_method("likelihood-decoder|rate:0.05|batch:4|l2:0") or pytest.fail()
    likely = tune_by_likelihood(worse, sources, [references], METRIC, settings, 12, 1, limits)
    values = [one.counts["log_likelihood"] for one in likely.passes[1:]]
    assert likely.passes[0].counts["log_likelihood"] is None and values[-1] is not None and values[0] is not None
    assert values[-1] > values[0] + 0.5
    assert likely.best.score == max(one.score for one in likely.passes) > likely.passes[0].score + 20
    assert np.abs(likely.best.weights).sum() == pytest.approx(np.abs(worse.weights).sum())
    before = likelihood_of(parts, worse.weights, limits)(sources, references)
    assert likelihood_of(parts, likely.passes[-1].weights, limits)(sources, references) > before
    again = tune_by_likelihood(worse, sources, [references], METRIC, settings, 2, 1, limits)
    np.testing.assert_array_equal(again.passes[2].weights, likely.passes[2].weights)


def test_goals_may_be_oracles(system: System) -> None:
    parts = load_parts(system.ini.folder / "moses.ini")
    sources, _ = learnt_from(parts, 4)
    for gold, reachable in (("reference", None), ("oracle", 0)):
        _, settings = parse_decoder_method(f"likelihood-decoder|gold:{gold}") or pytest.fail()
        if reachable is None:
            with pytest.raises(InputError, match="no sentence can reach"):
                tune_by_likelihood(parts, sources, [["t1 no way t2"] * 4], METRIC, settings, 1, 1, SearchLimits(20, 3))
        else:
            likely = tune_by_likelihood(parts, sources, [["t1 no way t2"] * 4], METRIC, settings, 1, 1, SearchLimits(20, 3))
            assert likely.notes["reachable"] == reachable and likely.passes[1].counts["log_likelihood"] is not None
    assert parse_decoder_method("mira") is None
    with pytest.raises(InputError, match="gold"):
        parse_decoder_method("likelihood-decoder|gold:silver")
