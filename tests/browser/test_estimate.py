"""The translator's page in a real Chromium: from drop to download, by keyboard, at phone width, with errors."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from app.settings import ROOT
from tests.conftest import Server

pytestmark = pytest.mark.browser
SHOTS = Path(os.environ.get("ASSAY_SCREENSHOTS", ROOT / "artifacts"))
PAIRS = [
    ("Guvernul numește un prefect în fiecare județ.", "The Government appoints a prefect to each county."),
    ("După doar 200 de metri, ajungem la Foișorul Bătrânei.", "Only 200 metres later we arrive the Former Bandy cloak rind."),
    ("Bună ziua <b>lume</b> & toți!", "Good day <b>world</b> & all!"),
    ("Casa este mare.", "The house is big."),
]
TABLE = "source\ttranslation\n" + "".join(f"{s}\t{t}\n" for s, t in PAIRS)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("Chromium is not on this machine")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield launched
        launched.close()


@pytest.fixture
def page(browser: Browser, server: Server) -> Iterator[Page]:
    SHOTS.mkdir(exist_ok=True)
    context = browser.new_context(viewport={"width": 1280, "height": 900}, base_url=server.address, accept_downloads=True)
    opened = context.new_page()
    problems: list[str] = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    opened.on("request", lambda request: None if request.url.startswith(server.address) or request.url.startswith("blob:") else problems.append(request.url))  # fmt: skip
    opened.goto("/")
    yield opened
    # Refused requests are reported by the browser as console errors; they are what some tests are about.
    assert [each for each in problems if "the server responded with a status of 4" not in each] == []
    context.close()


def drop(page: Page, *files: tuple[str, str]) -> None:
    """Drop files as a mouse does."""
    transfer = page.evaluate_handle(
        "files => { const t = new DataTransfer(); for (const [n, c] of files) t.items.add(new File([c], n)); return t; }", [list(f) for f in files]
    )  # fmt: skip
    page.dispatch_event("#drop", "dragover", {"dataTransfer": transfer})
    page.dispatch_event("#drop", "drop", {"dataTransfer": transfer})


def shoot(page: Page, name: str) -> None:
    for width in (1280, 768, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(100)
        overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert overflow <= 0, f"{name} scrolls sideways at {width}"
        page.screenshot(path=str(SHOTS / f"{name}-{width}.png"), full_page=True)


def test_from_drop_to_download(page: Page) -> None:
    shoot(page, "form")
    drop(page, ("news.ro-en.tsv", TABLE))
    expect(page.locator("#chosen")).to_contain_text("table: news.ro-en.tsv")
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
    page.wait_for_timeout(1500)
    assert page.evaluate("document.getElementById('histogram').naturalWidth") > 100
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
    expect(page.locator("#segments tbody tr")).to_have_count(4, timeout=30_000)


def test_two_files_and_the_progress_bar(page: Page) -> None:
    sources = "".join(f"Casa numărul {i} este mare și frumoasă.\n" for i in range(6000))
    translations = "".join(f"House number {i} is big and beautiful.\n" for i in range(6000))
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


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ([("x.tsv", "a\tb\tc\n")], "3 columns"),
        ([("x.tsv", "")], "empty"),
        ([("s.txt", "a\nb\n"), ("t.txt", "c\n")], "translation has 1 lines but source has 2"),
        ([("x.tsv", "x" * 30_000 + "\ty\n")], "at most 20000"),
        ([], "Drop a file, or paste"),
    ],
)
def test_errors_are_said_where_they_are(page: Page, files: list[tuple[str, str]], said: str) -> None:
    if files:
        drop(page, *files)
    page.click("#go")
    expect(page.locator("#problem")).to_contain_text(said)
    expect(page.locator("#entry")).to_be_visible()
    if said == "3 columns":
        shoot(page, "problem")


def test_human_ratings_and_a_job_that_is_gone(page: Page) -> None:
    page.select_option("#pair", "ro-en")
    page.select_option("#label", "da")
    page.fill("#source", PAIRS[0][0])
    page.fill("#translation", PAIRS[0][1])
    page.click("#go")
    expect(page.locator("#facts")).to_contain_text("ro-en-da-blend-95", timeout=60_000)
    page.goto("/?job=" + "0" * 32)
    expect(page.locator("#problem")).to_contain_text("no such document", timeout=20_000)


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
    reasons = page.locator(".why li")
    expect(reasons).to_have_count(7)
    expect(reasons.first).to_contain_text("An average segment")
    shoot(page, "why")


def test_models_have_pages(page: Page) -> None:
    page.get_by_role("link", name="Models").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Models")
    shoot(page, "models")
    page.set_viewport_size({"width": 1280, "height": 900})
    page.get_by_role("link", name="ro-en-hter-blend-95", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("ro-en-hter-blend-95")
    plot = page.get_by_role("img", name="Bars of relevance")
    plot.scroll_into_view_if_needed()
    page.wait_for_timeout(1500)
    assert plot.evaluate("image => image.naturalWidth") > 100
    expect(page.locator("main")).to_contain_text("Can its intervals be trusted?")
    page.get_by_text("All features as a table").click()
    expect(page.locator("figure tbody tr")).to_have_count(95)
    page.get_by_text("All features as a table").click()
    shoot(page, "model")
    page.goto("/models/none")
    expect(page.locator("body")).to_contain_text("no such model")
