"""Sparse features that systems are built with: their lists of frequent words, and what is taken."""

from pathlib import Path

import pytest

from app.errors import InputError
from app.smt.decoder.building.configuration import configuration
from app.smt.decoder.building.sparse import SPARSE_FEATURES, SparseFeature, words_step
from app.smt.decoder.moses_ini import SearchLimits, read_moses_ini


def test_lists_of_frequent_words(tmp_path: Path) -> None:
    (tmp_path / "source").write_text("b a b\nc b a\n")
    (tmp_path / "target").write_text("y x y\nz\n")
    features = [SparseFeature.parse(name) for name in ("phrase-length", "boundary:2", "word-translation")]
    step = words_step(tmp_path / "source", tmp_path / "target", features)
    assert step is not None
    (tmp_path / "words").mkdir()
    step.work(tmp_path / "words")
    assert (tmp_path / "words" / "source-2").read_text() == "b\na\n"
    assert (tmp_path / "words" / "classes-2").read_text() == "y y\nx x\n"
    assert (tmp_path / "words" / "target-50").read_text() == "y\nx\nz\n"
    assert words_step(tmp_path / "source", tmp_path / "target", features[:1]) is None


def test_every_feature_is_a_line_that_the_decoder_reads(tmp_path: Path) -> None:
    lines = [SparseFeature.parse(name).line for name in SPARSE_FEATURES]
    config = tmp_path / "moses.ini"
    config.write_text(configuration("table", {}, "lm", 3, SearchLimits(), 20, lines))
    kinds = [feature.kind for feature in read_moses_ini(config).features]
    assert kinds[-len(lines) :] == [line.split()[0] for line in lines]


@pytest.mark.parametrize("text", ["length", "boundary:", "boundary:0", "boundary:x", f"boundary:{'9' * 5000}", "phrase-length:5"])
def test_others_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="is no sparse feature; use phrase-length, word-insertion"):
        SparseFeature.parse(text)
