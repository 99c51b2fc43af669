"""Bands, scales and reasons on the page: what is paid and why, in one unit, in a translator's words."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looking import shoot

pytestmark = pytest.mark.browser
SOURCES = "Casa are 3 camere și 250 de ferestre.\nGuvernul numește un prefect în fiecare județ.\nCasa este mare."
TRANSLATIONS = "The house has 3 rooms and 520 windows.\nThe Government appoints a prefect.\nThe house is big."


def estimate(page: Page, **fields: str) -> None:
    page.fill("#source", SOURCES)
    page.fill("#translation", TRANSLATIONS)
    page.select_option("#pair", "ro-en")
    page.locator("details.more summary").click()
    for name, text in fields.items():
        page.fill(f"#{name.replace('_', '-')}", text)
    page.click("#go")


def test_words_are_paid_by_the_risk_on_one_scale_and_the_report_follows(page: Page) -> None:
    estimate(page, at_worst="50 %", error_rate="0,4", currency="EUR", word_price="0,12")
    expect(page.locator("#document")).to_be_visible(timeout=60_000)
    expect(page.locator("#band-report tbody tr")).to_have_count(3)
    expect(page.locator("#band-report tfoot")).to_contain_text("Total")
    expect(page.locator("#band-report thead")).to_contain_text("EUR")
    expect(page.locator("#assumption")).to_contain_text("a word paid in full costs 0.12 EUR")
    expect(page.locator("#assumption")).to_contain_text("50 %")
    expect(page.locator("#facts .chief")).to_contain_text("Words to edit")
    expect(page.locator("#facts")).to_contain_text("words of the source")
    shoot(page, "bands")
    page.select_option("#scale", "quality")
    expect(page.locator("#facts .chief")).to_contain_text("Quality")
    expect(page.locator("#scored")).to_have_text("Quality")
    expect(page.locator("#threshold-title")).to_have_text("Quality at most")
    values = [float(text) for text in page.locator("#segments .value").all_inner_texts()]
    assert values == sorted(values) and all(0 <= value <= 1 for value in values)
    assert "%" not in "".join(page.locator("#segments .range").all_inner_texts())
    expect(page.locator("#assumption")).to_contain_text("0.50")
    with page.expect_popup() as popup:
        page.click("#report")
    expect(popup.value.locator("dl .chief")).to_contain_text("Quality")
    expect(popup.value.locator(".summary tfoot")).to_contain_text("Total")
    shoot(popup.value, "report-quality")


def test_reasons_are_in_words_and_the_models_terms_behind_them(page: Page) -> None:
    estimate(page)
    expect(page.locator("#document")).to_be_visible(timeout=60_000)
    row = page.locator("#segments tbody tr", has_text="250")
    row.get_by_text("Why this score?").click()
    expect(row.locator(".reasons")).to_contain_text("A number of one side is not on the other: 250 / 520", timeout=20_000)
    expect(row.locator(".parts")).to_be_hidden()
    row.get_by_text("in the model's terms").click()
    expect(row.locator(".parts li").first).to_contain_text("An average segment")
    shoot(page, "reasons")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"bands": "good 0,8,3 0.3\nrest 0 1"}, "A band is a name and two numbers"),
        ({"error_rate": "10"}, "between 0 and 1"),
        ({"at_worst": "x"}, "is a number"),
        ({"word_price": "1"}, "A price needs a currency"),
        ({"bands": "good 0.8 0.3\nrest 0 0"}, "last band needs a rate above 0"),
    ],
)
def test_terms_that_mean_nothing_are_said_at_once(page: Page, fields: dict[str, str], said: str) -> None:
    estimate(page, **fields)
    expect(page.locator("#problem")).to_contain_text(said)
