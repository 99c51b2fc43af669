"""The search against all derivations of small systems, and its scores against features that are computed from derivations alone."""

from dataclasses import replace
from pathlib import Path

import kenlm
import numpy as np
import pytest

from app.building.arpa import write_arpa
from app.building.kneser_ney import estimate_language_model
from app.errors import InputError
from app.smt.decoder.decoder import Decoder
from app.smt.decoder.moses_ini import SearchLimits
from app.smt.decoder.n_best_lines import n_best_lines
from app.smt.decoder.system import System, load_system
from app.smt.decoder.tuning.list_features import features_of_list
from app.text import pack_tokens
from app.text.reading.n_best_lists.bars import read_n_best
from tests.smt.decoder.plain_features import features_of_derivation
from tests.smt.decoder.systems import SENTENCE, all_derivations, write_system

TYPES = [
    ("msd-bidirectional-fe", 2, 1),
    ("hier-mslr-bidirectional-fe", -1, 1),
    ("phrase-monotonicity-forward-f", 3, 2),
    ("hier-msd-backward-f", 1, 1),
    ("hier-leftright-forward-fe", 0, 2),
]


@pytest.fixture(scope="module", params=TYPES, ids=lambda case: case[0])
def system(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> System:
    reordering, distortion, tables = request.param
    return load_system(write_system(tmp_path_factory.mktemp("system"), len(reordering), reordering, distortion, tables))


def test_the_best_of_all_derivations_are_found_in_their_order(system: System) -> None:
    derivations = sorted(all_derivations(system, SENTENCE), key=lambda derivation: -derivation.score)
    ours = Decoder(system).translate(SENTENCE, alternatives=True).n_best(200)
    assert ours[0].phrases == derivations[0].phrases
    np.testing.assert_allclose([each.score for each in ours], [each.score for each in derivations[:200]], rtol=0, atol=1e-9)
    assert len(ours) == min(200, len(derivations)) and len({each.phrases for each in ours}) == len(ours)


def test_a_model_score_is_the_weighted_sum_of_features(system: System) -> None:
    narrow = Decoder(system, replace(system.ini.limits, stack=3, threshold=0.01))
    for text in (SENTENCE, "s0", "other words", " ".join(f"s{k % 5}" for k in range(80))):
        for derivation in narrow.translate(text, alternatives=True).n_best(30):
            values = features_of_derivation(system, derivation.phrases)
            assert derivation.score == pytest.approx(values @ system.weights, abs=1e-6)
            assert sorted(t for phrase in derivation.phrases for t in range(phrase.start, phrase.end)) == list(
                range(len(text.split()))
            )


def test_n_best_lists_are_read_by_our_reader(system: System) -> None:
    result = Decoder(system).translate(SENTENCE, alternatives=True)
    best = result.n_best(20, distinct=True)
    assert len({derivation.text for derivation in best}) == len(best)
    lists = read_n_best(n_best_lines(system, 0, best))
    np.testing.assert_allclose(lists.features @ system.weights, lists.scores, atol=1e-5)
    assert lists.alignments is not None and [lists.texts[h] for h in range(len(best))] == [each.text for each in best]
    assert list(dict.fromkeys(lists.names))[-1].startswith("T")


def test_language_models_say_what_kenlm_says(system: System) -> None:
    config = kenlm.Config()
    config.show_progress = False
    peer = kenlm.Model(str(system.ini.folder / "lm.arpa"), config)
    for text in ("t0 t1 t1 t3 t2", "t3", "t0 unknown t1 t0"):
        assert system.models.of_numbers(system.models.number(text.split()))[0] == pytest.approx(
            peer.score(text) * np.log(10), abs=1e-4
        )


def test_forced_decoding_reaches_what_can_be_reached(system: System) -> None:
    decoder = Decoder(system)
    derivations = list(all_derivations(system, SENTENCE))
    for wanted in {each.text for each in derivations[:: len(derivations) // 4]}:
        best = max((each for each in derivations if each.text == wanted), key=lambda each: each.score)
        ours = decoder.translate(SENTENCE, target=wanted).best()
        assert ours is not None and ours.text == wanted and ours.score == pytest.approx(best.score, abs=1e-9)
    assert decoder.translate(SENTENCE, target="t0 nothing says this").best() is None


def test_translations_that_begin_with_words_are_all_of_those(system: System) -> None:
    derivations = list(all_derivations(system, SENTENCE))
    decoder = Decoder(system)
    for words in ([], ["new"], *(each.words[:4] for each in derivations[:: len(derivations) // 5])):
        theirs = sorted((each.score for each in derivations if each.words[: len(words)] == words), reverse=True)[:300]
        ours = decoder.translate(SENTENCE, True, " ".join(words), prefix=True).n_best(300)
        assert all(each.words[: len(words)] == words for each in ours)
        np.testing.assert_allclose([each.score for each in ours], theirs, atol=1e-9)
    assert not decoder.translate(SENTENCE, True, "t0 nothing", prefix=True).n_best(1)


def test_what_is_remembered_does_not_change_what_is_said(system: System) -> None:
    decoder = Decoder(system, SearchLimits(stack=20, distortion=2))
    texts = [SENTENCE, "s4 s4 s1", "s0 s1 s2 s3 s4 s0 s1 s2"]
    first = [decoder.translate(text).best() for text in texts]
    system.models.forget()
    assert [decoder.translate(text).best() for text in reversed(texts)] == first[::-1]
    empty = decoder.translate("").best()
    assert empty is not None and empty.text == ""
    with pytest.raises(InputError, match="1000 words"):
        decoder.translate("s0 " * 1001)


def test_several_language_models_and_unknown_words_that_are_dropped(tmp_path: Path) -> None:
    config = write_system(tmp_path, 5, "msd-bidirectional-fe", 2)
    write_arpa(estimate_language_model(pack_tokens([["t0", "t2", "t1"], ["t3", "t0"], ["t2", "t2"]]), 2), tmp_path / "other.arpa")
    text = config.read_text().replace("[stack]", "[drop-unknown]\n1\n[stack]")
    config.write_text(text.replace("[weight]", "KENLM name=LN path=other.arpa\n[weight]\nLN= 0.3"))
    system = load_system(config)
    scores = sorted((derivation.score for derivation in all_derivations(system, SENTENCE)), reverse=True)
    ours = Decoder(system).translate(SENTENCE, alternatives=True).n_best(len(scores) + 1)
    np.testing.assert_allclose([derivation.score for derivation in ours], scores, atol=1e-9)
    assert "new" not in ours[0].words


def test_an_empty_sentence_scores_nothing_and_has_no_features(system: System) -> None:
    (best,) = Decoder(system).translate("", alternatives=True).n_best(5)
    assert (best.text, best.score) == ("", 0.0)
    assert not features_of_derivation(system, best.phrases).any() and not features_of_list(system, [best]).any()
