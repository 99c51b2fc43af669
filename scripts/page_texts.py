"""Texts of the pages, and the gaps of a translation: ``python -m scripts.page_texts LANGUAGE``.

A text is a string in a call: ``_("...")`` in a template, ``t("...")`` in a script or a module of the pages. Scripts and
templates are read as text, modules as Python. This module also lists texts that pages translate by a name, such as titles of
problems.
A translation is a file `locales/LANGUAGE.json`: it maps English texts to texts with equal places and the language's plural forms.
"""

import ast
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from app.checks.reasons import REASONS
from app.documents.formats import FILE_FORMATS
from app.errors import PROBLEMS
from app.operations.review.request import CODES
from app.planning.bands import RISK_RATES
from app.planning.terms import ASSUMPTIONS
from app.predictors.labels import DOCUMENTED_LABELS
from app.server.web.languages import LANGUAGES, WRITTEN_IN
from app.server.web.messages import MessagePlace, places_of
from app.server.web.texts import LOCALES
from app.server.web.warning_titles import TITLES
from app.settings import ROOT
from app.text.language_names import LANGUAGE_NAMES

__all__ = ["calls", "calls_by_name", "faults", "page_files", "page_texts"]

WEB: Final = ROOT / "app" / "server" / "web"
# The pages of app.smt are read as files, since scripts do not import app.smt.
FOLDERS: Final = (WEB, ROOT / "app" / "smt" / "pages")
# A call of the function, up to the end of its argument if it is a string.
CALL: Final = r'(?<![\w.$])%s\(\s*(?:"((?:[^"\\\n]|\\.)*)"|)'
CALLS: Final = {".html": re.compile(CALL % "_"), ".js": re.compile(CALL % "t")}
END: Final = re.compile(r"[),]")
SUFFIXES: Final = (*CALLS, ".py")
CODE_LETTERS: Final = 2
STATES: Final = ("queued", "running", "succeeded", "failed", "cancelled")
# A place before a plural noun is a count, and needs plural forms.
COUNT_PLACE: Final = re.compile(
    r"\{\w+\} (?:[a-z]+ ){0,2}(?:segments|words|files|units|jobs|judgements|rows|systems|people|seconds|minutes|hours|edits)\b"
)


def page_files() -> list[Path]:
    """Templates, scripts and modules of the pages."""
    return [path for folder in FOLDERS for path in sorted(folder.rglob("*")) if path.suffix in SUFFIXES]


def page_texts() -> dict[str, str]:
    """English texts of the pages, with the place of their first use."""
    texts: dict[str, str] = {}
    for path in page_files():
        for text in calls(path):
            texts.setdefault(text, path.name)
    for text, place in _texts_by_name():
        texts.setdefault(text, place)
    return texts


def calls(path: Path) -> Iterator[str]:
    """Texts in the calls of a file."""
    content = path.read_text("utf-8")
    if path.suffix == ".py":
        yield from (str(node.value) for node in _first_arguments(content) if isinstance(node, ast.Constant))
        return
    for call in CALLS[path.suffix].finditer(content):
        if call[1] is not None:
            yield json.loads(f'"{call[1]}"')


def calls_by_name(path: Path) -> Iterator[str]:
    """Source text of translated expressions in a file that are no strings."""
    content = path.read_text("utf-8")
    if path.suffix == ".py":
        yield from (ast.unparse(node) for node in _first_arguments(content) if not isinstance(node, ast.Constant))
        return
    for call in CALLS[path.suffix].finditer(content):
        if call[1] is None:
            yield END.split(content[call.end() :], maxsplit=1)[0].strip()


def _first_arguments(content: str) -> Iterator[ast.expr]:
    """First arguments of calls of functions and methods named ``t``."""
    for node in ast.walk(ast.parse(content)):
        if isinstance(node, ast.Call) and node.args:
            function = node.func
            name = function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
            if name == "t":
                yield node.args[0]


def _texts_by_name() -> Iterator[tuple[str, str]]:
    """Texts that pages translate by a name, such as ``t(body.title)``, with their place."""
    yield from ((title, "problems") for title in PROBLEMS.values())
    for label in DOCUMENTED_LABELS.values():
        yield from ((text, "labels") for text in (label.title, label.description, label.unit, label.direction))
    yield from ((title, "warnings") for title in TITLES.values())
    yield from ((text, "reasons") for text in REASONS.values())
    yield from ((text, "reviews") for text in CODES.values())
    yield from ((text, "terms") for text in ASSUMPTIONS)
    yield from ((name, "bands") for name, _, _ in RISK_RATES)
    # Languages with codes of three letters keep their English name.
    yield from ((name, "languages") for code, name in LANGUAGE_NAMES.items() if len(code) == CODE_LETTERS)
    yield from ((state, "states of jobs") for state in STATES)
    yield "two text files", "formats"
    yield from ((form.title, "formats") for form in FILE_FORMATS.values() if not form.title.isupper())


def faults(language: str, catalogue: Mapping[str, str], texts: Mapping[str, str]) -> list[str]:
    """Faults of a catalogue, a line each: missing texts, unknown texts, and wrong places and plural forms."""
    lacking = [f"lacks {json.dumps(text, ensure_ascii=False)} ({place})" for text, place in texts.items() if text not in catalogue]
    extra = [f"has a text of no page: {json.dumps(text, ensure_ascii=False)}" for text in catalogue if text not in texts]
    wrong = [
        f"{fault}: {json.dumps(text, ensure_ascii=False)}"
        for text, translation in catalogue.items()
        if text in texts
        for fault in _misfits(language, text, translation)
    ]
    return lacking + extra + wrong


def _misfits(language: str, text: str, translation: str) -> Iterator[str]:
    if not translation.strip():
        yield "is empty"
    try:
        source_places, translation_places = places_of(text), places_of(translation)
    except ValueError as error:
        yield f"cannot be read, {error}"
        return
    if {place.name for place in source_places} != {place.name for place in translation_places}:
        yield f"has the places {sorted({place.name for place in translation_places})}"
    yield from _plural_misfits(LANGUAGES[language].categories, source_places, translation_places)


def _plural_misfits(
    categories: tuple[str, ...], source_places: list[MessagePlace], translation_places: list[MessagePlace]
) -> Iterator[str]:
    names_with_forms = {place.name for place in translation_places if place.forms}
    for name in sorted({place.name for place in source_places if place.forms} - names_with_forms):
        if len(categories) > 1:
            yield f"has no plural forms of {name}"
    for place in translation_places:
        if place.forms and set(place.forms) - {"many"} != set(categories):
            yield f"has other plural forms of {place.name} than {', '.join(categories)}"


def main(language: str) -> int:
    """Print the faults of a language, and return the exit code: 1 if there are faults."""
    if language not in LANGUAGES or language == WRITTEN_IN:
        print(f"languages of pages are {', '.join(tag for tag in LANGUAGES if tag != WRITTEN_IN)}", file=sys.stderr)
        return 2
    path = LOCALES / f"{language}.json"
    lines = faults(language, json.loads(path.read_text("utf-8")) if path.is_file() else {}, page_texts())
    print("\n".join(lines) or f"{language}: complete")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else ""))
