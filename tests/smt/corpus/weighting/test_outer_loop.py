"""The search over weights: functions whose best point can be worked out, and a system with one right corpus."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from app.building.arpa import write_arpa
from app.building.kneser_ney import estimate_language_model
from app.errors import InputError
from app.smt.corpus.phrases.extraction import extract_phrases
from app.smt.corpus.weighting.columns import Labels
from app.smt.corpus.weighting.outer_loop import search_weights
from app.smt.corpus.weighting.sentence_weights import PairScores
from app.smt.decoder.weighting.weighted_system import WeightedSystem
from app.text.batch import pack_lines


def test_the_best_point_of_a_hill_is_where_it_can_be_worked_out() -> None:
    # The top is at .6, .3, .1 and a power of 1; the simplex is met.
    def worth(corpora: Mapping[str, float], powers: Mapping[str, float]) -> float:
        assert sum(corpora.values()) == pytest.approx(1) and min(corpora.values()) >= 0
        away = np.array([corpora["a"] - 0.6, corpora["b"] - 0.3, corpora["c"] - 0.1, (powers["recency"] - 1) / 3])
        return 30 - float(away @ away) * 100

    made = search_weights(worth, {"a": 1, "b": 1, "c": 1}, {"recency": 0.1}, 100)
    assert made.trials[0].corpora == pytest.approx({"a": 1 / 3, "b": 1 / 3, "c": 1 / 3})
    assert made.trials[0].powers == pytest.approx({"recency": 0.1})
    assert list(made.best.corpora.values()) == pytest.approx([0.6, 0.3, 0.1], abs=0.03)
    assert made.best.powers["recency"] == pytest.approx(1, abs=0.1)
    assert made.best.worth == max(trial.worth for trial in made.trials) and len(made.trials) <= 100


def test_a_top_at_the_edge_is_found_and_nothing_worse_than_the_start_is_given() -> None:
    made = search_weights(lambda corpora, powers: corpora["b"], {"a": 0.9, "b": 0.1}, {}, 50)
    assert made.best.corpora["b"] == pytest.approx(1, abs=1e-6)
    worse = search_weights(lambda corpora, powers: -abs(corpora["a"] - 0.5), {"a": 1, "b": 1}, {}, 5)
    assert worse.best == worse.trials[0]
    assert len(search_weights(lambda corpora, powers: 1.0, {"a": 1}, {}, 5).trials) == 1


@pytest.fixture
def system(tmp_path: Path) -> WeightedSystem:
    """A text of two corpora that translate a word in different ways, the wrong one more often."""
    lines = {
        "source": ["das schloss"] * 3 + ["das schloss"] * 2,
        "target": ["the lock"] * 3 + ["the castle"] * 2,
        "links": ["0-0 1-1"] * 5,
    }
    for name, rows in lines.items():
        (tmp_path / name).write_text("".join(f"{row}\n" for row in rows), "utf-8")
    extract_phrases(*(tmp_path / name for name in lines), tmp_path / "extracted", numbered=True)  # type: ignore[arg-type, misc]
    write_arpa(estimate_language_model(pack_lines(lines["target"]), 2), tmp_path / "lm.arpa")
    (tmp_path / "moses.ini").write_text(
        "[feature]\nKENLM name=LM path=lm.arpa\nPhraseDictionaryMemory name=T num-features=4 path=none\nWordPenalty name=W\n"
        "[weight]\nLM= 0.01\nT= 0.2 0.2 1 0.2\nW= -0.1\n",
        "utf-8",
    )
    pairs = PairScores(Labels(("keys", "kings"), np.array([0, 0, 0, 1, 1], np.int32)), np.array([0.5, 0.5]))
    return WeightedSystem(tmp_path / "extracted", pairs, tmp_path / "moses.ini", ["das schloss"], ["the castle"], "chrf")


def test_the_corpus_that_translates_held_out_text_is_found(system: WeightedSystem) -> None:
    made = search_weights(system.worth, {"keys": 0.5, "kings": 0.5}, {}, 20)
    assert made.trials[0].worth < 50 and made.best.worth == pytest.approx(100)
    assert made.best.corpora["kings"] > 0.6
    assert system.worth({"keys": 0.3, "kings": 0.7}, {}) == pytest.approx(100)


def test_what_does_not_fit_is_refused(system: WeightedSystem, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="1 sources but 0 references"):
        WeightedSystem(system.extracted_folder, system.pairs, system.config, ["a"], [])
    text = system.config.read_text("utf-8")
    (tmp_path / "none.ini").write_text(
        text.replace("PhraseDictionaryMemory name=T num-features=4 path=none\n", "").replace("T= 0.2 0.2 1 0.2\n", ""), "utf-8"
    )
    with pytest.raises(InputError, match="phrase table"):
        WeightedSystem(system.extracted_folder, system.pairs, tmp_path / "none.ini", ["a"], ["b"])
