"""The page of features: values, places in the training distribution, influence and plots in a real Chromium."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looking import check_nothing_is_cut, shoot, wait_for_plot

pytestmark = pytest.mark.browser
SOURCE = "Casa este mare.\nGuvernul numește un prefect în fiecare județ.\n"
TRANSLATION = "The house is big.\nPrefect prefect the of.\n"


def test_features_of_pasted_text(page: Page) -> None:
    page.get_by_role("link", name="Features", exact=True).click()
    page.click("#go")
    expect(page.locator("#problem")).to_contain_text("Drop a file, or paste")
    shoot(page, "features-form")
    page.fill("#source", SOURCE)
    page.fill("#translation", TRANSLATION)
    page.click("#go")
    expect(page.locator("#result")).to_be_visible(timeout=60_000)
    expect(page.locator("#result-title")).to_have_text("Features, Romanian → English")
    rows = page.locator("#features tbody tr")
    expect(rows).to_have_count(17)
    expect(page.locator("#score")).to_contain_text("Score: ", timeout=30_000)
    expect(page.locator("#score")).to_contain_text("hter, lower is better")
    wait_for_plot(page, "plot")
    expect(page.locator("#plot-note")).to_contain_text("of the training segments")
    page.select_option("#order", "set")
    first = rows.first.inner_text()
    assert "source_tokens" in first and "number of tokens" in first.lower()
    shoot(page, "features")
    check_nothing_is_cut(page)
    page.set_viewport_size({"width": 1280, "height": 900})
    # The page shows what the API answers.
    with page.expect_download() as download:
        page.click("#json")
    told = json.loads(Path(download.value.path()).read_text("utf-8"))
    place = told["segments"][0]["percentiles"]["1001"]
    expect(rows.first).to_contain_text(f"{place:.1f} %")
    page.select_option("#segment", "1")
    expect(page.locator("#translation-text")).to_have_text("Prefect prefect the of.")
    page.get_by_role("button", name="target_tokens").click()
    expect(page.locator("#plot-note")).to_contain_text("target_tokens: ")
    page.reload()
    expect(rows).to_have_count(17, timeout=30_000)
    assert page.input_value("#address") == page.url


def test_features_of_a_model_from_a_document(page: Page, tmp_path: Path) -> None:
    page.goto("/features")
    page.select_option("#pair", "ro-en")
    model = "ro-en-hter-svr-17"
    page.select_option("#set", f"model:{model}")
    path = tmp_path / "pairs.tsv"
    path.write_text("source\ttranslation\nCasa este mare.\tThe house is big.\n", "utf-8")
    page.set_input_files("#files", str(path))
    page.click("#go")
    expect(page.locator("#score")).to_contain_text("Score: ", timeout=60_000)
    expect(page.locator("#score")).to_contain_text(model)
    page.select_option("#order", "influence")
    expect(page.locator("#features tbody tr").first).to_contain_text("%")
