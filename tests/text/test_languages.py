"""Tags of languages, and pairs of them: BCP 47, the forms of POSIX, codes of three letters, and which pair answers."""

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InputError
from app.text import LanguagePair, tag_name
from app.text.language_names import LANGUAGE_NAMES, TWO_LETTERS
from app.text.language_tags import LONGEST_TAG, canonical_language, parse_tag, read_tag
from app.text.languages import nearest_language
from app.text.reading.column_names import named_language

# What `Intl.getCanonicalLocales` of ECMAScript says of these, and for grandfathered tags the IANA registry's preferred values.
CANONICAL: Final = {
    "en": "en", "EN_us": "en-US", "zh-CN": "zh-CN", "zh-hant": "zh-Hant", "PT-br": "pt-BR", "sr-latn-rs": "sr-Latn-RS",
    "iw": "he", "in": "id", "ji": "yi", "mo": "ro", "jw": "jv", "sh": "sr-Latn", "cmn-Hans-CN": "zh-Hans-CN", "zh-yue": "yue",
    "eng": "en", "deu": "de", "ger": "de", "fre": "fr", "ron": "ro", "rum": "ro", "zho": "zh", "chi": "zh", "arb": "ar",
    "es-419": "es-419", "sl-ROZAJ-biske": "sl-rozaj-biske", "de-1996": "de-1996", "ca-ES-valencia": "ca-ES-valencia",
    "en-u-ca-buddhist": "en-u-ca-buddhist", "en-U-nu-thai-A-bb": "en-a-bb-u-nu-thai", "en-x-Twain": "en-x-twain",
    "zh-min-nan": "nan", "i-klingon": "tlh", "no-bok": "nb", "art-lojban": "jbo", "zh-guoyu": "zh", "sr-YU": "sr-RS",
}  # fmt: skip
# What glibc calls its locales, and FLORES its languages.
LOCALES: Final = {
    "en_US.UTF-8": "en-US", "sr@latin": "sr-Latn", "sr_RS@latin": "sr-Latn-RS", "ca_ES@valencia": "ca-ES-valencia",
    "de_DE@euro": "de-DE", "uz_UZ.utf8@cyrillic": "uz-Cyrl-UZ", "npi_Deva": "ne-Deva", "zho_Hans": "zh-Hans", " ro ": "ro",
}  # fmt: skip
NONE: Final = [
    "", " ", "e", "english", "C", "POSIX", "*all*", "und", "mul", "zxx", "x-klingon", "en-", "-en", "en--US", "en-toolongsubtag",
    "en-deu", "en-US-GB", "en-a", "en-x", "en-a-bb-a-cc", "de-1996-1996", "ro_RO@nonsense", "română", "en\0", "日本語", "12", "en-US:de",
]  # fmt: skip


@pytest.mark.parametrize(("written", "canonical"), [*CANONICAL.items(), *LOCALES.items()])
def test_tags_are_read_in_every_form(written: str, canonical: str) -> None:
    assert canonical_language(written) == canonical
    assert str(read_tag(written)) == canonical


@pytest.mark.parametrize("text", NONE)
def test_what_is_no_language_is_refused_and_left_open_in_files(text: str) -> None:
    assert read_tag(text) is None
    with pytest.raises(InputError, match="BCP 47 tag, such as 'en', 'en-US'"):
        parse_tag(text)


def test_every_language_has_a_name_that_is_not_another_language() -> None:
    named = {
        "Romanian": "ro",
        "română": "ro",
        "GERMAN": "de",
        "Deutsch": "de",
        "中文": "zh",
        "Low German": "nds",
        "Norwegian": "no",
    }
    assert {name: named_language(name) for name in named} == named
    assert all(named_language(name) == code for code, name in LANGUAGE_NAMES.items())
    # A code is a tag already; what names several languages or none is no name.
    assert [named_language(text) for text in ("ro", "en-", "Sorbian", "", "x" * 10**6)] == [None] * 5


@given(
    st.one_of(
        st.text(max_size=20),
        st.from_regex(r"[A-Za-z]{1,4}([-_.@:][A-Za-z0-9]{1,9}){0,6}", fullmatch=True),
        st.lists(st.sampled_from(["en", "zh", "yue", "Latn", "US", "419", "1996", "rozaj", "u", "x", "ca", "nob"])).map("-".join),
    )
)
def test_any_text_is_a_tag_or_refused_and_the_canonical_form_is_a_fixed_point(text: str) -> None:
    tag = read_tag(text)
    if tag is None:
        with pytest.raises(InputError):
            parse_tag(text)
        return
    assert canonical_language(str(tag)) == str(tag)
    assert read_tag(str(tag).upper().replace("-", "_")) == tag
    wider = tag.wider()
    assert wider[0] == str(tag) and tag.language in wider
    assert len(set(wider)) == len(wider)
    assert all(canonical_language(each) == each for each in wider)


@pytest.mark.parametrize("encoding", ["", "<script>", "UTF-8.1", "/etc", " x"])
def test_a_locale_names_an_encoding_by_letters_and_digits(encoding: str) -> None:
    assert read_tag("en_US.UTF-8") == read_tag("en-US.iso_8859-1") == read_tag("en-US")
    assert read_tag(f"en.{encoding}") is None


def test_long_texts_are_refused_without_a_look() -> None:
    assert read_tag("en-x-" + "a-" * LONGEST_TAG + "a") is None and str(read_tag("en-x-" + "a-" * 29 + "a"))
    with pytest.raises(InputError, match="with a colon"):
        LanguagePair.parse("en-" * 10**6)


def test_names() -> None:
    assert (
        tag_name("ro") == "Romanian" and tag_name("pt-BR") == "Portuguese (BR)" and tag_name("zh-Hant") == "Chinese (Traditional)"
    )
    assert tag_name("qzz") == "qzz" and tag_name("?") == "?"
    assert LanguagePair("ro", "en").name == "Romanian → English"
    # ISO 639-1 has 183 codes today.
    assert len([code for code in LANGUAGE_NAMES if len(code) == 2]) == 183 == len(set(TWO_LETTERS.values()))
    assert len(set(LANGUAGE_NAMES.values())) == len(LANGUAGE_NAMES)


@pytest.mark.parametrize(
    ("written", "pair"),
    [
        ("ro-en", "ro-en"), ("RO-EN", "ro-en"), ("ron-eng", "ro-en"), ("en-US:zh-CN", "en-US:zh-CN"), ("en-US-zh-CN", "en-US:zh-CN"),
        ("en_US-zh_CN", "en-US:zh-CN"), ("en-us-zh-cn", "en-US:zh-CN"), ("en-de-DE", "en:de-DE"), ("en-DE-de", "en-DE:de"),
        ("zh-Hant-en", "zh-Hant:en"), ("en-sr-Latn-RS", "en:sr-Latn-RS"), ("xx-yy", "xx-yy"), ("iw:en_GB.UTF-8", "he:en-GB"),
    ],
)  # fmt: skip
def test_pairs_are_read_with_a_colon_or_where_there_is_one_way_to_cut_them(written: str, pair: str) -> None:
    read = LanguagePair.parse(written)
    assert str(read) == pair
    assert LanguagePair.parse(pair) == LanguagePair.parse(read.file_name) == read
    assert read.reversed.reversed == read


@pytest.mark.parametrize(
    "written", ["en-de-de", "en-de-fr", "en", "", "en:", ":en", "en-english", "a" * 999, "en:de:fr", "en\0-de"]
)
def test_other_pairs_are_refused(written: str) -> None:
    with pytest.raises(InputError) as refused:
        LanguagePair.parse(written)
    assert refused.value.code == "unknown-language-pair"


@pytest.mark.parametrize("pair", ["en-en", "en-US:en-GB", "eng-en", "cmn-zh", "sr-Latn:sr-Cyrl"])
def test_one_language_twice_is_no_pair(pair: str) -> None:
    with pytest.raises(InputError, match="twice"):
        LanguagePair.parse(pair)


@given(st.text(alphabet="enuszhdCN-_:@.x19", max_size=24))
def test_any_text_is_a_pair_or_refused(text: str) -> None:
    try:
        pair = LanguagePair.parse(text)
    except InputError:
        return
    assert LanguagePair.parse(str(pair)) == pair
    assert pair in set(pair.wider()) and LanguagePair(parse_tag(pair.source).language, parse_tag(pair.target).language) in set(
        pair.wider()
    )


def test_the_narrowest_that_is_there_answers() -> None:
    def nearest(wanted: str, *there: str) -> str:
        return str(LanguagePair.parse(wanted).nearest(map(LanguagePair.parse, there)))

    assert nearest("en:pt-BR", "en-pt", "en:pt-BR") == "en:pt-BR"
    assert nearest("en:pt-PT", "en-pt", "en:pt-BR") == "en-pt"
    assert nearest("en:pt-PT", "en:pt-BR") == "None"
    assert nearest("en-US:zh-TW", "en-zh", "en:zh-Hant") == "en:zh-Hant"
    assert nearest("en-US:zh-Hans-CN", "en-zh", "en:zh-Hant") == "en-zh"
    assert nearest("nb-en", "no-en") == "no-en"
    assert nearest("de-ro", "ro-de") == "None"
    assert nearest_language("sr-Latn-RS", {"sr", "sr-Latn"}) == "sr-Latn"
    assert nearest_language("sr", {"sr-Latn"}) is None
