"""Keys of callers: made, rotated, revoked, and found by a token of which only the SHA-256 is kept."""

import hashlib
import hmac
import json
import re
import secrets
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Engine as Database
from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.errors import InputError
from app.store.tables import KeyRow
from app.text.languages import LanguagePair

__all__ = ["ADMIN", "SCOPES", "Key", "KeyStore"]

ADMIN: Final = "admin"
# What a key may be for. `admin` may do everything, with what belongs to others too.
SCOPES: Final = ("score", "quality", "jobs", "train", "models", "resources", "feedback", ADMIN)
TOKEN: Final = re.compile(r"assay_([0-9a-f]{8})_([0-9a-f]{48})")
NAME: Final = re.compile(r"[\w.@-]{1,100}")
# Seconds between two notes of when a key was used last.
NOTED_EVERY: Final = 60.0


@dataclass(frozen=True)
class Key:
    """A key as its owner sees it; `pairs` and `models` are None where it may ask about all. Times are seconds since 1970."""

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

    def valid(self, now: float) -> bool:
        """Whether it opens anything at a moment."""
        return self.revoked is None and (self.expires is None or now < self.expires)


class KeyStore:
    """All reading and writing of keys; safe to use from any thread and process."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(
        self,
        name: str,
        scopes: Collection[str],
        owner: str | None = None,
        pairs: Sequence[str] | None = None,
        models: Sequence[str] | None = None,
        expires: float | None = None,
    ) -> tuple[Key, str]:
        """A new key and its token, which cannot be had again; InputError where its name is taken or a scope is none."""
        for field, value in (("name", name), ("owner", owner or name)):
            if not NAME.fullmatch(value):
                raise InputError("invalid-request", "1 to 100 letters, digits and . _ @ - are accepted", (field,))
        if not scopes or set(scopes) - set(SCOPES):
            raise InputError("invalid-request", f"scopes are {', '.join(SCOPES)}", ("scopes",))
        for pair in pairs or ():
            LanguagePair.parse(pair)
        id = secrets.token_hex(4)
        token, digest = _new_token(id)
        row = KeyRow(
            id=id, name=name, owner=owner or name, digest=digest, scopes=json.dumps(sorted(scopes)),
            pairs=json.dumps(sorted(pairs)) if pairs else None, models=json.dumps(sorted(models)) if models else None,
            created=time.time(), expires=expires,
        )  # fmt: skip
        try:
            with Session(self._database, expire_on_commit=False) as session, session.begin():
                session.add(row)
        except IntegrityError:
            raise InputError("invalid-request", "a key of this name exists; rotate it, or name another", ("name",)) from None
        return _key(row), token

    def rotate(self, name: str) -> str:
        """Another token for a key that is valid; the one before opens nothing any more."""
        with Session(self._database) as session, session.begin():
            row = self._row(session, name)
            if row.revoked is not None:
                raise InputError("unknown-key", "this key was revoked; create another", ("name",))
            token, row.digest = _new_token(row.id)
        return token

    def revoke(self, name: str) -> Key:
        """Let a key open nothing any more; it stays on record."""
        with Session(self._database, expire_on_commit=False) as session, session.begin():
            row = self._row(session, name)
            row.revoked = row.revoked or time.time()
        return _key(row)

    @staticmethod
    def _row(session: Session, name: str) -> KeyRow:
        row = session.scalars(select(KeyRow).where(KeyRow.name == name)).first()
        if row is None:
            raise InputError("unknown-key", "no key is called so; assay keys list shows those there are", ("name",))
        return row

    def list(self) -> list[Key]:
        """All keys, the oldest first."""
        with Session(self._database) as session:
            return [_key(row) for row in session.scalars(select(KeyRow).order_by(KeyRow.created, KeyRow.id))]

    def exist(self) -> bool:
        """Whether any key was ever made."""
        with Session(self._database) as session:
            return bool(session.scalar(select(func.count()).select_from(KeyRow)))

    def find(self, token: str) -> Key | None:
        """The valid key of a token."""
        match = TOKEN.fullmatch(token)
        if match is None:
            return None
        now = time.time()
        with Session(self._database, expire_on_commit=False) as session, session.begin():
            row = session.get(KeyRow, match[1])
            digest = row.digest if row is not None else ""
            if not hmac.compare_digest(digest, _digest(token)) or row is None or not _key(row).valid(now):
                return None
            if row.used is None or now - row.used > NOTED_EVERY:
                row.used = now
        return _key(row)

    def get(self, id: str) -> Key | None:
        """The valid key of an id."""
        with Session(self._database) as session:
            row = session.get(KeyRow, id)
            key = _key(row) if row is not None else None
        return key if key is not None and key.valid(time.time()) else None


def _new_token(id: str) -> tuple[str, str]:
    token = f"assay_{id}_{secrets.token_hex(24)}"
    return token, _digest(token)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("ascii")).hexdigest()


def _key(row: KeyRow) -> Key:
    pairs, models = (None if text is None else frozenset(json.loads(text)) for text in (row.pairs, row.models))
    return Key(
        row.id, row.name, row.owner, frozenset(json.loads(row.scopes)), pairs, models, row.created, row.expires, row.revoked,
        row.used, row.digest,
    )  # fmt: skip
