"""Files with several translations of each source: read, ranked and downloaded in a real Chromium."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looking import check_nothing_is_cut, shoot

pytestmark = pytest.mark.browser
TABLE = (
    "source\tgood\tpoor\tscore\n"
    "Casa este mare.\tThe house is big.\tThe the of.\t1\n"
    "Guvernul numește un prefect în fiecare județ.\tThe Government appoints a prefect in each county.\t\t2\n"
    "Bună ziua, lume!\t\t\t3\n"
    "Bună ziua, lume!\tGood day, world!\tDay the good people of.\t4\n"
)
XLIFF = (
    '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file source-language="ro" target-language="en" '
    'original="a.txt" datatype="plaintext"><body><trans-unit id="1"><source>Casa este mare.</source><target>The the of.</target>'
    '<alt-trans origin="memory" match-quality="80%"><source>Casa e mare.</source><target>The house is big.</target></alt-trans>'
    '<alt-trans alttranstype="reference"><target xml:lang="fr">La maison est grande.</target></alt-trans></trans-unit></body></file>'
    "</xliff>"
)


def choose(page: Page, folder: Path, name: str, content: str) -> None:
    (folder / name).write_text(content, "utf-8")
    page.set_input_files("#several", str(folder / name))


def test_a_table_is_ranked(page: Page, tmp_path: Path) -> None:
    page.goto("/rank")
    choose(page, tmp_path, "systems.tsv", TABLE)
    found = page.locator("#found")
    expect(found).to_contain_text("column 1, source", timeout=20_000)
    expect(found).to_contain_text("column 2, good; column 3, poor")
    expect(found).to_contain_text("Left out, by its name: column 4, score")
    expect(found).to_contain_text("good (3), poor (2)")
    expect(found).to_contain_text("1 segment lacks a translation of some system")
    expect(found).to_contain_text("1 row or unit without any translation is left out, in line 4.")
    shoot(page, "several-form")
    page.click("#go")
    expect(page.locator("#result")).to_be_visible(timeout=60_000)
    expect(page.locator("#standing tbody tr").first).to_contain_text("good")
    expect(page.locator("#read")).to_contain_text("in line 4.")
    segments = page.locator("#segments > li")
    expect(segments).to_have_count(3)
    expect(segments.first).to_contain_text("Best: good, by ")
    expect(segments.first).to_contain_text("before poor. Probability that it is better: ")
    expect(segments.first.locator(".winner .who")).to_contain_text(" to ")
    expect(segments.nth(1)).to_contain_text("Only one translation")
    expect(page.locator("#agreement tbody tr").first).to_contain_text("0 %")
    shoot(page, "several")
    check_nothing_is_cut(page)
    page.set_viewport_size({"width": 1280, "height": 900})
    with page.expect_download() as download:
        page.click("#winners")
    winners = Path(download.value.path()).read_text("utf-8").splitlines()
    assert winners == ["The house is big.", "The Government appoints a prefect in each county.", "Good day, world!"]
    with page.expect_download() as download:
        page.click("#tsv")
    assert "The the of." in Path(download.value.path()).read_text("utf-8")
    page.reload()
    expect(page.locator("#read")).to_contain_text("systems.tsv", timeout=30_000)


def test_the_first_row_is_what_a_person_says(page: Page, tmp_path: Path) -> None:
    page.goto("/rank")
    choose(page, tmp_path, "bare.tsv", "\n".join(TABLE.splitlines()[1:2] * 3) + "\n")
    expect(page.locator("#found")).to_contain_text("no header", timeout=20_000)
    expect(page.locator("#found")).to_contain_text("The source was found by its position.")
    expect(page.locator("#found")).to_contain_text("translation: column 2; column 3")
    page.get_by_role("button", name="The first row is a header").click()
    expect(page.locator("#found")).to_contain_text("line 1 is a header", timeout=20_000)
    expect(page.locator("#found")).to_contain_text("2 segments")


def test_the_page_of_one_translation_names_the_file_and_the_ranking(page: Page, tmp_path: Path) -> None:
    (tmp_path / "systems.tsv").write_text(TABLE.replace("score", "third").replace("\t1\n", "\tThe house stands.\n"), "utf-8")
    page.goto("/")
    page.set_input_files("#files", str(tmp_path / "systems.tsv"))
    expect(page.locator("#problem")).to_contain_text("systems.tsv: line 1 of file has 4 columns", timeout=20_000)
    expect(page.locator("#problem")).to_contain_text("use Rank")


def test_alternatives_of_xliff_are_ranked(page: Page, tmp_path: Path) -> None:
    page.goto("/rank")
    choose(page, tmp_path, "letter.xlf", XLIFF)
    expect(page.locator("#found")).to_contain_text("target (1), memory (1)", timeout=20_000)
    expect(page.locator("#found")).to_contain_text("1 alternative is only for reference and is left out.")
    page.click("#go")
    expect(page.locator("#result")).to_be_visible(timeout=60_000)
    expect(page.locator("#segments .winner")).to_contain_text("The house is big.")


def test_a_file_without_two_translations_is_refused(page: Page, tmp_path: Path) -> None:
    page.goto("/rank")
    choose(page, tmp_path, "one.tsv", "source\ttranslation\tscore\nCasa este mare.\tThe house is big.\t1\n")
    expect(page.locator("#problem")).to_contain_text(
        "a ranking needs two; column 3 is no translation (by its name)", timeout=20_000
    )
    page.set_input_files("#source", str(tmp_path / "one.tsv"))
    page.click("#go")
    expect(page.locator("#problem")).to_contain_text("remove the rest")
