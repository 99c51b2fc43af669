"""Corrections on the page: there after a reload, in the file, and never over somebody else's unseen."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.looking import drop, shoot
from tests.servers import Server

SAMPLE = Path(__file__).parents[1] / "documents" / "samples" / "matecat.xlf"


@pytest.fixture
def colleague(browser: Browser, server: Server) -> Iterator[Page]:
    """Somebody else at the same document, on a telephone."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, base_url=server.address)
    yield context.new_page()
    context.close()


def editor(page: Page, text: str) -> None:
    """Open the editor of the first segment of the document and write another text."""
    row = page.locator("#segments tbody tr").filter(has=page.get_by_role("button", name="Segment 1", exact=True))
    row.locator("button.edit").click()
    row.locator("textarea").fill(text)
    expect(row.locator(".editing .hint")).to_have_text("Not saved yet.")


def test_a_saved_correction_has_its_own_score_and_warnings(page: Page) -> None:
    drop(page, ("prices.tsv", "source\ttarget\nAm cumpărat 45 de mere.\tI bought 54 apples.\nCasa este mare.\tThe house is big.\n"))
    expect(page.locator("#found")).to_contain_text("2 segments")
    page.click("#go")
    row = page.locator("#segments tbody tr").filter(has=page.get_by_role("button", name="Segment 1", exact=True))
    expect(row.locator(".chip")).to_have_text("numbers (error): 45 / 54", timeout=60_000)
    before = row.locator(".range").inner_text()
    editor(page, "I bought 45 apples.")
    page.keyboard.press("Control+Enter")
    expect(row.locator(".editing .hint")).to_have_text("Saved.")
    expect(row.locator(".chip")).to_have_text("corrected")
    after = row.locator(".range").inner_text()
    assert after != before
    assert page.locator("#show option").filter(has_text="numbers").count() == 0
    page.reload()
    expect(row.locator(".range")).to_have_text(after, timeout=30_000)
    expect(row.locator(".chip")).to_have_text("corrected")
    page.get_by_role("button", name="Undo correction").click()
    expect(row.locator(".chip")).to_have_text("numbers (error): 45 / 54")
    expect(row.locator(".range")).to_have_text(before)


def test_corrections_stay_and_nobody_overwrites_them_unseen(page: Page, colleague: Page) -> None:
    page.set_input_files("#files", str(SAMPLE))
    page.locator("details.more summary").click()
    page.fill("#owner", "Ana")
    expect(page.locator("#found")).to_contain_text("2 segments")
    page.click("#go")
    expect(page.locator("#document-title")).to_have_text("matecat.xlf", timeout=60_000)
    expect(page.locator("#tmx")).to_be_hidden()
    colleague.goto(page.url)
    expect(colleague.locator("#segments tbody tr")).to_have_count(2, timeout=30_000)
    editor(page, "Good day, world.")
    expect(page.locator(".editing")).to_contain_text("A saved correction is also stored as feedback")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".editing .hint")).to_have_text("Saved.")
    page.reload()
    expect(page.locator(".translated.edited")).to_have_text("Good day, world.", timeout=30_000)
    expect(page.locator(".correctable .chip")).to_have_text("corrected by Ana")
    # Who saw the text of before is shown both, and chooses.
    editor(colleague, "Good morning, world.")
    colleague.keyboard.press("Control+Enter")
    expect(colleague.locator(".editing .hint")).to_have_text("Not saved: Ana corrected this segment in the meantime.")
    expect(colleague.locator(".conflict")).to_contain_text("Good day, world.")
    expect(colleague.locator(".conflict mark").first).to_be_visible()
    shoot(colleague, "conflict-390")
    colleague.get_by_role("button", name="Use my text").click()
    expect(colleague.locator(".editing .hint")).to_have_text("Saved.")
    expect(colleague.locator(".translated.edited")).to_have_text("Good morning, world.")
    # The other one is told in turn, keeps what is there, and takes it back.
    page.get_by_role("button", name="Undo correction").click()
    expect(page.locator(".translated.edited")).to_have_text("Good morning, world.")
    expect(page.locator(".correctable [role=status]").last).to_contain_text("Not undone")
    with page.expect_download() as download:
        page.click("#annotated")
    written = Path(download.value.path()).read_text("utf-8")
    assert ">Good morning, world. <ph " in written
    page.select_option("#written", "comment")
    with page.expect_download() as download:
        page.click("#annotated")
    written = Path(download.value.path()).read_text("utf-8")
    assert "correction: Good morning, world.</note>" in written
    with page.expect_download() as download:
        page.click("#tmx")
    assert "<seg>Good morning, world.</seg>" in Path(download.value.path()).read_text("utf-8")
    shoot(page, "corrected")
    expect(page.locator("#facts")).to_contain_text("Corrected")
    page.get_by_role("button", name="Undo correction").click()
    expect(page.locator(".translated.edited")).to_have_count(0)
    expect(page.locator("#facts")).not_to_contain_text("Corrected")
    # Who still sees it, and takes back what is taken back, has what was wanted.
    expect(colleague.locator("#facts")).to_contain_text("Corrected")
    colleague.get_by_role("button", name="Undo correction").click()
    expect(colleague.locator(".translated.edited")).to_have_count(0)
    expect(colleague.locator("#facts")).not_to_contain_text("Corrected")
    page.reload()
    expect(page.locator("#segments tbody tr")).to_have_count(2, timeout=30_000)
    expect(page.locator(".translated.edited")).to_have_count(0)
