"""Pairs for which nothing was built, and what is asked with and without a cross-encoder."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.engine import Engine
from app.engine.profiles import ChosenNetwork
from app.engine.segments import Segments
from app.errors import InputError
from app.registry.models import ModelRegistry
from app.text import LanguagePair
from tests.features.hashed_reader import HashedReader

EN_FR = LanguagePair("en", "fr")
RO_EN = LanguagePair("ro", "en")


THREE = HashedReader(frozenset({"en", "fr", "ro"}))


@pytest.fixture
def encoding(engine: Engine) -> Engine:
    return Engine(replace(engine.resources, cross_encoder=THREE), engine.registry)


def test_a_pair_is_there_where_the_network_knows_both_languages(encoding: Engine) -> None:
    encoding.served_pairs.require(EN_FR)
    assert encoding.pair_resources(EN_FR).target_model is None and encoding.pair_resources(EN_FR).cross_encoder is not None
    with pytest.raises(
        InputError, match=r"^target_language: the cross-encoder does not know Finnish; .* of en fr ro; loaded pairs are "
    ):
        encoding.served_pairs.require(LanguagePair("en", "fi"))


def test_a_refusal_names_the_profile_or_that_no_network_is(encoding: Engine, engine: Engine, tmp_path: Path) -> None:
    refused = r"loaded pairs are .*; assay pair add en-fr FILE makes a pair of your own text$"
    for fast in (encoding.at("fast"), encoding.at("fast").at("fast"), encoding.at("fast").with_registry(encoding.registry)):
        with pytest.raises(InputError, match="the profile fast has nothing for en-fr; use the profile accurate; " + refused):
            fast.served_pairs.require(EN_FR)
        with pytest.raises(InputError, match="the cross-encoder does not know Finnish"):
            fast.served_pairs.require(LanguagePair("en", "fi"))
    for none in (engine, engine.at("fast")):
        with pytest.raises(
            InputError,
            match=r"for a pair without resources .* but none is loaded \(ASSAY_ENCODER is none, or the models have none\); "
            + refused,
        ):
            none.served_pairs.require(EN_FR)
    (tmp_path / "cross").mkdir()
    (tmp_path / "cross" / "cross-encoder.json").write_text("{}")
    (tmp_path / "cross" / "network.onnx").touch()
    broken = Engine(engine.resources, ModelRegistry(tmp_path), network=ChosenNetwork("auto"))
    with pytest.raises(InputError, match=r" but none can be used: cross: .*; " + refused):
        broken.served_pairs.require(EN_FR)
    # Of a pair that is there nothing is said of encoders.
    assert "encoder" not in engine.served_pairs.remedy(RO_EN) and "encoder" not in engine.served_pairs.remedy(None)


def test_features_without_needs_are_computed_of_any_pair(encoding: Engine) -> None:
    matrix = encoding.features(Segments(EN_FR, ["one two ."], ["un deux ."]), "text-only")
    there = {feature.id for feature in matrix.features}
    assert there and all(not feature.needs for feature in matrix.features)
    assert {left.feature.id for left in matrix.left_out}.isdisjoint(there)


def test_accurate_is_refused_where_no_network_is(encoding: Engine) -> None:
    assert encoding.at(None) is encoding
    without = encoding.at("fast")
    assert without.resources.cross_encoder is None and without.resources.pairs == encoding.resources.pairs
    with pytest.raises(InputError) as refused:
        without.at("accurate")
    assert (refused.value.code, refused.value.where) == ("missing-encoder", ("profile",))


def test_the_same_model_answers_in_both_profiles_where_none_asks_the_network(encoding: Engine) -> None:
    chosen = [encoding.at(profile).model_for(RO_EN, "ro-en-hter-gp-17", None, frozenset()).card.id for profile in (None, "fast")]
    assert chosen == ["ro-en-hter-gp-17"] * 2
