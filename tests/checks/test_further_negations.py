"""Lost and expressed negations of languages that negate by words, endings or infixes."""

import pytest

from app.checks.meaning.negation import one_sided_negation

# English, a right translation, and one that lost the negation.
LOST = [
    ("sv", "Do not open the valve.", "Öppna inte ventilen.", "Öppna ventilen."),
    ("sv", "He never came.", "Han kom aldrig.", "Han kom."),
    ("uk", "Do not open the valve.", "Не відкривайте клапан.", "Відкрийте клапан."),
    ("uk", "Nobody knows it.", "Ніхто цього не знає.", "Він це знає."),
    ("hu", "Do not open the valve.", "Ne nyissa ki a szelepet.", "Nyissa ki a szelepet."),
    ("hu", "The file is not there.", "A fájl nincs ott.", "A fájl ott van."),
    ("he", "Do not open the valve.", "אל תפתחו את השסתום.", "פתחו את השסתום."),
    ("he", "The file is not there.", "הקובץ אינו שם.", "הקובץ שם."),
    ("ar", "Do not open the valve.", "لا تفتح الصمام.", "افتح الصمام."),
    ("ar", "He did not come.", "لم يأت.", "جاء."),
    ("hi", "Do not open the valve.", "वाल्व न खोलें।", "वाल्व खोलें।"),
    ("hi", "This does not work.", "यह काम नहीं करता है।", "यह काम करता है।"),
    ("ko", "Do not open the valve.", "밸브를 열지 마십시오.", "밸브를 여십시오."),
    ("ko", "The file does not exist.", "파일이 없습니다.", "파일이 있습니다."),
    ("tr", "Do not open the valve.", "Vanayı açmayın.", "Vanayı açın."),
    ("tr", "The file was not found.", "Dosya bulunamadı.", "Dosya bulundu."),
    ("tr", "It is not all right.", "Bu tamam değil.", "Bu tamam."),
    ("tr", "This is not a bath.", "Bu bir hamam değil.", "Bu bir hamam."),
]


@pytest.mark.parametrize(("language", "source", "right", "wrong"), LOST)
def test_a_lost_negation_is_found(language: str, source: str, right: str, wrong: str) -> None:
    assert one_sided_negation(("en", language), source, right) is None
    negation = one_sided_negation(("en", language), source, wrong)
    assert negation is not None and negation.source and not negation.translation


@pytest.mark.parametrize(
    ("language", "source", "translation"),
    [
        ("sv", "The species was not known.", "Arten var okänd."),
        ("uk", "The species was not known.", "Вид був невідомий."),
        ("hu", "The species was not known.", "A faj ismeretlen volt."),
        ("he", "without a file", "ללא קובץ"),
        ("ar", "He is still here.", "لا يزال هنا."),
        ("hi", "It works without a file.", "यह बिना फ़ाइल के काम करता है।"),
        ("ko", "Save the file safely.", "파일을 안전하게 저장하세요."),
        ("tr", "This is not valid.", "Bu geçersiz."),
        ("ar", "Couldn't create a file", "تعذَّر إنشاء ملفٍّ"),
        ("tr", "Do Nothing", "Bir Şey Yapma"),
        ("tr", "I cannot open the door.", "Kapıyı açamam."),
        ("tr", "I can't do it.", "Bunu yapamam."),
        ("tr", "I cannot sell it.", "Bunu satamam."),
        ("hu", "It must not have more than 5 items.", "Legfeljebb 5 elemet tartalmazhat."),
        ("sv", "He came not only once.", "Han kom inte bara en gång."),
    ],
)
def test_other_words_may_negate(language: str, source: str, translation: str) -> None:
    assert one_sided_negation(("en", language), source, translation) is None


@pytest.mark.parametrize(
    ("language", "source", "translation"),
    [
        ("sv", "Öppna inte ventilen.", "Open the valve."),
        ("uk", "Не відкривайте клапан.", "Open the valve."),
        ("hu", "Ne nyissa ki a szelepet.", "Open the valve."),
        ("he", "הקובץ לא נמצא שם.", "The file is there."),
        ("ar", "لا تفتح الصمام.", "Open the valve."),
        ("hi", "यह काम नहीं करता है।", "This works."),
    ],
)
def test_a_lost_negation_of_a_source_is_found(language: str, source: str, translation: str) -> None:
    negation = one_sided_negation((language, "en"), source, translation)
    assert negation is not None and negation.source
