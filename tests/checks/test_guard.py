"""The guard: what no score should be believed of is told, and what only looks so is not."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.checks import GROUPS, GUARD, WARNINGS
from app.checks.guard import guard
from app.checks.guard.copies import copied_words, is_code
from app.checks.guard.loops import repeated_words
from app.checks.guard.residue import residue
from app.checks.scripts import foreign_words, scripts_of
from app.checks.words import plain_words
from app.engine import Engine
from app.engine.segments import Options, Segments
from app.text import LanguagePair

GERMAN = "Das Haus am Ende der Straße ist groß und hat einen schönen Garten."
ENGLISH = "The house at the end of the road is big and has a beautiful garden."
FRENCH = "La maison au bout de la rue est grande et possède un beau jardin."


def codes(pair: str, source: str, translation: str) -> set[str]:
    return {warning.code for warning in guard(LanguagePair.parse(pair), source, translation)}


@pytest.mark.parametrize(
    ("pair", "source", "translation", "expected"),
    [
        ("en-de", ENGLISH, GERMAN, set()),
        ("en-de", ENGLISH, "", {"empty-translation"}),
        ("en-de", ENGLISH, "...", {"empty-translation"}),
        ("en-de", ENGLISH, "🙂🙂🙂", {"empty-translation"}),
        ("en-de", "❤️ 👨‍👩‍👧‍👦", "❤️ 👨‍👩‍👧‍👦", set()),
        ("en-de", "Please call us tomorrow.", "12345", {"empty-translation"}),
        ("en-de", "Hello", "12345", {"empty-translation"}),
        ("en-de", "Hello world", "<br/>", {"empty-translation"}),
        ("ja-en", "ドアを開けてください。", "123", {"empty-translation"}),
        ("en-zh", "Thank you, thanks!", "谢谢，谢谢！", set()),
        ("en-es", "No, no, no!", "No, no, no!", set()),
        ("en-de", "five percent", "5 %", set()),
        ("en-de", "from 10 a.m. to 5 p.m.", "10:00–17:00", set()),
        ("en-de", "one hundred and twenty-five", "125", set()),
        ("en-de", "March 5, 2020", "05.03.2020", set()),
        ("zh-en", "三十", "30", set()),
        ("en-de", "...", "🙂", set()),
        ("en-de", " \u200b\t", GERMAN, {"empty-source"}),
        ("en-de", " ", "\u00a0", set()),
        ("en-de", ENGLISH, ENGLISH, {"copied-source", "wrong-language"}),
        ("en-de", ENGLISH, ENGLISH.replace("road", "Straße"), {"copied-source", "wrong-language"}),
        ("en-de", ENGLISH, FRENCH, {"wrong-language"}),
        ("en-de", FRENCH, GERMAN, {"wrong-source-language"}),
        ("ro-en", "Casa este mare.", "Casa este mare.", {"copied-source"}),
        # A sentence ends with a full stop, a name without.
        ("en-ja", "He lives in Canada.", "He lives in Canada.", {"copied-source"}),
        ("en-de", "Bank of the West", "Bank of the West", set()),
        ("ru-en", "Дом в конце улицы большой.", "Дом в конце улицы большой.", {"copied-source", "wrong-language", "wrong-script"}),
        ("zh-en", "街道尽头的房子很大。", "街道尽头的房子很大。", {"copied-source", "wrong-language", "wrong-script"}),
        ("en-de", ENGLISH, "Das Haus " * 12, {"repeated-loop"}),
        ("en-de", "The <b>house</b>.", "Das <unk> Haus.", {"system-residue"}),
    ],
)
def test_what_is_told(pair: str, source: str, translation: str, expected: set[str]) -> None:
    assert codes(pair, source, translation) == expected


@pytest.mark.parametrize(
    ("pair", "source", "translation"),
    [
        ("en-de", "Hello", "Hello"),
        ("en-de", "int main(void) { return 0; }", "int main(void) { return 0; }"),
        ("en-de", "SELECT name FROM users WHERE id = 3", "SELECT name FROM users WHERE id = 3"),
        ("en-de", "const x = document.getElementById('main');", "const x = document.getElementById('main');"),
        ("en-de", "Leonardo da Vinci", "Leonardo da Vinci"),
        ("en-de", "The Lord of the Rings", "The Lord of the Rings"),
        ("en-de", "Proceedings of the Royal Society, Series B, 1998", "Proceedings of the Royal Society, Series B, 1998"),
        ("en-de", "NATO UNESCO WHO IMF", "NATO UNESCO WHO IMF"),
        ("en-de", "1,234.50 – 12 % (2019)", "1.234,50 – 12 % (2019)"),
        ("en-de", "https://example.org/the/house/is/big", "https://example.org/the/house/is/big"),
        ("en-de", "assert(x_1 == y_2); return z_3;", "assert(x_1 == y_2); return z_3;"),
        ("en-de", "{name} __PH0__ %s", "{name} __PH0__ %s"),
        ("en-de", "Windows Server 2003 R2 Enterprise", "Windows Server 2003 R2 Enterprise"),
        ("en-zh", "iPhone 12 Pro Max", "iPhone 12 Pro Max"),
        ("en-zh", "He bought a MacBook Pro in Berlin.", "他在 Berlin 买了一台 MacBook Pro。"),
        ("de-en", "Straßenverkehrsordnung", "Straßenverkehrsordnung"),
        ("en-de", "No, no, no, no!", "Nein, nein, nein, nein!"),
        ("en-de", "Very, very, very good.", "Sehr, sehr, sehr gut."),
        ("en-de", 'He said "la vie en rose" and left the house.', "Er sagte „la vie en rose“ und verließ das Haus."),
        ("en-ru", "Angela Merkel spoke in Berlin.", "Ангела Меркель выступила в Берлине."),
        ("en-de", "0 0 0 0 0 0 0 0", "0 0 0 0 0 0 0 0"),
        ("en-de", "Contents ........ 12", "Inhalt ........ 12"),
        ("en-de", 'A &quot;house&quot; | a road', "Ein &quot;Haus&quot; | eine Straße"),
        ("en-de", "Translation: the house", "Übersetzung: das Haus"),
        ("en-de", "As an AI language model, I cannot do this.", "As an AI language model, ich kann das nicht."),
        ("en-de", GERMAN, GERMAN),
        # Symfony's plural forms, labels of Chinese characters alone, and words of the source beside a short translation.
        ("en-zh", "It needs a file.|It needs several files.", "這個集合應該至少有一個元素。|這個集合應該至少有一個元素。"),
        ("en-ja", "Regenerate (auto-fix) →", "再生成 (自動修正) →"),
        ("en-sv", "Mermaid syntax error", "Mermaid syntax fel"),
    ],
)  # fmt: skip
def test_what_is_right_as_it_is(pair: str, source: str, translation: str) -> None:
    assert codes(pair, source, translation) - {"wrong-source-language"} == set()


@pytest.mark.parametrize(
    ("translation", "left"),
    [
        ("das Haus @@ groß", []),
        ("das Ha@@ us", ["@@"]),
        ("▁das ▁Haus", ["▁"]),
        ("das Haus </s>", ["</s>"]),
        ("das @-@ Haus", ["@-@"]),
        ("das &amp;quot;Haus&amp;quot;", ["&amp;quot;"]),
        ("das Haus ||| 0.5", ["|||"]),
        ("das __PH0__ Haus", ["__PH0__"]),
        ("Hier ist die Übersetzung: das Haus", ["hier ist die übersetzung"]),
        ("Sure! Here is it: das Haus", ["Sure! Here"]),
        ("I’m sorry, but I can’t help with that.", ["i'm sorry, but i can"]),
        ("das \ufffd Haus", ["\ufffd"]),
    ],
)
def test_what_programs_leave_is_named(translation: str, left: list[str]) -> None:
    assert residue("the house", translation) == left
    # Where the source has it too, it belongs there.
    assert residue(f"the house {translation}", translation) == []


@pytest.mark.parametrize(
    ("source", "translation", "loop"),
    [
        ("a b", "x y z x y z x y z", ["x", "y", "z"]),
        ("a b c", "x y z x y z", []),
        ("a b", "no no no no", ["no"]),
        ("a b", "no no no", []),
        ("a b c d", "s t u v w s t u v w", ["s", "t", "u", "v", "w"]),
        ("a b c d a b c d", "s t u v w s t u v w", []),
        ("a b c d e f g h", "s t u v w s t u v w", []),
        ("a", "房子房子房子房子", ["房", "子"]),
        ("a", "ha" * 12, ["ha" * 12]),
        ("a b", "the man the cat the man the dog the man the cow the man the pig the man the cat", ["the", "man", "the"]),
        ("a b", "the man and the cat, the man and the dog, the man with the cow", []),
        ("a b", "he is here x he is here y z he is here he is here w he is here", ["he", "is", "here"]),
        ("a b", "1 1 1 1 1 1 1 1", []),
    ],
)  # fmt: skip
def test_loops_are_what_the_source_does_not_say(source: str, translation: str, loop: list[str]) -> None:
    assert repeated_words(source, translation) == loop
    assert repeated_words(translation, translation) == []


TRANSPARENT = "in the absence of a transparent, transparent, transparent and non-discriminatory tender procedure"
NEWS = "http: / / www.alpha.gr / files / news / news / news-publication-of-the-news-of-the-news-of-the-news-of-the-2016-2013.pdf"


@pytest.mark.parametrize(
    ("source", "translation", "loop"),
    [
        ("Cadavrele erau lǎsate pe câmpuri.", TRANSPARENT, ["transparent"]),
        ("Piața Domului, actuala Piață a Unirii, în 1860", NEWS, ["news"]),
        ("o piață", "a square in a large town town town", ["town"]),
        ("yes; wild, most certainly", "是的 ， 是的 ， 是的 ， 很野性 ， 但充满了火 ， 他写道", ["是的"]),
        ("o știre", "a file named publication-of-the-news-of-the-news-of-the-news", ["of", "the", "news"]),
        ("o știre", "a file named of-the-news-of-the-news", ["of", "the", "news"]),
        ("o stradă", "a road of-road-of-road-of-road there", ["of", "road"]),
        # The source says it as often, or nearly, in whatever words, or in letters of their own.
        ("Dorm și dorm și dorm, foarte, foarte bine, la noi acasă.", "I sleep, very, very, very well, at our house.", []),
        ("Casa e mare, mare, mare și veche.", "The house is large, large, large and old.", []),
        ("房子好好好，很大。", "The house is good, good, good and large.", []),
        ("files/news/news/news/2016.pdf aici", "here is files/news/news/news/2016.pdf", []),
        ("of-the-news-of-the-news aici", "here is of-the-news-of-the-news", []),
        # Calls, shouts, numbers, marks of letters, and words that are doubled on purpose.
        ("Берите, хавайте!", "Take, take, take!", []),
        ("NOOOO, another one, wrote Anna", "KHÔNG KHÔNG KHÔNG, lại một người, Anna viết", []),
        ("p. 1, 2 și 3 aici", "here on page 1, page 2, page 3", []),
        ("12 1234 1 aici", "here 1234 1234 1234 and no more", []),
        ("asylum was never meant", "នមនមនម មានន័យថា អាច", []),
        ("shot for shot, of the US and others", "ukufanisa i-US shot-shot-shot kwaye umninzi", []),
        ("some as young as 11", "inni tokko, tokko-tokko hanga umrii kan tahan", []),
        ("he laughed a lot", "he said ha, ha, ha and left", []),
        ("step after step after step", "a back-to-back-to-back contest", []),
        ("24.12.", "from 2016-12-24-2016-12-24 on", []),
    ],
)  # fmt: skip
def test_a_word_or_a_phrase_of_a_chain_is_a_loop_sooner(source: str, translation: str, loop: list[str]) -> None:
    assert repeated_words(source, translation) == loop
    assert repeated_words(translation, translation) == []


@given(st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=6), st.integers(4, 30))
def test_a_loop_stays_one_when_it_goes_on(period: list[str], times: int) -> None:
    assert repeated_words("x", " ".join(period * times))
    assert repeated_words("x", " ".join([*"hijk", *period * times]))


def test_copies_may_lack_some_words_and_names_are_none() -> None:
    source = "the quick brown fox jumps over the lazy dog"
    assert copied_words(source, source, False) == source.split()
    assert copied_words(source, source.replace("quick", "schnelle").replace("lazy", "faule"), False)
    assert not copied_words(source, "der schnelle braune Fuchs springt over the lazy dog", False)
    assert not copied_words("Anna Maria Schmidt and Peter", "Anna Maria Schmidt and Peter", False)
    # Of German nouns one cannot tell by their shape, but of the language of the whole.
    assert not copied_words("Das Haus ist groß", "Das Haus ist groß", False)
    assert copied_words("Das Haus ist groß", "Das Haus ist groß", True)


@pytest.mark.parametrize(
    "text",
    [
        "The function main(void) { return 0; } is what every program in this language begins with.",
        "Please set the value = 3 in the file settings(1) and restart it.",
        "you have {n} new file(s) in your box",
        "{n, plural, =0 {there are no files} one {there is one file} other {there are # files}}",
        "this is quoted; select it from the list where you are;",
    ],
)
def test_a_sentence_with_some_code_is_no_code(text: str) -> None:
    assert not is_code(text) and copied_words(text, text, True)


def test_scripts_of_languages() -> None:
    assert scripts_of("de") == {"LATIN"} and scripts_of("ru") == {"CYRILLIC"} and scripts_of("xx") == frozenset()
    assert foreign_words("Дом is big", "en") == [] and foreign_words("Дом большой ok", "en") == ["Дом", "большой"]
    assert foreign_words("ｔｈｅ ｈｏｕｓｅ", "en") == [] and foreign_words("α + β = γ", "en") == []
    assert foreign_words("the house is very big", "ru") and not foreign_words("Microsoft Office", "ru")
    assert plain_words("房子 is big, नेपाली") == ["房", "子", "is", "big", "नेपाली"]


def test_a_language_that_looks_otherwise_is_named_in_the_answer(engine: Engine) -> None:
    pair = LanguagePair.parse("ro-en")
    sources = ["Casa de la capătul străzii este mare și are o grădină.", "Casa este mare."]
    both = engine.quality(Segments(pair, sources, [FRENCH, "The house is big."]), options=Options(warnings=True)).warnings
    alone = engine.quality(Segments(pair, sources[:1], [FRENCH]), options=Options(warnings=True)).warnings
    assert both is not None and alone is not None and both[0] == alone[0] and both[1] == ()
    assert [(each.code, each.looks_like) for each in both[0]] == [("wrong-language", "fr")]


@settings(max_examples=30)
@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_has_warnings_of_the_catalogue(source: str, translation: str) -> None:
    told = guard(LanguagePair("en", "de"), source, translation)
    assert {warning.code for warning in told} <= GUARD.keys() and told == guard(LanguagePair("en", "de"), source, translation)


@pytest.mark.parametrize("part", ["a", "<", "&", "&amp;", "_", "__A", "@@ ", "字", "a b ", "⟦", "<|", "\u0301", "1,"])
def test_long_hostile_text_is_looked_at_once(part: str) -> None:
    """A pattern that tried a text again from each of its places would not come back from this."""
    text = part * (200_000 // len(part))
    assert {warning.code for warning in guard(LanguagePair("en", "de"), ENGLISH, text)} <= GUARD.keys()


def test_codes_and_groups() -> None:
    assert GUARD.keys() <= WARNINGS.keys() and {*GROUPS["any"], *GROUPS["style"]} == WARNINGS.keys()
    assert all(re.fullmatch("[a-z]+(-[a-z]+)*", code) for code in WARNINGS) and not GROUPS.keys() & WARNINGS.keys()
