"""Pages in the reader's language: which one it is, plural forms, and catalogues that lack nothing."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request

from app.checks import WARNINGS
from app.operations.catalogue import OPERATIONS
from app.server.service import KEYLESS_CALLER
from app.server.web import texts
from app.server.web.languages import LANGUAGES
from app.server.web.messages import fill
from app.server.web.rendering import page
from app.server.web.texts import accepted, nearest
from app.server.web.warning_titles import TITLES
from app.text.language_tags import LONGEST_TAG
from scripts.page_texts import COUNT_PLACE, WEB, calls, calls_by_name, faults, page_files, page_texts

MESSAGES = json.loads((Path(__file__).parent / "messages.json").read_text("utf-8"))
TRANSLATED = [tag for tag in LANGUAGES if tag != "en"]
ALL = list(LANGUAGES)


def asked(path: str = "/", **headers: str) -> Request:
    place, _, query = path.partition("?")
    lines = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "GET", "path": place, "query_string": query.encode(), "headers": lines}
    return Request({**scope, "server": ("x", 80), "scheme": "http", "caller": KEYLESS_CALLER})


@pytest.fixture
def german(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A house whose only translation is a few words of German."""
    said = {"Skip to content": "Zum Inhalt", "Jobs": "Aufträge", "One moment": "Einen Augenblick <b>"}
    (tmp_path / "de.json").write_text(json.dumps(said), "utf-8")
    monkeypatch.setattr(texts, "LOCALES", tmp_path)
    texts.catalogue.cache_clear()
    texts.offered.cache_clear()
    yield
    texts.catalogue.cache_clear()
    texts.offered.cache_clear()


def test_the_list_of_jobs_names_the_kinds_of_the_core() -> None:
    script = (WEB / "static" / "jobs.js").read_text("utf-8")
    names = re.findall(r"(\w+): t\(", script.partition("const KINDS = {")[2].partition("}")[0])
    operations = {name: operation for name, operation in OPERATIONS.items() if operation.steps is not None}
    assert {name for name, operation in operations.items() if operation.request.__module__.startswith("app.operations.")} <= set(
        names
    )


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("de", "de"),
        ("DE", "de"),
        ("de-AT,en;q=0.5", "de"),
        ("de-CH-1996", "de"),
        ("zh-Hant-TW", "zh"),
        ("zh-TW,ja;q=0.9", "zh"),
        ("en,de", "en"),
        ("it,de;q=0.3,en;q=0.9", "en"),
        ("it, de ; q = 0.3, ro ;q=0.9", "ro"),
        ("it", "en"),
        ("", "en"),
        ("de;q=0", "en"),
        ("de;q=x,fr", "fr"),
        ("de;q=7,fr;q=nan,es;q=-1", "en"),
        ("*", "en"),
        ("en;q=0,*", "de"),
        ("*;q=0.1,es", "es"),
        (",;=,;q=1", "en"),
        ("den", "en"),
    ],
)
def test_the_reader_is_asked_for_a_language(header: str, language: str) -> None:
    assert accepted(header, ALL) == language


def test_a_variety_that_is_there_is_taken_before_its_language() -> None:
    assert nearest("pt-BR", ["pt", "pt-BR"]) == "pt-BR"
    assert nearest("pt-PT", ["pt", "pt-BR"]) == "pt"
    assert nearest("pt-PT", ["en", "pt-BR"]) == "pt-BR"
    assert nearest("pt_br", ["pt", "pt-BR"]) == "pt-BR"
    assert nearest("p", ["pt"]) is None


HOSTILE = [
    "de-" + "a-" * 30_000 + "a",
    "-" * 60_000,
    "de_" * 20_000,
    ("de" + "-a" * 600 + ",") * 50,
    "it," * 20_000 + "de",
    "a" * 60_000,
]


@pytest.mark.parametrize("written", HOSTILE)
def test_a_long_tag_is_no_language_and_is_not_looked_through(written: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    wider = texts.wider
    monkeypatch.setattr(texts, "wider", lambda tag: looked.append(len(wider(tag))) or wider(tag))  # type: ignore[func-returns-value]
    answer = page(asked(f"/?lang={written}", accept_language=written), "loading.html", failed=False)
    assert answer.headers["content-language"] == "en" and "set-cookie" not in answer.headers
    # Every range once, twice where the address is asked too, and none of more subtags than a tag can have.
    assert sum(looked) <= 60 and max(looked) <= LONGEST_TAG


def test_a_tag_is_looked_at_from_all_of_it_to_its_language() -> None:
    assert texts.wider(" zh_Hant-TW ") == ["zh-hant-tw", "zh-hant", "zh"]
    longest = "a-" * (LONGEST_TAG // 2 - 1) + "ab"
    assert len(texts.wider(longest)) == LONGEST_TAG // 2 and texts.wider(f"{longest}b") == []


@given(st.text(max_size=60))
def test_any_header_has_an_answer(header: str) -> None:
    assert accepted(header, ALL) in ALL


def test_the_address_goes_before_the_cookie_and_the_cookie_before_the_browser(german: None) -> None:
    def spoken(path: str, **headers: str) -> str:
        return texts.reader_texts(asked(path, **headers)).language.tag

    assert spoken("/", accept_language="de") == "de"
    assert spoken("/", accept_language="de", cookie="assay_session=x; assay_lang=en") == "en"
    assert spoken("/?lang=de-AT", cookie="assay_lang=en") == "de"
    assert spoken("/?lang=it", cookie="assay_lang=de") == "de"
    assert spoken("/?lang=", cookie="assay_lang=../../x", accept_language="de") == "de"
    # A language without a catalogue is not there.
    assert spoken("/?lang=fr", accept_language="fr") == "en"


def test_pages_and_scripts_get_the_same_texts(german: None) -> None:
    answer = page(asked("/jobs?job=a%26b&x=%22&lang=de"), "loading.html", failed=False)
    body = bytes(answer.body).decode()
    assert '<html lang="de" dir="ltr">' in body and "Zum Inhalt" in body and ">Aufträge</a>" in body
    assert "Einen Augenblick &lt;b&gt;" in body
    written = body.partition('id="messages">')[2].partition("</script>")[0]
    assert "<" not in written and json.loads(written)["Jobs"] == "Aufträge"
    # The switch keeps the address, and the language is kept for what is asked next.
    assert '<a href="?job=a%26b&amp;x=%22&amp;lang=en" lang="en" hreflang="en">English</a>' in body
    assert answer.headers["content-language"] == "de"
    assert {"accept-language", "cookie"} == {each.strip().lower() for each in answer.headers["vary"].split(",")}
    assert answer.headers["cache-control"] == "private, no-store"
    assert answer.headers["set-cookie"].startswith("assay_lang=de;")
    assert "set-cookie" not in page(asked("/jobs", accept_language="de"), "loading.html", failed=False).headers


@pytest.mark.parametrize(("language", "text", "places", "said"), MESSAGES)
def test_places_and_plural_forms_are_filled(language: str, text: str, places: dict[str, object], said: str) -> None:
    assert fill(text, places, LANGUAGES[language]) == said


def test_scripts_fill_as_templates_do(tmp_path: Path) -> None:
    """The module that pages load, in Node with the browser's own rules of languages."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node is not on this machine")
    shutil.copy(WEB / "static" / "messages.js", tmp_path / "messages.mjs")
    (tmp_path / "run.mjs").write_text(
        'import { fill } from "./messages.mjs"; import { readFileSync } from "node:fs";'
        "const said = JSON.parse(readFileSync(process.argv[2])).map(([tag, text, places]) => fill(text, places, {"
        " number: (value) => new Intl.NumberFormat(tag).format(value), plural: (count) => new Intl.PluralRules(tag).select(count) }));"
        "console.log(JSON.stringify(said));",
        "utf-8",
    )
    ran = subprocess.run([node, "run.mjs", Path(__file__).parent / "messages.json"], cwd=tmp_path, capture_output=True, check=True)
    assert json.loads(ran.stdout) == [said for _, _, _, said in MESSAGES]


@pytest.mark.parametrize(
    ("language", "number", "digits", "day"),
    [
        ("en", "1,234.50", "1,234.5", "2026-11-05"),
        ("de", "1.234,50", "1.234,5", "05.11.2026"),
        ("fr", "1\u202f234,50", "1\u202f234,5", "05/11/2026"),
        ("es", "1234,50", "1234,5", "05/11/2026"),
        ("ro", "1.234,50", "1.234,5", "05.11.2026"),
        ("zh", "1,234.50", "1,234.5", "2026年11月5日"),
    ],
)
def test_numbers_and_days_are_written_as_the_language_does(language: str, number: str, digits: str, day: str) -> None:
    spoken = LANGUAGES[language]
    assert (spoken.number(1234.5, 2), spoken.number(1234.5), spoken.day("2026-11-05T10:00:00Z")) == (number, digits, day)
    # As Intl's NumberFormat rounds, which scripts use: halves away from zero, of the number as it is written.
    assert [spoken.number(value, 1)[-1] for value in (104.25, 0.15, 104.35, -2.25)] == ["3", "2", "4", "3"]
    assert spoken.number(0) == "0" and spoken.number(100) == "100" and spoken.day("never") == "never"


@pytest.fixture(scope="module")
def wanted() -> Mapping[str, str]:
    return page_texts()


def test_faults_of_catalogues_are_found() -> None:
    english = {"Jobs": "x.html", "{count, plural, one {# file} other {# files}} of {name}": "x.html", "gone": "x.js"}
    good = {
        "Jobs": "Lucrări",
        "gone": "dus",
        "{count, plural, one {# file} other {# files}} of {name}": "{name}: {count, plural, one {# fișier} few {# fișiere} other {# de fișiere}}",
    }
    assert faults("ro", good, english) == []
    counted = list(english)[1]
    for harm, said in [
        ({"Jobs": " "}, "is empty"),
        ({"Jobs": "{x}"}, "has the places"),
        ({"More": "Mai mult"}, "has a text of no page"),
        ({counted: "{name}: {count} fișiere"}, "has no plural forms of count"),
        (
            {counted: "{name}: {count, plural, one {# fișier} other {# fișiere}}"},
            "has other plural forms of count than one, few, other",
        ),
        ({counted: "{name}: {count, plural, one {# fișier"}, "cannot be read"),
    ]:
        [line] = faults("ro", {**good, **harm}, english)
        assert line.startswith(said)
    del good["gone"]
    assert faults("ro", good, english) == ['lacks "gone" (x.js)']
    # Chinese has one form, which needs no writing of forms.
    assert faults("zh", {"Jobs": "任务", "gone": "无", counted: "{name}:{count} 个文件"}, english) == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_catalogues_are_complete(language: str, wanted: Mapping[str, str]) -> None:
    """Nothing lacks, nothing is too much, places and plural forms fit: `python -m scripts.page_texts LANGUAGE` says what does not."""
    catalogue = json.loads((texts.LOCALES / f"{language}.json").read_text("utf-8"))
    assert faults(language, catalogue, wanted) == []


def test_punctuation_and_terms_are_those_of_the_language() -> None:
    french = json.loads((texts.LOCALES / "fr.json").read_text("utf-8"))
    # French sets no-break spaces around these marks, so that a line never begins with one.
    loose = re.compile(r"(?<!^)(?<!, )(?<![\u00a0\u202f;&\w])[;:?!%»](?!\w)|\w[:?!»](?=\s|$)|\w;(?=\s)|«(?![\u00a0\u202f])|'")
    assert [text for text in french.values() if loose.search(text)] == []
    german = json.loads((texts.LOCALES / "de.json").read_text("utf-8"))
    # "Satz" reads as a sentence, "abstimmen" as voting; several files do vote.
    assert german["Rate"] == "Faktor" and german["Tune"] == "Gewichte optimieren"
    assert [text for text in german.values() if re.search(r"\bSatz\b|\bSätze\b|\bAbstimm", text)] == []


def test_counts_have_plural_forms(wanted: Mapping[str, str]) -> None:
    assert [text for text in wanted if COUNT_PLACE.search(text)] == []


# What is translated by a name that is known elsewhere, which `scripts/page_texts.py` lists, and what the function itself is given.
BY_NAME = {
    "about.title", "band.name", "body.title", "each.text", "label.description", "label.direction", "label.title", "label.unit",
    "mine[0].direction", "model.label.title", "result.direction", "told.direction",
    "row.band", "row.name", "self.label.title", "self.label.unit", "state", "text", "title",
}  # fmt: skip


def test_warnings_have_names_on_every_page() -> None:
    """A warning is never shown by its code, and scripts and reports call it the same."""
    script = (WEB / "static" / "segment.js").read_text("utf-8")
    listed = re.findall(r'[{,\s]"?([a-z-]+)"?: t\("([^"]+)"\)', script.partition("const WARNINGS = {")[2].partition("};")[0])
    assert dict(listed) == TITLES
    assert set(TITLES) == set(WARNINGS)


def test_texts_are_written_where_they_are_translated() -> None:
    """A call of anything but a string would hide a text from its translators."""
    assert {given for path in page_files() for given in calls_by_name(path)} <= BY_NAME


@pytest.mark.parametrize(
    ("suffix", "written"),
    [
        (".html", '<p>{{ _("A \\"b\\"") }}{{ _(\n"C", x=_("D")) }}</p>'),
        (".js", 'import { t } from "x"; t("A \\"b\\""); format("no"); [t("C", { x: t(\n  "D") })]; at("no");'),
        (".py", 'def f(t):\n    t("A \\"b" "\\"", x=1), self.t(\n        "C"), put("no"), scale.t("D")\n'),
    ],
)
def test_texts_are_found_in_each_kind_of_file(suffix: str, written: str, tmp_path: Path) -> None:
    path = tmp_path / f"page{suffix}"
    path.write_text(written, "utf-8")
    assert sorted(text or "" for text in calls(path)) == ['A "b"', "C", "D"]
