"""Headers of a trusted proxy: client address, scheme, and signed-in user."""

from typing import Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from app.errors import InputError
from app.server.api.problems import problem_response
from app.server.service import Proxies

__all__ = ["PROXY_USER", "Forwarding"]

# Where the name of the user stands in a scope; None, or nothing, where no proxy has signed one in.
PROXY_USER: Final = "assay.proxy_user"
SCHEMES: Final = ("http", "https")


class Forwarding:
    """ASGI middleware that believes X-Forwarded-For, X-Forwarded-Proto and the header of users from trusted addresses alone.

    A user's name from elsewhere is refused, not passed over: it is an attack, or a proxy that the settings do not name.
    """

    def __init__(self, app: ASGIApp, proxies: Proxies) -> None:
        self.app = app
        self._proxies = proxies
        self._user_header = proxies.user_header.encode("ascii")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on as its client sent it, or answer 403."""
        if scope["type"] == "http" and self._proxies.networks:
            try:
                self._note(scope)
            except InputError as error:
                await problem_response(error.code, error.detail)(scope, receive, send)
                return
        await self.app(scope, receive, send)

    def _note(self, scope: Scope) -> None:
        peer = (scope.get("client") or (None,))[0]
        users = [value for name, value in scope["headers"] if name == self._user_header] if self._user_header else []
        if not self._proxies.trust(peer):
            if users:
                raise InputError("untrusted-proxy", "ASSAY_TRUSTED_PROXIES has the addresses that may name users")
            return
        headers = Headers(scope=scope)
        scope[PROXY_USER] = self._proxies.user_of(users)
        client = self._proxies.client_of(str(peer), headers.getlist("x-forwarded-for"))
        if client != peer:
            scope["client"] = client, 0
        # The last one is that of the proxy that speaks to us.
        scheme = ",".join(headers.getlist("x-forwarded-proto")).rpartition(",")[2].strip().lower()
        if scheme in SCHEMES:
            scope["scheme"] = scheme
