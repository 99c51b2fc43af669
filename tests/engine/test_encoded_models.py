"""Answers with the cross-encoder: predictors of pairs that ask it, and of pairs that nothing was built for."""

import gzip
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import matthews_corrcoef

from app.engine import Engine
from app.engine.segments import Options, Segments
from app.errors import InputError
from app.operations.parts.about_models import cautioned
from app.operations.parts.flat_rows import flat_row
from app.operations.parts.word_rows import word_rows
from app.operations.quality import QualityRequest, predict_quality
from app.operations.words import WordsRequest, tag_words
from app.settings import ROOT, Settings
from app.shell.output import say_cautions
from app.text import LanguagePair

EN_FR, RO_EN = LanguagePair("en", "fr"), LanguagePair("ro", "en")
SHARED = ROOT.parent / "shared" / "data" / "mlqe-pe" / "ro-en"
SOURCES = (
    "The house is small and old.",
    "Yesterday the minister resigned after three years in office.",
    "Do not open the window when it rains.",
)
TRANSLATIONS = (
    "La maison est petite et vieille.",
    "Hier, le ministre a démissionné après trois ans en fonction.",
    "N'ouvrez pas la fenêtre quand il pleut.",
)


@pytest.fixture(scope="module")
def encoding() -> Engine:
    settings = Settings()
    return Engine.open(settings.resources_dir, settings.models_dir, encoder="auto")


def test_a_pair_never_seen_is_judged_and_the_answer_says_so(encoding: Engine, capsys: pytest.CaptureFixture[str]) -> None:
    right = encoding.quality(Segments(EN_FR, SOURCES, TRANSLATIONS), label="da")
    wrong = encoding.quality(Segments(EN_FR, SOURCES, TRANSLATIONS[1:] + TRANSLATIONS[:1]), label="da")
    copied = encoding.quality(Segments(EN_FR, SOURCES, SOURCES), label="da")
    assert right.model.card.id.startswith("any-any-da")
    assert (right.prediction.mean > wrong.prediction.mean + 1).all() and (right.prediction.mean > copied.prediction.mean).all()
    assert encoding.cautions(right.model) == []
    (caution,) = cautioned(encoding, right.model)["cautions"]
    assert "A general model answers for these languages" in caution
    about = cautioned(encoding, right.model)["new_pair"]
    assert about["rests_on"] == caution
    assert [row["labels"] for row in about["curve"]] == [0, 20, 50, 100, 200, 400, 1000]
    first, *later = about["curve"]
    # Labels of a pair's own help from the first on.
    assert all(row["pearson"] >= first["pearson"] and row["mae"] < first["mae"] for row in later)
    assert later[-1]["pearson"] > first["pearson"] + 0.02
    say_cautions({"new_pair": about})
    assert f"with 1,000: {later[-1]['pearson']:.2f} and {later[-1]['mae']:.2f}." in capsys.readouterr().err
    worse = encoding.quality(Segments(EN_FR, SOURCES, TRANSLATIONS[1:] + TRANSLATIONS[:1]), label="hter")
    assert worse.model.card.id.startswith("any-any-hter") and worse.prediction.mean.min() > 0.4


def test_pairs_that_ship_have_a_predictor_of_each_profile(encoding: Engine) -> None:
    segments = Segments(RO_EN, ["Casa este mică și veche."], ["The house is small and old."])
    accurate, fast = (encoding.at(profile).quality(segments, label="da") for profile in ("accurate", "fast"))
    assert (accurate.model.card.id, fast.model.card.id) == ("ro-en-da-blend-104", "ro-en-da-blend-95")
    assert encoding.cautions(accurate.model, fast.model) == []
    assert accurate.model.card.accuracy["pearson"] > fast.model.card.accuracy["pearson"] + 0.05


def test_intervals_of_pairs_left_out_hold(encoding: Engine) -> None:
    for label in ("da", "hter"):
        card = next(model.card for name, model in encoding.models.items() if name.startswith(f"any-any-{label}"))
        held = {pair: row["holds_90"] for pair, row in card.accuracy["left_out"].items()}
        assert len(held) == 7 and min(held.values()) >= 0.8 and 0.87 <= np.mean(list(held.values())) <= 0.96


def test_the_readmes_example_is_what_is_answered(encoding: Engine) -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    question = re.search(r"-d '(\{.*?\})'\n```", text, re.DOTALL)
    shown = re.search(r"```json\n(.*?)```", text, re.DOTALL)
    assert question is not None and shown is not None
    answer: dict[str, Any] = dict(predict_quality(encoding, QualityRequest(**json.loads(question[1]))))
    expected = json.loads(shown[1])
    assert answer.keys() == expected.keys()
    # Activations are rounded to 8 bits, so that last digits of matrix products, which depend on the processor, can move an answer.
    for name, value in expected["segments"][0].items():
        assert answer["segments"][0][name] == pytest.approx(value, abs=1e-3)
    assert answer["document"].pop("warnings") == expected["document"].pop("warnings") == {}
    assert answer["document"] == pytest.approx(expected["document"], abs=1e-3)


def test_a_network_revises_words_unless_fast_is_asked_for(encoding: Engine) -> None:
    segments = Segments(RO_EN, ["Casa este mică și veche."] * 2, ["The house is small and old.", "The horse flies over Paris."])
    accurate, fast = (encoding.at(profile).word_tags(segments) for profile in ("accurate", "fast"))
    tagger = accurate.tagger
    assert fast.tagger.card.id == tagger.card.id == "ro-en-words" and len(accurate.tags.words) == len(fast.tags.words) == 13
    assert (accurate.tags.words != fast.tags.words).all() and accurate.tags.gaps.tolist() == fast.tags.gaps.tolist()
    right, wrong = accurate.tags.words[:7], accurate.tags.words[7:]
    assert right.max() < accurate.tags.word_threshold < wrong[1:4].min()
    whole = encoding.quality(segments, options=Options(words=True)).words
    assert whole is not None and whole.tags.words.tolist() == accurate.tags.words.tolist()
    network = encoding.cross_encoder
    assert network is not None
    measured = network.card.accuracy["words"]
    assert {name for name, row in measured.items() if row["kept"]} == set(network.revisions) and len(network.revisions) > 7
    assert all(row["revised"] > row["tagger"] for name, row in measured.items() if row["kept"])
    assert accurate.mcc == measured["ro-en-words"]["revised"] and fast.mcc == tagger.card.accuracy["words"]["mcc"]


def test_words_of_the_level_word_are_tagged_in_the_profile_that_is_asked_for(encoding: Engine) -> None:
    def words(**more: Any) -> list[Any]:
        sent = {
            "source_language": "ro",
            "target_language": "en",
            "segments": [{"source": "Casa este mare.", "translation": "It is."}],
        }
        answer: Any = predict_quality(encoding, QualityRequest(**sent, **more))
        return [word["bad"] for word in answer["segments"][0]["words"]]

    assert words(level="word", profile="fast") == words(words=True, profile="fast")
    assert words(level="word") == words(words=True, profile="accurate") != words(words=True, profile="fast")


def test_source_words_that_are_left_out_are_more_probably_bad(encoding: Engine) -> None:
    rows = (
        ("Casa este mică și veche.", "The house is small and old.", "The house is small.", {"veche"}),
        (
            "Ieri ministrul a demisionat la Paris.",
            "Yesterday the minister resigned in Paris.",
            "Yesterday in Paris.",
            {"ministrul", "demisionat"},
        ),
        ("Regele a murit împreună cu fiul său.", "The king died together with his son.", "The king died.", {"împreună", "fiul"}),
    )
    for source, translation, short, left_out in rows:
        segments = Segments(RO_EN, [source] * 2, [translation, short])
        tagged = encoding.at("accurate").word_tags(segments)
        assert tagged.source is not None and encoding.at("fast").word_tags(segments).source is None
        whole, part = (row["source_tags"] for row in word_rows(tagged))
        assert {word["tag"] for word in whole} == {"OK"} and left_out <= {word["text"] for word in whole}
        for one, other in zip(whole, part, strict=True):
            assert one["text"] == other["text"] and (one["text"] not in left_out or other["bad"] > one["bad"] + 0.1)
    first = whole[0]
    assert (first["text"], first["start"], first["end"]) == ("Regele", 0, 6)


def test_source_words_are_served_where_they_were_worth_it(encoding: Engine) -> None:
    network = encoding.cross_encoder
    assert network is not None
    measured = network.card.accuracy["source_words"]
    assert {name for name, row in measured.items() if row["kept"]} == set(network.source_revisions)
    assert all(row["mcc"] > row["baseline"] and min(row["halves"]) > 0 for row in measured.values() if row["kept"])
    without = encoding.at("accurate").word_tags(Segments(LanguagePair("en", "zh"), ["The house."], ["房子。"]))
    assert without.source is None and "source_tags" not in word_rows(without)[0]
    rows = [{"source": "Casa este mare.", "translation": "It is."}, {"source": "", "translation": "It is."}]
    sent: dict[str, Any] = {"source_language": "ro", "target_language": "en", "segments": rows}
    answer: Any = predict_quality(encoding, QualityRequest(**sent, words=True, profile="accurate"))
    alone: Any = tag_words(encoding, WordsRequest(**sent, profile="accurate"))
    tags = [row["source_tags"] for row in answer["segments"]]
    assert tags == [row["source_tags"] for row in alone["segments"]] and len(tags[0]) == 4 and tags[1] == []
    table = dict(flat_row(alone["segments"][0]))
    assert table["tagged_source"] == "Casa este mare ." and table["source_tags"].split(" ") == [word["tag"] for word in tags[0]]


@pytest.mark.skipif(not SHARED.is_dir(), reason="the MLQE-PE data are not there")
def test_source_tags_have_in_common_with_the_published_ones_what_was_measured(encoding: Engine) -> None:
    names = ("dev.tok.src", "dev.tok.mt", "dev.src.tags")
    lines = zip(*(gzip.decompress((SHARED / f"{name}.gz").read_bytes()).decode().split("\n")[:40] for name in names), strict=True)
    sources, translations, gold = zip(*lines, strict=True)
    tagged = encoding.at("accurate").word_tags(Segments(RO_EN, sources, translations))
    pairs = [
        (tag == "BAD", word["tag"] == "BAD")
        for row, source, tags in zip(word_rows(tagged), sources, gold, strict=True)
        if [word["text"] for word in row["source_tags"]] == source.split()
        for word, tag in zip(row["source_tags"], tags.split(), strict=True)
    ]
    assert len(pairs) > 300 and matthews_corrcoef(*zip(*pairs, strict=True)) > 0.35


def test_pairs_never_seen_are_checked_unless_somebody_says_no(encoding: Engine) -> None:
    def answer(**more: Any) -> Any:
        rows = [{"source": SOURCES[0], "translation": text} for text in (TRANSLATIONS[0], SOURCES[0], "")]
        request = {"source_language": "en", "target_language": "fr", "segments": rows, "label": "hter"}
        return predict_quality(encoding, QualityRequest(**request, **more))

    right, copied, empty = (row["warnings"] for row in answer()["segments"])
    assert not right and copied and [warning["code"] for warning in empty] == ["empty-translation"]
    assert all("warnings" not in row for row in answer(warnings=False)["segments"])
    asked = answer(words=True)
    assert "no tags of words" in asked["cautions"][-1] and "words" not in asked["segments"][0]
    assert [row["score"] for row in asked["segments"]][2] == 1.0
    rows = [{"source": SOURCES[0], "translation": TRANSLATIONS[0], "token_log_probs": [-0.1, -0.2]}]
    beside = QualityRequest(source_language="en", target_language="fr", segments=rows)
    assert "not looked at for these languages" in predict_quality(encoding, beside)["cautions"][-1]


def test_accurate_is_refused_where_no_cross_encoder_can_be_used(encoding: Engine, tmp_path: Path) -> None:
    settings = Settings()
    for name in ("ro-en-hter-blend-104", "ro-en-hter-blend-95", "ro-en-words"):
        (tmp_path / name).symlink_to(settings.models_dir / name)
    broken = tmp_path / "cross-e5-small"
    broken.mkdir()
    for file in (settings.models_dir / broken.name).iterdir():
        (broken / file.name).write_bytes(file.read_bytes()[:300_000])
    engine = Engine.open(settings.resources_dir, tmp_path, encoder="auto")
    with pytest.raises(InputError, match=r"cross-e5-small.*network\.onnx is not as") as refused:
        engine.at("accurate")
    assert refused.value.code == "missing-encoder"


def test_names_of_kinds_of_languages_are_those_of_the_list(encoding: Engine) -> None:
    for tag in ("nb", "nn", "fil", "prs"):
        encoding.served_pairs.require(LanguagePair(tag, "en"))
