"""All that belongs to a person goes, nothing of others does, and what remains is named."""

import json
import random
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine as Database
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.errors import InputError
from app.operations.judgements.corrections import Change
from app.operations.judgements.feedback import FeedbackItem
from app.operations.judgements.records import FeedbackFilter
from app.operations.operation import Plan
from app.registry.promotions import Promotions
from app.server.service.authentication import Caller, Proof
from app.server.service.quotas import Quotas
from app.server.store import (
    Actor,
    CorrectionStore,
    FeedbackStore,
    JobOrigin,
    JobQueue,
    JobStore,
    KeyStore,
    ModelOwners,
    UsageStore,
    open_database,
)
from app.server.store.tables import Tables
from app.server.upkeep.forgetting import BY_HAND, RECORDS, Forgetting
from app.settings import Settings


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.server.upkeep.forgetting.CACHE_SECONDS", 0.0)
    monkeypatch.setattr("app.server.upkeep.forgetting.LOOK_SECONDS", 0.02)


class House:
    """What Ana and Bo have."""

    def __init__(self, database: Database, folder: Path) -> None:
        self.database, self.models = database, folder / "models"
        self.jobs, self.queue, self.keys = JobStore(database), JobQueue(database, 30.0), KeyStore(database)
        self.owners, self.feedback = ModelOwners(database), FeedbackStore(database)
        self.forgetting = Forgetting(database, Settings(data_dir=folder))

    def job(self, owner: str, kind: str = "quality", summary: Any = None, **params: Any) -> str:
        job = self.jobs.create(Plan(kind, params, [(1, {"x": 1})]), JobOrigin(owner, f"key of {owner} {time.time_ns()}", "d")).id
        if summary is not None:
            self.queue.take("w")
            self.queue.save_chunk(job, "w", 0, {"rows": [1]})
            self.queue.succeed(job, "w", summary)
        return job

    def judgement(self, owner: str, pair: str = "ro-en") -> None:
        item = FeedbackItem(pair, "hter", 0.5, None, "", {"source": "a", "translation": "b"})
        self.feedback.of(owner).add([item])

    def model(self, name: str, owner: str | None, parent: str | None = None) -> None:
        (self.models / name).mkdir(parents=True)
        card = {"id": name, "pair": "ro-en", "label": "hter", "parent": parent}
        (self.models / name / "card.json").write_text(json.dumps(card))
        if owner:
            self.owners.claim(name, owner)

    def text(self) -> str:
        """All that is in the database."""
        with Session(self.database) as session:
            return str([row for table in Tables.metadata.sorted_tables for row in session.execute(select(table))])


def test_all_of_a_person_goes_and_nothing_of_others(database: Database, tmp_path: Path) -> None:
    house = House(database, tmp_path)
    for owner in ("Ana", "Bo"):
        house.keys.create(owner, ["jobs"], owner=owner)
        house.keys.create(f"{owner}-2", ["jobs"], owner=owner, pairs=["ro-en"])
        done = house.job(owner, summary={"mean": 1})
        # Ana corrects her own job, and then Bo's, where only her name goes.
        CorrectionStore(database).change(done, Change(1, "a text", 0, "Ana-2", "Ana"))
        house.judgement(owner)
    for owner in ("Ana", "Bo"):
        house.job(owner)
    answer = house.forgetting.forget("Ana")
    assert answer["deleted"] == {"jobs": 2, "files": 0, "feedback": 1, "keys": 2, "models": []}
    assert "Ana" not in house.text()
    assert [(each.text, each.author) for each in CorrectionStore(database).all(done)] == [("a text", "")]
    assert [key.owner for key in house.keys.list() if key.revoked is None] == ["Bo", "Bo"]
    assert len(house.jobs.list()) == len(house.jobs.list(owner="Bo")) == 2
    assert [count.segments for count in house.feedback.counts()] == [1]
    what = {left["what"] for left in answer["remains"]}
    assert what == {"backups", "logs", "database", "records"}
    # It can be asked again.
    assert house.forgetting.forget("Ana")["deleted"] == {"jobs": 0, "files": 0, "feedback": 0, "keys": 0, "models": []}


def test_keys_stay_needed_when_the_last_is_gone(database: Database, tmp_path: Path) -> None:
    house = House(database, tmp_path)
    _, token = house.keys.create("Ana", ["admin"])
    house.forgetting.forget("Ana")
    assert house.keys.exist() and house.keys.find(token) is None
    assert [(key.owner, key.scopes) for key in house.keys.list()] == [("", frozenset())]


def test_running_jobs_are_cancelled_first(database: Database, tmp_path: Path) -> None:
    house = House(database, tmp_path)
    job = house.job("Ana")
    house.queue.take("w")

    def stop_when_told() -> None:
        while not house.queue.cancel_requested(job, "w"):
            time.sleep(0.02)
        house.queue.stop(job, "w")

    worker = threading.Thread(target=stop_when_told)
    worker.start()
    answer = house.forgetting.forget("Ana", patience=60)
    worker.join()
    assert answer["deleted"]["jobs"] == 1 and house.jobs.list() == []


def test_a_job_that_does_not_end_is_named(database: Database, tmp_path: Path) -> None:
    house = House(database, tmp_path)
    job = house.job("Ana")
    house.queue.take("w")
    house.job("Ana")
    answer = house.forgetting.forget("Ana", patience=0)
    assert answer["deleted"]["jobs"] == 1
    assert {"what": "jobs", "names": [job]}.items() <= dict(answer["remains"][0]).items()


def test_models_are_named_or_deleted(database: Database, tmp_path: Path) -> None:
    house = House(database, tmp_path)
    house.model("hers", "Ana")
    house.model("version", None, parent="hers")
    house.model("his", "Bo")
    house.judgement("Ana")
    house.job("", "train", {"model": "taught"}, feedback=True, source_language="ro", target_language="en", label="hter")
    house.job("", "train", {"model": "his"}, feedback=True, source_language="de", target_language="en", label="hter")
    house.model("taught", None)
    promotions = Promotions(house.models)
    promotions.promote("ro-en", "hter", "hers", "by hand")
    remains = house.forgetting.forget("Ana")["remains"]
    assert [left["names"] for left in remains[:4]] == [["hers"], ["version"], ["taught"], ["promotions.jsonl"]]
    assert (house.models / "hers").is_dir() and house.owners.of("Ana") == ["hers"]
    answer = house.forgetting.forget("Ana", with_models=True)
    assert answer["deleted"]["models"] == ["hers"] and house.owners.of("Ana") == []
    assert sorted(path.name for path in house.models.iterdir()) == ["his", "promotions.jsonl", "taught", "version"]
    assert Promotions(house.models).current("ro-en", "hter") is None
    assert answer["remains"][0]["names"] == ["version"]
    # A name that is free again is whoever's takes it.
    house.owners.claim("hers", "Bo")
    assert ModelOwners(database).owner_of("hers", 1) == "Bo"


@pytest.mark.parametrize("name", ["", "a\0b", "x" * 101])
def test_what_is_no_name_is_no_owner(name: str, database: Database, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a name"):
        House(database, tmp_path).forgetting.forget(name)


def test_every_table_with_an_owner_is_cared_for() -> None:
    """Those with an owner alone need no care: their rows are deleted. Others say here that somebody thought of them."""
    owned = {table.name for table in Tables.metadata.sorted_tables if "owner" in table.c}
    assert owned >= BY_HAND and not BY_HAND & RECORDS
    for name in owned - BY_HAND - RECORDS:
        assert not Tables.metadata.tables[name].foreign_keys, name


def test_what_was_under_way_is_not_kept_after_its_owner_is_forgotten(database: Database, tmp_path: Path) -> None:
    """A call may take a minute, and so may the body of a job: the key is looked at again in the transaction that writes."""
    house = House(database, tmp_path)
    house.keys.create("k", ["jobs", "feedback"], owner="Ana")
    ana = Caller("k", "Ana", frozenset({"jobs", "feedback"}), proof=Proof("token"))
    quotas = Quotas(Settings(data_dir=tmp_path), lambda: UsageStore(database))
    item = FeedbackItem("ro-en", "hter", 0.5, None, "", {"source": "a", "translation": "b"})
    chunk = {"sources": ["a"], "translations": ["b"]}
    plan, admission = quotas.admission(ana, "Ana", Plan("quality", {}, [(1, chunk)]))
    house.jobs.create(plan, JobOrigin("Ana"), admission)
    store = house.feedback.of("Ana").changed_by(Actor("k", "Ana"), ana.still_open)
    store.add([item])
    house.forgetting.forget("Ana")
    plan, admission = quotas.admission(ana, "Ana", Plan("quality", {}, [(1, chunk)]))
    house.judgement("Ana")
    (other,) = house.feedback.page(FeedbackFilter(), 10)
    for late in (
        lambda: house.jobs.create(plan, JobOrigin("Ana"), admission),
        lambda: store.add([item]),
        lambda: store.correct(other.id, lambda before: before.item),
    ):
        with pytest.raises(InputError, match="revoked during") as refused:
            late()
        assert refused.value.code == "no-key"
    assert [row.id for row in house.feedback.page(FeedbackFilter(), 10)] == [other.id] and not house.jobs.list()


def test_whoever_deletes_can_be_sure(tmp_path: Path) -> None:
    """Also where nothing expires: what users delete themselves is in no file any more."""
    settings = Settings(data_dir=tmp_path, secure_delete=True)
    database = open_database(settings.sqlalchemy_url, secure_delete=True)
    jobs, feedback = JobStore(database), FeedbackStore(database)
    secret = "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz", k=3000))
    job = jobs.create(Plan("quality", {"text": secret}, [(1, {})]))
    jobs.cancel(job.id)
    jobs.remove(job.id)
    (kept,) = feedback.add([FeedbackItem("ro-en", "hter", 0.5, None, secret, {"source": "a", "translation": "b"})])
    feedback.delete(kept)
    assert any(secret.encode() in path.read_bytes() for path in tmp_path.glob("assay.sqlite3*"))
    Forgetting(database, settings).make_sure()
    assert not any(secret.encode() in path.read_bytes() for path in tmp_path.glob("assay.sqlite3*"))
    database.dispose()
