"""Deletion of all data of a person; the result names the remainder."""

import json
import logging
import secrets
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, delete, func, select, update
from sqlalchemy import Engine as Database
from sqlalchemy.orm import Session
from typing_extensions import TypedDict

from app.errors import InputError
from app.registry.promotions import Promotions
from app.server.store import FINAL_STATES, JobStore, ModelOwners
from app.server.store.tables import CorrectionRow, FeedbackRow, FeedbackUseRow, JobRow, KeyRow, SessionRow, Tables
from app.server.upkeep.slices import BELONGINGS, delete_rows, empty_log
from app.settings import Settings

__all__ = ["DeletedOfOwner", "Forgetting", "OwnerDeletion", "Remainder"]

log = logging.getLogger("assay")
# A key that was just revoked may be remembered by servers for a second: what is asked for in this time is deleted as well.
CACHE_SECONDS: Final = 1.5
LOOK_SECONDS: Final = 0.2
LONGEST_OWNER: Final = 100
# Tables with a deletion of their own, and tables of records that stay.
BY_HAND: Final = frozenset({"jobs", "feedback", "api_keys", "model_owners"})
RECORDS: Final = frozenset({"audit"})


class DeletedOfOwner(TypedDict):
    """Counts of deleted data; models by name."""

    jobs: int
    files: int
    feedback: int
    keys: int
    models: list[str]


class Remainder(TypedDict):
    """Data that was not deleted, with names if it has any, and its remedy."""

    what: str
    names: list[str]
    why: str


class OwnerDeletion(TypedDict):
    """Result of deleting all data of a person."""

    owner: str
    deleted: DeletedOfOwner
    remains: list[Remainder]


@dataclass(frozen=True)
class _Model:
    """Source of a model trained here, by its card."""

    name: str
    pair: str
    label: str
    parent: str | None


class Forgetting:
    """Deletes all data of an owner. An interrupted call can be repeated; its counts then lack the data deleted before."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._settings = settings
        self._jobs = JobStore(database)
        self._owners = ModelOwners(database)

    def forget(self, owner: str, with_models: bool = False, patience: float = 30.0) -> OwnerDeletion:
        """Revoke keys, cancel jobs and wait for their end (for `patience` seconds at most), then delete everything.

        Without `with_models` the owner's models stay, and are named. InputError for an invalid name.
        """
        if not 0 < len(owner) <= LONGEST_OWNER or not owner.isprintable():
            detail = f"an owner is a name of 1 to {LONGEST_OWNER} characters; what belongs to nobody is not deleted so"
            raise InputError("invalid-request", detail, ("name",))
        keys = self._forget_keys(owner)
        learnt_models = self._models_that_may_have_learnt(owner)
        begin_time = time.monotonic()
        jobs = files = 0
        while True:
            self._cancel(owner, patience)
            count = self._delete_jobs(owner)
            jobs, files = jobs + count[0], files + count[1]
            if time.monotonic() - begin_time > CACHE_SECONDS:
                break
            time.sleep(LOOK_SECONDS)
        own_feedback = select(FeedbackRow.id).where(FeedbackRow.owner == owner)
        delete_rows(self._database, FeedbackUseRow, FeedbackUseRow.feedback.in_(own_feedback))
        feedback = delete_rows(self._database, FeedbackRow, FeedbackRow.owner == owner)
        self._delete_the_rest(owner)
        models = self._delete_models(owner) if with_models else []
        deleted: DeletedOfOwner = {"jobs": jobs, "files": files, "feedback": feedback, "keys": keys, "models": models}
        return {"owner": owner, "deleted": deleted, "remains": list(self._remains(owner, set(models), learnt_models))}

    def make_sure(self) -> None:
        """Erase deleted data from files too, if the settings demand it."""
        if self._settings.secure_delete and not empty_log(self._database):
            log.warning("the log of the database could not be emptied, since somebody reads it; deleted texts may be in it still")

    def _forget_keys(self, owner: str) -> int:
        """Revoke keys and delete their owner's name. The rows stay, since without any row callers would need no key."""
        with Session(self._database) as session, session.begin():
            ids = list(session.scalars(select(KeyRow.id).where(KeyRow.owner == owner)))
            for id in ids:
                anonymous_key = {"name": f"deleted-{secrets.token_hex(4)}", "owner": "", "digest": "", "scopes": "[]"}
                emptied_key = {"pairs": None, "models": None, "used": None, "expires": None, "revoked": time.time()}
                session.execute(update(KeyRow).where(KeyRow.id == id).values(**anonymous_key, **emptied_key))
            session.execute(delete(SessionRow).where(SessionRow.key_id.in_(ids)))
        return len(ids)

    def _cancel(self, owner: str, patience: float) -> None:
        deadline = time.monotonic() + patience
        while True:
            running = self._unfinished(owner)
            for job in running:
                self._jobs.cancel(job)
            if not self._unfinished(owner) or time.monotonic() > deadline:
                return
            time.sleep(LOOK_SECONDS)

    def _unfinished(self, owner: str) -> list[str]:
        query = select(JobRow.id).where(JobRow.owner == owner, JobRow.state.not_in(FINAL_STATES))
        with Session(self._database) as session:
            return list(session.scalars(query))

    def _delete_jobs(self, owner: str) -> tuple[int, int]:
        """Delete jobs that have ended with all they hold; how many jobs, and how many files they came in."""
        conditions: tuple[ColumnElement[bool], ...] = (JobRow.owner == owner, JobRow.state.in_(FINAL_STATES))
        ids = select(JobRow.id).where(*conditions)
        files = BELONGINGS[1]
        with Session(self._database) as session:
            # A file is in pieces.
            pieces = select(files.job_id, files.role).where(files.job_id.in_(ids)).distinct().subquery()
            count = int(session.scalar(select(func.count()).select_from(pieces)) or 0)
        for belonging in BELONGINGS:
            delete_rows(self._database, belonging, belonging.job_id.in_(ids))
        return delete_rows(self._database, JobRow, *conditions), count

    def _delete_the_rest(self, owner: str) -> None:
        """Delete an owner's other rows, such as counts of use; corrections in jobs of others lose the name and stay."""
        corrected_rows = update(CorrectionRow).where(CorrectionRow.author_owner == owner).values(author="", author_owner="")
        with self._database.begin() as connection:
            connection.execute(corrected_rows)
        for table in Tables.metadata.sorted_tables:
            if "owner" in table.c and table.name not in BY_HAND | RECORDS:
                with self._database.begin() as connection:
                    connection.execute(delete(table).where(table.c.owner == owner))

    def _delete_models(self, owner: str) -> list[str]:
        """Delete the owner's models, and undo their promotions."""
        promotions = Promotions(self._settings.trained_models_dir)
        deleted_names = [name for name in self._owners.of(owner) if self._is_there(name)]
        for model in self._trained_models():
            if model.name in deleted_names and promotions.current(model.pair, model.label) == model.name:
                promotions.promote(model.pair, model.label, None, "the model was deleted")
        for name in deleted_names:
            self._remove(name)
            self._owners.release(name)
        return deleted_names

    def _is_there(self, name: str) -> bool:
        return (self._settings.trained_models_dir / name).is_dir()

    def _remove(self, name: str) -> None:
        """Hide a model at once, then delete its files."""
        folder = self._settings.trained_models_dir
        new_folder = folder / f".{secrets.token_hex(8)}.new"
        (folder / name).rename(new_folder)
        shutil.rmtree(new_folder)

    def _trained_models(self) -> Iterator[_Model]:
        for path in sorted(self._settings.trained_models_dir.glob("*/card.json")):
            try:
                card: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
                yield _Model(path.parent.name, str(card["pair"]), str(card["label"]), card.get("parent"))
            except (OSError, ValueError, KeyError):
                log.warning("%s cannot be read", path)

    def _models_that_may_have_learnt(self, owner: str) -> set[str]:
        """Models of other owners that may have learnt from this owner's feedback."""
        with Session(self._database) as session:
            first = {
                (pair, label): start_time
                for pair, label, start_time in session.execute(
                    select(FeedbackRow.pair, FeedbackRow.label, func.min(FeedbackRow.created))
                    .where(FeedbackRow.owner == owner)
                    .group_by(FeedbackRow.pair, FeedbackRow.label)
                )
            }
            trainings = session.execute(
                select(JobRow.params, JobRow.summary, JobRow.created).where(
                    JobRow.kind == "train", JobRow.summary.is_not(None), JobRow.owner != owner
                )
            )
            owner_feedback = select(FeedbackRow.id).where(FeedbackRow.owner == owner)
            learnt_models = set(
                session.scalars(select(FeedbackUseRow.model).where(FeedbackUseRow.feedback.in_(owner_feedback)).distinct())
            )
            # Older versions did not record the judgements of a training.
            recorded_models = set(session.scalars(select(FeedbackUseRow.model).distinct()))
            for params, summary, created in trainings if first else ():
                parameters, model = json.loads(params), str(json.loads(summary or "{}").get("model"))
                pair = f"{parameters.get('source_language')}-{parameters.get('target_language')}"
                could = parameters.get("feedback") and created >= first.get((pair, parameters.get("label")), created + 1)
                if could and model not in recorded_models:
                    learnt_models.add(model)
        return learnt_models

    def _remains(self, owner: str, deleted: set[str], learnt_models: set[str]) -> Iterator[Remainder]:
        unfinished_jobs = self._unfinished(owner)
        if unfinished_jobs:
            yield _remainder("jobs", unfinished_jobs, "they are being cancelled and did not end in time; ask again in a minute")
        own_models = set(filter(self._is_there, self._owners.of(owner)))
        if own_models:
            yield _remainder("models", sorted(own_models), "they were trained by this owner; ask again with models to delete them")
        descendants = _descendants(list(self._trained_models()), own_models | deleted) - own_models - deleted
        if descendants:
            versions_reason = (
                "versions that others made of this owner's models hold what those had learnt; delete or retrain them by hand"
            )
            yield _remainder("models", sorted(descendants), versions_reason)
        descendants_of_learning = set(filter(self._is_there, learnt_models)) - own_models - deleted - descendants
        if descendants_of_learning:
            versions_reason = "they were trained with feedback when there was some of this owner's; train them again without it"
            yield _remainder("models", sorted(descendants_of_learning), versions_reason)
        yield from self._traces()

    def _traces(self) -> Iterator[Remainder]:
        promotions = self._settings.trained_models_dir / "promotions.jsonl"
        if promotions.is_file():
            yield _remainder("records", [promotions.name], "who was promoted stays on record, with reasons that people wrote")
        if RECORDS & Tables.metadata.tables.keys():
            yield _remainder("records", sorted(RECORDS), "who did what stays on record, without texts")
        yield _remainder("backups", [], "those made before hold everything; delete them, or ask again after restoring one")
        yield _remainder("logs", [], "what the server and a proxy wrote holds no texts, but may hold names and addresses")
        if self._database.dialect.name != "sqlite":
            yield _remainder("database", [], "deleted rows stay in PostgreSQL's files until VACUUM, and in its log for a while")
        elif not self._settings.secure_delete:
            pages_reason = (
                "free pages of the file may hold deleted texts; set ASSAY_SECURE_DELETE=true and run assay server expire --vacuum"
            )
            yield _remainder("database", [], pages_reason)
        elif not empty_log(self._database):
            yield _remainder("database", [], "its log is being read and could not be emptied; ask again in a minute")


def _remainder(kind: str, names: list[str], reason: str) -> Remainder:
    return {"what": kind, "names": names, "why": reason}


def _descendants(models: list[_Model], ancestors: set[str]) -> set[str]:
    """Models that were made of these, directly or not."""
    folder_names: set[str] = set()
    new = ancestors
    while new:
        new = {model.name for model in models if model.parent in new} - folder_names
        folder_names |= new
    return folder_names
