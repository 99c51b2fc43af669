"""Languages of string files by their paths."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.documents.strings.paths import Layout, translation_paths


@pytest.mark.parametrize(
    ("path", "language", "source"),
    [
        ("locales/de/x.json", "de", "locales/en/x.json"),
        ("locales/pt_BR/x.json", "pt-BR", "locales/en/x.json"),
        ("i18n/fr-FR.json", "fr-FR", "i18n/en-US.json"),
        ("_locales/ja/messages.json", "ja", "_locales/en/messages.json"),
        ("app/values-de/strings.xml", "de", "app/values/strings.xml"),
        ("app/values-pt-rBR/strings.xml", "pt-BR", "app/values/strings.xml"),
        ("app/values-b+sr+Latn/strings.xml", "sr-Latn", "app/values/strings.xml"),
        ("lib/l10n/app_zh_Hant.arb", "zh-Hant", "lib/l10n/app_en.arb"),
        ("ios/de.lproj/L.strings", "de", "ios/en.lproj/L.strings"),
        ("mac/fr.lproj/M.strings", "fr", "mac/Base.lproj/M.strings"),
        ("Resources.pt-BR.resx", "pt-BR", "Resources.resx"),
        ("messages_fr_CA.properties", "fr-CA", "messages.properties"),
        ("config/locales/de.yml", "de", "config/locales/en.yml"),
        ("config/locales/de/de.yml", "de", "config/locales/en/en.yml"),
        ("docs/de/page.md", "de", "docs/en/page.md"),
        ("lib/my_app_de.arb", "de", "lib/my_app_en.arb"),
        ("movie.de.srt", "de", "movie.en.srt"),
        ("bible/de/DEU.usfm", "de", "bible/en/DEU.usfm"),
        ("fr_FR/41-MAT.SFM", "fr-FR", "en/41-MAT.SFM"),
    ],
)
def test_usual_layouts_are_known(path: str, language: str, source: str) -> None:
    assert translation_paths({path, source, "src/app/test.json", "app/values-night/strings.xml"}, "en") == {
        path: (path, language, source)
    }


def test_a_layout_of_the_caller_comes_first() -> None:
    paths = ["README.md", "translations/de/README.md", "guide/de.md", "translations/xx1/README.md"]
    found = translation_paths(paths, "en", [Layout("{path}", "translations/{language}/{path}")])
    assert found == {"translations/de/README.md": ("translations/de/README.md", "de", "README.md")}


def test_a_translation_needs_its_source_and_another_language() -> None:
    assert translation_paths(["de.json", "en-GB.json", "en.json"], "en").keys() == {"de.json"}
    assert translation_paths(["locales/de.json", "other/en.json"], "en") == {}


def test_books_are_no_languages() -> None:
    """Codes of books are languages too: DEU and HEB."""
    assert translation_paths(["de/DEU.usfm", "de/HEB.usfm", "de/EST.usfm"], "de") == {}


@given(st.lists(st.text(st.sampled_from("aden_-.+/jsonvalues"), max_size=30), max_size=6))
def test_any_paths_have_sources_among_them(paths: list[str]) -> None:
    for path, found in translation_paths(paths, "en").items():
        assert {path, found.source} <= set(paths) and found.source != path
