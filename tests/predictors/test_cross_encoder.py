"""The shipped cross-encoder: against PyTorch in floats, what holds for all texts, laws of what it has learned, damaged files."""

import gzip
import json
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.arrays import Float64s
from app.engine import Engine
from app.errors import InputError
from app.features import PairResources, View, feature_set, features_of_view
from app.predictors.cross_encoder import CrossEncoder, CrossReading, load_cross_encoder
from app.registry.models import ModelRegistry
from app.settings import ROOT
from app.text import LanguagePair, SegmentBatch, tokeniser_for
from app.text.reading.tables import read_column

FOLDER = ROOT / "models" / "cross-e5-small"
# Rows of MLQE-PE (CC0-1.0) with the labels and tags that the network has in PyTorch with 32-bit floats: scripts.encoder.fixture.
BY_TORCH = Path(__file__).parent / "data" / "cross_encoder.json"
RO_EN = LanguagePair("ro", "en")
SOURCE, TRANSLATION = "Guvernul numește un prefect în fiecare județ.", "The Government appoints a prefect to each county."


@pytest.fixture(scope="module")
def network() -> CrossEncoder:
    return load_cross_encoder(FOLDER)


def read(network: CrossEncoder, *texts: tuple[str, str], pair: LanguagePair = RO_EN) -> list[CrossReading]:
    return list(network.read(pair, [source for source, _ in texts], [translation for _, translation in texts]))


def quality(readings: Sequence[CrossReading]) -> Float64s:
    """Expected DA less expected HTER (n,): better is higher."""
    return np.array([reading.labels[0] - reading.labels[1] for reading in readings])


def test_readings_are_those_of_pytorch_but_for_rounding(network: CrossEncoder) -> None:
    rows = json.loads(BY_TORCH.read_text("utf-8"))
    found, expected, errors, source_errors = [], [], [], []
    for row in rows:
        (reading,) = read(network, (row["source"], row["translation"]), pair=LanguagePair.parse(row["pair"]))
        errors.append(np.abs(reading.target[:, 0] - row["target"]))
        source_errors.append(np.mean(np.abs(reading.source - row["source_tags"])))
        found.append(reading.labels)
        expected.append(row["labels"])
    # Eight bits move the reading of one text in thirty far.
    assert np.mean([error.mean() < 0.1 for error in errors]) > 0.95 and np.mean(np.array(source_errors) < 0.1) > 0.95
    assert np.mean(np.concatenate(errors) < 0.25) > 0.98 and np.concatenate(errors).mean() < 0.04
    difference = np.abs(np.array(found) - np.array(expected))
    assert difference.mean() < 0.12 and np.mean(difference < 0.5) > 0.95


def test_a_reading_does_not_depend_on_its_company(network: CrossEncoder) -> None:
    texts = [(SOURCE, TRANSLATION), ("", ""), (SOURCE * 30, TRANSLATION * 30), (SOURCE, TRANSLATION[:20])]
    for alone, among in zip([read(network, pair_of_texts)[0] for pair_of_texts in texts], read(network, *texts), strict=True):
        assert alone.labels.tolist() == among.labels.tolist() and alone.target.tolist() == among.target.tolist()


@settings(max_examples=25)
@given(st.text(max_size=80), st.text(max_size=80))
def test_every_text_has_a_finite_reading(network: CrossEncoder, source: str, translation: str) -> None:
    (reading,) = read(network, (source, translation))
    assert np.isfinite(reading.labels).all() and not reading.is_cut
    assert len(reading.target) == len(reading.target_pieces) and len(reading.source) == len(reading.source_pieces)
    for tags in (reading.target, reading.source):
        assert ((tags >= 0) & (tags <= 1)).all()


@pytest.mark.parametrize("text", ["\ud800", "a\0b", "\u202eشكرا\u202c", "房子很小。", "x" * 4000, "é" * 3000])
def test_odd_texts_are_read(network: CrossEncoder, text: str) -> None:
    for texts in ((text, TRANSLATION), (SOURCE, text), (text, text)):
        (reading,) = read(network, texts)
        assert np.isfinite(reading.labels).all()


def test_long_texts_are_cut_on_the_longer_side_and_the_reading_says_so(network: CrossEncoder) -> None:
    (long_source,) = read(network, (SOURCE * 100, TRANSLATION))
    (long_both,) = read(network, (SOURCE * 100, TRANSLATION * 100))
    (short,) = read(network, (SOURCE, TRANSLATION))
    assert long_source.is_cut and long_both.is_cut and not short.is_cut
    assert len(long_source.target) == len(short.target)
    for reading in (long_source, long_both):
        assert len(reading.source) + len(reading.target) <= network.card.longest - 4
    assert abs(len(long_both.source) - len(long_both.target)) <= 1


def test_a_translation_is_never_worse_than_other_texts_in_its_place(network: CrossEncoder) -> None:
    rows = [row for row in json.loads(BY_TORCH.read_text("utf-8")) if row["hter"] <= 0.2 and len(row["translation"].split()) > 6]
    assert len(rows) >= 8
    rng = np.random.default_rng(1)
    wins: dict[str, list[bool]] = {"shuffled": [], "neighbour": [], "half": [], "copy": []}
    for k, row in enumerate(rows):
        words = row["translation"].split()
        others = {
            "shuffled": " ".join(rng.permutation(words)),
            "neighbour": rows[k - 1]["translation"],
            "half": " ".join(words[: len(words) // 2]),
            "copy": row["source"],
        }
        texts = [(row["source"], text) for text in (row["translation"], *others.values())]
        whole, *rest = quality(read(network, *texts, pair=LanguagePair.parse(row["pair"])))
        for name, value in zip(others, rest, strict=True):
            wins[name].append(whole > value)
    # A neighbour is of another pair, and often into the same language: the better text can win once.
    assert all(wins["shuffled"]) and all(wins["copy"]) and np.mean(wins["neighbour"]) > 0.85 and np.mean(wins["half"]) > 0.85


def test_the_card_says_how_accurate_it_is_on_dev(network: CrossEncoder, shared: Path) -> None:
    base = shared / "data" / "mlqe-pe" / "ro-en" / "dev.tsv.gz"
    sources, translations, ratings = (read_column(f"{base}:{name}")[:200] for name in ("source", "translation", "da_z"))
    labels = np.array([reading.labels[0] for reading in network.read(RO_EN, sources, translations)])
    measured = network.card.accuracy["da"]["ro-en"]
    assert np.corrcoef(labels, [float(cell) for cell in ratings])[0, 1] == pytest.approx(measured, abs=0.08) and measured > 0.75


def test_features_are_the_numbers_of_readings(network: CrossEncoder) -> None:
    tokeniser = tokeniser_for("en")
    batch = SegmentBatch.build(tokeniser_for("ro"), tokeniser, [SOURCE, ""], [TRANSLATION, ""])
    view = View(batch, PairResources(RO_EN, cross_encoder=network))
    matrix = features_of_view(view, feature_set("cross"))
    values = dict(zip([feature.id for feature in matrix.features], matrix.values.T, strict=True))
    first, empty = read(network, (SOURCE, TRANSLATION), ("", ""))
    assert [values[f"cross.{name}"][0] for name in ("da", "hter", "mqm", "critical")] == first.labels.tolist()
    assert values["cross.target.wrong"][0] == pytest.approx(first.target[:, 0].mean())
    assert values["cross.source.wrong"][0] == pytest.approx(first.source.mean())
    assert values["cross.target.wrong"][1] == 0 and values["cross.da"][1] == empty.labels[0]


@pytest.fixture
def copied_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "cross-e5-small"
    shutil.copytree(FOLDER, folder)
    return folder


def change_card(folder: Path, **members: Any) -> None:
    path = folder / "cross-encoder.json"
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), **members}), encoding="utf-8")


@pytest.mark.parametrize(
    ("members", "fault"),
    [
        ({"longest": "many"}, "longest"),
        ({"languages": []}, "no languages"),
        ({"schema_version": 1}, "schema"),
        ({"longest": 4}, "longest"),
        ({"longest": 600}, "does not fit"),
        ({"pairs": [f"{a}{b}-en" for a in "abcde" for b in "fghij"]}, "does not fit"),
        ({"revisions": {"x": {"added": 1.0, "of_tagger": 1.0, "of_network": 1.0, "threshold": 0.5}}}, "without their accuracy"),
        ({"revisions": {"ro-en-words": {"added": 1.0}}}, "revisions|TagRevision|argument"),
        ({"source_revisions": {"ro-en-words": [1.0]}}, "revision of source words"),
        ({"marks": {"words": {"ro-en-words": {"wrong": 1}}}}, "marks"),
        ({"relation": {"weights": {"cross.da": "high"}}}, "relation"),
        ({"relation": {"limit": {"ro-en": 1.0}}}, "relation"),
        ({"unknown": 1}, "unknown"),
        ({"graph_sha256": "0" * 64}, r"network\.onnx is not as cross-encoder\.json says"),
        ({"pairs": ["ro-en"] * 21}, "a pair twice"),
        ({"accuracy": {"words": []}}, r"accuracy\.words"),
        ({"accuracy": {"words": {"ro-en-words": {}}}}, "without their accuracy"),
        ({"accuracy": {"words": {"ro-en-words": {"revised": "high"}}}}, r"accuracy\.words"),
        ({"revisions": {"ro-en-words": {"added": 1e308, "of_tagger": 1e308, "of_network": 0, "threshold": 0.5}}}, "weights"),
        ({"source_revisions": {"ro-en-words": [1e308] * 14}}, "revision of source words"),
    ],
)
def test_a_damaged_card_is_named(copied_folder: Path, members: dict[str, Any], fault: str) -> None:
    change_card(copied_folder, **members)
    with pytest.raises(InputError, match=fault):
        load_cross_encoder(copied_folder)


def test_a_link_out_of_the_folder_is_refused(copied_folder: Path, tmp_path: Path) -> None:
    (copied_folder / "network.onnx").rename(tmp_path / "elsewhere.onnx")
    (copied_folder / "network.onnx").symlink_to(tmp_path / "elsewhere.onnx")
    with pytest.raises(InputError, match="link out of the folder"):
        load_cross_encoder(copied_folder)


def test_the_first_usable_network_answers_and_faults_are_named(copied_folder: Path) -> None:
    models = copied_folder.parent
    assert (ModelRegistry(models / "none").cross_encoders.first(), ModelRegistry(models / "none").cross_encoders.fault) == (
        None,
        None,
    )
    (models / "before").mkdir()
    for name in ("cross-encoder.json", "network.onnx"):
        shutil.copy(copied_folder / name, models / "before")
    registry = ModelRegistry(models)
    first = registry.cross_encoders.first()
    assert first is not None and registry.cross_encoders.fault is None
    assert "pieces.safetensors" in registry.broken["before"]
    (copied_folder / "pieces.safetensors").write_bytes(b"changed")
    broken = ModelRegistry(models).cross_encoders
    assert broken.first() is None and "pieces.safetensors is not as cross-encoder.json says" in (broken.fault or "")


def test_answers_without_a_damaged_network_say_so(copied_folder: Path) -> None:
    change_card(copied_folder, graph_sha256="0" * 64)
    shutil.copytree(ROOT / "models" / "ro-en-hter-gp-17", copied_folder.parent / "ro-en-hter-gp-17")
    engine = Engine.open(ROOT / "resources", copied_folder.parent, encoder="auto")
    model = engine.models["ro-en-hter-gp-17"]
    assert any("the cross-encoder cannot be used" in caution for caution in engine.cautions(model))
    assert not engine.at("fast").cautions(model)


def test_a_network_that_is_gone_answers_no_more(copied_folder: Path) -> None:
    engine = Engine.open(ROOT / "resources", copied_folder.parent, encoder="auto")
    pair = LanguagePair("en", "fr")
    assert pair in engine.served_pairs and engine.at("accurate").resources.cross_encoder is not None
    shutil.rmtree(copied_folder)
    time.sleep(1.2)
    assert pair not in engine.served_pairs
    with pytest.raises(InputError, match="none is loaded"):
        engine.at("accurate")


def test_a_damaged_graph_and_a_missing_runtime_are_named(copied_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = copied_folder / "network.onnx"
    whole = graph.read_bytes()
    graph.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=r"network\.onnx"):
        load_cross_encoder(copied_folder)
    graph.write_bytes(gzip.compress(b"no graph"))
    with pytest.raises(InputError, match=r"network\.onnx"):
        load_cross_encoder(copied_folder)
    graph.write_bytes(whole)
    monkeypatch.setitem(__import__("sys").modules, "onnxruntime", None)
    with pytest.raises(InputError, match=r"pip install 'assay\[onnx\]'"):
        load_cross_encoder(copied_folder)
