"""Faults of PO catalogues, beside gettext's own program."""

import random
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import cast

import pytest

from app.engine import Engine
from app.operations.review import review_files
from app.operations.review.catalogues import catalogue_part, read_catalogue
from app.operations.review.request import ReviewRequest

RULES = {
    "de": "nplurals=2; plural=(n != 1);",
    "ru": "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);",
    "ga": "nplurals=5; plural=n==1 ? 0 : n==2 ? 1 : n<7 ? 2 : n<11 ? 3 : 4;",
}
ALPHABETS = {
    "c-format": [
        "%",
        "%d",
        "%s",
        "%u",
        "%lu",
        "%i",
        "%.2f",
        "%1$s",
        "%2$d",
        "%%",
        "%*d",
        "%c",
        "%5.1f",
        "%<PRIu64>",
        " ",
        "a",
        "d",
        "$",
        "l",
    ],
    "python-format": ["%", "%d", "%s", "%(n)d", "%(n)s", "%(m)s", "%%", "%r", "%.1f", "%x", " ", "a", "d", ")"],
    "python-brace-format": ["{", "}", "{a}", "{b}", "{a.x}", "{a!r}", "{0}", "{a:>3}", "{{", "}}", " ", "a"],
}


def header(language: str, rule: str | None = None) -> str:
    forms = RULES.get(language, "") if rule is None else rule
    lines = ["Project-Id-Version: x", f"Language: {language}", "MIME-Version: 1.0", "Content-Type: text/plain; charset=UTF-8"]
    lines += ["Content-Transfer-Encoding: 8bit", *([f"Plural-Forms: {forms}"] if forms else [])]
    return 'msgid ""\nmsgstr ""\n' + "".join(f'"{line}\\n"\n' for line in lines)


def faults(text: str, language: str) -> list[tuple[str, str, int]]:
    part = catalogue_part("x.po", language, read_catalogue("x.po", text))
    return [(fault.code, fault.severity, fault.string.place[0]) for fault in part.faults]


def refused_lines(text: str, folder: Path) -> set[int] | None:
    """Lines that msgfmt names with an error, None if it accepts the file."""
    program = shutil.which("msgfmt")
    if program is None:
        pytest.skip("gettext is not installed")
    (folder / "x.po").write_text(text, "utf-8")
    command = [program, "-c", "-o", "/dev/null", "x.po"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env={"LC_ALL": "C.UTF-8"})
    lines = result.stderr.splitlines()
    return (
        {int(match[1]) for line in lines if (match := re.match(r"x\.po:(\d+):(?! warning)", line))} if result.returncode else None
    )


def message(source: str, *forms: str, flag: str = "", plural: str | None = None) -> str:
    """An entry of a catalogue, with a blank line before it."""
    flags = f"#, {flag}\n" if flag else ""
    if plural is None:
        return f'\n{flags}msgid "{source}"\nmsgstr "{forms[0]}"\n'
    return f'\n{flags}msgid "{source}"\nmsgid_plural "{plural}"\n' + "".join(
        f'msgstr[{k}] "{form}"\n' for k, form in enumerate(forms)
    )


@pytest.mark.parametrize(
    ("language", "entry", "code"),
    [
        ("de", message("100%% of %s", "100% von %s", flag="c-format"), "placeholders"),
        ("de", message("%(n)d%% of it", "%(n)d% davon", flag="python-format"), "placeholders"),
        ("de", message("Save %d%% now", "Jetzt %d% sparen", flag="c-format"), "placeholders"),
        ("de", message("{a} files", "{b} Dateien", flag="python-brace-format"), "placeholders"),
        ("de", message("%lu files", "%u Dateien", flag="possible-c-format"), "placeholders"),
        ("de", message("Save\\n", "Speichern"), "spaces"),
        ("de", message("Save", "\\nSpeichern"), "spaces"),
        ("de", message("%d file", "%d Datei", plural="%d files", flag="c-format"), "plurals"),
        ("ru", message("%d file", "%d файл", "%d файла", plural="%d files", flag="c-format"), "plurals"),
        ("ga", message("%d file", "comhad", "dhá %s", "%d", "%d", "%d", plural="%d files", flag="c-format"), "placeholders"),
        ("de", message("Save", "Speichern") * 2, "unreadable"),
        ("de", message("Save", "Speichern") + message("100%% of %s", "100% von %s", flag="no-c-format"), None),
        ("de", message("%s of %d", "%2$d von %1$s", flag="c-format"), None),
        ("de", message("%d file", "eine Datei", "%d Dateien", plural="%d files", flag="c-format"), None),
        ("ga", message("%d file", "comhad", "dhá chomhad", "%d", "%d", "%d", plural="%d files", flag="c-format"), None),
        ("ru", message("%d file", "один файл", "%d файла", "%d файлов", plural="%d files", flag="c-format"), "placeholders"),
        ("de", message("%d file", "", "", plural="%d files", flag="c-format"), None),
        ("de", message("100%% of %s", "100% von %s", flag="fuzzy, c-format"), None),
        ("de", message("100% very %s", "100% von %s", flag="c-format"), None),
        ("de", message("%<PRId64> files", "%<PRId64> Dateien", flag="c-format"), None),
    ],
)
def test_msgfmt_agrees(tmp_path: Path, language: str, entry: str, code: str | None) -> None:
    text = header(language) + entry
    assert [row[:2] for row in faults(text, language)] == ([] if code is None else [(code, "error")])
    assert (refused_lines(text, tmp_path) is None) == (code is None)


@pytest.mark.parametrize("rule", ["nplurals=2; plural=n%10==1 ? 0 : n%10<5 ? 1 : 2;", "", "nplurals=2; plural=n +;"])
def test_msgfmt_agrees_about_headers(tmp_path: Path, rule: str) -> None:
    text = header("de", rule) + message("%d file", "%d Datei", "%d Dateien", plural="%d files")
    assert [row[:2] for row in faults(text, "de")] == [("plurals", "error")] and refused_lines(text, tmp_path) is not None
    assert faults(header("de", rule) + message("Save", "Speichern"), "de") == []


def parts_of(alphabet: Iterable[str], rng: random.Random) -> str:
    return "".join(rng.choices(list(alphabet), k=rng.randint(1, 4)))


@pytest.mark.parametrize("form", ALPHABETS)
def test_random_formats_are_judged_as_by_msgfmt(tmp_path: Path, form: str) -> None:
    rng = random.Random(7)
    pairs = {parts_of(ALPHABETS[form], rng) + f" {k}": parts_of(ALPHABETS[form], rng) + " x" for k in range(1500)}
    entries = [message(source, translation, flag=form) for source, translation in pairs.items()]
    text = header("de") + "".join(entries)
    lines = refused_lines(text, tmp_path)
    assert lines is not None
    first, source_lines = header("de").count("\n"), {}
    for k, source in enumerate(pairs):
        source_lines[first + 4 * k + 3] = (source, pairs[source])
    found = {line - 1 for code, _, line in faults(text, "de") if code == "placeholders"}
    by_gettext = {line if line in source_lines else line - 1 for line in lines}
    assert {source_lines[line] for line in found ^ by_gettext} == set()
    assert 100 < len(found) < 1400


def test_an_empty_form_is_an_error_and_a_language_has_its_forms() -> None:
    text = header("ru") + message("a file", "файл", "файла", "", plural="some files")
    assert faults(text, "ru") == [("empty-translation", "error", text.count("\n"))]
    text = header("ru", RULES["de"]) + message("a file", "файл", "файла", plural="some files")
    assert [row[:2] for row in faults(text, "ru")] == [("plurals", "warning")]
    assert faults(header("fr", "nplurals=2; plural=n>1;") + message("a", "b", "c", plural="d"), "fr") == []


def review(text: str, old: str | None = None) -> list[tuple[str, str, int]]:
    row = {"path": "po/de.po", "text": text, "old_text": old}
    request = ReviewRequest.model_validate({"files": [row], "predict": False, "compare": old is not None})
    return [(row["code"], row["severity"], row["line"]) for row in review_files(cast(Engine, None), request)["findings"]]


def test_findings_stand_at_their_form_and_drafts_break_nothing() -> None:
    text = header("de") + message("%d file of %s", "%d Datei von %s", "%d Dateien von %d", plural="%d files of %s", flag="c-format")
    last = text.count("\n")
    assert review(text) == [("placeholders", "error", last)]
    assert review(text.replace("#, c-format", "#, fuzzy, c-format")) == [("placeholders", "info", last)]


def test_changes_alone_have_faults() -> None:
    broken = header("de") + message("Save\\n", "Speichern")
    text = broken + message("Open\\n", "Öffnen")
    assert review(text, broken) == [("spaces", "error", text.count("\n"))]
    assert review(text, text) == []
    draft = broken.replace('\nmsgid "Save', '\n#, fuzzy\nmsgid "Save')
    assert ("spaces", "error", broken.count("\n")) in review(broken, draft)
