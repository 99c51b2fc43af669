"""Reviews of translated files in a real Chromium: the form, findings with marks, and downloads."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looking import check_nothing_is_cut, shoot

pytestmark = pytest.mark.browser
ENGLISH = {
    "hello": "Hello, {name}!",
    "files": "45 files in this folder",
    "delete": "Do you want to delete all <b>files</b>?",
    "read": "Please read the instructions carefully before you start the machine.",
}
GERMAN = {
    "hello": "Hallo, {nom}!",
    "files": "54 Dateien in diesem Ordner",
    "delete": "Möchten Sie alle <b>Dateien</b> löschen?",
    "read": "Bitte Haus lesen Sie der Maschine bevor gestern das.",
}
ARABIC = {
    "hello": "مرحبا!",
    "files": "45 ملفا في هذا المجلد",
    "delete": "هل تريد حذف جميع <b>الملفات</b>؟",
    "read": "يرجى قراءة التعليمات.",
}


def choose(page: Page, folder: Path, role: str, **files: object) -> None:
    """Choose files by their names without suffix; texts as they are, other values as JSON."""
    paths = []
    folder = folder / role
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        path = folder / (name if "." in name else f"{name}.json")
        path.write_text(content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, indent=1), "utf-8")
        paths.append(str(path))
    page.set_input_files(f"#{role}", paths)


def review(page: Page) -> None:
    page.click("#go")
    expect(page.locator("#result")).to_be_visible(timeout=60_000)


def test_files_are_reviewed_and_downloaded(page: Page, tmp_path: Path) -> None:
    page.get_by_role("link", name="Review", exact=True).click()
    page.click("#go")
    expect(page.locator("#problem")).to_have_text("Choose at least one translation.")
    choose(page, tmp_path, "sources", en=ENGLISH)
    choose(page, tmp_path, "translations", de=GERMAN, ar=ARABIC)
    shoot(page, "review-form")
    review(page)
    expect(page.locator("#result-title")).to_be_focused()
    expect(page.locator("#verdict")).to_have_text("3 errors in 8 strings")
    findings = page.locator("#findings > li")
    expect(findings.first).to_contain_text("Error")
    first = findings.filter(has_text="de.json:2")
    expect(first).to_contain_text("a placeholder is missing, added or changed: {name} → {nom}")
    expect(first.locator("mark")).to_have_text(["{name}", "{nom}"])
    expect(findings.filter(has_text="de.json:3").locator("mark")).to_have_text(["45", "54"])
    arabic = findings.filter(has_text="ar.json:2").locator("[lang=ar]")
    assert arabic.get_attribute("dir") == "auto" and arabic.evaluate("each => getComputedStyle(each).direction") == "rtl"
    expect(page.locator("#reviewed tbody tr")).to_have_count(2)
    expect(page.locator("#reviewed tbody tr").first).to_contain_text("English → German")
    # Strings without a finding, the worst first.
    qualities = [float(text.split()[1]) for text in page.locator("#worst strong").all_inner_texts()]
    assert qualities and qualities == sorted(qualities)
    expect(page.locator("#worst")).not_to_contain_text("{nom}")
    shoot(page, "review")
    check_nothing_is_cut(page)
    page.select_option("#severity", "error")
    expect(findings).to_have_count(3)
    with page.expect_download() as download:
        page.click("#markdown")
    comment = Path(download.value.path()).read_text("utf-8")
    assert comment.startswith("<!-- assay-review -->") and "`de.json:2`" in comment
    with page.expect_download() as download:
        page.click("#json")
    answer = json.loads(Path(download.value.path()).read_text("utf-8"))
    assert answer["counts"]["error"] == 3 and len(answer["files"]) == 2


def test_changed_strings_alone_are_reviewed_and_names_may_say_no_language(page: Page, tmp_path: Path) -> None:
    page.goto("/review")
    page.uncheck("#predict")
    choose(page, tmp_path, "sources", source=ENGLISH)
    choose(page, tmp_path, "translations", new=GERMAN)
    choose(page, tmp_path, "earlier", old={**GERMAN, "hello": "Hallo, {name}!"})
    page.click("#go")
    expect(page.locator("#problem")).to_have_text("Enter the target language: new.json does not say it.")
    expect(page.locator("#to")).to_be_focused()
    page.fill("#to", "German")
    page.keyboard.press("Enter")
    expect(page.locator("#verdict")).to_have_text("1 error in 1 string")
    expect(page.locator("#reviewed tbody")).to_contain_text("1 of 4")
    expect(page.locator("#worst-list")).to_be_hidden()
    page.click("#back")
    expect(page.locator("#go")).to_be_focused()
    choose(page, tmp_path, "earlier", other=GERMAN)
    page.click("#go")
    expect(page.locator("#problem")).to_contain_text("is an earlier version of no chosen file")


def test_files_of_one_name_and_files_that_cannot_be_reviewed(page: Page, tmp_path: Path) -> None:
    page.goto("/review")
    page.uncheck("#predict")
    choose(page, tmp_path, "translations", de=GERMAN)
    page.click("#go")
    expect(page.locator("#problem")).to_contain_text("de.json was not reviewed")
    page.get_by_role("button", name="Remove de.json").click()
    choose(page, tmp_path, "sources", app=ENGLISH)
    choose(page, tmp_path, "translations", app=GERMAN)
    page.click("#go")
    expect(page.locator("#problem")).to_have_text("Enter the target language: app.json does not say it.")
    page.fill("#to", "de")
    review(page)
    expect(page.locator("#reviewed tbody tr")).to_contain_text("de/app.json")
    page.click("#back")
    broken = '{"a": 1, "a": 2}'
    (tmp_path / "translations" / "app.json").write_text(broken, "utf-8")
    page.click("#go")
    expect(page.locator("#problem")).to_have_text("app.json changed after you chose it. Choose it again.")
    choose(page, tmp_path, "translations", app=broken)
    expect(page.locator("#problem")).to_be_hidden()
    expect(page.locator("#translations-chosen li")).to_have_count(1)
    review(page)
    expect(page.locator("#findings > li")).to_contain_text("the file cannot be read")


def test_sources_may_lie_among_translations_and_change_too(page: Page, tmp_path: Path) -> None:
    page.goto("/review")
    page.uncheck("#predict")
    good = {**GERMAN, "hello": "Hallo, {name}!", "files": "45 Dateien in diesem Ordner"}
    choose(page, tmp_path, "translations", en={**ENGLISH, "read": "Read the manual before you start the machine."}, de=good)
    choose(page, tmp_path, "earlier", en=ENGLISH, de=good)
    review(page)
    expect(page.locator("#findings > li")).to_contain_text("the source changed, the translation did not")
    expect(page.locator("#reviewed tbody")).to_contain_text("1 of 4")
    page.click("#back")
    page.fill("#to", "Klingonese")
    page.click("#go")
    expect(page.locator("#problem")).to_contain_text("language")


def test_findings_across_strings_name_their_rivals(page: Page, tmp_path: Path) -> None:
    page.goto("/review?lang=fr")
    page.uncheck("#predict")
    choose(
        page,
        tmp_path,
        "sources",
        en={
            "open": "Open the settings page",
            "show": "Show the settings page",
            "n_one": "{{count}} item",
            "n_other": "{{count}} items",
        },
    )
    choose(
        page,
        tmp_path,
        "translations",
        ru={
            "open": "Открыть страницу настроек",
            "show": "Открыть страницу настроек",
            "n_one": "{{count}} предмет",
            "n_other": "{{count}} предметов",
        },
    )
    review(page)
    findings = page.locator("#findings > li")
    expect(findings.first).to_contain_text("il manque une forme du pluriel de la langue cible\u00a0: few, many")
    expect(findings.last).to_contain_text("“Open the settings page” (ru.json:2)")


def test_another_language_and_a_document_with_both_texts(page: Page, tmp_path: Path) -> None:
    page.goto("/review?lang=de")
    po = 'msgid ""\nmsgstr "Language: de\\n"\n\nmsgid "Hello, %s"\nmsgstr "Hallo, %d"\n'
    choose(page, tmp_path, "translations", **{"catalogue.po": po})
    review(page)
    expect(page.locator("#verdict")).to_have_text("1 Fehler in 1 Text")
    expect(page.locator("#findings > li")).to_contain_text("Platzhalter")
