"""Bands, scales and reasons on the page: what is paid and why, in one unit, in a translator's words."""

import pytest
from playwright.sync_api import Page, expect

from app.planning.band_lists import read_bands
from tests.browser.looking import check_nothing_is_cut, shoot

pytestmark = pytest.mark.browser
SOURCES = "Casa are 3 camere și 250 de ferestre.\nGuvernul numește un prefect în fiecare județ.\nCasa este mare."
TRANSLATIONS = "The house has 3 rooms and 520 windows.\nThe Government appoints a prefect.\nThe house is big."


def write_texts(page: Page) -> None:
    page.fill("#source", SOURCES)
    page.fill("#translation", TRANSLATIONS)
    page.select_option("#pair", "ro-en")
    page.locator("details.more summary").click()


def estimate(page: Page, **fields: str) -> None:
    write_texts(page)
    for name, text in fields.items():
        page.fill(f"#{name.replace('_', '-')}", text)
    page.click("#go")


def test_words_are_paid_by_the_risk_on_one_scale_and_the_report_follows(page: Page) -> None:
    estimate(page, at_worst="50 %", error_rate="0,4", currency="EUR", word_price="0,12")
    expect(page.locator("#document")).to_be_visible(timeout=60_000)
    expect(page.locator("#band-report tbody tr")).to_have_count(3)
    expect(page.locator("#band-report tfoot")).to_contain_text("Total")
    expect(page.locator("#band-report thead")).to_contain_text("EUR")
    expect(page.locator("#assumption")).to_contain_text("0.12 EUR is the full price of a word")
    expect(page.locator("#assumption")).to_contain_text("50 %")
    expect(page.locator("#facts .chief")).to_contain_text("Words to edit")
    expect(page.locator("#facts")).to_contain_text("source words")
    expect(page.locator("#note")).to_contain_text("Long segments count more; without that it would be")
    mean = page.request.get(f"/v1/jobs/{page.url[-32:]}").json()["summary"]["document"]["confidence"]
    shoot(page, "bands")
    page.select_option("#scale", "quality")
    expect(page.locator("#facts .chief")).to_contain_text("Quality")
    expect(page.locator("#scored")).to_have_text("Quality")
    expect(page.locator("#note")).to_contain_text(f"without that it would be {mean:.2f}, the number in your files.")
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
    check_nothing_is_cut(popup.value)


def test_reasons_are_in_words_and_the_models_terms_behind_them(page: Page) -> None:
    estimate(page)
    expect(page.locator("#document")).to_be_visible(timeout=60_000)
    row = page.locator("#segments tbody tr", has_text="250")
    row.get_by_text("Why this score?").click()
    expect(row.locator(".reasons")).to_contain_text("A number appears on one side only: 250 / 520", timeout=20_000)
    expect(row.locator(".parts")).to_be_hidden()
    row.get_by_text("Influence of each feature").click()
    expect(row.locator(".parts li").first).to_contain_text("An average segment")
    shoot(page, "reasons")


def test_terms_that_mean_nothing_are_said_at_once(page: Page) -> None:
    write_texts(page)
    cases: list[tuple[dict[str, str], str]] = [
        ({"bands": "good 0,8,3 0.3\nrest 0 1"}, "Write a band as a name and two numbers"),
        ({"error_rate": "10"}, "between 0 and 1"),
        ({"at_worst": "x"}, "“A segment is an error if it is worse than” needs a number"),
        ({"at_worst": "30"}, "30 means 3,000 %, more than all words. Did you mean 30 %?"),
        ({"word_price": "1"}, "Enter a currency for the price"),
        ({"bands": "good 0.8 0.3\nrest 0 0"}, "last band needs a rate above 0"),
        ({"bands": "good 1,8 0.5\nrest 0 1"}, "Band good: the lowest quality must be between 0 and 1"),
        ({"bands": "good 0.8 11\nrest 0 1"}, "Band good: the share of the word price must be between 0 and 10"),
        ({"bands": "rest 0 1\ngood 0.8 0.3"}, "good must start below rest"),
        ({"bands": "good 0.8 0.3"}, "The last band, good, must start at 0"),
        ({"bands": "rest 0.5 1\nrest 0 0.3"}, "Two bands have the name rest"),
    ]
    names = {name for fields, _ in cases for name in fields}
    for fields, said in cases:
        for name in names:
            page.fill(f"#{name.replace('_', '-')}", fields.get(name, ""))
        page.click("#go")
        expect(page.locator("#problem")).to_contain_text(said)


def test_a_percentage_and_another_unit_may_be_above_one(page: Page) -> None:
    asked = (
        "async () => { const { terms } = await import('/static/terms.js'); return [terms('hter').accept, terms('effort').accept]; }"
    )
    page.locator("details.more summary").click()
    page.fill("#at-worst", "30 %")
    assert page.evaluate(asked) == [{"at_worst": 0.3}, {"at_worst": 0.3}]
    page.fill("#at-worst", "4")
    effort = asked.replace("terms('hter').accept, ", "")
    assert page.evaluate(effort) == [{"at_worst": 4}]


def test_bands_of_the_shell_are_read_as_the_shell_reads_them(page: Page) -> None:
    for spec in (
        "good=0.8:0.3,rest=0:1",
        "good=0,8:0,3;rest=0:1",
        "very good=80%:30%;rest=0",
        "good=0,8:0,3,rest=0:1",
        "good = 0.8:0.3 , rest = 0:1",
    ):
        kept = page.evaluate("async (spec) => (await import('/static/band-lists.js')).bandsOf(spec)", spec)
        assert kept == [{"rate": 1, **band} for band in read_bands(spec, ("bands",))]


def test_bands_stand_on_lines_or_between_semicolons(page: Page) -> None:
    wanted = [{"name": "very good", "at_least": 0.8, "rate": 0.3}, {"name": "3 stars", "at_least": 0, "rate": 1}]
    for spec in ("very good 80 % 30 %\n3 stars 0 1\n", "very good 0,8 0,3; 3 stars 0 1", "very good=0,8:0,3\n3 stars=0"):
        assert page.evaluate("async (spec) => (await import('/static/band-lists.js')).bandsOf(spec)", spec) == wanted


def test_every_column_of_money_is_seen(page: Page) -> None:
    estimate(page, at_worst="50 %", currency="EUR", word_price="0,12")
    expect(page.locator("#document")).to_be_visible(timeout=60_000)
    address = page.url
    for language, paid, price in (("en", "Paid words", "0.12"), ("de", "Bezahlte Wörter", "0,12")):
        page.set_viewport_size({"width": 1280, "height": 900})
        page.goto(f"{address}&lang={language}")
        expect(page.locator("#band-report tfoot tr")).to_have_count(1, timeout=30_000)
        expect(page.locator("#assumption")).to_contain_text(f"{price} EUR")
        check_nothing_is_cut(page)
        cell = page.locator("#band-report tfoot td").last
        assert cell.evaluate("cell => getComputedStyle(cell, '::before').content").startswith('"EUR"')
        # Whatever a row looks like, it stays a row, and its cells have their headings.
        expect(page.get_by_role("columnheader", name=paid)).to_have_count(1)
        expect(page.get_by_role("row", name="EUR")).to_have_count(1)


def test_where_no_risk_was_stated_warnings_are_what_is_told(page: Page) -> None:
    estimate(page, bands="good 0.8 0.3\nrest 0 1")
    expect(page.locator("#document")).to_be_visible(timeout=60_000)
    fact = page.locator("#facts div", has_text="With a warning")
    expect(fact.locator("dd")).to_have_text("1")
    expect(page.locator("#facts")).not_to_contain_text("To review")
    titles = page.locator("#show option").all_inner_texts()
    assert "To review" not in titles and titles.count("With a warning") == 1
    page.select_option("#show", "warned")
    expect(page.locator("#segments tbody tr")).to_have_count(1)
    with page.expect_popup() as popup:
        page.click("#report")
    expect(popup.value.locator("dl.facts")).to_contain_text("With a warning")
    expect(popup.value.locator("body")).not_to_contain_text("o review")
