"""Weekdays, months of further languages, signs of numbers, and currencies of Asian writing, judged by their grammars.

Signs follow Unicode's CLDR: German has 1.500 for 1500 and 1,5 for 1.5, Swiss German 1.5.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.checks import segment_warnings
from app.checks.meaning.numbers import unmatched_numbers
from app.features.view import PairResources, View
from app.text import LanguagePair, SegmentBatch, tokeniser_for

WEEKDAYS = {
    "de": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "es": "lunes martes miércoles jueves viernes sábado domingo",
    "pt": "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
    "ro": "luni marți miercuri joi vineri sâmbătă duminică",
    "ru": "понедельник вторник среду четверг пятницу субботу воскресенье",
    "uk": "понеділок вівторок середу четвер п'ятницю суботу неділю",
    "pl": "poniedziałku wtorku środę czwartku piątku sobotę niedzielę",
    "cs": "pondělí úterý středu čtvrtku pátku sobotu neděli",
    "sk": "pondelka utorka stredu štvrtka piatka sobotu nedeľu",
    "hr": "ponedjeljka utorka srijedu četvrtka petka subotu nedjelju",
    "sr": "понедељка уторка среду четвртка петка суботу недељу",
    "fi": "maanantaina tiistaina keskiviikolla torstaina perjantaina lauantaina sunnuntaina",
    "et": "esmaspäeval teisipäeval kolmapäeval neljapäeval reedel laupäeval pühapäeval",
    "hu": "hétfőn kedden szerdán csütörtökön pénteken szombaton vasárnapi",
    "tr": "pazartesi salı çarşamba perşembe cuma cumartesi pazar",
    "he": "ביום-שני ביום-שלישי ביום-רביעי ביום-חמישי ביום-שישי בשבת ביום-ראשון",
    "ar": "الاثنين الثلاثاء الأربعاء الخميس الجمعة السبت والأحد",
    "hi": "सोमवार मंगलवार बुधवार गुरुवार शुक्रवार शनिवार रविवार",
    "fa": "دوشنبه سه‌شنبه چهارشنبه پنجشنبه جمعه شنبه یکشنبه",
    "zh": "星期一 周二 週三 星期四 周五 礼拜六 星期天",
    "ja": "月曜日 火曜日 水曜 木曜日 金曜日 土曜日 日曜日",
    "ko": "월요일에 화요일에 수요일에 목요일에 금요일에 토요일에 일요일에",
    "th": "วันจันทร์ วันอังคาร วันพุธ วันพฤหัสบดี วันศุกร์ วันเสาร์ วันอาทิตย์",
    "cy": "ddydd-Llun ddydd-Mawrth ddydd-Mercher ddydd-Iau ddydd-Gwener ddydd-Sadwrn ddydd-Sul",
}
ENGLISH = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"


@pytest.mark.parametrize("language", WEEKDAYS)
def test_another_weekday_misleads_in_any_form(language: str) -> None:
    for day, source in enumerate(ENGLISH.split()):
        for rival, name in enumerate(WEEKDAYS[language].split()):
            translation = f"… {name.replace('-', ' ')} …"
            misleads = unmatched_numbers(f"It closes on {source}.", translation, ("en", language)).misleads
            assert misleads == (day != rival), (source, name)


@pytest.mark.parametrize(
    ("language", "source", "translation"),
    [
        ("de", "Thursday evening", "Donnerstagabend"),
        ("de", "Monday to Friday", "Montag bis Freitag"),
        ("de", "on Saturday", "am Sonnabend"),
        ("ro", "on Tuesday 5 March", "marți, 5 martie"),
        ("ro", "three months since Tuesday", "trei luni de marți"),
        ("zh", "once a week, on Tuesday", "一周一次，星期二"),
        ("he", "The second time was on Friday.", "הפעם השנייה הייתה ביום שישי."),
        ("he", "The third day was a Friday.", "היום השלישי היה יום שישי."),
        ("en-GB", "It opens on Monday.", "It opens on Monday."),
        ("fr", "Sheffield Wednesday won.", "Sheffield Wednesday a gagné."),
        ("es", "Black Friday starts now.", "Empieza el Black Friday."),
    ],
)
def test_equal_weekdays_have_counterparts(language: str, source: str, translation: str) -> None:
    assert unmatched_numbers(source, translation, ("en", language)) == ([], [], False)


@pytest.mark.parametrize(
    ("language", "right", "wrong"),
    [
        ("he", "ב-5 ביולי", "ב-5 ביוני"),
        ("hi", "5 जुलाई को", "5 जून को"),
        ("sr", "5. јула", "5. јуна"),
        ("sr-Latn", "5. jula", "5. juna"),
        ("ga", "an 5 Iúil", "an 5 Bealtaine"),
        ("ga", "an 5 Iúil", "an 5 Meán Fómhair"),
        ("cy", "5 Gorffennaf", "5 Mehefin"),
        ("cy", "ar 5 Orffennaf", "ar 5 Fawrth"),
    ],
)
def test_months_of_further_languages(language: str, right: str, wrong: str) -> None:
    assert unmatched_numbers("on 5 July", right, ("en", language)) == ([], [], False)
    assert unmatched_numbers("on 5 July", wrong, ("en", language)).misleads


@pytest.mark.parametrize(
    ("pair", "source", "translation"),
    [
        ("en de", "1,500 users", "1.5 Benutzer"),
        ("en de", "1,500 users", "1,5 Benutzer"),
        ("en de", "1.5 kg", "1.500 kg"),
        ("de en", "1.500 Benutzer", "1.5 users"),
        ("de en", "1,5 kg", "1,500 kg"),
        ("en pt-BR", "1,500 users", "1,5 usuário"),
        ("en zh", "The price is 1,250 yuan.", "价格为1.25元。"),
        ("zh en", "价格为1,250元。", "The price is 1.25 yuan."),
        ("en zh", "The price is 1.25 yuan.", "价格为1,250元。"),
        ("en hi", "The price is 1,250 rupees.", "कीमत 1.25 रुपये है।"),
        ("en ja", "The price is 1,250 yen.", "価格は1.25円です。"),
        ("en ko", "The price is 1,250 won.", "가격은 1.25원입니다."),
        ("en th", "The price is 1,250 baht.", "ราคา 1.25 บาท"),
        ("en ar", "The price is 1,250 dollars.", "السعر 1.25 دولار."),
        ("fr en", "1 250 euros", "1.25 euros"),
        ("fr en", "1\u202f250 euros", "1.25 euros"),
    ],
)
def test_another_sign_is_another_value(pair: str, source: str, translation: str) -> None:
    first, second = pair.split()
    assert unmatched_numbers(source, translation, (first, second)).misleads


@pytest.mark.parametrize(
    ("language", "source", "translation"),
    [
        ("de", "1,500 users", "1,500 Benutzer"),
        ("fr", "1,500 users", "1,500 utilisateurs"),
        ("de", "1.5 GB", "1.5 GB"),
        ("fr", "a price of 1.5 million", "un prix de 1.5 million"),
        ("de", "3.5% more", "3.5 % mehr"),
    ],
)
def test_a_copied_sign_of_the_source_is_a_warning(language: str, source: str, translation: str) -> None:
    numbers = unmatched_numbers(source, translation, ("en", language))
    assert numbers.missing and numbers.missing == numbers.extra and not numbers.misleads


@pytest.mark.parametrize(
    ("language", "source", "translation"),
    [
        ("de", "1,500 users", "1.500 Benutzer"),
        ("de", "1,500 users", "1500 Benutzer"),
        ("de", "1.500 kg", "1,500 kg"),
        ("de", "1.5 GB", "1,5 GB"),
        ("de-CH", "1.5 GB", "1.5 GB"),
        ("de-CH", "1,500 users", "1’500 Benutzer"),
        ("es-MX", "1,500 users, 1.5 GB", "1,500 usuarios, 1.5 GB"),
        ("es", "1,500 users, 1.5 GB", "1,500 usuarios, 1.5 GB"),
        ("fr", "1,500 users", "1\u202f500 utilisateurs"),
        ("fr", "5,000 actions reach 5 million women", "5\u00a0000 actions aident 5\u00a0millions de femmes"),
        ("de", "Python 3.11 or GTK 4.5", "Python 3.11 oder GTK 4.5"),
        ("de", "see section 1.2", "siehe Abschnitt 1.2"),
        ("de", "at 10.30 hours", "um 10.30 Stunden"),
        ("ja", "1,500 users, 1.5 GB", "1,500人、1.5 GB"),
        ("zh", "12,500 users", "1.25万用户"),
        ("ar", "76,000 hectares", "76.000 هكتار"),
        ("zh", "1.250 kg of 1,250 kg", "1250千克中的1.25千克"),
        ("xx", "1,500 users", "1,500"),
    ],
)
def test_signs_of_the_language_and_versions_are_right(language: str, source: str, translation: str) -> None:
    assert unmatched_numbers(source, translation, ("en", language)) == ([], [], False)


@pytest.mark.parametrize(
    ("language", "source", "translation", "severity"),
    [
        ("es-ES", "It costs 1,250 euros.", "Cuesta 1,25 euros.", "error"),
        ("es", "It costs 1,250 euros.", "Cuesta 1,25 euros.", None),
        ("de-CH", "The chip runs at 1.5 GHz.", "Der Chip läuft mit 1.5 GHz.", None),
        ("de", "The chip runs at 1.5 GHz.", "Der Chip läuft mit 1.5 GHz.", "warning"),
    ],
)
def test_signs_of_regions_count_in_all_checks(language: str, source: str, translation: str, severity: str | None) -> None:
    pair = LanguagePair("en", language)
    batch = SegmentBatch.build(tokeniser_for("en"), tokeniser_for(language), [source], [translation])
    (row,) = segment_warnings(View(batch, PairResources(pair)), None, pair)
    assert next((warning.severity for warning in row if warning.code == "numbers"), None) == severity


@given(st.integers(1_001, 999_999))
def test_groups_of_both_languages_are_equal(value: int) -> None:
    english = f"{value:,}"
    german = english.replace(",", ".")
    assert unmatched_numbers(english, german, ("en", "de")) == ([], [], False)
    assert unmatched_numbers(german, english, ("de", "en")) == ([], [], False)


@pytest.mark.parametrize(
    ("language", "source", "right", "wrong"),
    [
        ("zh", "It costs $20.", "价格为20美元。", "价格为20元。"),
        ("zh", "It costs $20.", "价格为20美元。", "价格为20 €。"),
        ("ja", "It costs $20.", "20ドルです。", "20円です。"),
        ("ja", "It costs €20.", "20ユーロです。", "20 $です。"),
        ("ja", "It costs €20.", "20 €です。", "20人民元です。"),
        ("ko", "It costs $20.", "20달러입니다.", "20원입니다."),
        ("ko", "It costs $20.", "20 달러를 냅니다.", "20엔을 냅니다."),
        ("th", "It costs $20 million.", "ราคา 20 ล้านดอลลาร์", "ราคา 20 บาท"),
        ("hi", "It costs $20.", "इसकी कीमत 20 डॉलर है।", "इसकी कीमत 20 रुपये है।"),
        ("zh", "It costs ¥20.", "价格为20元。", "价格为20美元。"),
        ("zh-TW", "It costs NT$20.", "價格為20元。", "價格為20歐元。"),
        ("fr", "It costs €20.", "Cela coûte 20 €.", "Cela coûte 20 $."),
    ],
)
def test_another_currency_misleads(language: str, source: str, right: str, wrong: str) -> None:
    assert unmatched_numbers(source, right, ("en", language)) == ([], [], False)
    assert unmatched_numbers(source, wrong, ("en", language)).misleads


@pytest.mark.parametrize(
    ("language", "source", "translation"),
    [
        ("zh", "20 units for $20", "20单元，20美元"),
        ("ko", "20 hospitals, $20", "20개 병원, 20달러"),
        ("zh-TW", "It costs $20.", "價格為20元。"),
    ],
)
def test_words_that_contain_a_currency_are_no_amounts(language: str, source: str, translation: str) -> None:
    assert unmatched_numbers(source, translation, ("en", language)) == ([], [], False)
