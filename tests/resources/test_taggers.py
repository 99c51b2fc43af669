"""Taggers: what ships, what a user puts in its place, and text of any kind."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine import Engine
from app.errors import InputError
from app.resources.tagger import NO_HEAD, UNIVERSAL_TAGS, UdpipeTagger, load_tagger
from app.settings import Settings
from app.text import pack_tokens

SENTENCES = {
    "en": (["The", "cat", "sat", "on", "the", "mat", "."], "DET NOUN VERB ADP DET NOUN PUNCT"),
    "de": (["Der", "Hund", "schläft", "in", "dem", "Garten", "."], "DET NOUN VERB ADP DET NOUN PUNCT"),
    "ru": (["Он", "живет", "в", "Москве", "."], "PRON VERB ADP PROPN PUNCT"),
}


@pytest.mark.parametrize("language", SENTENCES)
def test_plain_sentences_are_tagged_and_parsed(engine: Engine, language: str) -> None:
    tagger = engine.resources.languages[language].tagger
    assert tagger is not None
    assert tagger.parses
    tokens, tags = SENTENCES[language]
    found = tagger.annotate(pack_tokens([tokens, [], tokens]), True)
    assert [UNIVERSAL_TAGS[tag] for tag in found.tags] == tags.split() * 2
    assert (found.heads[: len(tokens)] == found.heads[len(tokens) :]).all()
    # One root, and every other word hangs on a word of its own sentence.
    assert (found.heads[: len(tokens)] == NO_HEAD).sum() == 1
    assert found.heads.max() < len(tokens)


def test_languages_without_a_tagger_have_none(engine: Engine) -> None:
    assert {code for code, each in engine.resources.languages.items() if each.tagger is None} == {"ne", "si"}


@settings(max_examples=25)
@given(st.lists(st.lists(st.text(min_size=1, max_size=12).filter(lambda t: not t.isspace()), max_size=8), max_size=4))
def test_anything_has_tags(engine: Engine, segments: list[list[str]]) -> None:
    tagger = engine.resources.languages["zh"].tagger
    assert tagger is not None
    found = tagger.annotate(pack_tokens(segments), True)
    assert len(found.tags) == sum(map(len, segments))
    assert ((found.tags >= 0) & (found.tags < len(UNIVERSAL_TAGS))).all()


def test_udpipe_tags_a_long_segment_in_parts() -> None:
    tagger = UdpipeTagger.load(Settings().resources_dir / "et" / "tagger" / "tagger.udpipe")
    found = tagger.annotate(pack_tokens([["maja"] * 1201]), True)
    assert len(found.tags) == 1201
    assert (found.heads[500:1000][found.heads[500:1000] != NO_HEAD] >= 500).all()


def test_any_udpipe_model_takes_the_place(tmp_path: Path) -> None:
    assert load_tagger(tmp_path) is None
    shutil.copy(Settings().resources_dir / "et" / "tagger" / "tagger.udpipe", tmp_path / "tagger.udpipe")
    assert isinstance(load_tagger(tmp_path), UdpipeTagger)
    (tmp_path / "tagger.udpipe").write_bytes(b"something else")
    with pytest.raises(InputError, match="not a UDPipe model"):
        load_tagger(tmp_path)


def test_a_spacy_pipeline_takes_the_place(tmp_path: Path) -> None:
    (tmp_path / "config.cfg").write_text("[nlp]\n")
    try:
        import spacy
    except ImportError:
        with pytest.raises(InputError, match="spacy"):
            load_tagger(tmp_path)
        return
    pipeline = spacy.blank("en")
    pipeline.add_pipe("attribute_ruler").add([[{"LOWER": "cat"}]], {"POS": "NOUN"})
    pipeline.to_disk(tmp_path)
    tagger = load_tagger(tmp_path)
    assert tagger is not None
    assert not tagger.parses
    found = tagger.annotate(pack_tokens([["the", "cat"], ["cat"]]), False)
    assert [UNIVERSAL_TAGS[tag] for tag in found.tags] == ["X", "NOUN", "NOUN"]
    assert (np.asarray(found.heads) == NO_HEAD).all()
