"""Which language a text is in, what only letters say of it, and when somebody's expectation is contradicted."""

import tempfile

import numpy as np
import py3langid.langid
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine import Engine
from app.errors import InputError
from app.operations.parts.languages import find_languages, guess_languages
from app.resources.guessing import guess_pair
from app.resources.identification import identify, identify_each, letters_of, likeliest, looks_otherwise
from app.resources.identification.model import ALIASES, LanguageProbabilities, language_identifier
from app.text import LanguagePair

# The first article of the Universal Declaration of Human Rights, as the United Nations publish it.
DECLARATION = {
    "af": "Alle menslike wesens word vry, met gelyke waardigheid en regte, gebore.",
    "de": "Alle Menschen sind frei und gleich an Würde und Rechten geboren.",
    "en": "All human beings are born free and equal in dignity and rights.",
    "et": "Kõik inimesed sünnivad vabadena ja võrdsetena oma väärikuselt ja õigustelt.",
    "fr": "Tous les êtres humains naissent libres et égaux en dignité et en droits.",
    "it": "Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti.",
    "ro": "Toate ființele umane se nasc libere și egale în demnitate și în drepturi.",
    "ru": "Все люди рождаются свободными и равными в своем достоинстве и правах.",
    "zh": "人人生而自由，在尊严和权利上一律平等。",
    "ja": "すべての人間は、生れながらにして自由であり、かつ、尊厳と権利とについて平等である。",
    "ko": "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.",
}


@pytest.mark.parametrize("language", DECLARATION)
def test_one_sentence_is_told_and_contradicts_every_other_language(language: str) -> None:
    text = [DECLARATION[language]]
    probabilities = identify(text)
    assert likeliest(probabilities) == language and sum(probabilities.values()) == pytest.approx(1.0, abs=1e-5)
    assert {other for other in DECLARATION if not looks_otherwise(text, other, probabilities)} == {language}
    shouted = [text[0].upper()]
    assert likeliest(identify(shouted)) == language


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("Pret: 12,50 lei!", "Pret lei"),
        ("see https://example.org/de/haus or mail a@b.de", "see or mail"),
        ("Hallo {name}, %s __PH0__ Welt", "Hallo Welt"),
        ("<g id='1'>Das</g> Haus", "Das Haus"),
        ("1 < 2 und a > b", "und a b"),
        ("增长5%的房子", "增长 的房子"),
        ("नेपाली १२", "नेपाली"),
        ("НЕ КУРИТЬ", "не курить"),
        ("12 %", ""),
    ],
)
def test_only_words_count(text: str, letters: str) -> None:
    assert letters_of(text) == letters


def test_letters_that_a_language_lacks_contradict_it() -> None:
    for text in ("Нова п'єса їй сподобалась увечері.", "Вночі їй снилися новини."):
        probabilities = identify([text])
        assert likeliest(probabilities) == "uk" and looks_otherwise([text], "ru", probabilities)
        assert not looks_otherwise([text], "uk", probabilities)
    # A name is no sentence.
    quoted = ["Вчера вечером в городе Ірпінь прошёл большой концерт."]
    assert not looks_otherwise(quoted, "ru", identify(quoted))


def test_a_short_sentence_of_a_related_language_contradicts() -> None:
    for text, language in (
        ("La bomba funciona a 45 grados.", "fr"),
        ("O museu foi construído em 1897 e tem 45 salas.", "es"),
        ("Het museum is in 1897 gebouwd.", "de"),
        ("Il museo è stato costruito nel 1897.", "ro"),
    ):
        assert looks_otherwise([text], language, identify([text])), text


def test_what_is_unclear_contradicts_nobody() -> None:
    for text in ("Hello", "OK", "Casa este mare.", "iPhone 12 Pro Max", "Proceedings of the Royal Society, Series B", "", "12.5"):
        assert not any(looks_otherwise([text], language, identify([text])) for language in ("de", "en", "ro", "xx")), text
    # Danish is no evidence against Norwegian, and nothing is known of a language that the model has not.
    danish = ["Alle mennesker er født frie og lige i værdighed og rettigheder."]
    assert not looks_otherwise(danish, "no", identify(danish)) and looks_otherwise(danish, "en", identify(danish))
    assert not looks_otherwise(danish, "tlh", identify(danish))


def test_a_document_in_two_languages_is_in_both() -> None:
    both = identify([DECLARATION["fr"], DECLARATION["de"]] * 20)
    assert both["fr"] > 0.3 and both["de"] > 0.3
    quoting = [DECLARATION["fr"]] * 19 + [DECLARATION["de"]]
    assert looks_otherwise(quoting, "de", identify(quoting))
    assert not looks_otherwise(quoting * 2, "fr", identify(quoting * 2))


@settings(max_examples=20)
@given(st.lists(st.text(max_size=80), max_size=3))
def test_any_text_has_probabilities_or_none(texts: list[str]) -> None:
    probabilities = identify(texts)
    assert not probabilities or sum(probabilities.values()) == pytest.approx(1.0, abs=1e-4)
    assert list(probabilities.values()) == sorted(probabilities.values(), reverse=True)
    assert identify([*texts, "123", ""]) == probabilities


PEER = py3langid.langid.LanguageIdentifier.from_model_file(py3langid.langid.MODEL_FILE, norm_probs=True)


def test_hostile_text_is_bounded() -> None:
    """A million characters are looked at no longer than three hundred: what lies behind those changes nothing."""
    for part in ("<", "@", "a@", "\ud800", "\0", "<a ", "字"):
        beginning = (part * 300)[:300]
        assert identify([part * 300_000]) == identify([beginning])
    assert letters_of("<" * 100 + "Haus") == letters_of("Haus")


def test_the_model_is_unpacked_without_a_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    for name in ("TemporaryFile", "NamedTemporaryFile", "mkstemp", "mkdtemp"):
        monkeypatch.setattr(tempfile, name, full)
    identifier = language_identifier.__wrapped__()
    assert identifier.codes[identifier.probabilities([DECLARATION["fr"]]).argmax()] == "fr"


@settings(max_examples=50, deadline=None)
@given(st.one_of(st.sampled_from(sorted(DECLARATION.values())), st.text(max_size=60)))
def test_probabilities_are_those_of_py3langid(text: str) -> None:
    totals: dict[str, float] = {}
    for language, probability in PEER.rank(text):
        code = ALIASES.get(language, language)
        totals[code] = totals.get(code, 0.0) + probability
    identifier = language_identifier()
    (row,) = identifier.probabilities([text])
    # Both add numbers of single precision, in another order.
    assert dict(zip(identifier.codes, row.tolist(), strict=True)) == pytest.approx(totals, abs=1e-5)


@given(st.lists(st.one_of(st.sampled_from(sorted(DECLARATION.values())), st.text(max_size=400)), max_size=4))
def test_texts_at_once_have_the_languages_of_each_alone(texts: list[str]) -> None:
    rows = identify_each(texts)
    assert rows == [identify([text]) for text in texts]
    assert [bool(row) for row in rows] == [bool(letters_of(text)) for text in texts]


def test_the_likeliest_language_comes_first_and_equal_ones_in_alphabetical_order() -> None:
    identifier = language_identifier()
    probabilities = np.zeros(len(identifier.codes))
    probabilities[[3, 1, 7]] = 0.25, 0.25, 0.5
    rows = LanguageProbabilities(identifier, probabilities)
    assert list(rows)[:4] == [identifier.codes[k] for k in (7, 1, 3, 0)]
    assert len(rows) == len(list(rows)) and rows[identifier.codes[1]] == 0.25 and rows.get("?", 0.0) == 0.0


@pytest.mark.parametrize(
    ("source", "target", "pair"), [("en", "de", "en-de"), ("ro", "en", "ro-en"), ("et", "en", "et-en"), ("en", "zh", "en-zh")]
)
def test_the_pair_of_one_segment_is_found(engine: Engine, source: str, target: str, pair: str) -> None:
    assert str(guess_languages(engine, [DECLARATION[source]], [DECLARATION[target]])) == pair


@pytest.mark.parametrize(
    ("source", "target", "pair"),
    [
        # Words that French and Dutch share with Romanian and German, and words that are likely French.
        ("Le chat dort.", "The cat sleeps.", None), ("The cat sleeps.", "Le chat dort.", None), ("De kat slaapt.", "The cat sleeps.", None),
        ("El gato duerme.", "The cat sleeps.", None), ("Où est la gare ?", "Where is the station?", None), ("Bonjour !", "Good morning!", None),
        ("Casa este mare.", "The house is big.", "ro-en"), ("Good morning!", "Guten Morgen!", "en-de"), ("Unde este gara?", "Where is the station?", "ro-en"),
        ("Tere hommikust!", "Good morning!", "et-en"), ("Save", "保存", "en-zh"), ("Доброе утро!", "Good morning!", "ru-en"),
    ],
)  # fmt: skip
def test_little_text_is_no_language_that_merely_shares_words(engine: Engine, source: str, target: str, pair: str | None) -> None:
    guess = guess_pair(engine.resources, [source], [target])
    assert (None if guess.pair is None else str(guess.pair)) == pair


@pytest.mark.parametrize(
    ("source", "target", "said"),
    [
        ("fr", "en", "these look like French (fr) → English (en)"),
        ("en", "af", "these look like English (en) → Afrikaans (af)"),
        ("de", "en", "these look like German (de) → English (en)"),
        ("ja", "ko", "these look like Japanese (ja) → Korean (ko)"),
    ],
)
def test_a_pair_that_is_not_here_is_named(engine: Engine, source: str, target: str, said: str) -> None:
    guess = find_languages(engine, [DECLARATION[source]], [DECLARATION[target]])
    assert (guess.pair, guess.source, guess.translation) == (None, source, target)
    with pytest.raises(InputError, match="which is not here") as error:
        guess_languages(engine, [DECLARATION[source]], [DECLARATION[target]])
    assert error.value.code == "language-pair-not-here" and said in error.value.detail and "en-de, en-zh" in error.value.detail
    # The same as where somebody names the pair: what is there, the other way round, and what makes one.
    with pytest.raises(InputError) as named:
        engine.served_pairs.require(LanguagePair(source, target))
    assert error.value.detail.endswith(named.value.detail) and f"assay pair add {source}-{target} FILE" in named.value.detail
    assert ("en-de is the other way round" in error.value.detail) == (source == "de")


def test_what_somebody_declares_is_not_doubted(engine: Engine) -> None:
    french = find_languages(engine, [DECLARATION["fr"]], [DECLARATION["en"]], ("ro", "en"))
    assert (str(french.pair), french.source) == ("ro-en", "fr")
    half = find_languages(engine, [DECLARATION["fr"]], [DECLARATION["en"]], ("ro", None))
    assert str(half.pair) == "ro-en"
