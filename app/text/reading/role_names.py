"""Headings of source and translation columns in many languages, as data."""

import re
from collections.abc import Mapping
from typing import Final

__all__ = ["ROLE_NAMES"]

# By the language of the heading: names of sources = names of translations. Case, Unicode normalisation and word dividers do not
# matter. A name has one role in all languages; a test checks this.
_TABLE: Final = """
en: source; src; original; source text; source segment; source sentence; source language; source string; sources; srctext;
   sourcetext; original text; original sentence; original segment; source sentences; msgid = translation; mt; target; tgt;
   trg; hypothesis; hyp; target text; target segment; target sentence; target language; target string; targets; translations;
   translated text; translated segment; translated; tgttext; targettext; mt output; mt text; mt translation; raw mt;
   machine translation; system output; msgstr
de: quelle; quelltext; quellsegment; quellsprache; quellsatz; ausgangstext; ausgangssatz; ausgangssprache; ausgangssegment;
   originaltext; originalsatz; original = übersetzung; uebersetzung; ziel; zieltext; zielsegment; zielsprache; zielsatz;
   maschinelle übersetzung; maschinenübersetzung; rohübersetzung; hypothese
fr: texte source; segment source; phrase source; langue source; texte original; texte de départ; langue de départ; origine =
   traduction; cible; texte cible; segment cible; phrase cible; langue cible; texte traduit; texte d'arrivée;
   traduction automatique; hypothèse
es: fuente; origen; texto fuente; texto origen; texto de origen; segmento de origen; segmento fuente; idioma de origen;
   lengua de origen; frase original; texto original = traducción; traduccion; destino; texto destino; texto de destino;
   segmento de destino; idioma de destino; texto meta; texto traducido; traducción automática; hipótesis
ro: sursă; sursa; text sursă; textul sursă; text sursa; segment sursă; limba sursă; limba sursa; propoziție sursă;
   text original; textul original = traducere; traducerea; traduceri; țintă; ţintă; ținta; tinta; text țintă; textul țintă;
   text tinta; text tradus; segment țintă; limba țintă; limba tinta; traducere automată; traducere automata; ipoteză
zh: 原文; 源文; 源文本; 源语言; 源語言; 源语; 原始文本; 原始文字; 原句; 來源; 来源; 來源文字; 源句; 源; 源语句 = 译文; 譯文;
   翻译; 翻譯; 目标; 目標; 目标文本; 目標文字; 目标语言; 目標語言; 目标语; 目标句; 译句; 机器翻译; 機器翻譯; 机器译文;
   機器譯文; 机翻
et: lähtetekst; lähtelause; lähtekeel; lähtesegment; lähteteksti; lähe; allikas; allikatekst; algtekst; originaal;
   originaaltekst = tõlge; tõlked; tõlketekst; tõlgitud tekst; sihttekst; sihtkeel; sihtlause; sihtsegment; siht; masintõlge;
   hüpotees
ne: स्रोत; श्रोत; स्रोत पाठ; स्रोत वाक्य; स्रोत भाषा; मूल; मूल पाठ; मूल वाक्य; मूल भाषा = अनुवाद; अनुवादित; अनुवादित पाठ;
   अनुवाद गरिएको पाठ; लक्ष्य; लक्षित; लक्ष्य पाठ; लक्षित पाठ; लक्ष्य भाषा; लक्षित भाषा; मेसिन अनुवाद; यन्त्र अनुवाद
si: මූලාශ්‍රය; මූලාශ්‍ර; මූලය; මූල; මුල් පාඨය; මූල පාඨය; මුල් පෙළ; මූල පෙළ; මූල වාක්‍යය; මුල් වාක්‍යය; මූල භාෂාව; ප්‍රභවය =
   පරිවර්තනය; පරිවර්තන; පරිවර්තිත පාඨය; පරිවර්තිත පෙළ; ඉලක්කය; ඉලක්ක; ඉලක්ක පාඨය; ඉලක්ක පෙළ; ඉලක්ක භාෂාව; යන්ත්‍ර පරිවර්තනය
ru: источник; исходный текст; исходное предложение; исходный сегмент; исходный язык; исходник; оригинал; оригинальный текст =
   перевод; переводы; переведенный текст; переведённый текст; целевой текст; целевой сегмент; целевой язык; цель;
   текст перевода; машинный перевод; гипотеза
it: sorgente; fonte; originale; origine; testo originale; testo sorgente; testo di partenza; testo fonte; frase sorgente;
   lingua di partenza; segmento sorgente = traduzione; traduzioni; destinazione; testo di arrivo; testo di destinazione;
   testo tradotto; lingua di arrivo; segmento di destinazione; traduzione automatica; ipotesi
pt: origem; fonte; texto fonte; texto de origem; texto de partida; texto original; frase de origem; língua de origem;
   idioma de origem; segmento de origem = tradução; traducao; traduções; destino; alvo; texto alvo; texto de destino;
   texto de chegada; texto traduzido; idioma de destino; segmento de destino; tradução automática; hipótese
nl: bron; brontekst; bronzin; brontaal; bronsegment; origineel; originele tekst; oorspronkelijke tekst = vertaling;
   vertalingen; doel; doeltekst; doelzin; doeltaal; doelsegment; vertaalde tekst; machinevertaling; hypothese
pl: źródło; zrodlo; tekst źródłowy; zdanie źródłowe; język źródłowy; segment źródłowy; oryginał; tekst oryginalny =
   tłumaczenie; tlumaczenie; przekład; cel; tekst docelowy; zdanie docelowe; język docelowy; segment docelowy;
   tłumaczenie maszynowe; hipoteza
cs: zdroj; zdrojový text; zdrojová věta; zdrojový jazyk; zdrojový segment; originál; původní text; výchozí text = překlad;
   překlady; cíl; cílový text; cílová věta; cílový jazyk; cílový segment; přeložený text; strojový překlad; hypotéza
sk: zdroj; zdrojový text; zdrojový jazyk; originál; pôvodný text; východiskový text = preklad; preklady; cieľ; cieľový text;
   cieľový jazyk; preložený text; strojový preklad
sl: vir; izvirnik; izvorno besedilo; izhodiščno besedilo; izvorni jezik = prevod; cilj; ciljno besedilo; ciljni jezik;
   strojni prevod
hr: izvor; izvornik; izvorni tekst; izvorni jezik = prijevod; cilj; ciljni tekst; ciljni jezik; strojni prijevod
sr: извор; изворник; изворни текст; оригинал; izvor; izvornik; izvorni tekst = превод; циљ; циљни текст; машински превод;
   prevod; cilj; ciljni tekst; mašinski prevod
bg: източник; изходен текст; оригинал; оригинален текст; изходен език = превод; преводи; цел; целеви текст; целеви език;
   преведен текст; машинен превод
mk: извор; изворен текст; оригинал = превод; цел; целен текст; машински превод
uk: джерело; вихідний текст; вихідне речення; вихідна мова; початковий текст; оригінал; першоджерело; оригінальний текст =
   переклад; переклади; ціль; цільовий текст; цільова мова; перекладений текст; текст перекладу; машинний переклад; гіпотеза
be: крыніца; арыгінал; зыходны тэкст = пераклад; мэтавы тэкст; машынны пераклад
hu: forrás; forrásszöveg; forrásmondat; forrásnyelv; forrásszegmens; forrásnyelvi szöveg; eredeti; eredeti szöveg = fordítás;
   fordítások; cél; célszöveg; célmondat; célnyelv; célszegmens; célnyelvi szöveg; lefordított szöveg; gépi fordítás
fi: lähde; lähdeteksti; lähtöteksti; lähdekieli; lähtökieli; alkuperäinen; alkuperäinen teksti; alkuteksti = käännös;
   käännökset; kohde; kohdeteksti; kohdekieli; käännetty teksti; konekäännös
sv: källa; källtext; källmening; källspråk; källsegment; originaltext; original; ursprungstext = översättning; översättningar;
   mål; måltext; målmening; målspråk; målsegment; översatt text; maskinöversättning; hypotes
da: kilde; kildetekst; kildesætning; kildesprog; kildesegment; originaltekst; original; udgangstekst = oversættelse;
   oversættelser; mål; måltekst; målsprog; målsætning; målsegment; oversat tekst; maskinoversættelse; hypotese
nb: kilde; kildetekst; kildespråk; kjelde; originaltekst; grunntekst = oversettelse; oversettelser; omsetjing; omsetting; mål;
   måltekst; målspråk; oversatt tekst; maskinoversettelse
is: frumtexti; uppruni; heimild; upprunatexti = þýðing; þýðingar; marktexti; vélþýðing
lt: šaltinis; šaltinio tekstas; originalas; originalo tekstas; pradinis tekstas = vertimas; vertimai; tikslas;
   tikslinis tekstas; mašininis vertimas
lv: avots; avota teksts; avotteksts; oriģināls; oriģinālteksts; avota valoda = tulkojums; tulkojumi; mērķis; mērķa teksts;
   mērķteksts; mērķa valoda; mašīntulkojums
el: πηγή; κείμενο πηγής; κείμενο πηγή; αρχικό κείμενο; πρωτότυπο; πρωτότυπο κείμενο; γλώσσα πηγής = μετάφραση; μεταφράσεις;
   στόχος; κείμενο στόχος; κείμενο στόχου; μεταφρασμένο κείμενο; γλώσσα στόχος; μηχανική μετάφραση
tr: kaynak; kaynak metin; kaynak cümle; kaynak dil; özgün metin; orijinal; orijinal metin = çeviri; tercüme; hedef;
   hedef metin; hedef cümle; hedef dil; çevrilmiş metin; makine çevirisi
ca: origen; text d'origen; text font; text original; llengua d'origen = traducció; destinació; destí; text de destinació;
   text traduït; traducció automàtica
gl: orixe; texto orixinal; orixinal; texto de orixe = tradución; destino; texto de destino; tradución automática
eu: jatorria; jatorrizkoa; jatorrizko testua; iturburua = itzulpena; helburua; xede testua; itzulpen automatikoa
ga: foinse; buntéacs; téacs foinseach = aistriúchán; sprioc; sprioctéacs; meaisínaistriúchán
cy: ffynhonnell; testun gwreiddiol; gwreiddiol = cyfieithiad; targed; testun targed; cyfieithu peirianyddol
sq: burimi; teksti burim; origjinali; teksti origjinal = përkthimi; përkthim; objektivi; përkthimi automatik
he: מקור; המקור; טקסט מקור; טקסט המקור; משפט מקור; שפת מקור; שפת המקור; טקסט מקורי = תרגום; התרגום; תרגומים; יעד; טקסט יעד;
   טקסט היעד; שפת יעד; שפת היעד; טקסט מתורגם; תרגום מכונה
ar: المصدر; مصدر; النص المصدر; نص المصدر; النص الأصلي; الأصل; الجملة المصدر; لغة المصدر; اللغة المصدر = الترجمة; ترجمة; الهدف;
   هدف; النص الهدف; النص المترجم; لغة الهدف; اللغة الهدف; الترجمة الآلية; ترجمة آلية
fa: مبدأ; مبدا; متن مبدأ; متن مبدا; زبان مبدأ; زبان مبدا; منبع; متن منبع; متن اصلی; جمله مبدأ; جمله مبدا = ترجمه; ترجمه‌ها;
   مقصد; متن مقصد; زبان مقصد; متن ترجمه; متن ترجمه شده; جمله مقصد; ترجمه ماشینی
ur: ماخذ; اصل متن; ماخذ متن; ماخذ زبان = ترجمہ; ہدف; ہدف متن; ہدف زبان; مشینی ترجمہ
hi: स्रोत; स्त्रोत; स्रोत पाठ; स्रोत वाक्य; स्रोत भाषा; मूल; मूल पाठ; मूल वाक्य; मूल भाषा = अनुवाद; अनूदित; अनूदित पाठ;
   अनुवादित पाठ; लक्ष्य; लक्षित; लक्ष्य पाठ; लक्ष्य वाक्य; लक्ष्य भाषा; मशीनी अनुवाद; मशीन अनुवाद
mr: स्रोत; स्रोत मजकूर; मूळ; मूळ मजकूर = भाषांतर; अनुवाद; लक्ष्य; लक्ष्य मजकूर; यांत्रिक भाषांतर
bn: উৎস; উৎস পাঠ্য; উৎস ভাষা; মূল; মূল পাঠ্য = অনুবাদ; লক্ষ্য; লক্ষ্য পাঠ্য; লক্ষ্য ভাষা; অনূদিত পাঠ্য; যান্ত্রিক অনুবাদ
gu: સ્ત્રોત; સ્રોત; મૂળ; મૂળ લખાણ = અનુવાદ; ભાષાંતર; લક્ષ્ય
ta: மூலம்; மூல உரை; மூல மொழி = மொழிபெயர்ப்பு; இலக்கு; இலக்கு உரை; இலக்கு மொழி; இயந்திர மொழிபெயர்ப்பு
te: మూలం; మూల పాఠ్యం; మూల వచనం = అనువాదం; లక్ష్యం; లక్ష్య పాఠ్యం; యంత్ర అనువాదం
hy: աղբյուր; բնագիր; սկզբնաղբյուր = թարգմանություն; թիրախ; մեքենայական թարգմանություն
ka: წყარო; ორიგინალი; საწყისი ტექსტი = თარგმანი; სამიზნე; მანქანური თარგმანი
ja: ソース; 原文; 原語; 元の文; 原文テキスト; ソーステキスト; ソース文; ソース言語; ソースセグメント; 起点言語; オリジナル =
   ターゲット; 訳文; 翻訳; 翻訳文; 訳; 訳語; ターゲットテキスト; ターゲット文; ターゲット言語; ターゲットセグメント; 目標言語;
   機械翻訳
ko: 원문; 원본; 원어; 소스; 소스 텍스트; 소스 언어; 출발어; 출발 텍스트; 원문 텍스트 = 번역; 번역문; 번역본; 역문; 대상;
   대상 텍스트; 대상 언어; 타겟; 타깃; 타겟 텍스트; 도착어; 기계 번역; 기계번역
vi: nguồn; bản gốc; văn bản nguồn; văn bản gốc; câu nguồn; câu gốc; ngôn ngữ nguồn; nguyên văn; nguyên bản = bản dịch; dịch;
   đích; văn bản đích; văn bản dịch; câu đích; câu dịch; ngôn ngữ đích; bản dịch máy; dịch máy
th: ต้นฉบับ; ข้อความต้นฉบับ; ต้นทาง; ข้อความต้นทาง; ภาษาต้นทาง; ภาษาต้นฉบับ = คำแปล; การแปล; ฉบับแปล; บทแปล; ปลายทาง;
   ข้อความปลายทาง; ภาษาปลายทาง; เป้าหมาย; การแปลด้วยเครื่อง
id: sumber; teks sumber; kalimat sumber; bahasa sumber; teks asli; naskah asli = terjemahan; hasil terjemahan; sasaran;
   teks sasaran; teks target; bahasa sasaran; bahasa target; terjemahan mesin
ms: sumber; teks sumber; bahasa sumber; teks asal = terjemahan; sasaran; teks sasaran; bahasa sasaran; terjemahan mesin
sw: chanzo; maandishi ya chanzo; asili = tafsiri; lengo; tafsiri ya mashine
af: bron; bronteks; oorspronklike teks = vertaling; doel; doelteks; masjienvertaling
"""

ROLE_NAMES: Final[Mapping[str, tuple[str, str]]] = {
    line[:2]: (line[4:].partition(" = ")[0], line.partition(" = ")[2]) for line in re.sub(r"\n +", " ", _TABLE).strip().splitlines()
}
