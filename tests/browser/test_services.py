"""A source alone on the translator's page: one service, or all of them in a ranking."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looking import shoot
from tests.server.translation.small_service import ENGLISH, KEY, SmallService, small_service
from tests.servers import Server

pytestmark = pytest.mark.browser
SERVICES = """
[libre]
protocol = "libretranslate"
url = "ADDRESS/translate"
attempts = 1

[other]
protocol = "json"
url = "ADDRESS/deepl"
headers = { Authorization = "DeepL-Auth-Key {key}" }
key_file = "KEY"
body = { text = ["{text}"], target_lang = "EN-GB" }
translation = "/translations/0/text"

[dead]
protocol = "libretranslate"
url = "http://127.0.0.1:9/translate"
attempts = 1
"""


@pytest.fixture(scope="module")
def service() -> Iterator[SmallService]:
    with small_service() as running:
        yield running


@pytest.fixture(scope="module")
def server(service: SmallService, tmp_path_factory: pytest.TempPathFactory, ro_en: dict[str, str]) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("services")
    (folder / "key").write_text(KEY)
    (folder / "services.toml").write_text(SERVICES.replace("ADDRESS", service.address).replace("KEY", str(folder / "key")))
    running = Server(folder, {**ro_en, "ASSAY_TRANSLATION_SERVICES": str(folder / "services.toml")})
    running.start()
    yield running
    running.stop()


def test_a_source_alone_is_translated_and_estimated(page: Page, service: SmallService) -> None:
    page.fill("#source", "\n".join(ENGLISH))
    expect(page.locator("#go")).to_be_disabled()
    page.get_by_label("Only a source? Translate it with").select_option("libre")
    expect(page.locator("#found")).to_have_text("3 segments to translate")
    expect(page.locator("footer")).to_contain_text("only a translation service that you choose gets the source")
    shoot(page, "source-alone")
    page.click("#go")
    expect(page.locator("#problem")).to_contain_text("a source alone does not show the target language")
    page.select_option("#pair", "ro-en")
    service.faults = ["500"]
    page.click("#go")
    expect(page.locator("#problem")).to_contain_text("the service libre answered 500", timeout=60_000)
    # The form has kept the source and the choice.
    page.click("#go")
    expect(page.locator("#document")).to_be_visible(timeout=60_000)
    expect(page.locator("#facts")).to_contain_text("Translated by")
    expect(page.locator("#segments tbody")).to_contain_text("Thank you very much.")
    shoot(page, "source-translated")


def test_all_services_are_ranked(page: Page) -> None:
    page.fill("#source", "\n\n".join(ENGLISH))
    page.select_option("#pair", "ro-en")
    page.select_option("#service", "*")
    expect(page.locator("#found")).to_have_text("3 segments to translate, 2 empty lines left out")
    page.click("#go")
    expect(page.locator("#standing tbody tr")).to_have_count(2, timeout=60_000)
    expect(page.locator("#cautions")).to_contain_text("the service dead could not be reached: 3 of 3 segments")
    expect(page.locator("#segments")).to_contain_text("The house is big.!")
    shoot(page, "services-ranked")


def test_a_failed_ranking_keeps_the_form(page: Page, service: SmallService) -> None:
    page.fill("#source", "Strada este lungă.")
    page.select_option("#pair", "ro-en")
    page.select_option("#service", "*")
    # The second service gets three attempts.
    service.faults = ["500"] * 4
    page.click("#go")
    expect(page.locator("#problem")).to_contain_text("The job failed: the service", timeout=60_000)
    expect(page.locator("#problem")).not_to_contain_text("sources.0")
    expect(page.locator("#source")).to_have_value("Strada este lungă.")
    expect(page.locator("#service")).to_have_value("*")


def test_a_pasted_translation_needs_no_service(page: Page, service: SmallService) -> None:
    service.asked = []
    page.select_option("#service", "libre")
    page.fill("#source", "Casa este mare.")
    page.fill("#translation", "The house is large.")
    page.select_option("#pair", "ro-en")
    page.click("#go")
    expect(page.locator("#segments tbody")).to_contain_text("The house is large.", timeout=60_000)
    expect(page.locator("#facts")).not_to_contain_text("Translated by")
    assert not service.asked
