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
        ("src/moko-resources/de/strings.xml", "de", "src/moko-resources/base/strings.xml"),
        ("MR/pt-rBR/plurals.xml", "pt-BR", "MR/base/plurals.xml"),
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
    paths = translation_paths(["de.json", "en-GB.json", "en.json"], "en")
    assert {path: row.source for path, row in paths.items()} == {"de.json": "en.json", "en-GB.json": "en.json"}
    assert translation_paths(["locales/de.json", "other/en.json"], "en") == {}


@pytest.mark.parametrize(
    ("default", "german", "british"),
    [
        ("r/values/strings.xml", "r/values-de/strings.xml", "r/values-en-rGB/strings.xml"),
        ("messages.properties", "messages_de.properties", "messages_en_GB.properties"),
        ("R.resx", "R.de.resx", "R.en-GB.resx"),
        ("Base.lproj/L.strings", "de.lproj/L.strings", "en-GB.lproj/L.strings"),
    ],
)
def test_a_variety_is_a_translation_beside_a_default(default: str, german: str, british: str) -> None:
    paths = translation_paths([default, german, british], "en")
    assert paths == {german: (german, "de", default), british: (british, "en-GB", default)}


def test_varieties_alone_are_sources() -> None:
    """Plain folders have no default: a file above them is another one."""
    paths = translation_paths(["l/de/x.json", "l/en-GB/x.json", "l/en-US/x.json", "l/x.json", "README.md", "README.en-US.md"], "en")
    assert {path: row.source for path, row in paths.items()} == {"l/de/x.json": "l/en-GB/x.json"}
    american = translation_paths(["de.json", "en-US.json", "en-GB.json", "en.json"], "en-US")
    assert {path: row.source for path, row in american.items()} == {"de.json": "en-US.json", "en-GB.json": "en-US.json"}


def test_an_empty_file_leaves_its_place_to_the_default() -> None:
    """Java needs an empty file so that English is not replaced by the language of the machine."""
    paths = ["m.properties", "m_en.properties", "m_de.properties", "l/en.json", "l/de.json"]
    full = translation_paths(paths, "en")
    assert {path: row.source for path, row in full.items()} == {"m_de.properties": "m_en.properties", "l/de.json": "l/en.json"}
    found = translation_paths(paths, "en", is_empty=lambda path: "en." in path)
    assert {path: row.source for path, row in found.items()} == {"m_de.properties": "m.properties", "l/de.json": "l/en.json"}


def test_a_layout_leaves_the_source_language_out() -> None:
    paths = ["x.md", "t/en/x.md", "t/en-GB/x.md"]
    assert translation_paths(paths, "en", [Layout("{path}", "t/{language}/{path}")]).keys() == {"t/en-GB/x.md"}


def test_books_are_no_languages() -> None:
    """Codes of books are languages too: DEU and HEB."""
    assert translation_paths(["de/DEU.usfm", "de/HEB.usfm", "de/EST.usfm"], "de") == {}


@given(st.lists(st.text(st.sampled_from("aden_-.+/jsonvalues"), max_size=30), max_size=6))
def test_any_paths_have_sources_among_them(paths: list[str]) -> None:
    for path, found in translation_paths(paths, "en").items():
        assert {path, found.source} <= set(paths) and found.source != path
