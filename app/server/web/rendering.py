"""Templates into pages, in the language of the reader where there is one."""

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

HERE: Final = Path(__file__).parent
RIGHT_TO_LEFT: Final = frozenset({"ar", "fa", "he", "ur"})
# Who reads and in which language: what is answered is theirs.
VARIES: Final = {"Vary": "Accept-Language, Cookie", "Cache-Control": "private, no-store"}
TEMPLATES: Final = Environment(
    loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)


def page(request: Request, name: str, **values: object) -> HTMLResponse:
    """The template called `name`, filled in; `_` in it translates, `_.number`, `_.percent` and `_.day` write numbers and days."""
    texts = reader_texts(request)
    caller = request.scope["caller"]
    content = TEMPLATES.get_template(name).render(
        version=__version__,
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
    chosen = chosen_language(request)
    if chosen is not None:
        secure = request.url.scheme == "https"
        answer.set_cookie(LANGUAGE_COOKIE, chosen, max_age=LANGUAGE_SECONDS, secure=secure, httponly=True, samesite="lax")
    return answer


def picture(svg: str, texts: Texts) -> Response:
    """A plot, which has words in it too."""
    return Response(svg, media_type="image/svg+xml", headers={**VARIES, "Content-Language": texts.language.tag})


def _switch(request: Request) -> list[dict[str, str]]:
    """For each language its tag, its own name, and this address in it."""
    query = [(key, value) for key, value in request.query_params.multi_items() if key != "lang"]
    return [
        {"tag": spoken.tag, "name": spoken.own_name, "address": "?" + urlencode([*query, ("lang", spoken.tag)])}
        for spoken in offered()
    ]
