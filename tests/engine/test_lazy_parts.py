"""An engine that is opened loads what it is asked for, and answers what one that has everything answers."""

import shutil
import threading
from pathlib import Path

import numpy as np
import pytest

from app.engine import Engine, load_engine
from app.engine.segments import Options, Segments
from app.errors import InputError
from app.features import PairResources
from app.metrics import score_systems, scores_of_statistics, segment_statistics
from app.resources.lazy import Lazy
from app.resources.pair_sets import PairSet
from app.settings import Settings
from app.text import LanguagePair

RESOURCES, MODELS = Settings().resources_dir, Settings().models_dir
RO = LanguagePair("ro", "en")
SEGMENTS = Segments(RO, ["Casa este mare.", "El merge acasă."], ["The house is big.", "He goes home."])


def _languages(engine: Engine) -> set[str]:
    return {code for code, language in engine.resources.languages.items() if language.loaded}


def test_scoring_loads_no_resources_and_no_predictors() -> None:
    engine = Engine.open(RESOURCES, MODELS)
    systems, references = {"a": ["a b c d", "b"], "b": ["a b", "c"]}, {"r": ["a b c d", "b c"]}
    metrics = engine.metrics(["bleu", "chrf", "ter", "beer"])
    scores = scores_of_statistics(metrics, segment_statistics(metrics, systems, references), 1, segments=True)
    assert scores == score_systems(metrics, systems, references, segments=True)
    assert not _languages(engine)
    assert not engine.registry._predictors.loaded() and not engine.registry._word_taggers.loaded()


def test_one_pair_loads_its_own_parts_and_answers_alike(engine: Engine) -> None:
    opened = Engine.open(RESOURCES, MODELS)
    options = Options(words=True, warnings=True, explain=True)
    one, other = opened.quality(SEGMENTS, options=options), engine.quality(SEGMENTS, options=options)
    assert one.model.card == other.model.card and one.model.checksum == other.model.checksum
    for name in ("mean", "std", "low", "high"):
        assert np.array_equal(getattr(one.prediction, name), getattr(other.prediction, name))
    assert one.words is not None and other.words is not None
    assert np.array_equal(one.words.tags.words, other.words.tags.words)
    assert np.array_equal(one.contributions, other.contributions)
    assert _languages(opened) == {"ro", "en"}
    assert {key for key, table in opened.resources.tables._values.items() if table.loaded} == {RO, RO.reversed}
    assert opened.registry._predictors.loaded() == {one.model.card.id}
    assert opened.registry._word_taggers.loaded() == {"ro-en-words", "ro-en-words-nmt"}


def test_every_model_is_chosen_alike_from_cards_alone(engine: Engine) -> None:
    opened = Engine.open(RESOURCES, MODELS)
    for label in ("hter", "da"):
        assert opened.model_for(RO, None, label, frozenset()).card == engine.model_for(RO, None, label, frozenset()).card
    names = {model.card.id for model in opened.fitting_models(RO, "hter", frozenset())}
    assert names == {"ro-en-hter-gp-17", "ro-en-hter-svr-17", "ro-en-hter-blend-95"}


def test_pairs_that_are_named_are_loaded_at_once() -> None:
    loaded = load_engine(Engine.open(RESOURCES, MODELS), [LanguagePair("si", "en")])
    assert _languages(loaded) == {"si", "en"}
    assert all(name.startswith("si-en") for name in loaded.registry._predictors.loaded())
    assert loaded.registry._metrics.loaded() == set(loaded.registry.metrics)
    with pytest.raises(InputError, match="loaded pairs are"):
        load_engine(Engine.open(RESOURCES, MODELS), [LanguagePair("xx", "en")])


def test_a_damaged_part_stops_only_who_asks_for_it(tmp_path: Path) -> None:
    for name in ("ro", "si", "en", "ro-en", "si-en"):
        shutil.copytree(RESOURCES / name, tmp_path / name)
    path = tmp_path / "si" / "ngrams.safetensors"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(bytes(content))
    opened = Engine.open(tmp_path, MODELS)
    assert len(opened.quality(SEGMENTS).prediction.mean) == 2
    for _ in range(2):
        with pytest.raises(InputError, match=r"ngrams\.safetensors is damaged"):
            opened.quality(Segments(LanguagePair("si", "en"), ["a"], ["b"]))


def test_the_resources_of_a_pair_are_built_once_for_all_requests(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[LanguagePair] = []
    original = PairResources.of_set

    def counting(chosen: PairSet) -> PairResources:
        built.append(chosen.pair)
        return original(chosen)

    monkeypatch.setattr(PairResources, "of_set", staticmethod(counting))
    requests = (
        lambda: engine.quality(SEGMENTS, options=Options(words=True)),
        lambda: engine.word_tags(SEGMENTS),
        lambda: engine.features(SEGMENTS, "quest-baseline-17"),
        lambda: engine.model_features(SEGMENTS, "ro-en-hter-gp-17"),
    )
    for request in requests:
        built.clear()
        request()
        assert len(built) <= 1
    built.clear()
    for request in requests:
        request()
    assert not built


def test_a_lazy_value_is_computed_once_by_whichever_thread() -> None:
    computed, begin = [], threading.Barrier(8)

    def compute() -> list[int]:
        computed.append(1)
        return [1]

    lazy, found = Lazy(compute), []

    def ask() -> None:
        begin.wait()
        found.append(lazy())

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(computed) == 1 and all(value is found[0] for value in found)


def test_a_lazy_value_that_failed_is_tried_again() -> None:
    answers = iter([OSError("not yet"), 5])

    def compute() -> int:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    lazy = Lazy(compute)
    with pytest.raises(OSError, match="not yet"):
        lazy()
    assert (lazy(), lazy(), lazy.loaded) == (5, 5, True)
