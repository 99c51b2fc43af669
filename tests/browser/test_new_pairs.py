"""Pairs that nothing was built for, in a browser: their languages by name, and the labels and speeds that are left."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from app.settings import ROOT
from tests.browser.looking import shoot
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


def test_a_general_model_is_named_calmly_and_unknown_languages_are_said(page: Page) -> None:
    page.fill("#source", "Where is the old station?\nThe house is big and beautiful today.")
    page.fill("#translation", "Níbo ni ibùdó àtijọ́ náà wà?\nIlé náà tóbi ó sì lẹ́wà lónìí.")
    expect(page.locator("#found")).to_contain_text("pasted text: 2 segments")
    expect(page.locator("#found")).to_contain_text("This looks like Yoruba, a language that no model here knows.")
    page.fill("#translation", "Où est la vieille gare ?\nLa maison est grande et belle aujourd’hui.")
    expect(page.locator("#found")).to_contain_text("English → French (en-fr) (detected) · any-any-hter-blend-45")
    page.click("#go")
    expect(page.locator("#document")).to_be_visible(timeout=60_000)
    caution = page.locator("#cautions .caution")
    expect(caution).to_contain_text("It does not notice a wrong language; the warnings do.")
    expect(caution).not_to_contain_text("correlation")
    expect(page.locator("#cautions .problem")).to_have_count(0)
    shoot(page, "caution")


def test_critical_errors_have_no_range_and_nobody_skips_review_of_them_unasked(page: Page) -> None:
    page.select_option("#pair", "other")
    page.fill("#from", "en")
    page.fill("#to", "cs")
    page.press("#to", "Tab")
    page.select_option("#label", "critical")
    page.fill("#source", "The meeting is on Monday.\nThe bridge is closed for traffic until Friday.")
    page.fill("#translation", "Schůzka je v pondělí.\nMost je otevřený")
    page.click("#go")
    expect(page.locator("#document")).to_be_visible(timeout=60_000)
    expect(page.locator("#facts .chief")).to_contain_text("Probability of a critical error")
    expect(page.locator("#facts")).to_contain_text("of the critical errors")
    expect(page.locator("#threshold-title")).to_have_text("Probability of a critical error at least")
    expect(page.locator("#note")).not_to_contain_text("range")
    expect(page.locator("#about-ranges")).to_be_hidden()
    expect(page.locator("#segments .range")).to_have_count(0)
    expect(page.locator("#band-report tbody th")).to_have_text(["light", "full"])
    expect(page.locator("#acceptance")).to_be_hidden()
    assert page.locator("#show option[value=unseen]").count() == 0
    # Whoever states a risk gets the free band, in words of the label.
    page.goto("/")
    page.select_option("#pair", "other")
    page.fill("#from", "en")
    page.fill("#to", "cs")
    page.press("#to", "Tab")
    page.select_option("#label", "critical")
    page.fill("#source", "The meeting is on Monday.\nThe house is big.")
    page.fill("#translation", "Schůzka je v pondělí.\nDům je velký.")
    page.locator("details.more summary").click()
    page.fill("#error-rate", "60 %")
    page.click("#go")
    expect(page.locator("#document")).to_be_visible(timeout=60_000)
    expect(page.locator("#band-report tbody th")).to_have_text(["unseen", "light", "full"])
    expect(page.locator("#assumption")).to_contain_text("at most 60 % of them are expected to have a critical error.")
    expect(page.locator("#acceptance")).to_contain_text("are expected to have a critical error.")
