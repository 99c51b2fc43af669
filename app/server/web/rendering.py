"""Rendering of templates into pages, in the reader's language if it is available."""

import json
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import HTMLResponse, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from app import __version__
from app.server.web.texts import LANGUAGE_COOKIE, LANGUAGE_SECONDS, Texts, chosen_language, offered, reader_texts

__all__ = ["page", "picture"]

PACKAGE: Final = Path(__file__).parent
RIGHT_TO_LEFT: Final = frozenset({"ar", "fa", "he", "ur"})
# An answer depends on the caller and the language, so no cache may share it.
VARIES: Final = {"Vary": "Accept-Language, Cookie", "Cache-Control": "private, no-store"}
TEMPLATES: Final = Environment(
    loader=FileSystemLoader(PACKAGE / "templates"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)


def page(request: Request, name: str, **values: object) -> HTMLResponse:
    """Render the template `name`. In it, `_` translates; `_.number`, `_.percent` and `_.day` format numbers and days."""
    texts = reader_texts(request)
    caller, app = request.scope["caller"], request.scope.get("app")
    content = TEMPLATES.get_template(name).render(
        version=__version__,
        sends_sources=app is not None and app.state.service.sends_sources,
        language=texts.language.tag,
        languages=_switch(request),
        direction="rtl" if texts.language.tag in RIGHT_TO_LEFT else "ltr",
        messages=json.dumps(dict(texts.translated), ensure_ascii=False).replace("<", "\\u003c"),
        here=request.url.path,
        caller=caller.name,
        csrf=caller.csrf,
        signed_in_elsewhere=caller.signed_in_elsewhere,
        _=texts,
        **values,
    )
    answer = HTMLResponse(content, headers={**VARIES, "Content-Language": texts.language.tag})
    language = chosen_language(request)
    if language is not None:
        secure = request.url.scheme == "https"
        answer.set_cookie(LANGUAGE_COOKIE, language, max_age=LANGUAGE_SECONDS, secure=secure, httponly=True, samesite="lax")
    return answer


def picture(svg: str, texts: Texts) -> Response:
    """Answer with a plot; its words are in the reader's language."""
    return Response(svg, media_type="image/svg+xml", headers={**VARIES, "Content-Language": texts.language.tag})


def _switch(request: Request) -> list[dict[str, str]]:
    """For each language its tag, its native name, and the address of this page in it."""
    query = [(key, value) for key, value in request.query_params.multi_items() if key != "lang"]
    return [
        {"tag": language.tag, "name": language.own_name, "address": "?" + urlencode([*query, ("lang", language.tag)])}
        for language in offered()
    ]
