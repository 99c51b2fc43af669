"""Authentication by keys and sessions of browsers, looked up at most once a second each."""

import hashlib
import hmac
import time
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from ipaddress import ip_address
from typing import Any, Final

import anyio.to_thread
from sqlalchemy import Connection

from app.errors import InputError
from app.running.rates import AS_SET, KeyLimits
from app.server.store import ADMIN, SCOPES, SESSION_SECONDS, Key, KeyStore
from app.text import LanguagePair

__all__ = [
    "CACHE_SECONDS",
    "KEYLESS_CALLER",
    "POWERLESS_CALLER",
    "SESSION_SECONDS",
    "Authenticator",
    "Caller",
    "Proof",
    "is_loopback",
    "session_cookie",
    "session_in",
]

SESSION_COOKIE: Final = "assay_session"
# A revoked key is invalid after this time.
CACHE_SECONDS: Final = 1.0
CACHE_LIMIT: Final = 10_000
LONGEST_PROOF: Final = 200


@dataclass(frozen=True)
class Proof:
    """A token, or a session's cookie."""

    text: str
    is_session: bool = False


@dataclass(frozen=True)
class Caller:
    """A caller: an `owner` of jobs, feedback and models, and the permissions; `pairs` and `models` are None without a restriction.

    Changes by a browser need the token `csrf`. `proof` is the caller's token or cookie. A user whom a proxy signed in
    (`signed_in_elsewhere`) has no proof, and cannot sign out here.
    """

    name: str
    owner: str
    scopes: frozenset[str]
    pairs: frozenset[str] | None = None
    models: frozenset[str] | None = None
    csrf: str | None = field(default=None, repr=False)
    proof: "Proof | None" = field(default=None, repr=False, compare=False)
    limits: KeyLimits = AS_SET
    signed_in_elsewhere: bool = False

    @property
    def is_admin(self) -> bool:
        """Return True if the caller may do everything, also with data of other owners."""
        return ADMIN in self.scopes

    def still_open(self, connection: Connection) -> None:
        """InputError if the caller's key has been revoked; called in the transaction that writes the result of long work."""
        if self.proof is not None:
            KeyStore.check_open(connection, self.name, self.owner)

    def require(self, scope: str) -> None:
        """InputError if the key lacks a scope."""
        if scope not in self.scopes and not self.is_admin:
            raise InputError("forbidden", f"this needs a key with the scope {scope}")

    def require_admin(self, where: tuple[str, ...]) -> None:
        """InputError if the caller is no administrator."""
        if not self.is_admin:
            raise InputError("forbidden", f"this needs a key with the scope {ADMIN}", where)

    def check_pair(self, source: str, target: str) -> None:
        """InputError if the key does not allow this language pair."""
        if self.pairs is not None and not self.allows_pair(source, target):
            raise InputError("forbidden", f"this key is for {', '.join(sorted(self.pairs))}")

    def allows_pair(self, source: str, target: str) -> bool:
        """Return True if the key allows this language pair."""
        if self.pairs is None:
            return True
        try:
            requested_pair = LanguagePair(source, target)
        except InputError:
            # Unnamed languages may be any.
            return False
        return str(requested_pair) in (self.answering_pairs or ()) or not self.pairs.isdisjoint(map(str, requested_pair.wider()))

    @cached_property
    def answering_pairs(self) -> frozenset[str] | None:
        """Pairs of the key, and wider pairs that answer for them, such as en-pt for en:pt-BR."""
        if self.pairs is None:
            return None
        return self.pairs.union(*(map(str, LanguagePair.parse(pair).wider()) for pair in self.pairs))


# Without keys, all callers may do everything, and a job names its owner.
KEYLESS_CALLER: Final = Caller("", "", frozenset(SCOPES))
# Until the database is open, no caller may do anything.
POWERLESS_CALLER: Final = Caller("", "", frozenset())


@lru_cache(maxsize=64)
def is_loopback(host: str | None) -> bool:
    """Return True if an address belongs to this machine only; None, a socket of the file system, does."""
    if host is None or host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def session_cookie(scheme: str) -> str:
    """Name of the cookie of a session. Behind TLS, browsers accept it from this host over TLS alone."""
    return f"__Host-{SESSION_COOKIE}" if scheme == "https" else SESSION_COOKIE


def session_in(cookies: Iterable[str], scheme: str = "http") -> str | None:
    """The value of Assay's cookie in Cookie headers of a request by this scheme.

    The standard library's parser takes quadratic time for some cookies.
    """
    session_name = session_cookie(scheme)
    for line in cookies:
        for part in line.split(";"):
            name, _, value = part.strip().partition("=")
            if name == session_name:
                return value
    return None


class Authenticator:
    """Finds the caller of a token or session; without keys, requests need none."""

    def __init__(self, keys: KeyStore) -> None:
        self._keys = keys
        self._requires_key = False
        self._cache = _CachedAnswers()

    async def requires_key(self) -> bool:
        """Return True if a key was ever created, so that a key is needed."""
        # A revoked key stays on record, so the answer never returns to False.
        self._requires_key = self._requires_key or bool(await self._cache.get("any", self._keys.exist))
        return self._requires_key

    async def caller_of(self, proof: Proof) -> Caller | None:
        """The caller with this proof; None if it is invalid or no longer valid."""
        if len(proof.text) > LONGEST_PROOF:
            return None
        find = self._keys.key_of_session if proof.is_session else self._keys.find
        digest = hashlib.sha256(proof.text.encode("utf-8", "replace")).digest()
        key: Key | None = await self._cache.get((proof.is_session, digest), lambda: find(proof.text))
        if key is None:
            return None
        csrf = _csrf(proof.text) if proof.is_session else None
        return Caller(key.name, key.owner, key.scopes, key.pairs, key.models, csrf, proof, key.limits)

    async def is_open_to(self, caller: Caller) -> bool:
        """Return True if a caller may still stay connected, for example in a stream."""
        return caller.proof is None or await self.caller_of(caller.proof) is not None

    def open_session(self, token: str) -> str | None:
        """The cookie of a new session; None for an invalid token."""
        return self._keys.open_session(token)

    def end_session(self, cookie: str) -> None:
        """End a session; its cookie is invalid after a second."""
        self._keys.end_session(cookie)

    async def caller_of_user(self, name: str, scopes: frozenset[str]) -> Caller | None:
        """The caller for a user whom a trusted proxy signed in; None while no key exists.

        The CSRF token is derived from the oldest key, so that all servers of one database derive the same token.
        """
        oldest: Key | None = await self._cache.get("oldest", self._keys.oldest)
        if oldest is None:
            return None
        return Caller(name, name, scopes, csrf=_csrf(f"{oldest.digest}.{name}"), signed_in_elsewhere=True)


def _csrf(secret: str) -> str:
    return hmac.new(secret.encode(), b"csrf", hashlib.sha256).hexdigest()


class _CachedAnswers:
    """Cached answers of the database, for one event loop; only a query needs a thread."""

    def __init__(self) -> None:
        self._answers: dict[Hashable, tuple[float, Any]] = {}

    async def get(self, name: Hashable, find: Callable[[], Any]) -> Any:
        until, answer = self._answers.get(name, (0.0, None))
        if time.monotonic() >= until:
            answer = await anyio.to_thread.run_sync(find)
            if len(self._answers) >= CACHE_LIMIT:
                self._answers.clear()
            self._answers[name] = time.monotonic() + CACHE_SECONDS, answer
        return answer
