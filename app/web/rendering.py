"""Templates into pages, in the language of the reader where there is one."""

import json
from functools import cache
from pathlib import Path
from typing import Final

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from app import __version__

__all__ = ["catalogue", "language_for", "page"]

HERE: Final = Path(__file__).parent
# What is written in templates and scripts; a translation is a file locales/LANGUAGE.json of English text to another.
WRITTEN_IN: Final = "en"
RIGHT_TO_LEFT: Final = frozenset({"ar", "fa", "he", "ur"})
TEMPLATES: Final = Environment(
    loader=FileSystemLoader(HERE / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


@cache
def catalogue(language: str) -> dict[str, str]:
    """Translations into a language, by the English text; nothing for English."""
    path = HERE / "locales" / f"{language}.json"
    if language == WRITTEN_IN or not path.is_file():
        return {}
    texts: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return texts


def language_for(accepted: str) -> str:
    """The first language of an Accept-Language header that there is a translation for, else English."""
    there = {path.stem for path in (HERE / "locales").glob("*.json")} | {WRITTEN_IN}
    weighted = []
    for place, part in enumerate(accepted.split(",")[:20]):
        name, _, quality = part.partition(";q=")
        try:
            weight = float(quality or 1)
        except ValueError:
            weight = 0.0
        weighted.append((-weight, place, name.strip().split("-")[0].lower()))
    return next((name for weight, _, name in sorted(weighted) if name in there and weight < 0), WRITTEN_IN)


def page(request: Request, name: str, **values: object) -> HTMLResponse:
    """The template called `name`, filled in; `_` in it translates."""
    language = language_for(request.headers.get("accept-language", ""))
    texts = catalogue(language)

    def translate(text: str, **places: object) -> str:
        translated = texts.get(text, text)
        return translated.format(**places) if places else translated

    caller = request.scope["caller"]
    content = TEMPLATES.get_template(name).render(
        version=__version__,
        language=language,
        direction="rtl" if language in RIGHT_TO_LEFT else "ltr",
        messages=json.dumps(texts, ensure_ascii=False).replace("<", "\\u003c"),
        here=request.url.path,
        caller=caller.name,
        csrf=caller.csrf,
        signed_in_elsewhere=caller.signed_in_elsewhere,
        _=translate,
        **values,
    )
    return HTMLResponse(content, headers={"Vary": "Accept-Language, Cookie", "Cache-Control": "private, no-store"})
