"""The registry sees what comes, leaves out what is broken, and chooses as it would with everything loaded."""

import json
import os
import shutil
import time
from pathlib import Path

import pytest

from app.errors import InputError
from app.features import PairResources
from app.metrics import metric_named, metrics_named
from app.registry import collection as collections
from app.registry.artifacts import LocalArtifacts
from app.registry.models import ModelRegistry
from app.settings import Settings
from app.text import LanguagePair

SHIPPED = Settings().models_dir
RO = LanguagePair("ro", "en")
GP = "ro-en-hter-gp-17"
SVR = "ro-en-hter-svr-17"


@pytest.fixture
def resources(monkeypatch: pytest.MonkeyPatch) -> PairResources:
    """A pair for which everything is loaded."""
    monkeypatch.setattr("app.registry.models.missing", lambda needs, resources, given: None)
    return PairResources(RO)


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    shipped, trained = tmp_path / "shipped", tmp_path / "trained"
    for name in (GP, SVR, "ro-en-words"):
        shutil.copytree(SHIPPED / name, shipped / name)
    shutil.copytree(SHIPPED / "metrics", shipped / "metrics")
    return shipped, trained


def _train(trained: Path, name: str, **changes: object) -> None:
    """A model as a job would leave it."""

    def write(folder: Path) -> None:
        for path in (SHIPPED / GP).iterdir():
            shutil.copy(path, folder)
        card = json.loads((folder / "card.json").read_text())
        (folder / "card.json").write_text(json.dumps({**card, "id": name, **changes}))

    LocalArtifacts(trained).save(name, write)


def test_new_models_are_seen_at_once(folders: tuple[Path, Path], resources: PairResources) -> None:
    registry = ModelRegistry(*folders)
    assert list(registry.models) == [GP, SVR] and list(registry.word_taggers) == ["ro-en-words"]
    best = registry.model(resources, None, None, frozenset())
    for number in range(20):
        name = f"new-{number:02}"
        assert name not in registry.models
        _train(folders[1], name, accuracy={**best.card.accuracy, "pearson": 0.9 + number / 1000})
        assert registry.models[name].card.id == name
        assert registry.model(resources, None, None, frozenset()).card.id == name
    assert len(registry.models) == 22


def test_a_version_answers_when_it_is_promoted(folders: tuple[Path, Path], resources: PairResources) -> None:
    registry, other = ModelRegistry(*folders), ModelRegistry(*folders)
    first = registry.model(resources, None, None, frozenset())
    for number in (2, 3):
        _train(folders[1], f"v{number}", parent=first.card.id if number == 2 else "v2", version=number)
    assert registry.model(resources, None, None, frozenset()) is first
    assert [model.card.version for model in registry.versions("v2")] == [1, 2, 3]
    for number in (2, 3):
        other.promote(other.models[f"v{number}"], "by hand")
        assert registry.model(resources, None, None, frozenset()).card.id == f"v{number}" == registry.current("ro-en", "hter")
    with pytest.raises(InputError, match="promoted last"):
        registry.roll_back(registry.models["v2"], "")
    registry.roll_back(registry.models["v3"], "worse")
    assert other.model(resources, None, None, frozenset()).card.id == "v2"


def test_what_is_broken_is_listed_and_stops_nobody(folders: tuple[Path, Path], resources: PairResources) -> None:
    shipped, trained = folders
    _train(trained, "cut-off", accuracy={"pearson": 0.99})
    arrays = trained / "cut-off" / "arrays.safetensors"
    whole = arrays.read_bytes()
    arrays.write_bytes(whole[: len(whole) // 2])
    for name, content in (("no-json", "{"), ("no-object", "[]"), ("no-card", "{}")):
        (trained / name).mkdir()
        (trained / name / "arrays.safetensors").write_bytes(whole)
        (trained / name / "card.json").write_text(content)
    (trained / "no-numbers").mkdir()
    shutil.copy(shipped / GP / "card.json", trained / "no-numbers")
    shutil.copytree(shipped / GP, trained / ".hidden")
    (trained / "metrics").mkdir()
    (trained / "metrics" / "bad.json").write_text("{}")
    (trained / "file").write_text("no folder")
    registry = ModelRegistry(*folders)
    assert registry.model(resources, None, None, frozenset()).card.id in (GP, SVR)
    registry.load()
    assert set(registry.broken) == {"cut-off", "no-json", "no-object", "no-card", "no-numbers", "bad.json"}
    assert set(registry.models) == {GP, SVR} == {model.card.id for model in registry.models.values()}
    assert metric_named("beer", registry.metrics)
    with pytest.raises(InputError, match="broken"):
        registry.model(resources, "cut-off", None, frozenset())
    arrays.write_bytes(whole)
    later = time.monotonic() + 10
    while "cut-off" not in registry.models and time.monotonic() < later:
        time.sleep(0.05)
    assert registry.model(resources, None, None, frozenset()).card.id == "cut-off"
    assert "cut-off" not in registry.broken


def test_what_is_copied_by_hand_is_seen_when_it_is_whole(folders: tuple[Path, Path]) -> None:
    registry = ModelRegistry(*folders)
    folder = folders[1] / "slow"
    folder.mkdir(parents=True)
    assert "slow" not in registry.models
    for name in ("card.json", "arrays.safetensors"):
        time.sleep(0.05)
        shutil.copy(folders[0] / GP / name, folder)
        assert name != "card.json" or registry.models.get("slow") is None
    later = time.monotonic() + 10
    while "slow" not in registry.models and time.monotonic() < later:
        time.sleep(0.05)
    assert registry.models["slow"].checksum == registry.models[GP].checksum


def test_typos_read_no_files(folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    registry = ModelRegistry(*folders)
    assert "beer-2.0" in registry.metrics
    long_ago = time.time() - 100
    for folder in (folders[0], folders[0] / "metrics"):
        os.utime(folder, (long_ago, long_ago))
    assert "beer-2.0" in registry.metrics and registry.models.get("nobody") is None
    monkeypatch.setattr(collections, "PATIENCE", 3600.0)
    looks: list[object] = []
    monkeypatch.setattr(Path, "iterdir", lambda path: looks.append(path) or iter(()))
    monkeypatch.setattr(Path, "read_bytes", lambda path: looks.append(path) or b"")
    for name in ("trained:beer-2.1", "nonsense", "trained:x"):
        for _ in range(100):
            with pytest.raises(InputError):
                metrics_named([name], registry.metrics)
            assert registry.models.get(name) is None
    assert looks == []


def test_a_trained_metric_takes_the_place_of_a_shipped_one(folders: tuple[Path, Path]) -> None:
    registry = ModelRegistry(*folders)
    names = list(registry.metrics)
    metric = json.loads((folders[0] / "metrics" / "rose-reg-en.json").read_text())
    LocalArtifacts(folders[1] / "metrics").save_file(
        "mine.json", lambda path: path.write_text(json.dumps({**metric, "bias": 0.25})) and None
    )
    assert registry.metrics["rose-reg-en"].bias == 0.25
    assert list(registry.metrics) == names


def test_entries_say_what_the_cards_say() -> None:
    registry = ModelRegistry(SHIPPED)
    entries = {entry.id: entry for entry in registry.entries}
    assert not registry._predictors.loaded()
    assert set(entries) == {*registry.models, *registry.word_taggers, *registry.metrics}
    for name in (GP, "en-de-da-blend-105"):
        entry, model = entries[name], registry.models[name]
        assert (entry.scope, entry.label, entry.licence, entry.created) == (
            model.card.pair, model.card.label, model.card.licence, model.card.created,
        )  # fmt: skip
        assert (entry.accuracy, entry.checksum, entry.kind) == (model.card.accuracy, model.checksum, "predictor")
        assert entry.details["features"] == list(model.card.features)
    assert entries["beer-2.0"].checksum == registry.metrics["beer-2.0"].checksum
    assert entries["ro-en-words"].accuracy == registry.word_taggers["ro-en-words"].card.accuracy
    assert not registry.broken


def test_an_empty_registry_knows_nothing(tmp_path: Path, resources: PairResources) -> None:
    for registry in (ModelRegistry(), ModelRegistry(tmp_path / "none", tmp_path / "neither")):
        assert not registry.models and not registry.entries and not registry.broken
        assert registry.judges(RO) == (None, None)
        with pytest.raises(InputError, match="none"):
            registry.model(resources, None, None, frozenset())
