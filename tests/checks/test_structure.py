"""Structure of translations: placeholders, messages, tags, addresses, code and encodings."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.checks.structure import OF_SIGNS, Texts
from app.checks.structure.check import SignCheck
from app.checks.structure.messages import MessageError, parse_message
from app.checks.structure.plural_categories import categories_for
from app.checks.structure_warnings import checked_structure, signs_of
from app.engine import Engine
from app.engine.segments import Options, Segments
from app.text import LanguagePair
from tests.growth import assert_grows_evenly

PAIR = LanguagePair("en", "de")
# The example of ICU's guide to messages, with a select around plurals.
PARTY = (
    "{gender_of_host, select, female {{num_guests, plural, offset:1 =0 {{host} does not give a party.} =1 {{host} invites {guest} to"
    " her party.} =2 {{host} invites {guest} and one other person to her party.} other {{host} invites {guest} and # other people to"
    " her party.}}} other {{num_guests, plural, offset:1 =0 {{host} does not give a party.} other {{host} invites {guest} and #"
    " other people to their party.}}}}"
)
# fmt: off
PIECES_OF_PROGRAMS = (
    "a", "File", " ", "1", "\n", ".", ":", ": ", ":n", "%", "%s", "%1", "%n", "{", "}", "{0}", "{n, plural, other {#}}", "$", "$t(a)", "$n$",
    "<", ">", "<b>", "</b>", "<x id=1/>", "**", "*", "`", "`a`", "@", "@:a", "a@b.org", "http", "://", "wWw.", "Www.a.org", "=",
    "<a href=\"/a\">", "](", "](a.md)", ")", "\\", "\\n", "\\ n", "&", "&amp;", "& amp;", "&amp", "_", "\\u1F",
)
# fmt: on
IN_FOLDER = "{n, plural, one {# file in {dir}} other {# files in {dir}}}"
FILES = "{count, plural, one {# file} other {# files}}"


def warnings_of(
    source: str, translation: str, pair: LanguagePair = PAIR
) -> dict[str, tuple[tuple[str, ...], tuple[str, ...], str]]:
    found = checked_structure(source, translation, pair).warnings
    return {warning.code: (warning.source, warning.translation, warning.severity) for warning in found}


@pytest.mark.parametrize(
    ("source", "translation"),
    [
        ("Hello {name}", "Hallo {name}"),
        ("%d%% of %s done", "%s: %d%% fertig".replace("%s", "%2$s").replace("%d", "%1$d")),
        ("%s of %s", "%2$s von %1$s"),
        ("%i files", "%d Dateien"),
        ("%.1f km", "%.2f km"),
        ("50% discount", "50 % Rabatt"),
        ("20% of all", "20 %der Fälle"),
        ("Save 50%", "%50 tasarruf"),
        ("%1 of %2", "%2: %1"),
        ("%dx%d px", "%d×%d px"),
        ("{0} and {1}", "{1} und {0}"),
        ("{name} likes {name}'s dog", "{name} mag den eigenen Hund"),
        ("x {{name}}", "x {{ name }}"),
        ("Hi %(name)s", "Hallo %(name)s"),
        ("Hi %{name} %<count>d", "Hallo %{name} %<count>d"),
        ("{ $user } wrote", "{ $user } schrieb"),
        ("Time:hours", "Zeit :stunden"),
        ("usage: x <file>", "Aufruf: x <Datei>"),
        ("a < b and c > d", "a < b und c > d"),
        ("first<br>second", "erste<br/>zweite"),
        ("<b>a</b> <i>b</i>", "<i>b</i> <b>a</b>"),
        ("<b>never <i>closed", "<b>nie <i>zu"),
        ('<a href="https://x.org/en/a">x</a>', '<a href="https://x.org/de/a">x</a>'),
        ("See https://en.wikipedia.org/wiki/Cat.", "Siehe https://de.wikipedia.org/wiki/Cat."),
        ("See http://www.x.org/", "Siehe https://x.org"),
        ("(see www.x.org)", "（www.x.org）"),
        ("Run `make  all` now", "Jetzt `make all`"),
        ("an oath", "ein `Eid`"),
        ("Café “x”", "CAFÉ–BAR „x“ – Â"),
        ("-%n %u", "-%u %n"),
        ("%u files", "%u件のファイル"),
        ("Page %u", "%u페이지"),
        ("%.1f sec", "%.1f秒"),
        ("%i of %c, %x, %lu", "%i的%c和%x与%lu共"),
        ("Took %u ms", "Dauer: %ums"),
        ("%u bit %s key", "%ubitový klíč %s"),
        ("%d files, %lu bytes", "ملفات %Id، بايت %Ilu"),
        ("%s: %<PRIdMAX> bytes", "%2$<PRIdMAX> Bytes: %1$s"),
        ("%*d of %s", "%3$s: %2$*1$d"),
        ("%-.*s is no name", "%-.*s ist kein Name"),
        ("file %pB of G10 %s file %pB", "G10 %pB und %s, Datei %pB"),
        ("hit rate = %lu%%", "poměr = %lu\u202f%%"),
        ("%s failed: %m", "%2$m bei %1$s"),
        ("Using :endwhile with :for", ":for에 :endwhile이 사용되었습니다"),
        ("Save %d%% now", "Jetzt %d %% sparen"),
        ("Save %d%% now", "Jetzt %d Prozent sparen"),
        ("%s is 50% done", "%s ist zu 50 % fertig"),
        ("100%% sure", "100 % sicher"),
        ("%n file(s)", "%n Datei(en)"),
        ("%B %d, %Y", "%e. %B %Y"),
        ("%b %d", "%e. %b"),
        ("%1 muted by %2.", "%2 ist neben %1."),
        ("{n, plural, =1 {a file} other {{n} files}}", "{n, plural, =1 {eine Datei} other {{n} Dateien}}"),
        (FILES, "{count, plural, one {# Datei} other {# Dateien}}"),
        (FILES, "{count, plural, one {eine Datei} other {{count} Dateien}}"),
        (FILES, "{count, plural, =0 {keine} one {# Datei} other {# Dateien}}"),
        ('See <a href="/en/help">x</a>', 'Siehe <a href="/de/help">x</a>'),
        ('<img src="/b.png">', '<img src="../../b.png">'),
        ("[x](guide.md#how-to)", "[x](guide.de.md#anleitung)"),
        ("[x](#how-to)", "[x](#anleitung)"),
        ("[x]({url}/a.md)", "[x]({url}/a.md)"),
        ("file[s](x)", "Datei(en)"),
        ("Read **this** now", "Lies **dies** jetzt"),
        ("2**3 is *not* 6", "2**3 ist *nicht* 6"),
        ("Read this", "Lies **dies**"),
        ("price", "prix\u00a0: 5\u00a0€, à côté, œuvre – «\u00a0été\u00a0»"),
        ("a path", "C:\\users und \\u00e9"),
        ("Tom &amp; Co", "Tom &amp; Co"),
        ("Tom &copy; Co", "Tom © Co"),
        ("abc", "abc àèìòùéü"),
        (IN_FOLDER, "{n, plural, =0 {keine} one {# Datei in {dir}} other {# Dateien in {dir}}}"),
        (IN_FOLDER, "{dir}: {n, plural, one {# Datei} other {# Dateien}}"),
        ("{n, plural, one {# file} other {# files}} in {dir}", "{n, plural, one {# Datei in {dir}} other {# Dateien in {dir}}}"),
        ("Due {d, date}", "Fällig am {d, date, long}"),
        ("{n, number} files", "{n, plural, one {# Datei} other {# Dateien}}"),
        ("{n} of {m}", "{n, number} von {m, number}"),
        ("{0,choice,0#no files|1#a file|1<{0} files}", "{0,choice,0#keine Datei|1#eine Datei|1<{0} Dateien}"),
        ("Write {name, date or time}", "Schreibe {Name, Datum oder Zeit}"),
        ("It's {count, plural, one {'{one}'} other {#}}", "{count, plural, one {'{eins}'} other {#}}"),
    ],
)
def test_right_translations_have_no_warning(source: str, translation: str) -> None:
    assert warnings_of(source, translation) == {}


@pytest.mark.parametrize(
    ("source", "translation", "code", "missing", "extra"),
    [
        ("Hello {name}", "Hallo", "placeholders", ["{name}"], []),
        ("Hello {name}", "Hallo {Name}", "placeholders", ["{name}"], ["{Name}"]),
        ("Hello {имя}", "Hallo {имя} {x}", "placeholders", [], ["{x}"]),
        ("%d new", "%s neue", "placeholders", ["%d"], ["%s"]),
        ("%s %d", "%d %s", "placeholders", ["%s", "%d"], ["%d", "%s"]),
        ("Hi %(name)s", "Hallo %(name)", "placeholders", ["%(name)s"], []),
        ("Hi %(name)s", "Hallo %(name) s", "placeholders", ["%(name)s"], []),
        ("Step %d of 5", "Schritt 5", "placeholders", ["%d"], []),
        ("{} and {}", "{} und", "placeholders", ["{}"], []),
        ("%u files", "%s件のファイル", "placeholders", ["%u"], ["%s"]),
        ("%u files", "ファイル", "placeholders", ["%u"], []),
        ("%*d", "%d", "placeholders", ["%*d"], ["%d"]),
        ("Save %d%% now", "Jetzt %d% sparen", "placeholders", [], ["%"]),
        ("%.2f%% done", "%.2f% hecho", "placeholders", [], ["%"]),
        ("half of %s", "100% von %s", "placeholders", [], ["%"]),
        ("%(n)d%% of it", "%(n)d% davon", "placeholders", [], ["%"]),
        ("%1 of %2", "%1 von", "placeholders", ["%2"], []),
        ("%1 muted by %2.", "%1 ist stumm.", "placeholders", ["%2"], []),
        ("%n files", "Dateien", "placeholders", ["%n"], []),
        ("Save %s: %m", "Nicht gesichert: %m", "placeholders", ["%s"], []),
        ("The :attribute must be set.", "Das Attribut fehlt.", "placeholders", [":attribute"], []),
        ("%name% says", "%Name% sagt", "placeholders", ["%name%"], ["%Name%"]),
        ("${total} due", "fällig: {total}", "placeholders", ["${total}"], ["{total}"]),
        ("$t(common.ok) now", "jetzt", "placeholders", ["$t(common.ok)"], []),
        ("See @:common.help", "Siehe", "placeholders", ["@:common.help"], []),
        ("by <%= author %>", "von", "placeholders", ["<%= author %>"], []),
        ("<b>Bold</b> text", "Fetter Text", "tags", ["<b>", "</b>"], []),
        ("<b>Bold</b> text", "<b>Fetter<b> Text", "tags", ["</b>"], ["<b>"]),
        ("<b>a <i>b</i></b>", "<b>a <i>b</b></i>", "tags", [], ["</b>", "</i>"]),
        ("tap <0>here</0>", "hier tippen", "tags", ["<0>", "</0>"], []),
        ('x <g id="1">a</g>', 'x <g id="2">a</g>', "tags", ['<g id="1">'], ['<g id="2">']),
        ("Go to https://x.org/a", "Siehe https://y.org/a", "links", ["https://x.org/a"], ["https://y.org/a"]),
        ("write to a.b@x.org!", "Schreiben Sie!", "links", ["a.b@x.org"], []),
        ('<a href="/a">x</a>', '<a href="javascript:a()">x</a>', "links", ["/a"], ["javascript:a()"]),
        ("[x](/a.md)", "[x](//y.org/a.md)", "links", ["/a.md"], ["//y.org/a.md"]),
        ("5 €", "5 â‚¬", "mojibake", [], ["â‚¬"]),
        ("Brand™", "Brandâ„¢", "mojibake", [], ["â„¢"]),
        ("Tom &amp; Co", "Tom &am p; Co", "escapes", [], ["&am p;"]),
        ("Tom &copy; Co", "Tom &copyy; Co", "escapes", [], ["&copyy;"]),
        ("Café", "Caf\\u00g9", "escapes", [], ["\\u00g"]),
        ("Café", "CafÃ©", "mojibake", [], ["Ã©"]),
        ("It’s", "Itâ€™s", "mojibake", [], ["â€™"]),
        ("Hello", "ÐŸÑ€Ð¸Ð²ÐµÑ‚", "mojibake", [], ["ÐŸÑ€Ð¸Ð²ÐµÑ‚"]),
        (FILES, "{count, plural, one {# Datei} other {# Dateien}", "icu-message", [], ["i} other {# Dateien}"]),
        (FILES, "{count, plural, eins {# Datei} other {# Dateien}}", "icu-message", ["{count, plural, one}"], ["{count, plural, eins}"]),
        (FILES, "{count, plural, one {eine Datei} other {Dateien}}", "icu-message", ["{count, plural, #}"], []),
        (FILES, "{Anzahl, plural, one {# Datei} other {# Dateien}}", "icu-message", ["{count, plural}"], ["{Anzahl, plural}"]),
        (FILES, "{count, select, one {# Datei} other {# Dateien}}", "icu-message", ["{count, plural}"], ["{count, select}"]),
        ("Due {d, date}", "Fällig bald", "icu-message", ["{d, date}"], []),
        ("Due {d, date}", "Fällig {datum, date}", "icu-message", ["{d, date}"], ["{datum, date}"]),
        ("{price, number, ::currency/USD} left", "Rest", "icu-message", ["{price, number}"], []),
        ("{n, number} left", "noch {n, nummer}", "icu-message", ["{n, number}"], ["{n, nummer}"]),
        ("at {t, time, short}", "am Tag", "icu-message", ["{t, time}"], []),
        ("{name} owes {n, number}", "Schuld: {n, number}", "icu-message", ["{name}"], []),
        ("{n, plural, one {#} other {# in {d, date}}}", "{n, plural, one {#} other {#}}", "icu-message", ["{d, date}"], []),
        (IN_FOLDER, "{n, plural, one {# Datei} other {# Dateien in {dir}}}", "icu-message", ["{dir}"], []),
        ("{n, plural, offset:1 one {# more} other {# more}}", "{n, plural, one {noch #} other {noch #}}", "icu-message", ["{n, plural, offset:1}"], ["{n, plural, offset:0}"]),
        (FILES, "{count, plural, one {#} one {#} other {#}}", "icu-message", [], ["nt, plural, one {#} one {#} other {#}}"]),
        ("{g, select, male {He} other {They}}", "{g, select, männlich {Er} other {Sie}}", "icu-message", ["{g, select, male}"], ["{g, select, männlich}"]),
    ],
)  # fmt: skip
def test_broken_structure_misleads(source: str, translation: str, code: str, missing: list[str], extra: list[str]) -> None:
    assert warnings_of(source, translation) == {code: (tuple(missing), tuple(extra), "error")}


@pytest.mark.parametrize(
    ("target", "source", "translation", "code", "missing"),
    [
        ("de", "a<br>b", "a b", "tags", ["<br>"]),
        ("de", "https://x.org/a", "https://x.org/b", "links", ["https://x.org/a"]),
        ("de", "https://world.shop.org/a", "https://de.shop.org/a", "links", ["https://world.shop.org/a"]),
        ("de", "john@shop.org", "johann@shop.org", "links", ["john@shop.org"]),
        ("de", "john@shop.org", "johann@example.com", "links", ["john@shop.org"]),
        ("de", "See here", "Siehe https://x.org", "links", []),
        ("de", "Run `npm install`", "Führe npm install aus", "code", ["`npm install`"]),
        ("ru", FILES, "{count, plural, one {# файл} other {# файла}}", "icu-message", ["{count, plural, few}", "{count, plural, many}"]),
        ("de", 'See <a href="/help">x</a>', 'Siehe <a href="/admin/delete">x</a>', "links", ["/help"]),
        ("de", '<img src="/a.png">', '<img src="/b.png">', "links", ["/a.png"]),
        ("de", "[x](/help.md)", "[x](/hilfe.md)", "links", ["/help.md"]),
        ("de", "[x](/help.md)", "x", "links", ["/help.md"]),
        ("de", "Read **this** now", "Lies dies jetzt", "tags", ["**this**"]),
        ("de", "Read **this** now", "Lies **dies jetzt", "tags", ["**this**"]),
        ("de", "Read **this** now", "Lies ** dies ** jetzt", "tags", ["**this**"]),
        ("de", "<b>a</b> **this**", "<b>a</b> dies", "tags", ["**this**"]),
        ("de", FILES, "{count} Dateien", "icu-message", ["{count, plural}"]),
        ("de", "Due {d, date}", "Fällig: {d}", "icu-message", ["{d, date}"]),
    ],
)  # fmt: skip
def test_lesser_changes_are_minor(target: str, source: str, translation: str, code: str, missing: list[str]) -> None:
    found = warnings_of(source, translation, LanguagePair("en", target))
    assert found.keys() == {code} and found[code][0] == tuple(missing) and found[code][2] == "warning"


def test_letters_of_another_encoding_are_no_cyrillic() -> None:
    """Windows-1251, read as Windows-1252."""
    text = "Привет, мир и кот!"
    assert warnings_of("Hello, world and cat!", text, LanguagePair("en", "ru")) == {}
    wrong_text = text.encode("cp1251").decode("cp1252")
    assert warnings_of("Hello, world and cat!", wrong_text, LanguagePair("en", "ru")) == {"mojibake": ((), ("Ïðèâåò",), "error")}


def test_languages_without_plural_need_no_branches() -> None:
    assert warnings_of(FILES, "{count} 个文件", LanguagePair("en", "zh")) == {}


@pytest.mark.parametrize(
    ("language", "categories"),
    # Categories of whole numbers in CLDR's chart of plural rules.
    [("en", "one other"), ("ja", "other"), ("ru", "one few many other"), ("ro", "one few other"), ("lv", "zero one other"),
     ("ar", "zero one two few many other"), ("sl", "one two few other"), ("no", "one other"), ("la", "other")],
)  # fmt: skip
def test_categories_are_those_of_cldr(language: str, categories: str) -> None:
    assert categories_for(language).integers == tuple(categories.split())


def test_messages_have_the_arguments_of_the_guide() -> None:
    arguments = list(parse_message(PARTY).everywhere())
    assert {(argument.name, argument.type) for argument in arguments} == {
        ("gender_of_host", "select"), ("num_guests", "plural"), ("host", ""), ("guest", ""),
    }  # fmt: skip
    plurals = [argument for argument in arguments if argument.type == "plural"]
    assert [list(plural.branches) for plural in plurals] == [["=0", "=1", "=2", "other"], ["=0", "other"]]
    assert [branch.counts for branch in plurals[0].branches.values()] == [False, False, False, True]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("I don't {x}", ["x"]),
        ("I don''t '{x}' {y}", ["y"]),
        ("'{''}' {z}", ["z"]),
        ("# {n, number, #,##0.00} {d, date, yyyy-MM-dd 'at' {}}", ["n", "d"]),
        ("{0}{1,number,percent}", ["0", "1"]),
        ("quoted to the end '{x}", []),
    ],
)
def test_apostrophes_quote_braces_only(text: str, names: list[str]) -> None:
    assert [argument.name for argument in parse_message(text).arguments] == names


@pytest.mark.parametrize(
    "text",
    ["{", "}", "{}", "{x", "{x,}", "{x, plural}", "{x, plural, one {1}}", "{x, plural, one 1 other {2}}", "{x, select, other {a}",
     "{x, plural, other {{y}}", "{" * 30],
)  # fmt: skip
def test_texts_that_are_no_messages_are_refused(text: str) -> None:
    with pytest.raises(MessageError):
        parse_message(text)


def test_other_checks_see_the_words_alone() -> None:
    structure = checked_structure("{0} of https://x.org/2020 <b>30</b>", "{1}: <b>30</b>", PAIR)
    assert re.findall(r"\d+", structure.source) == ["30"] and re.findall(r"\d+", structure.translation) == ["30"]


def test_answers_have_the_warnings(engine: Engine) -> None:
    segments = Segments(LanguagePair("en", "de"), ["Hello {name}, you have 3 messages."], ["Hallo, du hast 3 Nachrichten."])
    answer = engine.quality(segments, options=Options(warnings=True))
    assert answer.warnings is not None
    assert [(warning.code, warning.source) for warning in answer.warnings[0]] == [("placeholders", ("{name}",))]
    assert answer.confidence[0] <= 0.3


PARTS = (*"%{}$<>/abn'#,1 :@.=`\"s|", "plural", "other", "https://x.org/", "<b>", "{x}")
TEXTS = st.lists(st.sampled_from(PARTS), max_size=40).map("".join)


@given(TEXTS)
def test_equal_texts_have_no_warning(text: str) -> None:
    # English has fewer plural categories than its translations.
    assert {warning.code for warning in checked_structure(text, text, PAIR).warnings} <= {"icu-message"}


@given(TEXTS, TEXTS)
def test_checks_of_names_are_fair_to_both_sides(source: str, translation: str) -> None:
    """A text that one direction lacks, the other has in excess."""
    found, turned = (
        {w.code: {*w.source, *w.translation} for w in checked_structure(*texts, PAIR).warnings if w.code == "links"}
        for texts in ((source, translation), (translation, source))
    )
    assert found == turned


@pytest.mark.parametrize(
    "piece",
    [
        "{",
        "%",
        "<a ",
        "{{",
        "$t(",
        "%(",
        "@:",
        "<%",
        "https://",
        "a@b.",
        "`",
        "'{",
        "{x, plural, other {",
        "<b>",
        "Ð¿",
        "%1",
        "%1 ",
        "{a} ",
        ":ab ",
        "<a b=c ",
        "**a",
        "** ",
        "](a",
        ' href="',
    ],
)
def test_hostile_structure_is_checked_evenly(piece: str) -> None:
    def make(size: int) -> str:
        return piece * (size // len(piece))

    assert_grows_evenly(make, lambda text: checked_structure(text, text + "x", PAIR), 4000)


@pytest.mark.parametrize("check", OF_SIGNS, ids=lambda check: str(check.code))
@given(
    pieces=st.lists(st.sampled_from(PIECES_OF_PROGRAMS), max_size=8), further_pieces=st.lists(st.sampled_from(PIECES_OF_PROGRAMS))
)
def test_texts_without_a_sign_of_a_check_have_neither_marks_nor_findings(
    check: SignCheck, pieces: list[str], further_pieces: list[str]
) -> None:
    texts = Texts("".join(pieces), "".join(further_pieces), PAIR)
    sides = check.marks(texts.source, PAIR), check.marks(texts.translation, PAIR)
    if signs_of(texts.source, texts.translation).isdisjoint(check.signs):
        assert sides == ([], []) and check.find(texts, *sides) is None
