"""The registry sees what comes, leaves out what is broken, and chooses as it would with everything loaded."""

import errno
import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load, save

from app.engine import Engine
from app.engine.warming import warm_up
from app.errors import InputError
from app.features import PairResources
from app.metrics import metric_named, metrics_named
from app.operations.models import list_models
from app.operations.resources import list_metrics
from app.registry import collection as collections
from app.registry.artifacts import LocalArtifacts
from app.registry.models import ModelRegistry
from app.registry.promotions import Promotions
from app.resources.loading import Resources
from app.settings import Settings
from app.text import LanguagePair

SHIPPED = Settings().models_dir
RO = LanguagePair("ro", "en")
GP = "ro-en-hter-gp-17"
SVR = "ro-en-hter-svr-17"


@pytest.fixture
def resources(monkeypatch: pytest.MonkeyPatch) -> PairResources:
    """A pair for which everything is loaded."""
    for module in ("models", "entry"):
        monkeypatch.setattr(f"app.registry.{module}.missing", lambda needs, resources, given: None)
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


def test_the_state_changes_with_models_and_promotions_alone(folders: tuple[Path, Path]) -> None:
    registry = ModelRegistry(*folders)
    states = [registry.state]
    assert registry.state == states[0]
    _train(folders[1], "new")
    states.append(registry.state)
    promotion = registry.promote(registry.models["new"], "")
    states.append(registry.state)
    registry.roll_back(registry.models["new"], "")
    states.append(registry.state)
    registry.leave_out_tagger("ro-en-words", ValueError())
    states.append(registry.state)
    assert len(set(states)) == len(states) and promotion.model == "new"
    assert registry.view(lambda name: name == GP).state == registry.state == states[-1]


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


def test_a_correlation_of_few_segments_counts_with_its_uncertainty(folders: tuple[Path, Path], resources: PairResources) -> None:
    registry = ModelRegistry(*folders)
    accuracy = registry.models[GP].card.accuracy
    for name, pearson, segments in (("many", 0.82, 1000), ("few", 0.897, 30), ("enough", 0.897, 300)):
        _train(folders[1], name, accuracy={**accuracy, "pearson": pearson, "segments": segments})
        assert registry.model(resources, None, None, frozenset()).card.id == {"few": "many"}.get(name, name)


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
    accuracy = json.loads((SHIPPED / GP / "card.json").read_text())["accuracy"]
    _train(trained, "cut-off", accuracy={**accuracy, "pearson": 0.99})
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


CARD = json.loads((SHIPPED / GP / "card.json").read_text())
WRONG_CARDS: dict[str, object] = {
    "a list": [1], "a number": 3, "null": None, "empty": {}, "pair is a list": {**CARD, "pair": ["ro", "en"]},
    "pair is no pair": {**CARD, "pair": "Romanian"}, "label is an object": {**CARD, "label": {}},
    "label is none that there is": {**CARD, "label": "bleu"}, "features is a number": {**CARD, "features": 17},
    "features are numbers": {**CARD, "features": [1, 2]}, "no features": {**CARD, "features": []},
    "accuracy is a list": {**CARD, "accuracy": [0.5]}, "accuracy is text": {**CARD, "accuracy": {**CARD["accuracy"], "pearson": "high"}},
    "accuracy is no number": {**CARD, "accuracy": {**CARD["accuracy"], "pearson": float("nan")}},
    "accuracy is too large": {**CARD, "accuracy": {**CARD["accuracy"], "pearson": 10**400}},
    "no mean error": {**CARD, "accuracy": {"pearson": 0.5}}, "version is text": {**CARD, "version": "two"},
    "version is infinite": {**CARD, "version": float("inf")}, "parent is a list": {**CARD, "parent": ["a"]},
    "created is a number": {**CARD, "created": 3}, "a member too many": {**CARD, "pickle": "x"},
    "a member too few": {name: value for name, value in CARD.items() if name != "licence"}, "schema of tomorrow": {**CARD, "schema_version": 99},
    "learner of tomorrow": {**CARD, "learner": "oracle"}, "half a character": {**CARD, "licence": "\ud800"},
    "more features than arrays": {**CARD, "features": [*CARD["features"], "1001"]},
}  # fmt: skip


def _raw(what: object) -> bytes:
    return json.dumps(what).encode()


def test_any_wrong_card_is_a_broken_model_and_no_more(folders: tuple[Path, Path], resources: PairResources) -> None:
    shipped, trained = folders
    contents = {name: _raw(card) for name, card in WRONG_CARDS.items()}
    contents |= {
        "cut off": _raw(CARD)[:300], "nothing": b"", "no text": b"\xff\xfe\x00\xd8", "deep": b"[" * 100_000, "digits": b"9" * 5000,
        "overflow": _raw(CARD).replace(b'"version": 1', b'"version": 1e999') if b'"version"' in _raw(CARD) else b"1e999",
        "large": b'{"a": "' + b"x" * 17_000_000 + b'"}',
    }  # fmt: skip
    for name, content in contents.items():
        (trained / name).mkdir(parents=True)
        shutil.copy(shipped / GP / "arrays.safetensors", trained / name)
        (trained / name / "card.json").write_bytes(content)
    registry = ModelRegistry(*folders)
    assert registry.model(resources, None, None, frozenset()).card.id in (GP, SVR)
    registry.load()
    assert set(registry.broken) == set(contents) and set(registry.models) == {GP, SVR}
    assert all(len(reason) < 300 and str(trained) not in reason for reason in registry.broken.values())
    assert "accuracy: pearson" in registry.broken["accuracy is text"]
    assert {model["id"] for model in list_models(Engine(Resources(()), registry))["models"]} == {GP, SVR}


def test_residuals_that_are_not_the_models_own_break_it(folders: tuple[Path, Path]) -> None:
    shipped, trained = folders
    raw = (shipped / GP / "residuals.safetensors").read_bytes()
    ours = load(raw)["residuals"]
    contents = {
        "cut off": raw[: len(raw) // 2],
        "nothing": b"",
        "another name": save({"others": ours}),
        "of another": save({"residuals": ours + 1}),
        "of fewer": save({"residuals": ours[:-1]}),
        "no numbers": save({"residuals": np.full_like(ours, np.nan)}),
    }
    for name, content in contents.items():
        shutil.copytree(shipped / GP, trained / name)
        (trained / name / "residuals.safetensors").write_bytes(content)
    shutil.copytree(shipped / GP, trained / "without")
    (trained / "without" / "residuals.safetensors").unlink()
    registry = ModelRegistry(*folders)
    registry.load()
    assert set(registry.broken) == set(contents) and all("residuals.safetensors" in why for why in registry.broken.values())
    assert registry.models["without"].residuals is None
    residuals = registry.models[GP].residuals
    assert residuals is not None and np.sort(np.abs(residuals)) == pytest.approx(registry.models[GP].calibration, abs=1e-5)


def test_any_wrong_arrays_are_a_broken_model_and_no_more(folders: tuple[Path, Path], resources: PairResources) -> None:
    shipped, trained = folders
    raw = (shipped / GP / "arrays.safetensors").read_bytes()
    arrays = load(raw)
    contents = {
        "cut off": raw[: len(raw) // 2],
        "a head alone": raw[:8],
        "nothing": b"",
        "a header too long": b"\xff" * 8 + raw[8:],
    }
    contents |= {f"without {name}": save({k: v for k, v in arrays.items() if k != name}) for name in arrays}
    for name, value in arrays.items():
        contents[f"{name} is flat"] = save({**arrays, name: np.zeros(0)})
        contents[f"{name} is a number"] = save({**arrays, name: np.array(1.0)})
        contents[f"{name} has one more axis"] = save({**arrays, name: np.ascontiguousarray(value[..., None, None])})
        contents[f"{name} is not finite"] = save({**arrays, name: np.full_like(value, np.nan)})
        contents[f"{name} is of text"] = save({**arrays, name: np.zeros(value.shape, np.uint8)})
    for name, content in contents.items():
        (trained / name).mkdir(parents=True)
        shutil.copy(shipped / GP / "card.json", trained / name)
        (trained / name / "arrays.safetensors").write_bytes(content)
    registry = ModelRegistry(*folders)
    registry.load()
    # What a learner does not look at may be anything; all that is served answers.
    served = set(registry.models) - {GP, SVR}
    assert not served & {"cut off", "a head alone", "nothing", "a header too long"} and len(served) <= 12
    assert set(registry.broken) | served == set(contents)
    for name in registry.models:
        model = registry.models[name]
        prediction = model.predict(np.zeros((3, len(model.card.features))))
        assert (
            np.isfinite(prediction.mean).all() and np.isfinite(model.contributions(np.zeros((1, len(model.card.features))))).all()
        )
    assert registry.model(resources, None, None, frozenset()).card.id in (GP, SVR, *served)


def test_odd_things_in_the_folders_harm_nothing(folders: tuple[Path, Path], resources: PairResources) -> None:
    shipped, trained = folders
    metrics = trained / "metrics"
    metrics.mkdir(parents=True)
    for folder in (trained, metrics):
        (folder / "loop").symlink_to(folder / "loop")
        (folder / "nowhere").symlink_to(folder / "gone")
        (folder / ".hidden").mkdir()
        (folder / "bad\nname").mkdir()
        (folder / "ends.json").symlink_to(folder / "ends.json")
        os.mkdir(os.fsencode(folder) + b"/\xff\xfe.json")
    (trained / "empty").mkdir()
    for name, inside in (
        ("card is a folder", "card.json"),
        ("words is a folder", "word-tags.json"),
        ("arrays are a folder", "arrays.safetensors"),
    ):
        (trained / name / inside).mkdir(parents=True)
    shutil.copy(shipped / GP / "card.json", trained / "arrays are a folder")
    os.mkfifo(trained / "pipe")
    (trained / "card is a pipe").mkdir()
    os.mkfifo(trained / "card is a pipe" / "card.json")
    (metrics / "folder.json").mkdir()
    os.mkfifo(metrics / "pipe.json")
    registry = ModelRegistry(*folders)
    registry.load()
    assert set(registry.models) == {GP, SVR} and "beer-2.0" in registry.metrics
    assert set(registry.broken_models) == {
        "loop", "nowhere", "ends.json", "empty", "card is a folder", "words is a folder", "arrays are a folder", "card is a pipe",
    }  # fmt: skip
    assert set(registry.broken_metrics) == {"ends.json", "folder.json", "pipe.json"}
    assert registry.model(resources, None, None, frozenset()).card.id in (GP, SVR)
    for name in ("loop", "empty", "nobody"):
        assert registry.models.get(name) is None


def test_a_folder_that_nobody_may_read_harms_nothing(folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("mine", "ours"):
        _train(folders[1], name)
    # Tests may run as somebody who may read everything.
    whole = Path.open, Path.read_bytes, Path.iterdir, Path.stat

    def refusing(method: Any) -> Any:
        def refuse(path: Path, *args: Any, **named: Any) -> Any:
            if path.parent.name == "mine":
                raise PermissionError(13, "Permission denied", str(path))
            return method(path, *args, **named)

        return refuse

    for method in whole:
        monkeypatch.setattr(Path, method.__name__, refusing(method))
    registry = ModelRegistry(*folders)
    registry.load()
    assert set(registry.models) == {GP, SVR, "ours"}
    assert "Permission denied" in registry.broken["mine"] and str(folders[1]) not in registry.broken["mine"]


def test_a_file_in_place_of_a_folder_of_models_is_said(folders: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    registry = ModelRegistry(folders[0], tmp_path / "file")
    registry.load()
    assert set(registry.models) == {GP, SVR} and set(registry.broken) == {"file", "metrics"}
    shutil.rmtree(folders[0] / "metrics")
    (folders[0] / "metrics").write_text("x")
    registry = ModelRegistry(folders[0], folders[1])
    assert len(registry.metrics) == 0 and set(registry.broken_metrics) == {"metrics"}


METRIC = json.loads((SHIPPED / "metrics" / "rose-reg-en.json").read_text())
WRONG_METRICS: dict[str, object] = {
    "a list": [], "empty": {}, "id is a list": {**METRIC, "id": ["x"]}, "no id": {**METRIC, "id": ""}, "id is control": {**METRIC, "id": "a\n"},
    "weights are text": {**METRIC, "weights": ["a"] * len(METRIC["weights"])}, "a weight is too large": {**METRIC, "bias": 10**400},
    "a weight is none": {**METRIC, "bias": float("nan")}, "no weights": {**METRIC, "weights": []}, "card is a list": {**METRIC, "card": [1]},
    "card says numbers": {**METRIC, "card": {"created": 3}}, "accuracy is a number": {**METRIC, "card": {"accuracy": 3}},
    "unknown features": {**METRIC, "features": ["nope.p", *METRIC["features"][1:]]}, "features are one text": {**METRIC, "features": "abc"},
    "unknown tokeniser": {**METRIC, "tokenise": "guess"}, "unknown stemmer": {**METRIC, "stem": "xx"}, "stem is a list": {**METRIC, "stem": []},
    "unknown output": {**METRIC, "output": "guess"}, "clip is text": {**METRIC, "clip": ["a", None]}, "clip is long": {**METRIC, "clip": [1, 2, 3]},
    "language is a number": {**METRIC, "language": 3}, "a member too many": {**METRIC, "code": "x"}, "half a character": {**METRIC, "unit": "\ud800"},
}  # fmt: skip


def test_any_wrong_metric_is_a_broken_one_and_no_more(folders: tuple[Path, Path]) -> None:
    metrics = folders[1] / "metrics"
    metrics.mkdir(parents=True)
    contents = {f"{name}.json": _raw(metric) for name, metric in WRONG_METRICS.items()}
    contents |= {
        "cut off.json": _raw(METRIC)[:200],
        "nothing.json": b"",
        "deep.json": b"[" * 100_000,
        "large.json": b" " * 2_000_000,
    }
    for name, content in contents.items():
        (metrics / name).write_bytes(content)
    registry = ModelRegistry(*folders)
    registry.load()
    assert set(registry.broken_metrics) == set(contents)
    assert metric_named("rose:reg", registry.metrics) and metric_named("beer", registry.metrics)
    assert len(list_metrics(Engine(Resources(()), registry))["broken"]) == len(contents)


def test_a_metric_that_fails_at_its_first_work_stops_no_start(folders: tuple[Path, Path]) -> None:
    metrics = folders[1] / "metrics"
    metrics.mkdir(parents=True)
    loop = {**METRIC, "id": "loop", "features": ["metric(trained:loop)"], "low": [0.0], "high": [1.0], "weights": [1.0]}
    (metrics / "loop.json").write_bytes(_raw(loop))
    (metrics / "lost.json").write_bytes(_raw({**loop, "id": "lost", "features": ["metric(trained:gone)"]}))
    engine = Engine(Resources(()), ModelRegistry(*folders))
    warm_up(engine)
    assert set(engine.registry.broken_metrics) == {"loop.json", "lost.json"} and "beer-2.0" in engine.registry.metrics


RECORD = {"pair": "ro-en", "label": "hter", "model": SVR, "at": "2026-01-01T00:00:00+00:00", "reason": "by hand"}
WRONG_LINES = [
    b"{", b"[]", b"null", b"3", b"\xff\xfe", b"[" * 100_000, _raw({**RECORD, "model": 3}), _raw({**RECORD, "pair": ["ro"]}), _raw({"pair": "ro-en"}),
    _raw({**RECORD, "reason": None}), b"9" * 5000, b"",
]  # fmt: skip


def test_wrong_lines_of_the_record_do_not_count(folders: tuple[Path, Path], resources: PairResources) -> None:
    trained = folders[1]
    trained.mkdir()
    record = trained / "promotions.jsonl"
    record.write_bytes(b"\n".join([*WRONG_LINES, _raw(RECORD), *WRONG_LINES]) + b"\n")
    registry = ModelRegistry(*folders)
    assert registry.current("ro-en", "hter") == SVR == registry.model(resources, None, None, frozenset()).card.id
    assert f"{2 * len(WRONG_LINES)} of" in registry.broken["promotions.jsonl"]
    # What was cut off does not take the next line with it.
    with record.open("ab") as file:
        file.write(_raw(RECORD)[:20])
    registry.promote(registry.models[GP], "better")
    assert registry.current("ro-en", "hter") == GP == ModelRegistry(*folders).current("ro-en", "hter")
    record.unlink()
    record.mkdir()
    assert registry.current("ro-en", "hter") is None and "promotions.jsonl" in registry.broken
    assert registry.model(resources, None, None, frozenset()).card.id in (GP, SVR)


def test_damaged_rows_are_refused(folders: tuple[Path, Path]) -> None:
    _train(folders[1], "mine")
    registry = ModelRegistry(*folders)
    with (SHIPPED / "ro-en-rows" / "rows.npz").open("rb") as file:
        whole = file.read()
    for content in (b"", b"PK", whole[: len(whole) // 2], b"x" * 100, whole[:5000] + b"\0" * 5000 + whole[10_000:]):
        (folders[1] / "mine" / "rows.npz").write_bytes(content)
        with pytest.raises(InputError, match="readable training rows"):
            registry.rows(registry.models["mine"])


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
        with pytest.raises(InputError, match="no model for ro-en yet"):
            registry.model(resources, None, None, frozenset())


def test_a_line_of_the_record_that_was_cut_off_spoils_nothing(tmp_path: Path) -> None:
    promotions = Promotions(tmp_path)
    first = promotions.promote("ro-en", "hter", "a", "by hand")
    with (tmp_path / "promotions.jsonl").open("a") as file:
        file.write('{"pair": "ro-en", "la')
    assert promotions.entries() == (first,)
    second = promotions.promote("ro-en", "hter", "b", "by hand")
    assert Promotions(tmp_path).entries() == (first, second)


def test_a_promotion_without_room_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    promotions = Promotions(tmp_path)
    first = promotions.promote("ro-en", "hter", "a", "by hand")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "full")

    with monkeypatch.context() as patch, pytest.raises(OSError, match="full"):
        patch.setattr("os.fsync", full)
        promotions.promote("ro-en", "hter", "b", "by hand")
    assert Promotions(tmp_path).entries() == (first,)


def test_what_is_for_any_pair_answers_where_nothing_else_does(folders: tuple[Path, Path], resources: PairResources) -> None:
    shipped = {"accuracy": {**json.loads((SHIPPED / GP / "card.json").read_text())["accuracy"], "pearson": 0.99}}
    _train(folders[1], "any-any-hter", pair="any-any", **shipped)
    registry = ModelRegistry(*folders)
    new = PairResources(LanguagePair("en", "fr"))
    assert registry.model(resources, None, None, frozenset()).card.id in (GP, SVR)
    assert registry.model(new, None, None, frozenset()).card.id == "any-any-hter"
    assert registry.model(resources, "any-any-hter", None, frozenset()).card.pair == "any-any"
    assert [model.card.id for model in registry.fitting(new, "hter", frozenset())] == ["any-any-hter"]
    assert {model.card.id for model in registry.fitting(resources, "hter", frozenset())} == {GP, SVR}
    with pytest.raises(InputError, match="for ro-en, not en-fr"):
        registry.model(new, GP, None, frozenset())
    with pytest.raises(InputError, match="labels with a model for en-fr are hter"):
        registry.model(new, None, "da", frozenset())
    with pytest.raises(InputError, match="models for en-fr are any-any-hter"):
        registry.model(new, "none", None, frozenset())


def test_a_predictor_of_features_that_are_gone_is_left_out_with_a_reason(
    folders: tuple[Path, Path], resources: PairResources
) -> None:
    card = json.loads((SHIPPED / GP / "card.json").read_text())
    gone = [f"gone.{k}" for k in range(4)]
    _train(folders[1], "older", features=[*gone, *card["features"][4:]])
    registry = ModelRegistry(*folders)
    assert "older" not in registry.models
    assert registry.broken["older"] == "its features gone.0, gone.1, gone.2 and 1 more do not exist in this version; train it again"


def test_a_refused_label_has_its_profile_named() -> None:
    with pytest.raises(InputError, match=r"for en-de are da, hter; the networks of the profile accurate add critical$"):
        ModelRegistry(SHIPPED).model(PairResources(LanguagePair("en", "de")), None, "critical", frozenset())
