"""Weights of sparse features, learnt in every way, and the files that they are written into."""

from pathlib import Path

import numpy as np
import pytest

from app.errors import InputError
from app.metrics import metric_named
from app.smt.decoder.building.steps import CachedSteps
from app.smt.decoder.decoder import Decoder
from app.smt.decoder.moses_ini import SearchLimits
from app.smt.decoder.sampling.tuner import SamplingOptions, tune_by_sampling
from app.smt.decoder.sparse.weight_file import with_weight_file
from app.smt.decoder.system import SystemParts, load_parts, load_system, system_of
from app.smt.decoder.tuning.rounds import RoundOptions
from app.smt.decoder.tuning.tuned_system import tune_configuration, tuned_files
from app.smt.decoder.tuning.violations import partial_features, phrases_of
from app.smt.tuning.samplerank.rules import ChainRules
from app.smt.tuning.weights import FeatureWeights
from tests.smt.decoder.sparse.systems import write_sparse_system
from tests.smt.decoder.systems import SENTENCE, SOURCE

KINDS = ("pl", "wt", "pb", "T0")


def texts(parts: SystemParts, count: int = 30) -> tuple[list[str], list[str]]:
    """Sources, and translations by the weights of a configuration."""
    generator = np.random.default_rng(5)
    sources = [" ".join(generator.choice(SOURCE, 5)) for _ in range(count)]
    decoder = Decoder(system_of(parts), SearchLimits(stack=50, distortion=2))
    return sources, [decoder.translate(source).n_best(1)[0].text for source in sources]


@pytest.mark.parametrize(
    "method",
    [
        "mira|epochs:5|steps:0",
        "pro|rounds:2",
        "perceptron|epochs:5|steps:0",
        "samplerank|epochs:2",
        "wro|rounds:2",
        "violations-decoder|cap:0.1",
        "violations-decoder|rule:perceptron|rate:0.03|gold:oracle",
    ],
)
def test_learnt_weights_are_written_and_read_back(method: str, tmp_path: Path) -> None:
    config = write_sparse_system(tmp_path, 9, "msd-bidirectional-fe", 2, KINDS)
    sources, references = texts(load_parts(config))
    # What made the references is forgotten.
    (tmp_path / "weights").write_text("pl_s1 0.001\n")
    config.write_text(config.read_text().replace("[weight]\n", "[weight]\nUnknownWordPenalty0= 1\n"))
    for name, lines in (("source", sources), ("reference", references)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    options = RoundOptions(method, rounds=2, list_length=20, limits=SearchLimits(stack=20, distortion=2), threads=2)
    with CachedSteps.of(tmp_path / "work") as steps:
        weights = tune_configuration(steps, config, tmp_path / "source", [tmp_path / "reference"], "bleu|tok:none", options)
    out = tmp_path / "tuned.ini"
    files = tuned_files(config, weights, out)
    assert list(files) == [tmp_path / "tuned.sparse-weights", out]
    for path, text in files.items():
        path.write_text(text)
    tuned = load_system(out)
    learnt = tuned.sparse_weights.by_name
    assert {name.split("_")[0] for name in learnt} >= {"pl", "wt", "pb"} and "\nweights\n" not in out.read_text()
    for name, row in weights.values.items():
        if name in learnt:
            assert learnt[name] == row[0]
    limits = SearchLimits(stack=20, distortion=2)
    prepared = metric_named("bleu|tok:none").prepare([references])
    scores = []
    for system in (load_system(config), tuned):
        decoder = Decoder(system, limits)
        made = [decoder.translate(source).n_best(1)[0].text for source in sources]
        scores.append(float(metric_named("bleu|tok:none").score(prepared.statistics(made).sum(0)[None])[0]))
    assert scores[1] > scores[0]
    # The vector of the tuner and the files that were written translate alike.
    parts = load_parts(config)
    parts.sparse.names.vector({name: row[0] for name, row in weights.values.items() if name not in parts.names[: parts.dense]})
    again = Decoder(system_of(parts, weights.of_columns(parts.names, zero_missing=True)), limits)
    for source in sources:
        ours, theirs = (each.translate(source).n_best(1)[0] for each in (again, Decoder(tuned, limits)))
        assert ours.phrases == theirs.phrases and ours.score == pytest.approx(theirs.score, abs=1e-9)


def test_chains_learn_them_too(tmp_path: Path) -> None:
    config = write_sparse_system(tmp_path, 9, "msd-bidirectional-fe", 2, KINDS)
    sources, references = texts(load_parts(config))
    (tmp_path / "weights").write_text("pl_s1 0.001\n")
    parts = load_parts(config)
    options = SamplingOptions(
        epochs=2, chains=2, samples=20, rules=ChainRules(step=0.1), limits=SearchLimits(stack=20, distortion=2)
    )
    sampled = tune_by_sampling(parts, sources, [references], metric_named("bleu|tok:none"), options)
    last = sampled.passes[-1]
    learnt = {name.split("_")[0] for name, weight in zip(parts.names, last.weights, strict=False) if "_" in name and weight}
    assert {"pl", "wt", "pb", "T0"} <= learnt and last.counts["updates"] and sampled.best.score >= sampled.passes[0].score


def test_a_search_weight_by_weight_is_refused(tmp_path: Path) -> None:
    config = write_sparse_system(tmp_path, 9, "msd-bidirectional-fe", 2, KINDS)
    for name in ("source", "reference"):
        (tmp_path / name).write_text("s0\ns1\n")
    with CachedSteps.of(tmp_path / "work") as steps, pytest.raises(InputError, match="mert tunes one weight at a time"):
        tune_configuration(steps, config, tmp_path / "source", [tmp_path / "reference"], "bleu", RoundOptions("mert"))


def test_features_of_what_is_translated_so_far_make_its_score(tmp_path: Path) -> None:
    system = load_system(write_sparse_system(tmp_path, 8, "hier-mslr-bidirectional-fe", 3))
    decoder = Decoder(system, SearchLimits(stack=4, distortion=3))
    weights = system.sparse_weights.by_name
    for text in (SENTENCE, "s0 s1 s2 s3 s4 s0 s1 s2"):
        result = decoder.translate(text)
        assert result.graph is not None
        stacks = result.graph[2]
        for step in range(1, len(text.split()) + 1):
            for h in stacks.items[step, : stacks.counts[3 + step]].tolist():
                values = partial_features(decoder, phrases_of(result, h), step == len(text.split()))
                own = [weights.get(name, 0.0) for name in system.sparse.names.names]
                assert values @ np.append(system.weights, own) == pytest.approx(stacks.scores[h, 0], abs=1e-9)


@pytest.mark.parametrize("before", ["[weight-file]\nold # here\n\n[weight]\nA= 1\n", "[weight]\nA= 1\n[weight-file]\nold\n"])
def test_a_weight_file_takes_the_place_of_another(before: str) -> None:
    made = with_weight_file(before, "new")
    assert "old" not in made and made.count("new") == 1 and "A= 1" in made
    assert with_weight_file("[weight]\nA= 1\n", "new") == "[weight]\nA= 1\n\n[weight-file]\nnew\n"


def test_files_without_sparse_weights_are_one(tmp_path: Path) -> None:
    config = write_sparse_system(tmp_path, 3, "msd-backward-f", 2, ())
    config.write_text(config.read_text().replace("\n[weight-file]\nweights\n", ""))
    files = tuned_files(config, FeatureWeights({"LM": (0.25,)}), tmp_path / "out.ini")
    assert list(files) == [tmp_path / "out.ini"] and "LM= 0.25" in files[tmp_path / "out.ini"]
