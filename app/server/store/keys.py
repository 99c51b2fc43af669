"""Keys of callers: made, rotated, revoked, and found by a token of which only the SHA-256 is kept."""

import hashlib
import hmac
import json
import re
import secrets
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, delete, func, select
from sqlalchemy import Engine as Database
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.errors import InputError, is_disk_full
from app.running.rates import AS_SET, KeyLimits, parse_rates
from app.server.store.audit import Actor, record
from app.server.store.database import DatabaseDamagedError
from app.server.store.tables import KeyRow, SessionRow
from app.text.languages import LanguagePair

__all__ = ["ADMIN", "RESERVED_NAMES", "SCOPES", "SESSION_SECONDS", "Key", "KeyStore"]

ADMIN: Final = "admin"
# Scopes of a key. `admin` may do everything, also with data of other owners.
SCOPES: Final = ("score", "quality", "jobs", "train", "models", "resources", "feedback", "metrics", ADMIN)
TOKEN: Final = re.compile(r"assay_([0-9a-f]{8})_([0-9a-f]{48})")
# Actors without a key, in the audit log.
RESERVED_NAMES: Final = frozenset({"anybody", "nobody", "worker", "command line"})
NAME: Final = re.compile(r"[\w.@-]{1,100}")
# Seconds between two notes of when a key was used last.
NOTING_SECONDS: Final = 60.0
LONGEST_LIFE: Final = 100 * 365.25 * 86400
# Length of a session's cookie; the database holds only its hash.
SESSION_BYTES: Final = 32
SESSION: Final = re.compile(r"[0-9a-f]{64}")
SESSION_SECONDS: Final = 12 * 3600
# Sessions of one key; another session ends the oldest.
MOST_SESSIONS: Final = 50


@dataclass(frozen=True)
class Key:
    """A key as its owner sees it; `pairs` and `models` are None without a restriction. Times are seconds since 1970."""

    id: str
    name: str
    owner: str
    scopes: frozenset[str]
    pairs: frozenset[str] | None
    models: frozenset[str] | None
    created: float
    expires: float | None
    revoked: float | None
    used: float | None
    digest: str
    limits: KeyLimits = AS_SET

    def valid(self, now: float) -> bool:
        """Return True if it is valid at a moment."""
        return self.revoked is None and (self.expires is None or now < self.expires)


class KeyStore:
    """All reading and writing of keys; safe to use from any thread and process."""

    def __init__(self, database: Database, by: Actor | None = None) -> None:
        """All keys; changes are recorded for the actor `by`."""
        self._database = database
        self._by = by

    def create(
        self,
        name: str,
        scopes: Collection[str],
        owner: str | None = None,
        pairs: Sequence[str] | None = None,
        models: Sequence[str] | None = None,
        expires: float | None = None,
        limits: KeyLimits = AS_SET,
    ) -> tuple[Key, str]:
        """A new key and its token, which cannot be had again; InputError where its name is taken or a scope is none."""
        for field, value in (("name", name), ("owner", owner or name)):
            if not NAME.fullmatch(value) or value in RESERVED_NAMES:
                raise InputError("invalid-request", "1 to 100 letters, digits and . _ @ - are accepted", (field,))
        if not scopes or set(scopes) - set(SCOPES):
            raise InputError("invalid-request", f"scopes are {', '.join(SCOPES)}", ("scopes",))
        for field, names in (("pairs", pairs), ("models", models)):
            if names is not None and not all(names or [""]):
                raise InputError("invalid-request", "name at least one, without empty names; leave it out for all", (field,))
        canonical = None if pairs is None else sorted(str(LanguagePair.parse(pair)) for pair in pairs)
        if expires is not None and not 0 < expires < time.time() + LONGEST_LIFE:
            raise InputError("invalid-request", "a key expires within the next hundred years, or never", ("expires",))
        id = secrets.token_hex(4)
        token, digest = _new_token(id)
        row = KeyRow(
            id=id, name=name, owner=owner or name, digest=digest, scopes=json.dumps(sorted(scopes)),
            pairs=None if canonical is None else json.dumps(canonical),
            models=None if models is None else json.dumps(sorted(models)),
            created=time.time(), expires=expires, **_limit_columns(limits),
        )  # fmt: skip
        try:
            with Session(self._database, expire_on_commit=False) as session, session.begin():
                session.add(row)
                scopes_now = ",".join(sorted(scopes))
                record(session, self._by, "created", "key", name, {"key": id, "owner": row.owner, "scopes": scopes_now})
        except IntegrityError:
            raise InputError("invalid-request", "a key of this name exists; rotate it, or name another", ("name",)) from None
        return _key(row), token

    def rotate(self, name: str) -> str:
        """New token of a valid key; the old token becomes invalid."""
        with Session(self._database) as session, session.begin():
            row = self._row(session, name)
            if row.revoked is not None:
                raise InputError("unknown-key", "this key was revoked; create another", ("name",))
            token, row.digest = _new_token(row.id)
            session.execute(delete(SessionRow).where(SessionRow.key_id == row.id))
            record(session, self._by, "rotated", "key", name, {"key": row.id})
        return token

    def revoke(self, name: str) -> Key:
        """Let a key open nothing any more; it stays on record."""
        with Session(self._database, expire_on_commit=False) as session, session.begin():
            row = self._row(session, name)
            row.revoked = row.revoked or time.time()
            record(session, self._by, "revoked", "key", name, {"key": row.id})
        return _key(row)

    def limit(self, name: str, limits: KeyLimits) -> Key:
        """Hold a key to other limits."""
        with Session(self._database, expire_on_commit=False) as session, session.begin():
            row = self._row(session, name)
            for column, value in _limit_columns(limits).items():
                setattr(row, column, value)
            record(session, self._by, "limited", "key", name, {"key": row.id})
        return _key(row)

    def named(self, name: str) -> Key:
        """The key of a name, whether it opens anything or not."""
        with Session(self._database) as session:
            return _key(self._row(session, name))

    @staticmethod
    def _row(session: Session, name: str) -> KeyRow:
        row = session.scalars(select(KeyRow).where(KeyRow.name == name)).first()
        if row is None:
            raise InputError("unknown-key", "no key has this name; assay server keys list shows the keys", ("name",))
        return row

    def list(self) -> list[Key]:
        """All keys, the oldest first."""
        with Session(self._database) as session:
            return [_key(row) for row in session.scalars(select(KeyRow).order_by(KeyRow.created, KeyRow.id))]

    def exist(self) -> bool:
        """Return True if any key was ever created."""
        with Session(self._database) as session:
            return bool(session.scalar(select(func.count()).select_from(KeyRow)))

    def oldest(self) -> Key | None:
        """The oldest key, valid or not, without keys of deleted owners; None without keys."""
        with Session(self._database) as session:
            row = session.scalars(select(KeyRow).where(KeyRow.digest != "").order_by(KeyRow.created, KeyRow.id).limit(1)).first()
            return _key(row) if row is not None else None

    def find(self, token: str) -> Key | None:
        """The valid key of a token."""
        match = TOKEN.fullmatch(token)
        if match is None:
            return None
        now = time.time()
        with Session(self._database, expire_on_commit=False) as session:
            row = session.get(KeyRow, match[1])
            digest = row.digest if row is not None else ""
            if not hmac.compare_digest(digest, _digest(token)) or row is None or not _key(row).valid(now):
                return None
            key = _key(row)
            if key.used is None or now - key.used > NOTING_SECONDS:
                self._note_use(session, row, now)
        return key

    @staticmethod
    def _note_use(session: Session, row: KeyRow, now: float) -> None:
        """Write down when a key was used; no full disk and no damaged page makes it invalid."""
        row.used = now
        try:
            session.commit()
        except InputError as error:
            if not (is_disk_full(error) or isinstance(error, DatabaseDamagedError)):
                raise

    @staticmethod
    def check_open(connection: Connection, name: str, owner: str) -> None:
        """InputError if a key was revoked; the lock delays a revocation until the end of the present transaction."""
        query = select(KeyRow.id).where(KeyRow.name == name, KeyRow.owner == owner, KeyRow.revoked.is_(None))
        if connection.execute(query.with_for_update(read=True)).first() is None:
            raise InputError("no-key", "the key was revoked during the work; use a valid key")

    def open_session(self, token: str) -> str | None:
        """The cookie of a new session for a token; ended sessions are deleted. None for an invalid token."""
        key = self.find(token)
        if key is None:
            return None
        cookie, now = secrets.token_hex(SESSION_BYTES), time.time()
        with Session(self._database) as session, session.begin():
            session.execute(delete(SessionRow).where(SessionRow.expires < now))
            own_sessions = select(SessionRow.digest).where(SessionRow.key_id == key.id).order_by(SessionRow.expires.desc())
            oldest = list(session.scalars(own_sessions.offset(MOST_SESSIONS - 1)))
            session.execute(delete(SessionRow).where(SessionRow.digest.in_(oldest)))
            session.add(SessionRow(digest=_digest(cookie), key_id=key.id, expires=now + SESSION_SECONDS))
        return cookie

    def key_of_session(self, cookie: str) -> Key | None:
        """The valid key of a session; None after the end of either."""
        if not SESSION.fullmatch(cookie):
            return None
        open_session = (SessionRow.digest == _digest(cookie), SessionRow.expires > time.time())
        query = select(KeyRow).join(SessionRow, SessionRow.key_id == KeyRow.id).where(*open_session)
        with Session(self._database) as session:
            row = session.scalars(query).first()
            key = _key(row) if row is not None else None
        return key if key is not None and key.valid(time.time()) else None

    def end_session(self, cookie: str) -> None:
        """End a session now, wherever its cookie may be."""
        with Session(self._database) as session, session.begin():
            session.execute(delete(SessionRow).where(SessionRow.digest == _digest(cookie)))


def _new_token(id: str) -> tuple[str, str]:
    token = f"assay_{id}_{secrets.token_hex(24)}"
    return token, _digest(token)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def _limit_columns(limits: KeyLimits) -> dict[str, Any]:
    rates = None if limits.rates is None else ", ".join(map(str, limits.rates))
    return {"rates": rates, "jobs_at_once": limits.jobs_at_once, "stored_bytes": limits.stored_bytes}


def _key(row: KeyRow) -> Key:
    rates = None if row.rates is None else parse_rates(row.rates, "rates")
    pairs, models = (None if text is None else frozenset(json.loads(text)) for text in (row.pairs, row.models))
    return Key(
        row.id, row.name, row.owner, frozenset(json.loads(row.scopes)), pairs, models, row.created, row.expires, row.revoked,
        row.used, row.digest, KeyLimits(rates, row.jobs_at_once, row.stored_bytes),
    )  # fmt: skip
