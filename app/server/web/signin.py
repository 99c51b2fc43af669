"""Signing in with a key. The browser's session ends after a time, with its key, or on signing out."""

from typing import Annotated, Final

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from app.server.service import SESSION_SECONDS, Service, session_cookie, session_in
from app.server.web.rendering import page

__all__ = ["router"]

# Bytes of the sign-in form, which has a key and a path.
LARGEST_FORM: Final = 8192

router = APIRouter(include_in_schema=False)


@router.get("/signin")
def form(request: Request, next: str = "/") -> Response:
    """Sign-in form for a key."""
    return page(request, "signin.html", next=_local(next), refused=False)


@router.post("/signin", max_body_size=LARGEST_FORM)
async def sign_in(
    request: Request, key: Annotated[str, Form(max_length=200)] = "", next: Annotated[str, Form(max_length=2000)] = "/"
) -> Response:
    """Open a session and redirect to the page `next`."""
    service: Service = request.app.state.service
    cookie = await run_in_threadpool(service.authenticator.open_session, key.strip()) if service.authenticator is not None else None
    if cookie is None:
        if key:
            await service.note_refusal("sign-in")
        refusal = page(request, "signin.html", next=_local(next), refused=True)
        refusal.status_code = 401
        return refusal
    await service.note_sign_in(cookie)
    answer = RedirectResponse(_local(next), 303)
    scheme = request.url.scheme
    name, secure = session_cookie(scheme), scheme == "https"
    answer.set_cookie(name, cookie, max_age=SESSION_SECONDS, httponly=True, secure=secure, samesite="lax")
    return answer


@router.post("/signin/end")
async def sign_out(request: Request) -> Response:
    """End the browser's session, in all windows with its cookie."""
    service: Service = request.app.state.service
    scheme = request.url.scheme
    cookie = session_in(request.headers.getlist("cookie"), scheme)
    if cookie is not None:
        await service.sign_out(cookie)
    answer = RedirectResponse("/signin", 303)
    answer.delete_cookie(session_cookie(scheme), httponly=True, secure=scheme == "https", samesite="lax")
    return answer


def _local(address: str) -> str:
    """The address if it is a path on this server, otherwise ``/``."""
    local = address.startswith("/") and not address.startswith(("//", "/\\")) and address.isprintable()
    return address if local else "/"
