"""Who comes in: keys and sessions of browsers, looked up at most once a second each."""

import hashlib
import hmac
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any, Final

import anyio.to_thread

from app.errors import InputError
from app.store import ADMIN, SCOPES, Key, KeyStore

__all__ = ["ANYBODY", "NOBODY", "SESSION_COOKIE", "SESSION_SECONDS", "Caller", "Door", "is_loopback"]

SESSION_COOKIE: Final = "assay_session"
SESSION_SECONDS: Final = 12 * 3600
# A key that is revoked opens nothing after this time.
REMEMBERED_SECONDS: Final = 1.0
MOST_REMEMBERED: Final = 10_000


@dataclass(frozen=True)
class Caller:
    """Who asks: an `owner` of jobs, feedback and models, and what may be asked; `pairs` and `models` are None where that is all.

    Changes by a browser's session need `csrf`, which pages of ours know.
    """

    name: str
    owner: str
    scopes: frozenset[str]
    pairs: frozenset[str] | None = None
    models: frozenset[str] | None = None
    csrf: str | None = field(default=None, repr=False)

    @property
    def is_admin(self) -> bool:
        """Whether everything is allowed, with what belongs to others too."""
        return ADMIN in self.scopes

    def require(self, scope: str) -> None:
        """InputError where the key is not for this."""
        if scope not in self.scopes and not self.is_admin:
            raise InputError("forbidden", f"this needs a key with the scope {scope}")

    def check_pair(self, source: str, target: str) -> None:
        """InputError where the key is for other language pairs."""
        if self.pairs is not None and f"{source}-{target}" not in self.pairs:
            raise InputError("forbidden", f"this key is for {', '.join(sorted(self.pairs))}")


# While there are no keys, everybody may do everything, and an owner is a name that comes with a job.
ANYBODY: Final = Caller("", "", frozenset(SCOPES))
# While the database is still being opened, nothing may be done.
NOBODY: Final = Caller("", "", frozenset())


def is_loopback(host: str | None) -> bool:
    """Whether an address is this machine's alone; None, a socket of the file system, is."""
    if host is None or host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


class Door:
    """Callers of tokens and sessions; without keys nobody needs one."""

    def __init__(self, keys: KeyStore) -> None:
        self._keys = keys
        self._guarded = False
        self._remembered = _Remembered()

    async def is_guarded(self) -> bool:
        """Whether a key was ever made, so that one is needed."""
        # A key that is revoked stays on record: what is guarded stays so.
        self._guarded = self._guarded or bool(await self._remembered.get("any", self._keys.exist))
        return self._guarded

    async def caller_of_token(self, token: str) -> Caller | None:
        """Who a token of ``Authorization: Bearer`` belongs to."""
        digest = hashlib.sha256(token.encode("utf-8", "replace")).digest()
        key: Key | None = await self._remembered.get(digest, lambda: self._keys.find(token))
        return _caller(key) if key is not None else None

    def open_session(self, token: str) -> str | None:
        """The value of a session's cookie for whoever has this token."""
        key = self._keys.find(token)
        if key is None:
            return None
        begin = f"{key.id}.{int(time.time()) + SESSION_SECONDS}"
        return f"{begin}.{_signature(key, begin)}"

    async def caller_of_session(self, cookie: str) -> Caller | None:
        """Who a session belongs to; it ends by itself, and with its key."""
        begin, _, signature = cookie.rpartition(".")
        id, _, until = begin.partition(".")
        if not (until.isascii() and until.isdigit() and len(until) < 16 and time.time() < int(until)):
            return None
        key: Key | None = await self._remembered.get(("session", id), lambda: self._keys.get(id))
        if key is None or not hmac.compare_digest(signature.encode(), _signature(key, begin).encode()):
            return None
        return _caller(key, csrf=_signature(key, f"csrf.{begin}"))


def _signature(key: Key, text: str) -> str:
    # The digest is as secret as the token: whoever can read it reads the database.
    return hmac.new(key.digest.encode("ascii"), text.encode("utf-8", "replace"), hashlib.sha256).hexdigest()


def _caller(key: Key, csrf: str | None = None) -> Caller:
    return Caller(key.name, key.owner, key.scopes, key.pairs, key.models, csrf)


class _Remembered:
    """Answers of the database for a second; only who must ask it waits for a thread. For one event loop."""

    def __init__(self) -> None:
        self._answers: dict[Hashable, tuple[float, Any]] = {}

    async def get(self, name: Hashable, find: Callable[[], Any]) -> Any:
        until, answer = self._answers.get(name, (0.0, None))
        if time.monotonic() >= until:
            answer = await anyio.to_thread.run_sync(find)
            if len(self._answers) >= MOST_REMEMBERED:
                self._answers.clear()
            self._answers[name] = time.monotonic() + REMEMBERED_SECONDS, answer
        return answer
