"""What is saved is there again after it is restored; what is damaged, or made to harm, changes nothing."""

import hashlib
import io
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.errors import InputError
from app.operations.judgements.feedback import FeedbackItem
from app.operations.operation import Plan
from app.registry.promotions import Promotions
from app.server.jobs.presence import exclusive_use, is_in_use, share_folder
from app.server.store import FeedbackStore, JobOrigin, JobQueue, JobStore, KeyStore, ModelOwners, open_database
from app.server.store.database import newest_revision
from app.server.upkeep import backup, restoring
from app.server.upkeep.archive import DATABASE
from app.server.upkeep.backup import back_up, write_backup
from app.server.upkeep.restoring import complete_restore, restore, restore_is_pending
from app.settings import ROOT, Settings
from tests.databases import Cluster, damage, sqlite_tables

DATABASE_NAME = "assay.sqlite3"


class House:
    """A data folder with something of everything in it."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.settings = Settings(data_dir=folder, **settings)
        if not settings and not (folder / DATABASE_NAME).exists():
            folder.mkdir(parents=True, exist_ok=True)
            (folder / DATABASE_NAME).write_bytes(sqlite_tables())
        self.database = open_database(self.settings.sqlalchemy_url)
        self.jobs, self.queue, self.keys = JobStore(self.database), JobQueue(self.database, 30.0), KeyStore(self.database)
        self.feedback = FeedbackStore(self.database)

    def fill(self) -> None:
        plan = Plan("quality", {"a": 1}, [(1, {"x": 1}), (1, {"x": 2})], {"file": io.BytesIO(b"text" * 1000)})
        for state in ("done", "running", "queued"):
            job = self.jobs.create(plan, JobOrigin("Ana", state, "d")).id
            if state != "queued":
                self.queue.take("w")
                self.queue.save_chunk(job, "w", 0, {"rows": [0.1]})
            if state == "done":
                self.queue.save_chunk(job, "w", 1, {"rows": [2]})
                self.queue.succeed(job, "w", {"mean": 1})
        self.token = self.keys.create("Ana", ["score"])[1]
        self.feedback.add([FeedbackItem("ro-en", "hter", 0.5, None, "", {"source": "a", "translation": "b"})])
        models = self.settings.trained_models_dir
        for name in ("m1", "metrics", ".x.new"):
            (models / name).mkdir(parents=True)
        (models / "m1" / "arrays.safetensors").write_bytes(os.urandom(3_000_000))
        (models / "metrics" / "beer.json").write_text("{}")
        (models / ".x.new" / "half").write_text("half")
        ModelOwners(self.database).claim("m1", "Ana")
        Promotions(models).promote("ro-en", "hter", "m1", "by hand")
        (self.settings.data_dir / "workers").mkdir()
        (self.settings.data_dir / "workers" / "w").write_text("")

    def state(self) -> Any:
        # The rate and the pause of what runs, and what comes before what waits, are of the moment.
        jobs = sorted((replace(job, rate=None, idle=0.0, ahead=None) for job in self.jobs.list()), key=lambda job: job.id)
        outputs = {job.id: list(self.jobs.outputs(job.id)) for job in jobs}
        files = {job.id: self.jobs.file(job.id, "file") for job in jobs}
        keys, owners = self.keys.list(), ModelOwners(self.database).of("Ana")
        return jobs, outputs, files, keys, self.feedback.counts(), owners, contents(self.settings.data_dir / "models")

    def close(self) -> None:
        self.database.dispose()


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path / "data")
    made.fill()
    yield made
    made.close()


@pytest.fixture
def saved(house: House, tmp_path: Path) -> Path:
    back_up(house.settings, tmp_path / "b.tar")
    return tmp_path / "b.tar"


def put_back(path: Path, folder: Path, **options: Any) -> House:
    settings = Settings(data_dir=folder)
    with path.open("rb") as file:
        restore(settings, file, **options)
    return House(folder)


def test_all_is_there_again(house: House, saved: Path, tmp_path: Path) -> None:
    again = put_back(saved, tmp_path / "other")
    before, after = house.state(), again.state()
    assert after[:6] == before[:6]
    assert after[6] == {name: raw for name, raw in before[6].items() if not name.startswith(".x")}
    assert again.keys.find(house.token) is not None
    # A repeated request makes no second job, and what ran is taken at once and goes on behind its last chunk.
    assert again.jobs.repeated(JobOrigin("Ana", "done", "d")) is not None
    running = again.queue.take("new")
    assert running is not None and (running.done, again.queue.next_chunk(running.id)) == (1, (1, {"x": 2}))
    assert sorted(path.name for path in (tmp_path / "other").iterdir() if not path.name.startswith("assay.sqlite3-")) == [
        ".in-use", "assay.sqlite3", "models"
    ]  # fmt: skip
    assert saved.stat().st_mode & 0o777 == 0o600 and not list(tmp_path.glob(".*"))
    again.close()


def test_a_database_elsewhere_is_saved_and_put_elsewhere(tmp_path: Path) -> None:
    elsewhere = {"database_url": f"sqlite:///{tmp_path / 'db' / 'x.sqlite3'}"}
    house = House(tmp_path / "data", **elsewhere)
    house.fill()
    before = house.state()
    back_up(house.settings, tmp_path / "b.tar")
    house.jobs.remove(next(job.id for job in house.jobs.list() if job.state == "succeeded"))
    house.close()
    with (tmp_path / "b.tar").open("rb") as file, pytest.raises(InputError, match="--force"):
        restore(Settings(data_dir=tmp_path / "new", **elsewhere), file)
    with (tmp_path / "b.tar").open("rb") as file:
        restore(Settings(data_dir=tmp_path / "data", **elsewhere), file, force=True)
    again = House(tmp_path / "data", **elsewhere)
    assert again.state()[:3] == before[:3]
    again.close()


def test_what_is_there_is_replaced_by_force_alone(house: House, saved: Path) -> None:
    before = house.state()
    house.keys.create("later", ["score"])
    (house.settings.trained_models_dir / "later").mkdir()
    house.close()
    with pytest.raises(InputError, match="--force"):
        put_back(saved, house.settings.data_dir)
    again = put_back(saved, house.settings.data_dir, force=True)
    assert again.state()[3] == before[3] and not (house.settings.trained_models_dir / "later").exists()
    assert not [path for path in house.settings.data_dir.iterdir() if path.name.startswith(".") and path.name != ".in-use"]
    again.close()


def test_a_folder_in_use_is_left_alone(house: House, saved: Path) -> None:
    held = share_folder(house.settings.data_dir)
    assert is_in_use(house.settings.data_dir)
    with pytest.raises(InputError, match="uses"):
        put_back(saved, house.settings.data_dir, force=True)
    os.close(held)
    assert not is_in_use(house.settings.data_dir)
    with exclusive_use(house.settings.data_dir), pytest.raises(InputError, match="uses"), exclusive_use(house.settings.data_dir):
        pass


def rewritten(saved: Path, change: Callable[[tarfile.TarInfo, bytes], list[tuple[tarfile.TarInfo, bytes]]]) -> Path:
    """The backup with its entries changed one by one."""
    other = saved.with_name("changed.tar")
    with tarfile.open(saved) as old, tarfile.open(other, "w") as new:
        for entry in old:
            file = old.extractfile(entry)
            for info, raw in change(entry, file.read() if file else b""):
                info.size = len(raw) if info.isreg() else 0
                new.addfile(info, io.BytesIO(raw))
    return other


def named(name: str, kind: bytes = tarfile.REGTYPE) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, "/etc/passwd"
    return info


def beside(*more: tarfile.TarInfo) -> Callable[[tarfile.TarInfo, bytes], list[tuple[tarfile.TarInfo, bytes]]]:
    return lambda entry, raw: [(entry, raw), *((info, b"x") for info in more if entry.name == DATABASE)]


def in_manifest(**changes: Any) -> Callable[[tarfile.TarInfo, bytes], list[tuple[tarfile.TarInfo, bytes]]]:
    def change(entry: tarfile.TarInfo, raw: bytes) -> list[tuple[tarfile.TarInfo, bytes]]:
        return [(entry, json.dumps({**json.loads(raw), **changes}).encode() if entry.name == "manifest.json" else raw)]

    return change


HARMFUL: dict[str, Callable[[tarfile.TarInfo, bytes], list[tuple[tarfile.TarInfo, bytes]]]] = {
    "another byte": lambda entry, raw: [(entry, raw[:-1] + b"!" if entry.name.endswith("safetensors") else raw)],
    "a byte less": lambda entry, raw: [(entry, raw[:-1] if entry.name.endswith("safetensors") else raw)],
    "a file less": lambda entry, raw: [] if entry.name.endswith("safetensors") else [(entry, raw)],
    "no manifest": lambda entry, raw: [] if entry.name == "manifest.json" else [(entry, raw)],
    "no database": lambda entry, raw: [] if entry.name == DATABASE else [(entry, raw)],
    "a damaged manifest": lambda entry, raw: [(entry, raw[:-5] if entry.name == "manifest.json" else raw)],
    "another form": in_manifest(format=2),
    "another database": in_manifest(database="postgresql"),
    "a number for a database": in_manifest(database=5),
    "a title for a terminal": in_manifest(created="\x1b]0;x\x07"),
    "a title in its version": in_manifest(assay="\x1b]0;x\x07"),
    "a file more": beside(named("data/more")),
    "a file twice": beside(named(DATABASE)),
    "above": beside(named("data/../../x")),
    "absolute": beside(named("/tmp/x")),
    "outside": beside(named("x")),
    "hidden": beside(named("data/.in-use")),
    "backslash": beside(named("data\\x")),
    "dot": beside(named("data/./x")),
    "a link": beside(named("data/x", tarfile.SYMTYPE)),
    "a hard link": beside(named("data/x", tarfile.LNKTYPE)),
    "a device": beside(named("data/x", tarfile.CHRTYPE)),
    "a pipe": beside(named("data/x", tarfile.FIFOTYPE)),
    "a folder": beside(named("data/x", tarfile.DIRTYPE)),
    "behind the end": lambda entry, raw: [(entry, raw), *([(named("data/x"), b"x")] if entry.name == "manifest.json" else [])],
}


@pytest.mark.parametrize("harm", HARMFUL)
def test_what_is_no_whole_backup_changes_nothing(harm: str, house: House, saved: Path, tmp_path: Path) -> None:
    house.close()
    before = contents(house.settings.data_dir)
    with pytest.raises(InputError) as raised:
        put_back(rewritten(saved, HARMFUL[harm]), house.settings.data_dir, force=True)
    assert raised.value.code == "invalid-backup"
    after = contents(house.settings.data_dir)
    assert after.pop(".in-use") == b"" and after == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.tar", "changed.tar", "data"]


def test_a_backup_that_is_cut_off_is_none(house: House, saved: Path, tmp_path: Path) -> None:
    raw = saved.read_bytes()
    for size in (0, 100, 512, 5000, len(raw) // 2, len(raw) - 20_000):
        with pytest.raises(InputError) as raised:
            restore(Settings(data_dir=tmp_path / "x"), io.BytesIO(raw[:size]))
        assert raised.value.code == "invalid-backup"
    for other in (b"x" * 5000, os.urandom(20_000)):
        with pytest.raises(InputError):
            restore(Settings(data_dir=tmp_path / "x"), io.BytesIO(other))


def test_a_damaged_or_later_database_is_refused(house: House, tmp_path: Path) -> None:
    house.close()
    with closing(sqlite3.connect(house.settings.data_dir / "assay.sqlite3")) as database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")
        database.commit()
    back_up(house.settings, tmp_path / "later.tar")
    with pytest.raises(InputError, match="later version"):
        put_back(tmp_path / "later.tar", tmp_path / "x")


@pytest.mark.parametrize(
    ("statements", "what"),
    [
        (
            [
                "DROP TABLE alembic_version",
                "CREATE VIEW alembic_version AS WITH RECURSIVE n(version_num) AS (SELECT 1 UNION ALL SELECT version_num FROM n) "
                "SELECT version_num FROM n WHERE version_num = 2",
            ],
            "view",
        ),
        (["CREATE TRIGGER t BEFORE UPDATE ON jobs BEGIN DELETE FROM jobs; END"], "trigger"),
        (["CREATE TRIGGER t AFTER INSERT ON audit BEGIN UPDATE api_keys SET scopes = '[\"admin\"]'; END"], "trigger"),
        (["DROP TRIGGER audit_stays", "CREATE TRIGGER audit_stays BEFORE UPDATE ON audit BEGIN DELETE FROM jobs; END"], "trigger"),
        (["CREATE VIRTUAL TABLE v USING fts5(x)"], "table"),
        (["CREATE INDEX i ON jobs (abs(total))"], "index"),
    ],
)
def test_a_database_of_another_making_is_refused_at_once(
    statements: list[str], what: str, house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.close()
    with closing(sqlite3.connect(house.settings.data_dir / "assay.sqlite3")) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()
    if what != "view":
        with pytest.raises(InputError, match=f"holds a foreign {what} .* so nothing was saved"):
            back_up(house.settings, tmp_path / "strange.tar")
    monkeypatch.setattr(backup, "copy_database", lambda source, copy: shutil.copy(source, copy) and newest_revision())
    back_up(house.settings, tmp_path / "strange.tar")
    with pytest.raises(InputError, match=f"holds a foreign {what}"):
        put_back(tmp_path / "strange.tar", tmp_path / "x")


def test_a_database_without_the_guards_of_its_audit_is_refused(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.close()
    with closing(sqlite3.connect(house.settings.data_dir / DATABASE_NAME)) as database:
        database.execute("DROP TRIGGER audit_stays")
    monkeypatch.setattr(backup, "schema_fault", lambda *_: None)
    back_up(house.settings, tmp_path / "unguarded.tar")
    with pytest.raises(InputError, match="lacks the trigger audit_stays"):
        put_back(tmp_path / "unguarded.tar", tmp_path / "x")


def test_statistics_of_the_database_are_no_part_of_its_schema(house: House, tmp_path: Path) -> None:
    house.close()
    with closing(sqlite3.connect(house.settings.data_dir / DATABASE_NAME)) as database:
        database.execute("ANALYZE")
    back_up(house.settings, tmp_path / "analysed.tar")
    put_back(tmp_path / "analysed.tar", tmp_path / "x").close()


def test_a_damaged_database_takes_the_place_of_no_good_backup(house: House, saved: Path) -> None:
    house.close()
    good = saved.read_bytes()
    damage(house.settings.data_dir / DATABASE_NAME, "jobs")
    with pytest.raises(InputError, match="is damaged, so nothing was saved") as refused:
        back_up(house.settings, saved)
    assert refused.value.code == "database-damaged"
    assert saved.read_bytes() == good and [path.name for path in saved.parent.iterdir() if ".part" in path.name] == []
    stream = io.BytesIO()
    with pytest.raises(InputError, match="nothing was saved"):
        write_backup(house.settings, stream)
    assert stream.getvalue() == b""


def test_another_database_in_the_folder_is_a_file_like_others(house: House, tmp_path: Path) -> None:
    (house.settings.data_dir / "assay.sqlite3.before").write_bytes(b"older")
    house.close()
    back_up(house.settings, tmp_path / "b.tar")
    put_back(tmp_path / "b.tar", tmp_path / "x").close()
    assert (tmp_path / "x" / "assay.sqlite3.before").read_bytes() == b"older"


@pytest.mark.parametrize("end", range(1, 7))
def test_a_restore_that_is_cut_off_is_brought_to_its_end(
    end: int, house: House, saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by a kill between any two renames."""
    before = house.state()
    house.keys.create("later", ["score"])
    house.close()
    renames = 0
    rename = Path.rename

    def until(path: Path, target: Path) -> Path:
        nonlocal renames
        renames += 1
        if renames == end:
            raise KeyboardInterrupt
        return rename(path, target)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Path, "rename", until)
        put_back(saved, house.settings.data_dir, force=True)
    pending = restore_is_pending(house.settings)
    assert pending == (end > 1)
    complete_restore(house.settings)
    assert not restore_is_pending(house.settings)
    again = House(house.settings.data_dir)
    assert (again.state()[3] == before[3]) == pending
    assert contents(house.settings.trained_models_dir)["m1/arrays.safetensors"] == before[6]["m1/arrays.safetensors"]
    again.close()


def test_a_backup_beside_writers_is_of_one_moment(house: House, tmp_path: Path) -> None:
    ended = threading.Event()

    def write() -> None:
        while not ended.is_set():
            # Two rows in one transaction: a copy has both, or neither.
            house.feedback.add([FeedbackItem("ro-en", "hter", 0.5, None, "", {"source": "a"}) for _ in range(2)])

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(3):
            back_up(house.settings, tmp_path / f"{number}.tar")
    finally:
        ended.set()
        writer.join()
    counts = []
    for number in range(3):
        again = put_back(tmp_path / f"{number}.tar", tmp_path / str(number))
        counts.append(again.feedback.counts()[0].segments)
        again.close()
    assert all(count % 2 == 1 for count in counts) and counts == sorted(counts)


def test_a_model_that_comes_while_the_database_is_copied_is_not_without_its_owner(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy, models = backup.copy_database, iter(["new-1", "new-2"])

    def copy_and_train(source: Path, target: Path) -> str:
        revision = copy(source, target)
        for name in models:
            ModelOwners(house.database).claim(name, "Ana")
            (house.settings.trained_models_dir / name).mkdir()
            (house.settings.trained_models_dir / name / "card.json").write_text("{}")
            break
        return revision

    monkeypatch.setattr(backup, "copy_database", copy_and_train)
    back_up(house.settings, tmp_path / "b.tar")
    again = put_back(tmp_path / "b.tar", tmp_path / "other")
    there = {path.name for path in (tmp_path / "other" / "models").iterdir()} & {"new-1", "new-2"}
    assert there == {"new-1", "new-2"} and there <= set(ModelOwners(again.database).of("Ana"))
    again.close()


def test_what_would_go_wrong_is_said(house: House, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="in the data folder"):
        back_up(house.settings, house.settings.data_dir / "b.tar")
    with pytest.raises(InputError, match="no database"):
        back_up(Settings(data_dir=tmp_path / "nothing"), tmp_path / "b.tar")
    assert not (tmp_path / "b.tar").exists() and not list(tmp_path.glob(".*"))


def test_parts_on_other_disks_are_saved(house: House, tmp_path: Path) -> None:
    shutil.move(house.settings.trained_models_dir, tmp_path / "elsewhere")
    house.settings.trained_models_dir.symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "round").symlink_to(tmp_path / "elsewhere")
    stream = io.BytesIO()
    manifest = write_backup(house.settings, stream)
    assert {"data/models/m1/arrays.safetensors", "data/models/promotions.jsonl"} <= manifest.files.keys()
    assert len(manifest.files) == 4


def run(*arguments: str, settings: dict[str, str], stdin: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-m", "app", *arguments]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **settings}, input=stdin, capture_output=True, check=False)


def test_commands(house: House, tmp_path: Path) -> None:
    here = {"ASSAY_DATA_DIR": str(house.settings.data_dir)}
    piped = run("server", "backup", "-", settings=here)
    assert piped.returncode == 0 and b"saved 4 files" in piped.stderr
    there = {"ASSAY_DATA_DIR": str(tmp_path / "other")}
    restored = run("server", "restore", "-", settings=there, stdin=piped.stdout)
    assert restored.returncode == 0 and b"revoked" in restored.stderr, restored.stderr
    again = House(tmp_path / "other")
    assert again.state()[:6] == house.state()[:6]
    again.close()
    refused = run("server", "restore", "-", settings=there, stdin=piped.stdout)
    assert refused.returncode == 2 and b"--force" in refused.stderr


def test_postgresql_is_named_and_its_files_are_saved(postgres: Cluster, tmp_path: Path) -> None:
    url = postgres.address.replace("assay@", "assay:secret@") + "postgres"
    settings = {"ASSAY_DATA_DIR": str(tmp_path / "data"), "ASSAY_DATABASE_URL": url}
    (tmp_path / "data" / "models").mkdir(parents=True)
    (tmp_path / "data" / "models" / "promotions.jsonl").write_text("{}\n")
    saved = run("server", "backup", str(tmp_path / "b.tar"), settings=settings)
    assert saved.returncode == 1 and b"pg_dump --format=custom" in saved.stderr and b"secret" not in saved.stderr
    restored = run("server", "restore", str(tmp_path / "b.tar"), settings={**settings, "ASSAY_DATA_DIR": str(tmp_path / "other")})
    assert restored.returncode == 1 and b"pg_restore --clean" in restored.stderr
    assert contents(tmp_path / "other")["models/promotions.jsonl"] == b"{}\n"
    with (tmp_path / "b.tar").open("rb") as file, pytest.raises(InputError, match="postgresql"):
        restore(Settings(data_dir=tmp_path / "third"), file)
    assert restoring.RESTORED_SUFFIX.startswith(".")


@pytest.mark.parametrize("name", ["data/workers", "data/workers/1.lock", "data/assay.sqlite3", "data/assay.sqlite3-wal/x"])
def test_what_stays_in_place_is_in_no_backup(name: str, house: House, saved: Path, tmp_path: Path) -> None:
    """With a right manifest: it would stand in the way of what is put in place, half-way."""
    path = tmp_path / "more.tar"
    with tarfile.open(saved) as before, tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as after:
        for entry in before:
            raw = before.extractfile(entry).read()  # type: ignore[union-attr]
            if entry.name == "manifest.json":
                more = tarfile.TarInfo(name)
                more.size = 1
                after.addfile(more, io.BytesIO(b"x"))
                fields = json.loads(raw)
                fields["files"][name] = [1, hashlib.sha256(b"x").hexdigest()]
                raw = json.dumps(fields).encode()
                entry.size = len(raw)
            after.addfile(entry, io.BytesIO(raw))
    house.close()
    before_it = contents(house.settings.data_dir)
    with path.open("rb") as file, pytest.raises(InputError, match=r"a name that no backup has|name as the database"):
        restore(house.settings, file, force=True)
    # The lock that says who uses the folder may stay.
    assert {**contents(house.settings.data_dir), ".in-use": b""} == {**before_it, ".in-use": b""}
