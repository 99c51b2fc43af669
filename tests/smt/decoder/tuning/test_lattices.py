"""Tuning on word lattices: their best translations by brute force, equality with texts, and the weight of arcs."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from app.errors import InputError
from app.metrics import metric_named
from app.shell.declaration.tree import command_named
from app.smt.decoder.decoder import Decoder
from app.smt.decoder.moses_ini import SearchLimits
from app.smt.decoder.system import load_parts, load_system, system_of
from app.smt.decoder.tuning.rounds import RoundOptions, tune_by_rounds
from app.smt.decoder.tuning.translating import translate_text
from tests.smt.decoder.systems import SOURCE, TARGET, all_derivations, write_system

METRIC = metric_named("bleu|tok:none")


def write_config(folder: Path, weight: float, distortion: int = 0) -> Path:
    config = write_system(folder, 8, "hier-mslr-bidirectional-fe", distortion)
    text = config.read_text().replace("[feature]\n", "[feature]\nInputFeature\n")
    config.write_text(text.replace("[weight]\n", f"[weight]\nUnknownWordPenalty0= 1\nInputFeature0= {weight}\n"))
    return config


def sentences(words: Sequence[str], seed: int, size: int = 6) -> list[str]:
    generator = np.random.default_rng(seed)
    return [" ".join(generator.choice(words, size)) for _ in range(12)]


def lattice(paths: Sequence[tuple[str, float]]) -> str:
    """A lattice of disjoint paths of equal length, whose first arcs have the probabilities."""
    steps = len(paths[0][0].split()) - 1
    first = "".join(
        f"('{path.split()[0]}',{probability},{1 + number * steps})," for number, (path, probability) in enumerate(paths)
    )
    rest = ""
    for number, (path, _) in enumerate(paths):
        words = path.split()[1:]
        # The last arc of a path leads behind all later paths.
        lengths = [1] * (steps - 1) + [1 + (len(paths) - 1 - number) * steps]
        rest += "".join(f"(('{word}',1,{length}),)," for word, length in zip(words, lengths, strict=True))
    return f"(({first}),{rest})"


def test_the_best_path_is_translated(tmp_path: Path) -> None:
    system = load_system(write_config(tmp_path, 0.4))
    pairs = list(zip(sentences(SOURCE, 1, 4), sentences(SOURCE, 2, 4), strict=True))
    lines = [lattice([(first, 0.7), (second, 0.3)]) for first, second in pairs]
    results = list(translate_text(system, SearchLimits(stack=5000, distortion=0, threshold=0), lines, 10, 2, lattices=True))
    for pair, result in zip(pairs, results, strict=True):
        best = max(
            (derivation.score + 0.4 * np.log(probability), derivation.text)
            for path, probability in zip(pair, (0.7, 0.3), strict=True)
            for derivation in all_derivations(system, path)
        )
        assert result.text == best[1]
        assert float(result.hypotheses[0].split("|||")[2]) == pytest.approx(best[0])


def test_lattices_of_one_path_tune_as_texts(tmp_path: Path) -> None:
    parts = load_parts(write_config(tmp_path, 0.0, 3))
    sources, references = sentences(SOURCE, 3), [sentences(TARGET, 4)]
    weights = []
    for name, lines in (("texts", sources), ("lattices", [lattice([(text, 1)]) for text in sources])):
        (tmp_path / name).mkdir()
        options = RoundOptions("mira", 1, 3, 20, SearchLimits(stack=20, distortion=3), threads=1, lattices=name == "lattices")
        rounds = tune_by_rounds(parts, lines, references, METRIC, options, tmp_path / name)
        weights.append([step.weights for step in rounds.passes])
    np.testing.assert_allclose(weights[0], weights[1], rtol=1e-9, atol=1e-12)


def test_the_command_learns_to_trust_good_arcs(tmp_path: Path) -> None:
    config = write_config(tmp_path, 0.0)
    decoder = Decoder(load_system(config))
    sources, rivals = sentences(SOURCE, 5), sentences(SOURCE, 6)
    references = [decoder.translate(text).n_best(1)[0].text for text in sources]
    lines = [lattice([(text, 0.9), (rival, 0.1)]) for text, rival in zip(sources, rivals, strict=True)]
    for name, rows in (("dev.plf", lines), ("dev.en", references)):
        (tmp_path / name).write_text("".join(f"{row}\n" for row in rows))
    arguments = ["--decoder", config, "--lattice", "--metric", "bleu|tok:none", "--out", tmp_path / "tuned.ini", "--rounds", 3]

    def tune(*more: object) -> None:
        words = map(str, (tmp_path / "dev.plf", "-r", tmp_path / "dev.en", *arguments, *more))
        command_named("nbest tune").main(list(words), standalone_mode=False)

    tune("--method", "mert|restarts:3", "--work", tmp_path / "work")
    rounds = json.loads((tmp_path / "work" / "tuning" / "rounds.json").read_text())["rounds"]
    assert max(row["score"] for row in rounds) > rounds[0]["score"]
    system = load_system(tmp_path / "tuned.ini")
    assert system.weight("InputFeature") > 0
    parts = load_parts(config)
    texts = translate_text(system_of(parts, system.weights), None, lines, 0, 1, lattices=True)
    score = METRIC.score(METRIC.prepare([references]).statistics([result.text for result in texts]).sum(0)[None])[0]
    assert score == pytest.approx(max(row["score"] for row in rounds))
    with pytest.raises(InputError, match="on lists"):
        tune("--method", "samplerank-decoder")
    (tmp_path / "dev.plf").write_text("\n".join([lines[0], "((('s0',1)),)", *lines[2:]]) + "\n")
    with pytest.raises(InputError, match=r"line 2 of dev\.plf"):
        tune()
