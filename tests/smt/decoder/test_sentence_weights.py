"""Weights of single sentences: each sentence is translated as by a configuration with its weights."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from app.errors import InputError
from app.smt.decoder.decoder import Decoder
from app.smt.decoder.system import load_parts, load_system
from app.smt.decoder.weighting.sentence_decoders import SentenceDecoders
from app.smt.tuning.local_weights_file import LocalWeightsFile, sources_checksum, write_local_weights
from app.smt.tuning.weights import FeatureWeights
from tests.smt.commands.test_decode import run
from tests.smt.decoder.systems import SENTENCE, write_system

TEXTS = [SENTENCE, "s0 s1", "s4 new s2 s3", ""]


def written(config: Path, weights: dict[str, tuple[float, ...]], out: Path) -> Path:
    """The configuration with these weights, written by hand."""
    text = config.read_text()
    for name, row in weights.items():
        line = f"{name}= {' '.join(map(repr, row))}\n"
        text, count = re.subn(rf"(?m)^{name}= .*\n", line, text)
        text = text if count else text + line
    out.write_text(text)
    return out


@pytest.fixture
def weights(tmp_path: Path) -> tuple[Path, list[dict[str, tuple[float, ...]]]]:
    config = write_system(tmp_path, 5, "msd-bidirectional-fe", 2)
    parts = load_parts(config)
    total = float(np.abs(parts.weights).sum())
    generator = np.random.default_rng(2)
    vectors = generator.uniform(0.05, 1, (3, len(parts.names)))
    vectors *= total / np.abs(vectors).sum(1, keepdims=True)
    rows = [dict(FeatureWeights.of(parts.names, vector).values) for vector in vectors]
    # The middle sentence has none of its own, and a scale changes nothing.
    segments = {0: FeatureWeights.of(parts.names, 7 * vectors[0]), 2: FeatureWeights.of(parts.names, vectors[1])}
    card = {"sources": sources_checksum(TEXTS)}
    content = write_local_weights(LocalWeightsFile(segments, FeatureWeights.of(parts.names, vectors[2]), card))
    (tmp_path / "local.json").write_bytes(content)
    (tmp_path / "text").write_text("".join(f"{text}\n" for text in TEXTS))
    return config, [rows[0], rows[2], rows[1], rows[2]]


def test_each_sentence_has_the_translation_of_its_weights(
    weights: tuple[Path, list[dict[str, tuple[float, ...]]]], tmp_path: Path
) -> None:
    config, rows = weights
    lists = tmp_path / "lists"
    out = run(["--config", str(config), str(tmp_path / "text"), "--sentence-weights", str(tmp_path / "local.json"), "--n-best", str(lists), "20"], "")  # fmt: skip
    expected = []
    for text, row in zip(TEXTS, rows, strict=True):
        system = load_system(written(config, row, tmp_path / "written.ini"))
        expected.append([(each.text, each.score) for each in Decoder(system).translate(text, alternatives=True).n_best(20)])
    assert out.splitlines() == [derivations[0][0] for derivations in expected]
    listed: list[list[tuple[str, float]]] = [[] for _ in TEXTS]
    for line in lists.read_text().splitlines():
        segment, text, _, score, *_ = line.split(" ||| ")
        listed[int(segment)].append((text.strip(), float(score)))
    for ours, theirs in zip(listed, expected, strict=True):
        np.testing.assert_allclose([score for _, score in ours], [score for _, score in theirs], atol=1e-6)


def test_weights_of_other_sentences_or_features_are_refused(
    weights: tuple[Path, list[dict[str, tuple[float, ...]]]], tmp_path: Path
) -> None:
    config, _ = weights
    arguments = ["--config", str(config), "--sentence-weights", str(tmp_path / "local.json")]
    with pytest.raises(InputError, match="need the text as a file"):
        run(arguments, "s0\n")
    (tmp_path / "other").write_text("s0\n")
    with pytest.raises(InputError, match="another text than other"):
        run([*arguments, str(tmp_path / "other")], "")
    with pytest.raises(InputError, match="is of texts"):
        run([*arguments, "--lattice", str(tmp_path / "text")], "")
    content = json.loads((tmp_path / "local.json").read_bytes())
    content["segments"][-1]["segment"] = len(TEXTS)
    (tmp_path / "local.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match=f"weights of segment {len(TEXTS)}, but text has segments 0 to {len(TEXTS) - 1}"):
        run([*arguments, str(tmp_path / "text")], "")
    parts = load_parts(config)
    file = LocalWeightsFile({}, FeatureWeights.of(("x",), np.ones(1)), {})
    for size in (0.0, 1e308):
        sized = FeatureWeights.of(parts.names, np.full(len(parts.names), size))
        with pytest.raises(InputError, match="all 0, or too large"):
            SentenceDecoders(parts, LocalWeightsFile({}, sized, {}), parts.ini.limits)
    with pytest.raises(InputError, match="have no weights"):
        SentenceDecoders(parts, file, parts.ini.limits)
