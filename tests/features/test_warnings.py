"""Checks of numbers, names, negation and untranslated text, on pairs made to pass or not; and what words count as."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine import Engine
from app.engine.segments import Options, Segments
from app.features.warnings import WARNINGS
from app.features.warnings.numbers import number_values, unmatched_numbers
from app.text import LanguagePair
from app.text.word_count import word_count


@pytest.mark.parametrize(
    ("source", "translation", "lost", "extra"),
    [
        ("2,5 kg", "2.5 kg", [], []),
        ("1.000.000 lei", "1,000,000 lei", [], []),
        ("1.234,50", "1,234.5", [], []),
        ("1 000 de oameni", "1000 people", [], []),
        ("în 1989", "in 1998", ["1989"], ["1998"]),
        ("10:30", "10.30", [], []),
        ("10:30", "10.40", ["10", "30"], ["10.40"]),
        ("on 03/04/2021", "am 03.04.2021", [], []),
        ("on 3/4/2021 at 3", "am 03.04.2021 um 3", [], []),
        ("2021-04-03", "03.04.2021", [], []),
        ("03.04.2021 și 5", "04/03/2021, 5", [], []),
        ("03.04.2021", "03/05/2021", ["03.04.2021"], ["03", "05", "2021"]),
        ("7/8", "7.8", ["7", "8"], ["7.8"]),
        ("at 3 pm", "um 15 Uhr", [], []),
        ("at 3:30 p.m.", "um 15:30 Uhr", [], []),
        ("at 3:30 PM", "um 15.30 Uhr", [], []),
        ("at 3.30 pm", "um 15.30 Uhr", [], []),
        ("um 0 Uhr", "at 12 a.m.", [], []),
        ("at 12 pm", "um 12 Uhr", [], []),
        ("at 3 am", "um 15 Uhr", ["3"], ["15"]),
        ("at 3 pm", "um 16 Uhr", ["3"], ["16"]),
        ("3 pmol", "15", ["3"], ["15"]),
        ("१२३ जना", "123 people", [], []),
        ("٤٢", "42", [], []),
        ("30,000", "3万", [], []),
        ("3 și 3", "3", ["3"], []),
        ("007", "7", [], []),
        ("1,500", "1.5", [], []),
        ("1,500", "1500", [], []),
        ("nimic", "nothing", [], []),
    ],
)
def test_numbers_are_compared_as_values(source: str, translation: str, lost: list[str], extra: list[str]) -> None:
    assert unmatched_numbers(source, translation) == (lost, extra)


@given(st.integers(0, 10**12))
def test_a_number_is_itself_in_any_grouping(value: int) -> None:
    for written in (str(value), f"{value:,}", f"{value:,}".replace(",", "."), f"{value:,}".replace(",", "\u202f")):
        (found,) = number_values(written)
        assert str(value) in found[1]


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_has_numbers_or_none(source: str, translation: str) -> None:
    assert unmatched_numbers(source, source) == ([], [])
    unmatched_numbers(source, translation)


@pytest.mark.parametrize(
    ("pair", "source", "translation", "codes"),
    [
        ("ro-en", "Casa este mare.", "The house is big.", set()),
        ("ro-en", "Nu am văzut nimic.", "I saw everything.", {"negation"}),
        ("ro-en", "Nu am văzut nimic.", "I did not see anything.", set()),
        ("ro-en", "Am văzut casa.", "I didn't see the house.", {"negation"}),
        ("ro-en", "Am vorbit cu Ion Popescovici în 1912.", "I saw him in 1921.", {"numbers", "names"}),
        ("ro-en", "L-am văzut pe Caragiale.", "I saw Caragiale.", set()),
        ("et-en", "Poola president kutsus üles osutama Eestile toetust.", "The Polish president called for support to Estonia.", set()),
        ("et-en", "Poola president kutsus üles osutama Eestile toetust.", "The Polish president called for support to Sweden.", {"names"}),
        ("et-en", "Pommiähvardus tehti Minnesota Ülikoolile.", "A bomb threat was made against the University of Minnesota.", set()),
        ("ro-en", "Casa este mare.", "Casa este mare.", {"untranslated", "copied-source"}),
        ("ro-en", "Casa este foarte mare și frumoasă.", "The house casa este foarte mare.", {"untranslated", "wrong-language"}),
        ("ru-en", "Дом большой.", "The дом is big.", {"untranslated"}),
        ("en-de", "He does not come.", "Er kommt.", {"negation"}),
        ("en-de", "He does not come.", "Er kommt nicht.", set()),
        ("en-de", "Order No. 7 was given.", "Befehl Nr. 7 wurde gegeben.", set()),
        ("en-zh", "He never came.", "他来了。", {"negation"}),
        ("en-zh", "They differ.", "他们不同。", set()),
        ("ro-en", "Casa.", "", {"empty-translation"}),
        ("ro-en", "", "The house.", {"empty-source"}),
        ("ro-en", "", "", set()),
    ],
)  # fmt: skip
def test_what_is_told_of_a_pair(engine: Engine, pair: str, source: str, translation: str, codes: set[str]) -> None:
    answer = engine.quality(Segments(LanguagePair.parse(pair), [source], [translation]), options=Options(warnings=True))
    assert answer.warnings is not None
    assert {each.code for each in answer.warnings[0]} == codes
    assert codes <= WARNINGS.keys()


def test_words_are_counted_as_people_do() -> None:
    assert word_count("ro", "Casa – mare , 3 x") == 4
    assert word_count("zh", "房子很大。A") == 5
    assert word_count("en", "") == 0
    # Nothing stands between words of Japanese, Thai, Lao, Khmer and Burmese either; Korean and Vietnamese have blanks.
    assert word_count("ja", "家は大きい。2階") == 7
    # บ้านหลังใหญ่: ten letters, with two marks of tones.
    assert word_count("th-TH", "บ้านหลังใหญ่") == 9 and word_count("lo", "ເຮືອນ") == 4
    assert word_count("km", "ផ្ទះ") == 2 and word_count("my", "အိမ်") == 2
    assert word_count("ko", "집이 크다.") == 2 and word_count("vi", "Ngôi nhà lớn") == 3
