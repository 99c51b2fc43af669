"""Tuning and reranking in a real Chromium: forms, their errors, curves, weights, what they change and why, and the downloads."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looking import check_nothing_is_cut, shoot, wait_for_plot
from tests.smt.api.test_tuning import REFERENCES, lists, moses

pytestmark = pytest.mark.browser


def test_tuning(page: Page, tmp_path: Path) -> None:
    rows = lists(6)
    (tmp_path / "dev.nbest").write_bytes(moses(rows))
    (tmp_path / "reference.txt").write_text("\n".join(REFERENCES) + "\n", "utf-8")
    page.get_by_role("link", name="Tune", exact=True).click()
    page.click("#go")
    expect(page.locator("#problem")).to_contain_text("Choose at least one n-best list")
    shoot(page, "tune-form")
    page.set_input_files("#lists", str(tmp_path / "dev.nbest"))
    page.set_input_files("#references", str(tmp_path / "reference.txt"))
    page.fill("#options", "restarts:many")
    page.click("#go")
    expect(page.locator("#problem")).to_contain_text("restarts", timeout=20_000)
    page.fill("#options", "restarts:2")
    page.select_option("#take", "mean")
    page.click("#go")
    expect(page.locator("#result")).to_be_visible(timeout=60_000)
    expect(page.locator("#facts")).to_contain_text("Score with these weights")
    expect(page.locator("#note")).to_contain_text("The weights are the mean of all runs.")
    expect(page.locator("#segments > li").first).to_contain_text("first hypothesis")
    expect(page.locator("#segments mark").first).to_be_visible()
    expect(page.locator("#balance")).to_contain_text("of 40")
    for plot in ("curves", "weights"):
        wait_for_plot(page, plot)
    page.locator("#result details summary").last.click()
    expect(page.locator("#weights-table tbody tr")).to_have_count(2)
    shoot(page, "tune")
    check_nothing_is_cut(page)
    page.set_viewport_size({"width": 1280, "height": 900})
    with page.expect_download() as download:
        page.click("#weights-file")
    document = json.loads(Path(download.value.path()).read_text("utf-8"))
    assert document["format"] == "assay-weights" and document["weights"]["good"][0] > 0
    with page.expect_download() as download:
        page.click("#moses-file")
    assert Path(download.value.path()).read_text("utf-8").splitlines()[0] == f"good= {document['weights']['good'][0]}"
    first = page.locator("#segments > li").first.inner_text()
    page.select_option("#order", "loss")
    expect(page.locator("#segments > li").first).not_to_have_text(first)
    page.reload()
    expect(page.locator("#weights-table tbody tr")).to_have_count(2, timeout=30_000)
    assert page.input_value("#address") == page.url
    page.click("#elsewhere")
    expect(page.locator("#weights-chosen")).to_contain_text("weights.json")


def test_reranking(page: Page, tmp_path: Path) -> None:
    """From two files to what changed and why; measured, in another order, opened again at its address and from the list of jobs."""
    rows = lists(6)
    (tmp_path / "test.nbest").write_bytes(moses(rows))
    (tmp_path / "moses.ini").write_text("[weight]\ngood= 1\nbad= -0.1\n", "utf-8")
    (tmp_path / "wrong.txt").write_text("good= 1\n", "utf-8")
    (tmp_path / "reference.txt").write_text("\n".join(REFERENCES) + "\n", "utf-8")
    page.get_by_role("link", name="Rerank", exact=True).click()
    page.click("#go")
    expect(page.locator("#problem")).to_contain_text("one weights file")
    page.set_input_files("#lists", str(tmp_path / "test.nbest"))
    page.set_input_files("#weights", str(tmp_path / "wrong.txt"))
    page.click("#go")
    expect(page.locator("#problem")).to_contain_text("feature bad", timeout=20_000)
    for summary in page.locator("#form summary").all():
        summary.click()
    shoot(page, "rerank-form")
    page.get_by_role("button", name="Remove wrong.txt").click()
    page.set_input_files("#weights", str(tmp_path / "moses.ini"))
    page.click("#go")
    expect(page.locator("#facts")).to_contain_text("/ 40", timeout=30_000)
    expect(page.locator("#order")).to_have_value("far")
    page.get_by_role("link", name="Other lists").click()
    page.set_input_files("#lists", str(tmp_path / "test.nbest"))
    page.set_input_files("#weights", str(tmp_path / "moses.ini"))
    page.set_input_files("#references", str(tmp_path / "reference.txt"))
    page.locator("#form summary").last.click()
    page.fill("#features", "len, words")
    page.click("#go")
    expect(page.locator("#facts")).to_contain_text("Score after reranking", timeout=30_000)
    expect(page.locator("#note")).to_contain_text("Computed features: len, words.")
    first = page.locator("#segments > li").first
    expect(first).to_contain_text("gain +")
    expect(first.locator(".moved .chip").first).to_contain_text("good +")
    expect(first.locator("mark").first).to_be_visible()
    shoot(page, "rerank")
    check_nothing_is_cut(page)
    page.set_viewport_size({"width": 1280, "height": 900})
    with page.expect_download() as download:
        page.click("#texts")
    chosen = Path(download.value.path()).read_text("utf-8").splitlines()
    assert len(chosen) == 40 and all(text in {entry["text"] for entry in row} for text, row in zip(chosen, rows, strict=True))
    balance = page.inner_text("#balance")
    page.goto("/jobs")
    page.locator("#jobs tbody tr").filter(has_text="Reranking").first.get_by_role("link", name="Open").click()
    expect(page.locator("#balance")).to_have_text(balance, timeout=30_000)
    assert page.input_value("#address") == page.url
