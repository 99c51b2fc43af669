"""Translations by hand into seven languages: each severe error is among the worst three of ten, and no good translation is severe."""

from collections.abc import Mapping

import numpy as np
import pytest

from app.engine import Engine
from app.engine.segments import Options, Segments
from app.settings import Settings
from app.text import LanguagePair

SOURCES = (
    "The meeting starts at 3 p.m. on Thursday.",
    "Do not open the valve while the pump is running.",
    "The museum was built in 1897 and has 45 rooms.",
    "She has never been to Paris.",
    "Please save the file before you close the window.",
    "The train from Berlin to Munich was late because of the snow.",
    "We sold 1.5 million tickets last year.",
    "The doctor said that the wound is not dangerous.",
    "Two of the four engines failed in the 1930s.",
    "My brother bought a red car for 12,500 dollars.",
)
GOOD = {
    "de": (
        "Die Sitzung beginnt am Donnerstag um 15:00 Uhr.",
        "Öffnen Sie das Ventil nicht, während die Pumpe läuft.",
        "Das Museum wurde 1897 erbaut und hat 45 Räume.",
        "Sie war noch nie in Paris.",
        "Bitte speichern Sie die Datei, bevor Sie das Fenster schließen.",
        "Der Zug von Berlin nach München hatte wegen des Schnees Verspätung.",
        "Wir haben letztes Jahr 1,5 Millionen Karten verkauft.",
        "Der Arzt sagte, dass die Wunde ungefährlich ist.",
        "Zwei der vier Motoren fielen in den 1930er Jahren aus.",
        "Mein Bruder hat ein rotes Auto für 12.500 Dollar gekauft.",
    ),
    "fr": (
        "La réunion commence jeudi à 15 h.",
        "N'ouvrez pas la vanne pendant que la pompe fonctionne.",
        "Le musée a été construit en 1897 et compte 45 salles.",
        "Elle n'est jamais allée à Paris.",
        "Veuillez enregistrer le fichier avant de fermer la fenêtre.",
        "Le train de Berlin à Munich avait du retard à cause de la neige.",
        "Nous avons vendu 1,5 million de billets l'année dernière.",
        "Le médecin a dit que la blessure n'est pas dangereuse.",
        "Deux des quatre moteurs sont tombés en panne dans les années 30.",
        "Mon frère a acheté une voiture rouge pour 12 500 dollars.",
    ),
    "es": (
        "La reunión empieza el jueves a las 15:00.",
        "No abra la válvula mientras la bomba esté en marcha.",
        "El museo se construyó en 1897 y tiene 45 salas.",
        "Ella nunca ha estado en París.",
        "Guarde el archivo antes de cerrar la ventana.",
        "El tren de Berlín a Múnich llegó tarde a causa de la nieve.",
        "El año pasado vendimos 1,5 millones de entradas.",
        "El médico dijo que la herida no es peligrosa.",
        "Dos de los cuatro motores fallaron en los años treinta.",
        "Mi hermano compró un coche rojo por 12.500 dólares.",
    ),
    "zh": (
        "会议星期四下午三点开始。",
        "泵运转时不要打开阀门。",
        "这座博物馆建于1897年,有45个展厅。",
        "她从来没有去过巴黎。",
        "请在关闭窗口之前保存文件。",
        "从柏林开往慕尼黑的火车因为下雪晚点了。",
        "我们去年卖出了150万张票。",
        "医生说伤口并不危险。",
        "四台发动机中有两台在20世纪30年代出了故障。",
        "我哥哥花了12,500美元买了一辆红色的汽车。",
    ),
    "ro": (
        "Ședința începe joi la ora 15:00.",
        "Nu deschideți supapa în timp ce pompa funcționează.",
        "Muzeul a fost construit în 1897 și are 45 de săli.",
        "Ea nu a fost niciodată la Paris.",
        "Vă rugăm să salvați fișierul înainte de a închide fereastra.",
        "Trenul de la Berlin la München a întârziat din cauza zăpezii.",
        "Anul trecut am vândut 1,5 milioane de bilete.",
        "Medicul a spus că rana nu este periculoasă.",
        "Două dintre cele patru motoare s-au defectat în anii '30.",
        "Fratele meu a cumpărat o mașină roșie cu 12.500 de dolari.",
    ),
    "et": (
        "Koosolek algab neljapäeval kell 15.00.",
        "Ärge avage klappi, kui pump töötab.",
        "Muuseum ehitati 1897. aastal ja selles on 45 ruumi.",
        "Ta ei ole kunagi Pariisis käinud.",
        "Palun salvestage fail enne akna sulgemist.",
        "Rong Berliinist Münchenisse hilines lume tõttu.",
        "Müüsime eelmisel aastal 1,5 miljonit piletit.",
        "Arst ütles, et haav ei ole ohtlik.",
        "Kaks neljast mootorist läksid 1930. aastatel rikki.",
        "Mu vend ostis punase auto 12 500 dollari eest.",
    ),
    "ja": (
        "会議は木曜日の午後3時に始まります。",
        "ポンプが動いている間はバルブを開けないでください。",
        "その博物館は1897年に建てられ、45の部屋があります。",
        "彼女はパリに行ったことがありません。",
        "ウィンドウを閉じる前にファイルを保存してください。",
        "ベルリン発ミュンヘン行きの列車は雪のため遅れました。",
        "昨年は150万枚のチケットを販売しました。",
        "医者は傷は危険ではないと言いました。",
        "4つのエンジンのうち2つが1930年代に故障した。",
        "弟は赤い車を12,500ドルで買いました。",
    ),
}
# The second sentence without its negation, and the third with another number.
AFFIRMED = {
    "de": "Öffnen Sie das Ventil, während die Pumpe läuft.",
    "fr": "Ouvrez la vanne pendant que la pompe fonctionne.",
    "es": "Abra la válvula mientras la bomba esté en marcha.",
    "zh": "泵运转时要打开阀门。",
    "ro": "Deschideți supapa în timp ce pompa funcționează.",
    "et": "Avage klapp, kui pump töötab.",
    "ja": "ポンプが動いている間はバルブを開けてください。",
}
OTHER_LANGUAGE = {
    "de": "Please do not forget to write to your old uncle, who lives in another town.",
    "fr": "Por favor, no abra la válvula mientras la bomba esté en marcha.",
    "es": "Veuillez enregistrer le fichier avant de fermer la fenêtre.",
    "zh": "ポンプが動いている間はバルブを開けないでください。",
    "ro": "Veuillez enregistrer le fichier avant de fermer la fenêtre.",
    "et": "Tallenna tiedosto ennen kuin suljet ikkunan, sillä muuten työsi häviää.",
    "ja": "请在关闭窗口之前保存文件,否则您的工作将会丢失。",
}
ALPHABET = "Пожалуйста, сохраните файл, прежде чем закрыть окно."
WORST = 3


def disasters(language: str) -> Mapping[str, tuple[int, str]]:
    """A segment and its bad translation, by kind."""
    good = GOOD[language]
    words = good[4].split(" ")
    loop = " ".join(words[:3] * 8) if len(words) > 1 else good[4][:4] * 8
    return {
        "wrong language": (4, OTHER_LANGUAGE[language]),
        "copy": (5, SOURCES[5]),
        "loop": (4, loop),
        "empty": (6, ""),
        "wordless": (6, "."),
        "lost negation": (1, AFFIRMED[language]),
        "changed number": (2, good[2].replace("1897", "1987")),
        "other alphabet": (4, ALPHABET),
    }


@pytest.fixture(scope="module")
def encoding() -> Engine:
    settings = Settings()
    return Engine.open(settings.resources_dir, settings.models_dir, encoder="auto")


@pytest.mark.parametrize("language", GOOD)
def test_disasters_are_among_the_worst_and_good_translations_are_not_severe(encoding: Engine, language: str) -> None:
    pair, good = LanguagePair("en", language), GOOD[language]
    kinds = disasters(language)
    # All ten good translations, and each list again with one disaster in it.
    texts = [text for row, bad in [(0, good[0]), *kinds.values()] for text in (*good[:row], bad, *good[row + 1 :])]
    answer = encoding.quality(Segments(pair, SOURCES * (len(kinds) + 1), texts), options=Options(warnings=True))
    severe, confidence = np.array(answer.error_mask).reshape(-1, 10), answer.confidence.reshape(-1, 10)
    assert not severe[0].any(), [row for row in answer.warnings[:10] if row] if answer.warnings else []
    for (kind, (row, _)), mask, values in zip(kinds.items(), severe[1:], confidence[1:], strict=True):
        assert mask[row], kind
        assert (values < values[row]).sum() < WORST, kind
