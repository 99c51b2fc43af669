"""Models know what they were trained with, and answers say where something else is loaded."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from app.building.building import build_language_resources
from app.engine import Engine
from app.engine.segments import Segments
from app.features import Resource
from app.operations.models import list_models
from app.operations.quality import QualityRequest, predict_quality
from app.operations.rank import RankRequest
from app.operations.rank import operation as rank
from app.operations.words import WordsRequest, tag_words
from app.predictors import read_card
from app.predictors.cross_encoder import read_cross_encoder_card
from app.predictors.word_tags import read_word_card
from app.registry.provenance import files_used
from app.resources.manifest import checksum
from app.resources.tagger import TaggerChoice
from app.settings import Settings
from app.shell.output import say_cautions
from app.text import LanguagePair
from app.text.languages import ANY_PAIR

RESOURCES, MODELS = Settings().resources_dir, Settings().models_dir
SI = LanguagePair("si", "en")
PAIR: dict[str, Any] = {"source_language": "si", "target_language": "en"}
SEGMENT = {"source": "මෙය නිවසකි .", "translation": "This is a house ."}


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("text") / "t.txt"
    path.write_text("the house is small .\nthis is a house .\n" * 5)
    return path


@pytest.fixture(scope="module")
def overwritten(tmp_path_factory: pytest.TempPathFactory, text: Path) -> Engine:
    """Resources in whose folder somebody built another English."""
    folder = tmp_path_factory.mktemp("resources")
    for name in ("si", "en", "si-en"):
        shutil.copytree(RESOURCES / name, folder / name)
    build_language_resources("en", [str(text)], folder / "en", replace=True)
    return Engine.open(folder, MODELS)


def files_of(engine: Engine, pair: LanguagePair, features: Sequence[str]) -> dict[str, str]:
    return files_used(features, engine.pair_resources(pair), engine.registry)


def test_every_card_that_ships_names_the_files_that_ship() -> None:
    cards = [read_card(path.parent) for path in sorted(MODELS.glob("*/card.json"))]
    taggers = [read_word_card(path.parent) for path in sorted(MODELS.glob("*/word-tags.json"))]
    crossed = [card for card in cards if "cross.da" in card.features]
    assert (len(cards), len(crossed), len(taggers)) == (102, 32, 14)
    digests: dict[str, str] = {}
    reader = read_cross_encoder_card(MODELS / "cross-e5-small")
    network = {
        "models/cross-e5-small/pieces.safetensors": reader.pieces_sha256,
        "models/cross-e5-small": checksum(MODELS / "cross-e5-small" / "network.onnx"),
    }
    assert all(network.items() <= card.resources.items() for card in crossed)
    of_readings = [card for card in crossed if card.feature_set == "cross"]
    assert {card.label for card in of_readings} == {"critical"} and all(card.resources == network for card in of_readings)
    for card in (*(card for card in cards if card.pair != ANY_PAIR and card not in of_readings), *taggers):
        source, target = card.pair.split("-")
        assert {f"{target}/lm.binary", f"{card.pair}/lex.{card.pair}.safetensors"} <= set(card.resources)
        assert {name.split("/")[0] for name in card.resources} <= {source, target, card.pair, "models"}
        digests |= {name: digest for name, digest in card.resources.items() if name not in network}
    for name, digest in digests.items():
        folder, _, rest = name.partition("/")
        path = MODELS / rest / "arrays.safetensors" if folder == "models" else RESOURCES / name
        assert checksum(path) == digest


def test_nothing_is_said_where_the_resources_are_those_of_the_card(engine: Engine) -> None:
    models = [model for model in engine.models.values() if Resource.CROSS_ENCODER not in model.needs]
    assert len(models) == 70 and engine.cautions(*models, *engine.registry.word_taggers.values()) == []
    assert "cautions" not in predict_quality(engine, QualityRequest(**PAIR, segments=[SEGMENT]))


def test_either_tagger_is_what_models_were_trained_with(engine: Engine) -> None:
    by_udpipe = Engine.open(RESOURCES, MODELS, tagging=TaggerChoice.of("none"))
    models = [engine.models[f"ro-en-{label}-blend-95"] for label in ("da", "hter")]
    pair = LanguagePair("ro", "en")
    for either, name in ((engine, "tagger.safetensors"), (by_udpipe, "tagger.udpipe")):
        assert {f"{code}/tagger/{name}" for code in ("ro", "en")} <= set(files_of(either, pair, models[0].card.features))
        assert either.cautions(*models, either.registry.word_taggers["ro-en-words"]) == []


def test_answers_say_that_other_resources_are_loaded(overwritten: Engine, capsys: pytest.CaptureFixture[str]) -> None:
    assert rank.answer is not None
    candidates = [{"source": SEGMENT["source"], "translations": [{"system": "a", "text": SEGMENT["translation"]}]}]
    answers: list[Any] = [
        predict_quality(overwritten, QualityRequest(**PAIR, segments=[SEGMENT], words=True)),
        tag_words(overwritten, WordsRequest(**PAIR, segments=[SEGMENT])),
        rank.answer(overwritten, RankRequest(**PAIR, segments=candidates)),
    ]
    for answer in answers:
        assert f"those that {answer['model']} was trained with (en/lm.binary)" in answer["cautions"][0]
    assert len(answers[0]["cautions"]) == 2 and answers[0]["word_model"] in answers[0]["cautions"][1]
    say_cautions(answers[1])
    assert "si-en-words was trained with" in capsys.readouterr().err
    listed = list_models(overwritten)
    of_pair = [card for card in (*listed["models"], *listed["word_models"]) if card["pair"] == "si-en"]
    assert of_pair and all(card["cautions"] for card in of_pair)


def test_models_that_ship_keep_their_resources_beside_own_ones(tmp_path: Path, text: Path, engine: Engine) -> None:
    own = tmp_path / "own"
    shutil.copytree(RESOURCES / "si-en", own / "si-en")
    build_language_resources("en", [str(text)], own / "en")
    both = Engine.open(RESOURCES, MODELS, own_resources=own)
    segments = Segments(SI, [SEGMENT["source"]], [SEGMENT["translation"]])
    assert both.features(segments, "quest-baseline-17").values[0].tolist() != (
        engine.features(segments, "quest-baseline-17").values[0].tolist()
    )
    assert both.quality(segments).prediction.mean.tolist() == engine.quality(segments).prediction.mean.tolist()
    assert both.cautions(*both.fitting_models(SI, None, frozenset())) == []


def test_a_new_model_is_recorded_with_what_is_loaded(overwritten: Engine, engine: Engine) -> None:
    recorded, shipped = (files_of(each, SI, ["1001", "1009", "1012"]) for each in (overwritten, engine))
    assert recorded.keys() == shipped.keys() == {"en/lm.binary", "si/lm.binary"}
    assert recorded["si/lm.binary"] == shipped["si/lm.binary"] and recorded["en/lm.binary"] != shipped["en/lm.binary"]
