"""Pairs that nothing was built for, in a browser: their languages by name, and the labels and speeds that are left."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from app.settings import ROOT
from tests.servers import Server, small_house

pytestmark = pytest.mark.browser
ADDED = ("any-any-da-blend-45", "any-any-hter-blend-45", "en-cs-critical-gp-9")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One pair with models of its own, and the network, which answers for others."""
    folder = tmp_path_factory.mktemp("networked")
    environment = small_house(folder, "ro-en")
    for name in ADDED:
        (folder / "models" / name).symlink_to(ROOT / "models" / name)
    (folder / "data").mkdir()
    running = Server(folder / "data", {**environment, "ASSAY_ENCODER": "auto"})
    running.start()
    yield running
    running.stop()


def test_only_labels_and_speeds_that_a_pair_has_are_left(page: Page) -> None:
    critical, fast = page.locator("#label option[value=critical]"), page.locator("#profile option[value=fast]")
    expect(critical).to_be_enabled()
    page.select_option("#label", "critical")
    page.select_option("#profile", "fast")
    page.select_option("#pair", "other")
    expect(critical).to_be_disabled()
    expect(fast).to_be_disabled()
    expect(page.locator("#label")).to_have_value("hter")
    expect(page.locator("#profile")).to_have_value("accurate")
    expect(page.locator("#model option:enabled")).to_have_text([
        "Best model for these languages", page.locator("#model option[value=any-any-hter-blend-45]").inner_text(),
    ])  # fmt: skip
    page.fill("#from", "English")
    page.fill("#to", "Czech")
    page.press("#to", "Tab")
    expect(critical).to_be_enabled()
    expect(fast).to_be_disabled()
    page.select_option("#pair", "ro-en")
    expect(critical).to_be_disabled()
    expect(fast).to_be_enabled()
    # A native name leads to the pair's own models, as its tag does.
    page.select_option("#pair", "other")
    page.fill("#from", "Română")
    page.fill("#to", "English")
    page.press("#to", "Tab")
    expect(fast).to_be_enabled()


def test_languages_are_typed_by_name(page: Page) -> None:
    page.goto("/?lang=de")
    page.select_option("#pair", "other")
    # A name in the page's language, and a native one.
    page.fill("#from", "Englisch")
    page.fill("#to", "français")
    page.fill("#source", "The house is big.")
    page.fill("#translation", "La maison est grande.")
    page.click("#go")
    expect(page.locator("#document")).to_be_visible(timeout=60_000)
    expect(page.locator("#facts")).to_contain_text("Englisch → Französisch")
