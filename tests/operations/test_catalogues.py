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
from app.operations.review.reading.catalogues import catalogue_part, read_catalogue
from app.operations.review.request import ReviewRequest

RULES = {
    "de": "nplurals=2; plural=(n != 1);",
    "ru": "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);",
    "ga": "nplurals=5; plural=n==1 ? 0 : n==2 ? 1 : n<7 ? 2 : n<11 ? 3 : 4;",
}
# Pieces of random texts by format, with dots between them.
PIECES = {
    "c-format": "%·%d·%s·%u·%lu·%i·%.2f·%1$s·%2$d·%%·%*d·%c·%5.1f·%<PRIu64>· ·a·d·$·l",
    "objc-format": "%·%d·%s·%u·%@·%l@·%1$@·%2$@·%%·%*d·%5@·%ld· ·a·@·$·l",
    "python-format": "%·%d·%s·%(n)d·%(n)s·%(m)s·%%·%r·%.1f·%x· ·a·d·)",
    "python-brace-format": "{·}·{a}·{b}·{a.x}·{a!r}·{0}·{a:>3}·{{·}}· ·a",
    "php-format": "%·%d·%s·%u·%x·%c·%f·%e·%1$s·%2$d·%2$s·%'*5d·%'·%5.2f·%ld·%-5s·%%· ·a·d·$·l·+·0",
    "perl-format": "%·%d·%s·%u·%x·%c·%f·%e·%1$s·%2$d·%2$s·%vd·%*vd·%*d·%5.2f·%ld·%hd·%lld·%-5s·%%· ·a·d·$·l·D·%D·%p·%n·%Lf·%b·v·%v·%_d·%_·%*2$d·%.*f·V·%Vd·%U·%qf·%Vf·%*v",
    "lua-format": "%·%d·%s·%u·%x·%c·%f·%e·%q·%i·%5.2f·%-5s·%%· ·a·d·$·l·q·1·%A·%E·%p·-·#",
    "awk-format": "%·%d·%s·%u·%x·%c·%f·%e·%i·%1$s·%2$s·%2$d·%*d·%5.2f·%-5s·%%· ·a·d·$·l·q·1·%A·%E·%p·-·#·%.*f·%*2$d·%F",
    "tcl-format": "%·%d·%s·%u·%x·%c·%f·%e·%i·%1$s·%2$s·%2$d·%*d·%5.2f·%-5s·%%· ·a·d·$·l·h·%hd·%ld·%lf·%hs·1·%A·%E·%p·-·#·%.*f·%*2$d",
    "javascript-format": "%·%d·%s·%u·%x·%c·%f·%j·%b·%o·%X·%1$s·%2$s·%2$d·%*d·%5.2f·%-5s·%%·%'05d· ·a·d·$·'·1·%i·-·#·+",
    "qt-format": "%·%1·%2·%3·%L1·%L2·%12·%01·%0· ·a·1·L·%%·%n",
    "qt-plural-format": "%·%1·%n·%Ln·L·n· ·a·%L1·%%",
    "kde-format": "%·%1·%2·%3·%4·%12·%0·1· ·a·%%·%L1",
    "sh-format": "$·$a·$b·${a}·${b·{·}·$1·a· ·1·_·$_·é·$?·${a-b}·-·\\",
    "perl-brace-format": "{·}·{a}·{b}·{_a1}·{1}·a· ·{{·}}·{a b}",
    "ycp-format": "%·%1·%2·%3·%%·%0·1· ·a·%a",
    "csharp-format": "{·}·{0}·{1}·{2}·{0,5}·{0,-5}·{0:N2}·{1,3:X}·{{·}}· ·a·0·:·,·{a}·{ 0}·{0 }·{0, 5}·{0,}·{0:}",
    "java-format": "{·}·{0}·{1}·{2}·{0,number}·{0,date}·{1,date,short}·{0,number,integer}·{0,choice,0#a|1#b}·{0,choice,0#a|1#b {1}}·'·''·a· ·0·{a}·l'",
}
ALPHABETS = {form: text.split("·") for form, text in PIECES.items()}


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
    return "".join(rng.choices(list(alphabet), k=rng.randint(1, 4))).replace("\\", "\\\\")


@pytest.mark.parametrize("form", ALPHABETS)
@pytest.mark.parametrize("is_plural", [False, True], ids=["message", "plural"])
def test_random_formats_are_judged_as_by_msgfmt(tmp_path: Path, form: str, is_plural: bool) -> None:
    rng = random.Random(7)
    texts = [[parts_of(ALPHABETS[form], rng) + f" x{k}y" for _ in range(4)] for k in range(1500)]
    # Forms of gettext have one source, that of many.
    entries = [message(a, c, d, flag=form, plural=b) if is_plural else message(a, c, flag=form) for a, b, c, d in texts]
    text = header("de") + "".join(entries)
    lines = refused_lines(text, tmp_path)
    assert lines is not None
    first, height = header("de").count("\n"), entries[0].count("\n")
    by_gettext = {(line - first - 1) // height for line in lines if line > first}
    found = {(line - first - 1) // height for code, _, line in faults(text, "de") if code == "placeholders"}
    assert [texts[k] for k in sorted(found ^ by_gettext)] == []
    assert 100 < len(found) < 1500


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


def test_forms_of_one_message_do_not_differ_without_reason() -> None:
    text = header("ru") + message(
        "%d file was copied", "Скопирован %d файл", "Скопировано %d файла", "%d файлов", plural="%d files were copied"
    )
    request = ReviewRequest.model_validate({"files": [{"path": "po/ru.po", "text": text}], "predict": False})
    assert review_files(cast(Engine, None), request)["findings"] == []


def test_changes_alone_have_faults() -> None:
    broken = header("de") + message("Save\\n", "Speichern")
    text = broken + message("Open\\n", "Öffnen")
    assert review(text, broken) == [("spaces", "error", text.count("\n"))]
    assert review(text, text) == []
    draft = broken.replace('\nmsgid "Save', '\n#, fuzzy\nmsgid "Save')
    assert ("spaces", "error", broken.count("\n")) in review(broken, draft)


@pytest.mark.parametrize(("flag", "sign"), [("", "%d"), ("c-format", "%d"), ("qt-plural-format", "%n")])
def test_a_form_of_one_number_may_name_it(flag: str, sign: str) -> None:
    """As in other formats, and as msgfmt allows; the form of many numbers may not."""
    source = f"{sign} file", f"{sign} files"
    one, many = f"{sign} Datei", f"{sign} Dateien"
    text = header("de") + message(source[0], "Eine Datei", many, plural=source[1], flag=flag)
    assert [row for row in review(text) if row[1] == "error"] == []
    text = header("de") + message(source[0], one, "Dateien", plural=source[1], flag=flag)
    assert {row[0] for row in review(text) if row[1] == "error"} == {"placeholders"}
