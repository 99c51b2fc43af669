"""Models of several machines: whatever one saves or promotes, the others have, whole and once."""

import json
import multiprocessing
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.registry.artifacts import LocalArtifacts
from app.registry.promotions import Promotion, Promotions
from app.server.jobs.hosts.model_store import ModelStore, SharedArtifacts, StoreUnavailableError
from app.server.jobs.waiting import patiently


class Host:
    def __init__(self, folder: Path, address: str) -> None:
        self.store = ModelStore(folder, address)
        self.local = LocalArtifacts(folder)
        self.artifacts = SharedArtifacts(self.local, self.store)
        self.promotions = Promotions(folder)
        self.folder = folder


@pytest.fixture
def hosts(tmp_path: Path) -> tuple[Host, Host]:
    address = str(tmp_path / "store")
    return Host(tmp_path / "a", address), Host(tmp_path / "b", address)


def files(**contents: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        for name, text in contents.items():
            path = folder / name.replace("__", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    return write


def contents(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_a_saved_model_is_on_every_machine(hosts: tuple[Host, Host]) -> None:
    a, b = hosts
    a.artifacts.save("m", files(card="one", deep__weights="1 2"))
    b.store.synchronise()
    assert contents(b.local.folder("m")) == contents(a.local.folder("m")) == {"card": "one", "deep/weights": "1 2"}
    b.artifacts.save("m", files(card="two"), replace=True)
    a.store.synchronise()
    assert contents(a.local.folder("m")) == {"card": "two"} and a.local.names() == ["m"]
    changed = (a.local.folder("m") / "card").stat().st_mtime_ns
    a.store.synchronise()
    assert (a.local.folder("m") / "card").stat().st_mtime_ns == changed


def test_a_model_appears_nowhere_before_the_store_has_it(hosts: tuple[Host, Host], monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = hosts

    def fail(*_: Any) -> None:
        raise StoreUnavailableError

    with monkeypatch.context() as patch:
        patch.setattr(a.store, "save", fail)
        with pytest.raises(StoreUnavailableError):
            a.artifacts.save("m", files(card="one"))
    assert a.local.names() == []
    a.artifacts.save("m", files(card="one"))
    b.store.synchronise()
    assert b.local.names() == ["m"]


def test_parts_of_a_model_are_no_model(hosts: tuple[Host, Host], tmp_path: Path) -> None:
    a, b = hosts
    a.artifacts.save("m", files(card="one"))
    (tmp_path / "store" / "models" / "m.json").unlink()
    b.store.synchronise()
    assert b.local.names() == []


@pytest.mark.parametrize(
    ("manifest", "reason"),
    [
        ({"files": {"card": "0" * 64}}, "card is damaged"),
        ({"files": {"../x": "0" * 64}}, "outside"),
        ({"files": {"/x": "0" * 64}}, "outside"),
        ({"files": {"none": "0" * 64}}, "no such file"),
        ({"files": 1}, "valid dictionary"),
        (None, "passed over"),
    ],
)
def test_a_damaged_model_is_passed_over(
    hosts: tuple[Host, Host], tmp_path: Path, manifest: Any, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    a, b = hosts
    a.artifacts.save("m", files(card="one"))
    a.artifacts.save("n", files(card="two"))
    path = tmp_path / "store" / "models" / "m.json"
    good = path.read_text()
    path.write_text("{" if manifest is None else json.dumps({**json.loads(good), **manifest}))
    for _ in range(2):
        b.store.synchronise()
    assert b.local.names() == ["n"] and caplog.text.count("models/m of the store") == 1 and reason in caplog.text
    path.write_text(good)
    b.store.synchronise()
    assert b.local.names() == ["m", "n"]


@pytest.mark.parametrize("content", ["{", "[]", '{"pair": "ro-en"}', "OTHER"])
def test_a_damaged_promotion_is_passed_over(
    hosts: tuple[Host, Host], tmp_path: Path, content: str, caplog: pytest.LogCaptureFixture
) -> None:
    a, b = hosts
    a.promotions.write(Promotion("ro-en", "hter", "good", "2026-01-02T00:00:00+00:00", "r"))
    a.store.synchronise()
    [stored] = (tmp_path / "store" / "promotions").iterdir()
    other = stored.read_text().replace("good", "bad")
    (stored.parent / f"{'0' * 32}.json").write_text(content.replace("OTHER", other))
    for _ in range(2):
        b.store.synchronise()
    assert [entry.model for entry in b.promotions.entries()] == ["good"] and caplog.text.count("is passed over") == 1


def save_slowly(folder: str, address: str) -> None:
    host = Host(Path(folder), address)
    with host.store.lock():
        (Path(folder) / "locked").touch()
        time.sleep(1)
        (Path(folder) / "locked").unlink()


def test_one_process_of_a_machine_copies_at_a_time(hosts: tuple[Host, Host], tmp_path: Path) -> None:
    a, b = hosts
    a.artifacts.save("m", files(card="one"))
    process = multiprocessing.get_context("spawn").Process(target=save_slowly, args=(str(b.folder), str(tmp_path / "store")))
    process.start()
    while not (b.folder / "locked").exists():
        time.sleep(0.01)
    b.store.synchronise()
    assert not (b.folder / "locked").exists() and b.local.names() == ["m"]
    process.join()


def test_promotions_reach_every_machine_and_count_by_their_times(hosts: tuple[Host, Host]) -> None:
    a, b = hosts
    b.promotions.write(Promotion("ro-en", "hter", "late", "2026-01-02T00:00:00+00:00", "r"))
    a.promotions.write(Promotion("ro-en", "hter", "early", "2026-01-01T00:00:00+00:00", "r"))
    a.promotions.write(Promotion("ro-en", "da", "other", "2026-01-03T00:00:00+00:00", "r"))
    for host in (a, b, a):
        host.store.synchronise()
    for host in hosts:
        assert (host.promotions.current("ro-en", "hter"), host.promotions.current("ro-en", "da")) == ("late", "other")
    lines = [path.read_bytes().count(b"\n") for path in (a.folder / "promotions.jsonl", b.folder / "promotions.jsonl")]
    for host in (a, b):
        host.store.synchronise()
    assert (
        lines
        == [path.read_bytes().count(b"\n") for path in (a.folder / "promotions.jsonl", b.folder / "promotions.jsonl")]
        == [3, 3]
    )


@given(st.lists(st.tuples(st.integers(0, 9), st.booleans()), max_size=12))
def test_a_clock_that_goes_back_changes_no_order_here(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, bool]]
) -> None:
    record = Promotions(tmp_path_factory.mktemp("record"))
    for number, (second, is_foreign) in enumerate(rows):
        entry = Promotion("ro-en", "hter", str(number), f"2026-01-01T00:00:0{second}+00:00", "r")
        record.merge([entry]) if is_foreign else record.write(entry)
    here = [str(number) for number, (_, is_foreign) in enumerate(rows) if not is_foreign]
    entries = record.entries()
    assert [entry.model for entry in entries if entry.model in here] == here and len(entries) == len(rows)
    foreign = [entry.at for entry in entries if entry.model not in here]
    assert foreign == sorted(foreign)


def test_a_store_that_does_not_answer_is_asked_again_with_its_reason(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("")
    host = Host(tmp_path / "a", str(tmp_path / "file" / "store"))
    with pytest.raises(StoreUnavailableError):
        host.artifacts.save("m", files(card="one"))
    assert host.local.names() == []

    def give_up() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        patiently(host.store.synchronise, give_up)
    assert "the store of models does not answer: " in caplog.text and "Not a directory; waiting for it" in caplog.text
