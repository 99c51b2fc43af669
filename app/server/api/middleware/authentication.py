"""Authentication of requests: a key for tools, a session for browsers, and no page of another origin."""

import time
from typing import Final
from urllib.parse import quote

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.errors import InputError
from app.server.api.middleware.forwarding import PROXY_USER
from app.server.api.problems import Refusal, problem_response
from app.server.service import (
    CACHE_SECONDS,
    KEYLESS_CALLER,
    POWERLESS_CALLER,
    Caller,
    Proof,
    Service,
    address_of,
    is_loopback,
    name_caller,
    session_in,
)
from app.settings import Settings

__all__ = ["CSRF_HEADER", "Authentication"]

CSRF_HEADER: Final = "X-Assay-CSRF"
# Public addresses: health of the service, the parts of the sign-in page, and explanations of errors.
OPEN: Final = ("/health/", "/static/", "/signin", "/problems/")
# Addresses that settings may make public too.
METRICS: Final = frozenset({"/metrics"})
DOCS: Final = frozenset({"/docs", "/openapi.json"})
# Load balancers ask these by address, without a host name; the answers tell nothing.
HEALTH: Final = "/health/"
OWN_HOST: Final = "localhost"
SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
CALLS: Final = ("/v1/", "/translate/", "/plots/", "/metrics", "/openapi.json")


class Authentication:
    """ASGI middleware that sets ``scope["caller"]``, or refuses the request."""

    def __init__(self, app: ASGIApp, service: Service, settings: Settings) -> None:
        self.app = app
        self._service = service
        self._anonymous = settings.allow_anonymous
        self._hosts = _names(settings.hosts)
        self._origins = _names(settings.cors_origins)
        self._open = (METRICS if settings.metrics_open else frozenset()) | (DOCS if settings.docs_open else frozenset())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with its caller, or answer 401, 403 or 421."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers, path = Headers(scope=scope), scope["path"]
        scope["caller"] = POWERLESS_CALLER
        refusal = self._refusal(scope, headers)
        if refusal is None and self._service.authenticator is None and path.startswith((*CALLS, "/docs")):
            refusal = problem_response("not-ready", "the database is not open yet; try again in a moment")
        if refusal is None and not path.startswith(OPEN) and path not in self._open:
            refusal = await self._let_in(scope, headers)
            receive = self._asking_again(scope["caller"], receive)
        await (refusal or self.app)(scope, receive, send if path.startswith(OPEN) else _private(send))

    def _asking_again(self, caller: Caller, receive: Receive) -> Receive:
        """Check the caller again after a slow body, since a key may be revoked while the body arrives."""
        begin_time = time.monotonic()

        async def receive_again() -> Message:
            message = await receive()
            is_complete = message["type"] == "http.request" and not message.get("more_body")
            if is_complete and time.monotonic() - begin_time > CACHE_SECONDS and not await self._service.is_open_to(caller):
                raise Refusal("no-key", "the key was revoked or expired while the body was sent; use a valid key")
            return message

        return receive_again

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        """Reason to refuse a request of any caller: a foreign host name, a foreign page, or invalid characters."""
        if "\0" in scope["path"] or b"%00" in scope["query_string"] or b"\0" in scope["query_string"]:
            return problem_response("invalid-character", "the address contains a NUL character")
        host = headers.get("host", "")
        if len(headers.getlist("host")) > 1:
            return problem_response("unknown-host", "a request has one Host")
        if self._hosts and _without_port(host) not in self._hosts and not scope["path"].startswith(HEALTH):
            return problem_response("unknown-host", "ASSAY_HOSTS lists the accepted host names")
        origin = headers.get("origin")
        is_same_origin = bool(host) and origin is not None and origin.partition("://")[2] == host
        if scope["method"] in SAFE or origin is None or origin in self._origins or is_same_origin:
            return None
        return problem_response("cross-origin", "ASSAY_CORS_ORIGINS lists the websites whose pages may send requests")

    async def _let_in(self, scope: Scope, headers: Headers) -> Response | None:
        """Note the caller, and return None; or return the refusal of an invalid or unknown caller."""
        try:
            caller = await self._caller(scope, headers)
        except InputError as error:
            return problem_response(error.code, error.detail)
        if caller is None:
            return _key_needed(scope, headers)
        if caller is KEYLESS_CALLER and not (self._anonymous or self._hosts or _is_own_name(headers.get("host", ""))):
            # DNS rebinding: an attacker's host name may point at this machine, and its pages then have the same origin.
            detail = "without keys, the service accepts only names of this machine, such as localhost; ASSAY_HOSTS may list others"
            return problem_response("unknown-host", detail)
        scope["caller"] = caller
        name_caller(caller)
        return _forged(scope, headers, caller)

    async def _caller(self, scope: Scope, headers: Headers) -> Caller | None:
        """The caller; None if a key is needed and the request has no valid one."""
        authenticator = self._service.authenticator
        if authenticator is None:
            return POWERLESS_CALLER
        authorization = headers.get("authorization", "")
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() == "bearer":
            caller = await authenticator.caller_of(Proof(token.strip()))
            if caller is None:
                await self._service.note_refusal("key")
            return caller
        user = scope.get(PROXY_USER)
        if user is not None:
            return await authenticator.caller_of_user(user, self._service.proxies.scopes_of(user))
        if not self._service.proxies.user_header and not await authenticator.requires_key():
            # Until the first key exists, local callers need none; a setting extends this to all callers.
            is_local = is_loopback((scope.get("server") or (None,))[0])
            return KEYLESS_CALLER if is_local or self._anonymous else None
        cookie = session_in(headers.getlist("cookie"), scope.get("scheme", "http"))
        return await authenticator.caller_of(Proof(cookie, is_session=True)) if cookie else None


def _private(send: Send) -> Send:
    """Forbid proxies to store an answer, and browsers to keep it after the user signs out."""

    async def send_private(message: Message) -> None:
        if message["type"] == "http.response.start" and not any(name == b"cache-control" for name, _ in message["headers"]):
            message["headers"] = [*message["headers"], (b"cache-control", b"private, no-store")]
        await send(message)

    return send_private


def _names(text: str) -> frozenset[str]:
    return frozenset(filter(None, (name.strip().lower() for name in text.split(","))))


def _without_port(host: str) -> str:
    return host.lower() if host.endswith("]") else host.lower().rpartition(":")[0] if ":" in host else host.lower()


def _is_own_name(host: str) -> bool:
    """Return True if a host name always means this machine, so that no other website can use it."""
    name = _without_port(host)
    address = address_of(name[1:-1] if name.startswith("[") and name.endswith("]") else name)
    return name == OWN_HOST or name.endswith(f".{OWN_HOST}") or (address is not None and address.is_loopback)


def _forged(scope: Scope, headers: Headers, caller: Caller) -> Response | None:
    """Refusal of a change without the CSRF token, which pages of other websites cannot know."""
    if caller.csrf is None or scope["method"] in SAFE or headers.get(CSRF_HEADER) == caller.csrf:
        return None
    return problem_response("cross-origin", f"a change by a session needs the header {CSRF_HEADER}, which Assay's pages send")


def _key_needed(scope: Scope, headers: Headers) -> Response:
    if scope["method"] == "GET" and not scope["path"].startswith(CALLS) and "text/html" in headers.get("accept", ""):
        query = scope.get("query_string", b"").decode("latin-1")
        return RedirectResponse(f"/signin?next={quote(scope['path'] + ('?' if query else '') + query)}", 303)
    return problem_response("no-key", "send a valid key as Authorization: Bearer KEY; assay server keys create makes one")
