"""Weights that change while a system stays loaded, and tables of which only what a text needs is read."""

from pathlib import Path

import numpy as np
import pytest

from app.smt.decoder.decoder import Decoder
from app.smt.decoder.system import load_parts, load_system, system_of
from app.smt.tuning.moses_weights import with_weights
from app.smt.tuning.weights import FeatureWeights
from tests.smt.decoder.plain_features import features_of_derivation
from tests.smt.decoder.systems import SENTENCE, write_system


@pytest.mark.parametrize("reordering", ["hier-mslr-bidirectional-fe", "msd-backward-f"])
def test_weights_change_without_a_look_at_the_files(tmp_path: Path, reordering: str) -> None:
    """A system of loaded parts is the one that is loaded with these weights, table limits and all."""
    config = write_system(tmp_path, 5, reordering, 2, tables=2)
    config.write_text(config.read_text().replace("[weight]\n", "[weight]\nUnknownWordPenalty0= 1\n"))
    parts = load_parts(config)
    generator = np.random.default_rng(5)
    before = Decoder(system_of(parts)).translate(SENTENCE, True).n_best(50)
    for _ in range(3):
        weights = generator.normal(size=len(parts.weights))
        changed = tmp_path / "changed.ini"
        changed.write_bytes(with_weights(config.read_bytes(), FeatureWeights.of(parts.names, weights)))
        loaded, made = load_system(changed), system_of(parts, weights)
        for name in ("sources", "begins", "numbers", "static", "backward", "forward", "classes", "ways", "weights"):
            np.testing.assert_array_equal(getattr(made, name), getattr(loaded, name))
        assert made.features == loaded.features
        assert Decoder(made).translate(SENTENCE, True).n_best(50) == Decoder(loaded).translate(SENTENCE, True).n_best(50)
    assert Decoder(system_of(parts)).translate(SENTENCE, True).n_best(50) == before


def test_tables_of_the_text_alone_translate_it_alike(tmp_path: Path) -> None:
    config = write_system(tmp_path, 6, "phrase-mslr-bidirectional-fe", 3)
    text = "s1 new s3"
    spans = frozenset({"s1", "new", "s3", "s1 new", "new s3", text})
    whole, part = load_system(config), system_of(load_parts(config, text_phrases=spans))
    assert 0 < len(part.rows) < len(whole.rows)
    expected, made = (Decoder(system).translate(text, True).n_best(30) for system in (whole, part))
    assert [(one.text, one.score) for one in made] == [(one.text, one.score) for one in expected]
    values = [features_of_derivation(system, one.phrases) for system, one in ((whole, expected[0]), (part, made[0]))]
    np.testing.assert_array_equal(*values)
    nothing = system_of(load_parts(config, text_phrases=frozenset()))
    best = Decoder(nothing).translate("a b").best()
    assert best is not None and best.text == "a b"
