"""Numbers, years and durations of Asian writing, and signs of programs that no check may take for words."""

import pytest

from app.checks.guard import guard
from app.checks.meaning.negation import one_sided_negation
from app.checks.meaning.numbers import unmatched_numbers
from app.text import LanguagePair

EQUAL = [
    ("hi", "You need 100,000 steps", "आपको 1 लाख कदम चाहिए"),
    ("hi", "over 10 million users", "1 करोड़ से ज़्यादा उपयोगकर्ता"),
    ("hi", "a deal of £11 million", "11 मिलियन पाउंड का सौदा"),
    ("ar", "10 percent of them", "10 بالمائة منهم"),
    ("th", "20 million people", "20 ล้านคน"),
    ("zh", "he batted .291", "打击率0.291"),
    ("bn", "1 million users", "১০ লাখ ব্যবহারকারী"),
    ("ne", "100,000 people", "१ लाख मानिस"),
    ("ne", "10 million people", "१ करोड मानिस"),
    ("ja", "12,000 files", "1万2千個のファイル"),
    ("ja", "120 million yen", "1億2千万円"),
    ("zh", "12,000 files", "1万2千个文件"),
    ("zh", "5 km", "5千米"),
    ("ko", "15,000 won", "1만 5천 원"),
    ("ko", "120,000,000 won", "1억 2000만 원"),
    ("ko", "It costs 50,000 won.", "가격은 5만원입니다."),
    ("ko", "30,000 people", "3만명"),
    ("ko", "50,000 dollars", "5만달러"),
    ("ko", "12,400 won", "1만 2400원"),
    ("ko", "12,400 won", "1만2,400원"),
    ("ko", "12,000 tons", "1만2000톤"),
    ("ko", "over 20,000 people", "2만여 명"),
    ("ko", "300 million users", "3억명"),
    ("ko", "3,000 people", "3천명"),
    ("ko", "123,456,789 won", "1억 2345만 6789원"),
    ("ko", "1.2 trillion won", "1조 2000억원"),
    ("ko", "50,000 in 2024", "5만 2024년"),
    ("ko", "Article 5", "제5조"),
    ("ko", "as much as 5", "5만큼"),
    ("th", "In 2025", "ในปี 2568"),
    ("ja", "In 2025", "令和7年"),
    ("ja", "In 1990", "平成2年"),
    ("ja", "30 minutes", "30分"),
    ("ko", "30 minutes", "30분"),
    ("hi", "30 minutes", "30 मिनट"),
    ("th", "30 minutes", "30 นาที"),
    ("zh", "7 days", "7天"),
]
UNEQUAL = [
    ("ko", "It costs 50,000 won.", "가격은 6만원입니다."),
    ("ko", "It costs 50,000 won.", "가격은 5원입니다."),
    ("ko", "12,400 won", "1만 2500원"),
    ("ko", "987,654,321 won", "1억 2345만 6789원"),
    ("hi", "1 million users", "1 लाख उपयोगकर्ता"),
    ("ja", "12,000 files", "1万3千個のファイル"),
    ("th", "In 2024", "ในปี 2568"),
    ("ja", "In 2024", "令和7年"),
    ("ja", "30 minutes", "30秒"),
    ("ko", "30 minutes", "30초 후"),
    ("zh", "30 minutes", "30秒"),
    ("hi", "30 minutes", "30 सेकंड"),
    ("th", "30 minutes", "30 วินาที"),
]


@pytest.mark.parametrize(("language", "source", "translation"), EQUAL)
def test_equal_numbers_have_counterparts(language: str, source: str, translation: str) -> None:
    assert unmatched_numbers(source, translation, ("en", language)) == ([], [], False)
    assert unmatched_numbers(translation, source, (language, "en")) == ([], [], False)


@pytest.mark.parametrize(("language", "source", "translation"), UNEQUAL)
def test_other_numbers_mislead(language: str, source: str, translation: str) -> None:
    assert unmatched_numbers(source, translation, ("en", language)).misleads


@pytest.mark.parametrize(
    ("language", "source", "translation", "words"),
    [
        ("ko", "warning: --unix-byte-offsets (-u) is obsolete", "경고: --unix-byte-offsets (-u) 옵션은 오래되었습니다", None),
        ("ko", "List of icon sizes (gtk-menu=16,16:gtk-button=20)", "아이콘 크기 목록(gtk-menu=16,16;gtk-button=20)", None),
        ("ko", "NAME", "<이름>", None),
        ("fr", "(C)", "©", None),
        (
            "ja",
            "Written by %s, %s, %s,\n%s, and others.",
            "作者 %s、 %s、 %s、\n%s、 および他の方々。",
            "作者 、 、 、\n、 および他の方々。",
        ),
    ],
)
def test_signs_of_programs_are_no_words(language: str, source: str, translation: str, words: str | None) -> None:
    codes = {warning.code for warning in guard(LanguagePair("en", language), source, translation, words)}
    assert not codes & {"wrong-script", "empty-translation", "repeated-loop"}


@pytest.mark.parametrize(
    ("language", "source", "translation"),
    [
        ("de", "Not now", "Später"),
        ("ja", "Not now", "後で"),
        ("pl", "Not enough memory", "Za mało pamięci"),
        ("ja", "PGresult cannot support more than INT_MAX tuples", "PGresultはINT_MAX個以上のタプルを扱えません"),
        ("ja", "controls errors [none, all]", "エラーの扱い [none, all]"),
    ],
)
def test_other_words_may_negate(language: str, source: str, translation: str) -> None:
    assert one_sided_negation(("en", language), source, translation) is None


def test_a_lost_negation_beside_a_name_is_found() -> None:
    assert one_sided_negation(("en", "de"), "Do not delete the file", "Die Datei löschen") is not None
