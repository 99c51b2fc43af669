"""What the pages say, and what a language lacks of it: ``python -m scripts.page_texts LANGUAGE``.

A text is a string in a call: ``_("...")`` in a template, ``t("...")`` in a script or a module of `app/web`; nothing else is
taken for one. Scripts and templates are read as text, modules as Python reads them. What pages say by name from elsewhere, as the
titles of problems, is named here. A translation is `app/web/locales/LANGUAGE.json`: English text to another, with the same places,
and the plural forms that the language has.
"""

import ast
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from app.documents.formats import FILE_FORMATS
from app.errors import PROBLEMS
from app.features.evidence import REASONS
from app.planning.bands import RISK_RATES
from app.planning.terms import ASSUMPTIONS
from app.predictors import LABELS
from app.server.web.languages import LANGUAGES, WRITTEN_IN
from app.server.web.messages import Place, places_of
from app.server.web.texts import LOCALES
from app.server.web.warning_titles import TITLES
from app.settings import ROOT
from app.text.language_names import LANGUAGE_NAMES

__all__ = ["calls", "calls_by_name", "faults", "page_texts"]

WEB: Final = ROOT / "app" / "server" / "web"
# What follows the name of the function, up to the end of the string where it is one.
CALL: Final = r'(?<![\w.$])%s\(\s*(?:"((?:[^"\\\n]|\\.)*)"|)'
WRITTEN: Final = {".html": re.compile(CALL % "_"), ".js": re.compile(CALL % "t")}
END: Final = re.compile(r"[),]")
READ: Final = (*WRITTEN, ".py")
CODE_LETTERS: Final = 2
STATES: Final = ("queued", "running", "succeeded", "failed", "cancelled")
# A place with a name in the plural after it is a count, and needs plural forms.
COUNTED: Final = re.compile(
    r"\{\w+\} (?:[a-z]+ ){0,2}(?:segments|words|files|units|jobs|judgements|rows|systems|people|seconds|minutes|hours|edits)\b"
)


def page_texts() -> dict[str, str]:
    """Every text of the pages in English, with where it stands first."""
    texts: dict[str, str] = {}
    for path in sorted(path for path in WEB.rglob("*") if path.suffix in READ):
        for text in calls(path):
            texts.setdefault(text, path.name)
    for text, where in _named_elsewhere():
        texts.setdefault(text, where)
    return texts


def calls(path: Path) -> Iterator[str]:
    """The texts of a file's calls."""
    content = path.read_text("utf-8")
    if path.suffix == ".py":
        yield from (str(node.value) for node in _given_in_python(content) if isinstance(node, ast.Constant))
        return
    for call in WRITTEN[path.suffix].finditer(content):
        if call[1] is not None:
            yield json.loads(f'"{call[1]}"')


def calls_by_name(path: Path) -> Iterator[str]:
    """What is translated in a file without being a string there, as it is written."""
    content = path.read_text("utf-8")
    if path.suffix == ".py":
        yield from (ast.unparse(node) for node in _given_in_python(content) if not isinstance(node, ast.Constant))
        return
    for call in WRITTEN[path.suffix].finditer(content):
        if call[1] is None:
            yield END.split(content[call.end() :], maxsplit=1)[0].strip()


def _given_in_python(content: str) -> Iterator[ast.expr]:
    """What calls of ``t``, or of something's ``t``, are given first."""
    for node in ast.walk(ast.parse(content)):
        if isinstance(node, ast.Call) and node.args:
            function = node.func
            name = function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
            if name == "t":
                yield node.args[0]


def _named_elsewhere() -> Iterator[tuple[str, str]]:
    """What pages translate by a name that they got: ``t(body.title)``."""
    yield from ((title, "problems") for title in PROBLEMS.values())
    for label in LABELS.values():
        yield from ((text, "labels") for text in (label.title, label.description, label.unit, label.direction))
    yield from ((title, "warnings") for title in TITLES.values())
    yield from ((text, "reasons") for text in REASONS.values())
    yield from ((text, "terms") for text in ASSUMPTIONS)
    yield from ((name, "bands") for name, _, _ in RISK_RATES)
    # Of the other languages, which have codes of three letters, pages have the English name.
    yield from ((name, "languages") for code, name in LANGUAGE_NAMES.items() if len(code) == CODE_LETTERS)
    yield from ((state, "states of jobs") for state in STATES)
    yield "two files of lines", "formats"
    yield from ((form.title, "formats") for form in FILE_FORMATS.values() if not form.title.isupper())


def faults(language: str, catalogue: Mapping[str, str], texts: Mapping[str, str]) -> list[str]:
    """What is wrong with a catalogue, in a line each: what lacks, what is too much, and places and plural forms that do not fit."""
    lacking = [f"lacks {json.dumps(text, ensure_ascii=False)} ({where})" for text, where in texts.items() if text not in catalogue]
    extra = [f"has what no page says: {json.dumps(text, ensure_ascii=False)}" for text in catalogue if text not in texts]
    wrong = [
        f"{fault}: {json.dumps(text, ensure_ascii=False)}"
        for text, translated in catalogue.items()
        if text in texts
        for fault in _misfits(language, text, translated)
    ]
    return lacking + extra + wrong


def _misfits(language: str, text: str, translated: str) -> Iterator[str]:
    if not translated.strip():
        yield "is empty"
    try:
        wanted, there = places_of(text), places_of(translated)
    except ValueError as error:
        yield f"cannot be read, {error}"
        return
    if {place.name for place in wanted} != {place.name for place in there}:
        yield f"has the places {sorted({place.name for place in there})}"
    yield from _plural_misfits(LANGUAGES[language].categories, wanted, there)


def _plural_misfits(categories: tuple[str, ...], wanted: list[Place], there: list[Place]) -> Iterator[str]:
    counted = {place.name for place in there if place.forms}
    for name in sorted({place.name for place in wanted if place.forms} - counted):
        if len(categories) > 1:
            yield f"has no plural forms of {name}"
    for place in there:
        if place.forms and set(place.forms) - {"many"} != set(categories):
            yield f"has other plural forms of {place.name} than {', '.join(categories)}"


def main(language: str) -> int:
    """Print what a language lacks; 1 where that is anything."""
    if language not in LANGUAGES or language == WRITTEN_IN:
        print(f"languages of pages are {', '.join(tag for tag in LANGUAGES if tag != WRITTEN_IN)}", file=sys.stderr)
        return 2
    path = LOCALES / f"{language}.json"
    lines = faults(language, json.loads(path.read_text("utf-8")) if path.is_file() else {}, page_texts())
    print("\n".join(lines) or f"{language}: everything is there")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else ""))
