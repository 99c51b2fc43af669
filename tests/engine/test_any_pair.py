"""Pairs for which nothing was built, and what is asked with and without an encoder of sentences."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest

from app.arrays import Bools, Float32s
from app.engine import Engine
from app.engine.segments import Segments
from app.errors import InputError
from app.resources.encoders import ChosenEncoder, EncodedTokens
from app.text import LanguagePair

EN_FR = LanguagePair("en", "fr")
RO_EN = LanguagePair("ro", "en")


@dataclass(frozen=True)
class TwoDimensions:
    """An encoder that knows some languages, and whether a text is long."""

    name: str = "two"
    checksum: str = "0" * 64
    dimensions: int = 2
    longest: int = 512
    languages: frozenset[str] = frozenset({"en", "fr", "ro"})
    table: None = None

    def encode(self, texts: Sequence[str]) -> Float32s:
        angles = np.array([len(text) for text in texts], np.float32)
        return np.stack([np.cos(angles), np.sin(angles)], axis=1)

    def cut(self, texts: Sequence[str]) -> Bools:
        return np.zeros(len(texts), bool)

    def begin(self, texts: Sequence[str]) -> None:
        pass

    def encode_tokens(self, texts: Sequence[str]) -> EncodedTokens | None:
        return None


@pytest.fixture
def encoding(engine: Engine) -> Engine:
    return Engine(replace(engine.resources, encoder=TwoDimensions()), engine.registry)


def test_a_pair_is_there_where_the_encoder_knows_both_languages(encoding: Engine) -> None:
    encoding.served_pairs.require(EN_FR)
    assert encoding.pair_resources(EN_FR).target_model is None and encoding.pair_resources(EN_FR).encoder is not None
    with pytest.raises(InputError, match=r"loaded pairs are .*; the encoder two does not know Finnish; .* any two of en fr ro$"):
        encoding.served_pairs.require(LanguagePair("en", "fi"))


def test_a_refusal_names_the_profile_or_that_no_encoder_is(encoding: Engine, engine: Engine) -> None:
    refused = r"loaded pairs are .*; assay pair add en-fr FILE .*; "
    for fast in (encoding.at("fast"), encoding.at("fast").at("fast"), encoding.at("fast").with_registry(encoding.registry)):
        with pytest.raises(InputError, match=refused + r"the profile fast asks no encoder .* the profile accurate answers en-fr$"):
            fast.served_pairs.require(EN_FR)
        with pytest.raises(InputError, match="the encoder two does not know Finnish"):
            fast.served_pairs.require(LanguagePair("en", "fi"))
    for none in (engine, engine.at("fast")):
        with pytest.raises(InputError, match=refused + r"for a pair without resources .* but none is loaded \(ASSAY_ENCODER\)$"):
            none.served_pairs.require(EN_FR)
    broken = Engine(engine.resources, engine.registry, encoder=ChosenEncoder("/nowhere/at/all"))
    with pytest.raises(InputError, match=refused + r".* but none can be used: ASSAY_ENCODER is auto, none"):
        broken.served_pairs.require(EN_FR)
    # Of a pair that is there nothing is said of encoders.
    assert "encoder" not in engine.served_pairs.remedy(RO_EN) and "encoder" not in engine.served_pairs.remedy(None)


def test_an_encoder_that_names_no_languages_is_asked_of_all(encoding: Engine) -> None:
    every = Engine(replace(encoding.resources, encoder=TwoDimensions(languages=frozenset())), encoding.registry)
    every.served_pairs.require(LanguagePair("fi", "sw"))


def test_features_without_needs_are_computed_of_any_pair(encoding: Engine) -> None:
    matrix = encoding.features(Segments(EN_FR, ["one two ."], ["un deux ."]), "text-only")
    there = {feature.id for feature in matrix.features}
    assert there and all(not feature.needs for feature in matrix.features)
    assert {left.feature.id for left in matrix.left_out}.isdisjoint(there)


def test_accurate_is_refused_where_no_encoder_is(encoding: Engine) -> None:
    assert encoding.at(None) is encoding
    # What nobody was trained to read would change nothing in silence.
    with pytest.raises(InputError, match="no judge of the vectors of two"):
        encoding.at("accurate")
    without = encoding.at("fast")
    assert without.resources.encoder is None and without.resources.pairs == encoding.resources.pairs
    with pytest.raises(InputError) as refused:
        without.at("accurate")
    assert (refused.value.code, refused.value.where) == ("missing-encoder", ("profile",))


def test_the_same_model_answers_in_both_profiles_where_none_asks_the_encoder(encoding: Engine) -> None:
    chosen = [encoding.at(profile).model_for(RO_EN, "ro-en-hter-gp-17", None, frozenset()).card.id for profile in (None, "fast")]
    assert chosen == ["ro-en-hter-gp-17"] * 2
