"""Pages name languages, and say of a pair that is not here before anything is sent."""

from playwright.sync_api import Page, expect


def test_languages_have_names_and_a_pair_that_is_not_here_is_said_at_once(page: Page) -> None:
    expect(page.locator("#pair option[value='ro-en']")).to_have_text("Romanian → English (ro-en)")
    text = 'msgid ""\nmsgstr "X-Source-Language: fr_CA\\nLanguage: en\\n"\n\nmsgid "La maison."\nmsgstr "The house."\n'
    page.locator("#files").set_input_files({"name": "a.po", "mimeType": "text/plain", "buffer": text.encode()})
    expect(page.locator("#found")).to_contain_text("No model here knows Canadian French.")
    page.goto("/models")
    expect(page.locator("#pair-en-zh")).to_have_text("English → Chinese (en-zh)")
    page.goto("/?lang=de")
    expect(page.locator("#pair option[value='ro-en']")).to_have_text("Rumänisch → Englisch (ro-en)")
