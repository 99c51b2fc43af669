"""The translator's page in a real Chromium: from drop to download, by keyboard, at phone width, with errors."""

import csv
import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.looking import drop, shoot, wait_for_plot

pytestmark = pytest.mark.browser
PAIRS = [
    ("Guvernul numește un prefect în fiecare județ.", "The Government appoints a prefect to each county."),
    ("După doar 200 de metri, ajungem la Foișorul Bătrânei.", "Only 200 metres later we arrive the Former Bandy cloak rind."),
    ("Bună ziua <b>lume</b> & toți!", "Good day <b>world</b> & all!"),
    ("Casa este mare.", "The house is big."),
]
TABLE = "source\ttranslation\n" + "".join(f"{s}\t{t}\n" for s, t in PAIRS)


def test_from_drop_to_download(page: Page) -> None:
    shoot(page, "form")
    drop(page, ("news.ro-en.tsv", TABLE))
    expect(page.locator("#chosen")).to_contain_text("document: news.ro-en.tsv")
    expect(page.locator("#pair")).to_have_value("ro-en")
    page.click("#go")
    expect(page.locator("#document")).to_be_visible(timeout=60_000)
    expect(page.locator("#segments tbody tr")).to_have_count(4)
    scores = [float(text.removesuffix(" %")) for text in page.locator("#segments .value").all_inner_texts()]
    assert scores == sorted(scores, reverse=True)
    expect(page.locator("#segments tbody")).to_contain_text("Good day <b>world</b> & all!")
    image = page.locator("#histogram")
    image.scroll_into_view_if_needed()
    assert "Histogram of 4 segment scores" in (image.get_attribute("alt") or "")
    wait_for_plot(page, "histogram")
    shoot(page, "document")
    page.set_viewport_size({"width": 1280, "height": 900})
    with page.expect_download() as download:
        page.click("#tsv")
    lines = Path(download.value.path()).read_text("utf-8").strip().split("\n")
    assert len(lines) == 5
    assert [line.split("\t")[0] for line in lines[1:]] == [source for source, _ in PAIRS]
    page.select_option("#order", "document")
    expect(page.locator("#segments tbody tr").first).to_contain_text(PAIRS[0][0])
    # The address is the document's: it survives a reload.
    page.reload()
    rows = page.locator("#segments tbody tr")
    expect(rows).to_have_count(4, timeout=30_000)
    # Keys work at once, wherever the focus is; while something is typed they are letters.
    page.locator("#containing").press("j")
    expect(page.locator("#containing")).to_have_value("j")
    page.fill("#containing", "")
    page.locator("#containing").blur()
    page.keyboard.press("j")
    expect(rows.nth(0)).to_be_focused()
    page.keyboard.press("j")
    expect(rows.nth(1)).to_be_focused()
    page.locator("#document-title").focus()
    page.keyboard.press("k")
    expect(rows.nth(0)).to_be_focused()


def test_a_telephone_shows_a_segment_in_its_first_screen(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    drop(page, ("news.ro-en.tsv", TABLE))
    page.click("#go")
    row = page.locator("#segments tbody tr").first
    expect(row).to_be_visible(timeout=60_000)
    page.evaluate("scrollTo(0, 0)")
    box = row.locator(".value").bounding_box()
    assert box is not None and box["y"] + box["height"] < 844
    expect(page.locator("#band-report")).to_be_hidden()
    page.get_by_text("Summary and downloads").click()
    expect(page.locator("#band-report")).to_be_visible()


def test_tables_are_copied_as_csv_and_ratings_become_labels(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    drop(page, ("news.ro-en.tsv", TABLE))
    page.locator("details.more summary").click()
    page.get_by_role("button", name="Fill in an example").click()
    expect(page.locator("#at-worst")).to_have_value("30 %")
    page.click("#go")
    expect(page.locator("#document")).to_be_visible(timeout=60_000)
    expect(page.locator("#band-report tbody th")).to_have_text(["good", "medium", "rest"])
    page.click("#copy-bands")
    expect(page.locator("#table-copied")).to_have_text("Copied.")
    assert page.evaluate("navigator.clipboard.readText()").startswith('"Band","Up to","Segments"')
    page.select_option("#order", "document")
    page.click("#copy-segments")
    page.wait_for_timeout(100)
    rows = list(csv.reader(page.evaluate("navigator.clipboard.readText()").splitlines()))
    assert [row[3:5] for row in rows[1:]] == [list(pair) for pair in PAIRS]
    expect(page.locator(".rate").first).to_be_hidden()
    page.check("#rating")
    page.locator(".rate input").nth(1).fill("35")
    page.locator(".rate input").nth(1).blur()
    page.reload()
    expect(page.locator("#rated-count")).to_have_text("1 segment rated", timeout=30_000)
    with page.expect_download() as download:
        page.click("#ratings")
    assert Path(download.value.path()).read_text("utf-8") == f"source\ttranslation\tda\n{PAIRS[1][0]}\t{PAIRS[1][1]}\t35\n"


def test_two_files_and_the_progress_bar(page: Page) -> None:
    sources = "".join(f"Casa numărul {i} este mare și frumoasă.\n" for i in range(4000))
    translations = "".join(f"House number {i} is big and beautiful.\n" for i in range(4000))
    drop(page, ("a.txt", translations), ("b.txt", sources))
    page.get_by_role("button", name="Swap source and translation").click()
    expect(page.locator("#chosen")).to_contain_text("source: b.txt")
    page.select_option("#pair", "ro-en")
    page.click("#go")
    expect(page.locator("#bar")).to_be_visible()
    seen = set()
    while not page.locator("#document").is_visible():
        seen.add(page.locator("#bar").evaluate("bar => bar.value"))
        page.wait_for_timeout(50)
    assert len(seen) > 3
    expect(page.locator("#segments tbody tr")).to_have_count(100)
    page.click("#more")
    expect(page.locator("#segments tbody tr")).to_have_count(200)


def test_with_the_keyboard_alone(page: Page) -> None:
    def tab_to(name: str) -> None:
        for _ in range(40):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.id") == name:
                return
        raise AssertionError(f"the keyboard does not reach {name}")

    tab_to("pair")
    page.keyboard.type("Romanian")
    tab_to("files")
    tab_to("source")
    page.keyboard.insert_text("Casa este mare.\nBună ziua.")
    tab_to("translation")
    page.keyboard.insert_text("The house is big.\nGood day.")
    tab_to("go")
    page.keyboard.press("Enter")
    expect(page.locator("#document")).to_be_visible(timeout=60_000)
    assert page.evaluate("document.activeElement.id") == "document-title"
    expect(page.locator("#segments tbody tr")).to_have_count(2)
    tab_to("tsv")


def test_errors_are_said_where_they_are(page: Page) -> None:
    cases = [
        ([("x.tsv", "a\tb\tc\n")], "3 columns"),
        ([("x.tsv", "")], "empty"),
        ([("s.txt", "a\nb\n"), ("t.txt", "c\n")], "translation has 1 line but source has 2"),
    ]
    for files, said in cases:
        drop(page, *files)
        expect(page.locator("#problem")).to_contain_text(said)
        expect(page.locator("#entry")).to_be_visible()
        # What was refused is not to be sent, until something else is given.
        expect(page.locator("#go")).to_be_disabled()
        if said == "3 columns":
            shoot(page, "problem")
        drop(page, ("news.ro-en.tsv", TABLE))
        expect(page.locator("#go")).to_be_enabled()
        expect(page.locator("#problem")).to_be_hidden()


def test_what_only_a_job_refuses_is_said_too(page: Page) -> None:
    drop(page, ("x.tsv", "x" * 30_000 + "\ty\n"))
    page.click("#go")
    expect(page.locator("#problem")).to_contain_text("the limit is 20000")
    expect(page.locator("#entry")).to_be_visible()


def test_there_is_something_to_estimate_once_both_texts_are_there(page: Page) -> None:
    expect(page.locator("#go")).to_be_disabled()
    page.fill("#source", "Casa este mare.\nBună ziua.")
    expect(page.locator("#go")).to_be_disabled()
    page.fill("#translation", "The house is big.")
    expect(page.locator("#problem")).to_have_text("The source has 2 lines, the translation 1. Each line is a segment.")
    expect(page.locator("#go")).to_be_disabled()
    page.fill("#translation", "The house is big.\nGood day.")
    expect(page.locator("#go")).to_be_enabled()
    expect(page.locator("#problem")).to_be_hidden()


def test_an_empty_line_of_a_pasted_text_is_an_empty_segment(page: Page) -> None:
    """As in files: a final newline adds no line. Empty lines beyond the other text belong to nothing."""
    page.fill("#source", "Casa este mare.\nBună ziua.\nUnde este gara?")
    for ends in ("\n\n\n", "\n\n\n\n\n"):
        page.fill("#translation", f"The house is big.{ends}")
        expect(page.locator("#found")).to_contain_text("3 segments")
        expect(page.locator("#go")).to_be_enabled()
    page.fill("#translation", "The house is big.\n\n")
    expect(page.locator("#problem")).to_have_text("The source has 3 lines, the translation 2. Each line is a segment.")
    page.fill("#source", "Casa este mare.")
    expect(page.locator("#found")).to_contain_text("1 segment,")
    page.fill("#translation", "The house is big.\nGood day.")
    expect(page.locator("#problem")).to_have_text("The source has 1 line, the translation 2. Each line is a segment.")
    page.fill("#source", "Casa este mare.\nBună ziua.\nUnde este gara?")
    page.fill("#translation", "The house is big.\n\n\n")
    page.select_option("#pair", "ro-en")
    page.click("#go")
    expect(page.locator("#document")).to_be_visible(timeout=60_000)
    expect(page.locator("#segments tbody tr")).to_have_count(3)


def test_two_texts_the_wrong_way_round_are_told_and_swapped(page: Page) -> None:
    sources, translations = "Guvernul numește un prefect în fiecare județ.\n", "The Government appoints a prefect to each county.\n"
    sentence = "English → Romanian is not available here, but Romanian → English is: are source and translation swapped?"
    drop(page, ("a.txt", translations), ("b.txt", sources))
    expect(page.locator("#found")).to_contain_text(sentence)
    page.click("#go")
    expect(page.locator("#problem")).to_have_text(sentence)
    page.get_by_role("button", name="Swap source and translation").click()
    expect(page.locator("#found")).to_contain_text("Romanian → English (ro-en) (detected)")
    expect(page.locator("#problem")).to_be_hidden()
    page.get_by_role("button", name="Remove").click()
    page.fill("#source", translations)
    page.fill("#translation", sources)
    expect(page.locator("#found")).to_contain_text(sentence)
    page.get_by_role("button", name="Swap source and translation").click()
    expect(page.locator("#found")).to_contain_text("Romanian → English (ro-en) (detected)")
    expect(page.locator("#source")).to_have_value(sources)


def test_human_ratings_and_a_job_that_is_gone(page: Page) -> None:
    page.select_option("#pair", "ro-en")
    page.select_option("#label", "da")
    page.fill("#source", PAIRS[0][0])
    page.fill("#translation", PAIRS[0][1])
    page.click("#go")
    expect(page.locator("#facts")).to_contain_text("ro-en-da-blend-95", timeout=60_000)
    page.goto("/?job=" + "0" * 32)
    expect(page.locator("#problem")).to_contain_text("no longer exists", timeout=20_000)


def test_a_late_look_at_the_words_overrules_no_choice(page: Page) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/v1/files", hold)
    page.fill("#source", "Casa este mare.")
    page.fill("#translation", "The house is big.")
    page.wait_for_timeout(1500)
    page.select_option("#pair", "ro-en")
    for route in held:
        route.continue_()
    page.unroute("**/v1/files")
    expect(page.locator("#found")).to_contain_text("Romanian")
    page.click("#go")
    expect(page.locator("#facts")).to_contain_text("Romanian → English", timeout=60_000)
    expect(page.locator("#guess")).to_be_empty()


def test_the_line_of_the_texts_follows_the_choice_of_languages(page: Page) -> None:
    found = page.locator("#found")
    page.fill("#source", "Guvernul numește un prefect în fiecare județ.")
    page.fill("#translation", "The Government appoints a prefect to each county.")
    expect(found).to_contain_text("Romanian → English (ro-en) (detected) · ro-en-hter-")
    page.select_option("#pair", "en-de")
    expect(found).to_contain_text("English → German (en-de); the source looks like Romanian; the translation looks like English")
    expect(found).not_to_contain_text("detected")
    expect(found).not_to_contain_text("ro-en")
    page.select_option("#pair", "ro-en")
    expect(found).to_have_text(re.compile(r"Romanian → English \(ro-en\) · ro-en-hter-\S+$"))
    page.select_option("#label", "da")
    expect(found).to_have_text(re.compile(r"Romanian → English \(ro-en\)$"))
    page.select_option("#model", "ro-en-da-blend-95")
    expect(found).to_contain_text("(ro-en) · ro-en-da-blend-95")
    # Other texts do not overrule a person's choice.
    page.select_option("#pair", "et-en")
    page.fill("#translation", "The Government appoints one prefect to each county.")
    expect(found).to_contain_text("Estonian → English (et-en); the source looks like Romanian")
    page.select_option("#pair", "")
    expect(found).to_contain_text("Romanian → English (ro-en) (detected)")


def test_languages_guessed_from_little_text_are_asked_about(page: Page) -> None:
    page.fill("#source", "Le chat dort.")
    page.fill("#translation", "The cat sleeps.")
    expect(page.locator("#found")).to_contain_text("Choose the languages; they could not be detected.")
    page.fill("#source", "Casa este mare.")
    page.fill("#translation", "The house is big.")
    expect(page.locator("#found")).to_contain_text("Romanian → English (ro-en) (detected)")
    page.click("#go")
    expect(page.locator("#facts")).to_contain_text("Romanian → English", timeout=60_000)
    expect(page.locator("#guess")).to_contain_text("Is this Romanian → English?")
    page.reload()
    page.get_by_role("button", name="No, choose the languages").click(timeout=30_000)
    expect(page.locator("#source")).to_have_value("Casa este mare.")
    expect(page.locator("#pair")).to_be_focused()
    # Whoever chooses is not asked.
    page.select_option("#pair", "ro-en")
    page.click("#go")
    expect(page.locator("#document")).to_be_visible(timeout=60_000)
    expect(page.locator("#guess")).to_be_empty()


def test_only_models_of_the_chosen_pair_are_offered(page: Page) -> None:
    offered = (
        "[...document.querySelectorAll('#model option')].filter(each => each.value && !each.hidden).map(each => each.dataset.pair)"
    )
    page.select_option("#pair", "en-de")
    assert set(page.evaluate(offered)) == {"en-de"}
    page.select_option("#pair", "ro-en")
    assert set(page.evaluate(offered)) == {"ro-en"}


def test_structure_for_assistive_technology(page: Page) -> None:
    assert page.evaluate("document.documentElement.lang") == "en"
    unnamed = page.evaluate(
        "[...document.querySelectorAll('input,select,textarea,button,img')].filter(e => e.tagName === 'IMG' ? !e.hasAttribute('alt')"
        " : !(e.labels && e.labels.length) && !e.textContent.trim() && !e.getAttribute('aria-label')).map(e => e.id)"
    )
    assert json.dumps(unnamed) == "[]"
    assert page.locator("main").count() == 1
    assert page.locator("h1:visible").count() == 1


def test_why_a_score_is_what_it_is(page: Page) -> None:
    page.select_option("#pair", "ro-en")
    page.fill("#source", PAIRS[1][0])
    page.fill("#translation", PAIRS[1][1])
    page.click("#go")
    expect(page.locator("#document")).to_be_visible(timeout=60_000)
    page.get_by_text("Why this score?").first.click()
    expect(page.locator(".reasons li")).not_to_have_count(0)
    page.get_by_text("Influence of each feature").click()
    parts = page.locator(".parts li")
    expect(parts).to_have_count(7)
    expect(parts.first).to_contain_text("An average segment")
    shoot(page, "why")


def test_a_file_of_a_cat_tool_and_the_way_back(page: Page) -> None:
    sample = Path(__file__).parents[1] / "documents" / "samples" / "matecat.xlf"
    page.set_input_files("#files", str(sample))
    expect(page.locator("#found")).to_contain_text("XLIFF 1.2: 2 segments, 9 words · Romanian → English")
    page.locator("details.more summary").click()
    page.fill("#error-rate", "1 %")
    page.fill("#at-worst", "0.5")
    page.fill("#owner", "Ana")
    shoot(page, "options")
    page.click("#go")
    expect(page.locator("#document-title")).to_have_text("matecat.xlf", timeout=60_000)
    expect(page.locator("#band-report tbody tr")).to_have_count(3)
    page.get_by_role("button", name="Show the segments of band unseen").click()
    expect(page.locator("#none")).to_be_visible()
    page.get_by_role("button", name="Show the segments of band unseen").click()
    expect(page.locator("#segments tbody tr")).to_have_count(2)
    expect(page.locator("#acceptance")).to_have_text("No segment can skip review.")
    expect(page.locator("#address")).to_have_value(page.url)
    with page.expect_download() as download:
        page.click("#annotated")
    assert download.value.suggested_filename == "matecat.xlf"
    written = Path(download.value.path()).read_text("utf-8")
    assert written.count("its:mtConfidence=") == 2 and '<alt-trans match-quality="85%" origin="TM">' in written
    # Edit in place, by keys alone.
    page.locator("#segments tbody tr button.number").first.click()
    page.keyboard.press("j")
    page.keyboard.press("k")
    page.keyboard.press("e")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text("Good day, world.")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".editing .hint")).to_have_text("Saved.")
    shoot(page, "editing")
    page.keyboard.press("Escape")
    # Filters.
    page.locator("#threshold").fill("1")
    expect(page.locator("#none")).to_be_visible()
    page.locator("#threshold").fill("0")
    page.fill("#containing", "metres")
    expect(page.locator("#segments tbody tr")).to_have_count(1)
    # The report is a page of its own.
    with page.expect_popup() as popup:
        page.click("#report")
    expect(popup.value.get_by_role("heading", level=1)).to_have_text("Quality report")
    expect(popup.value.locator(".full tbody tr")).to_have_count(2)
    shoot(popup.value, "report")


def test_warnings_and_words_are_shown(page: Page) -> None:
    page.fill("#source", "Casa are 3 camere și 250 de ferestre.\nNu am văzut nimic acolo.\nCasa este mare.")
    page.fill("#translation", "The house has 3 rooms and 520 windows.\nI saw everything there.\nCasa este mare.")
    expect(page.locator("#found")).to_contain_text("Romanian → English (ro-en) (detected)")
    page.click("#go")
    expect(page.locator("#document")).to_be_visible(timeout=60_000)
    expect(page.locator(".chip", has_text="numbers (error): 250 / 520")).to_be_visible()
    expect(page.locator(".chip", has_text="negation")).to_be_visible()
    expect(page.locator(".chip", has_text="untranslated")).to_be_visible()
    assert page.locator("#segments mark").count() > 0
    # Severe findings come first, in red, whatever their score.
    rows = page.locator("#segments tbody tr")
    flags = rows.evaluate_all("rows => rows.map(row => row.classList.contains('severe'))")
    assert flags == sorted(flags, reverse=True) and sum(flags) >= 2
    expect(page.locator(".chip.severe").first).to_contain_text("(error)")
    expect(page.locator("#facts .severe dd")).to_have_text(str(sum(flags)))
    page.select_option("#show", "severe")
    expect(rows).to_have_count(sum(flags))
    page.select_option("#show", "warning:negation")
    expect(page.locator("#segments tbody tr")).to_have_count(1)
    page.select_option("#show", "")
    page.emulate_media(color_scheme="dark")
    shoot(page, "dark")


def test_what_a_table_was_taken_for_is_said_and_can_be_stated(page: Page) -> None:
    rows = "Casa este foarte mare.\tThe house is very big.\nUnde este gara veche?\tWhere is the old station?\nEl a citit cartea.\tHe read the book.\n"
    page.set_input_files("#files", {"name": "x.tsv", "mimeType": "text/plain", "buffer": f"Frage\tAntwort\n{rows}".encode()})
    expect(page.locator("#found")).to_contain_text("3 segments, 12 words")
    expect(page.locator("#found")).to_contain_text("line 1 is a header; source: column 1, Frage; translation: column 2, Antwort")
    shoot(page, "heading")
    page.get_by_role("button", name="The first row is a segment").click()
    expect(page.locator("#found")).to_contain_text("4 segments, 13 words")
    expect(page.locator("#found")).to_contain_text("no header; source: column 1; translation: column 2")
    page.click("#go")
    expect(page.locator("#document")).to_be_visible(timeout=60_000)
    expect(page.locator("#segments tbody tr")).to_have_count(4)
    page.goto(page.url.split("?")[0])
    page.set_input_files("#files", {"name": "x.jpg", "mimeType": "image/jpeg", "buffer": b"\xff\xd8\xff\xe0\0\x10JFIF\0"})
    expect(page.get_by_text("this is a picture (JPEG), not a translation file")).to_be_visible()
