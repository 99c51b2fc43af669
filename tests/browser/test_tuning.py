"""Tuning in a real Chromium: the form, its errors, the curve, the weights, what they change, and the downloads."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.api.test_tuning import REFERENCES, lists, moses
from tests.browser.looking import check_nothing_is_cut, shoot, wait_for_plot

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
    expect(page.locator("#facts")).to_contain_text("Score of the weights")
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
