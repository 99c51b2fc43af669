"""Codes and English names of languages: all of ISO 639-1 with their three-letter codes, and further ones of ISO 639-3.

Source: ISO 639-1, 639-2 and 639-3; names as in the IANA language subtag registry and CLDR, shortened to everyday names.
ISO 15924, ISO 3166-1 and the IANA registry for scripts, regions and variants.
"""

from types import MappingProxyType
from typing import Final

__all__ = ["LANGUAGE_NAMES", "REGIONS", "SCRIPTS", "SCRIPT_NAMES", "TWO_LETTERS", "VARIANTS", "language_name"]

# Two letters, three letters (the terminological code, then the bibliographic one where that differs), name.
_TWO_LETTER: Final = """
aa aar Afar;ab abk Abkhazian;ae ave Avestan;af afr Afrikaans;ak aka Akan;am amh Amharic;an arg Aragonese;ar ara Arabic
as asm Assamese;av ava Avaric;ay aym Aymara;az aze Azerbaijani;ba bak Bashkir;be bel Belarusian;bg bul Bulgarian;bi bis Bislama
bm bam Bambara;bn ben Bengali;bo bod/tib Tibetan;br bre Breton;bs bos Bosnian;ca cat Catalan;ce che Chechen;ch cha Chamorro
co cos Corsican;cr cre Cree;cs ces/cze Czech;cu chu Church Slavic;cv chv Chuvash;cy cym/wel Welsh;da dan Danish;de deu/ger German
dv div Divehi;dz dzo Dzongkha;ee ewe Ewe;el ell/gre Greek;en eng English;eo epo Esperanto;es spa Spanish;et est Estonian
eu eus/baq Basque;fa fas/per Persian;ff ful Fula;fi fin Finnish;fj fij Fijian;fo fao Faroese;fr fra/fre French
fy fry Western Frisian;ga gle Irish;gd gla Scottish Gaelic;gl glg Galician;gn grn Guarani;gu guj Gujarati;gv glv Manx;ha hau Hausa
he heb Hebrew;hi hin Hindi;ho hmo Hiri Motu;hr hrv Croatian;ht hat Haitian Creole;hu hun Hungarian;hy hye/arm Armenian
hz her Herero;ia ina Interlingua;id ind Indonesian;ie ile Interlingue;ig ibo Igbo;ii iii Sichuan Yi;ik ipk Inupiaq;io ido Ido
is isl/ice Icelandic;it ita Italian;iu iku Inuktitut;ja jpn Japanese;jv jav Javanese;ka kat/geo Georgian;kg kon Kongo
ki kik Kikuyu;kj kua Kuanyama;kk kaz Kazakh;kl kal Kalaallisut;km khm Khmer;kn kan Kannada;ko kor Korean;kr kau Kanuri
ks kas Kashmiri;ku kur Kurdish;kv kom Komi;kw cor Cornish;ky kir Kyrgyz;la lat Latin;lb ltz Luxembourgish;lg lug Ganda
li lim Limburgish;ln lin Lingala;lo lao Lao;lt lit Lithuanian;lu lub Luba-Katanga;lv lav Latvian;mg mlg Malagasy;mh mah Marshallese
mi mri/mao Maori;mk mkd/mac Macedonian;ml mal Malayalam;mn mon Mongolian;mr mar Marathi;ms msa/may Malay;mt mlt Maltese
my mya/bur Burmese;na nau Nauru;nb nob Norwegian Bokmål;nd nde North Ndebele;ne nep Nepali;ng ndo Ndonga;nl nld/dut Dutch
nn nno Norwegian Nynorsk;no nor Norwegian;nr nbl South Ndebele;nv nav Navajo;ny nya Chichewa;oc oci Occitan;oj oji Ojibwa
om orm Oromo;or ori Odia;os oss Ossetic;pa pan Punjabi;pi pli Pali;pl pol Polish;ps pus Pashto;pt por Portuguese;qu que Quechua
rm roh Romansh;rn run Rundi;ro ron/rum Romanian;ru rus Russian;rw kin Kinyarwanda;sa san Sanskrit;sc srd Sardinian;sd snd Sindhi
se sme Northern Sami;sg sag Sango;si sin Sinhala;sk slk/slo Slovak;sl slv Slovenian;sm smo Samoan;sn sna Shona;so som Somali
sq sqi/alb Albanian;sr srp Serbian;ss ssw Swati;st sot Southern Sotho;su sun Sundanese;sv swe Swedish;sw swa Swahili;ta tam Tamil
te tel Telugu;tg tgk Tajik;th tha Thai;ti tir Tigrinya;tk tuk Turkmen;tl tgl Tagalog;tn tsn Tswana;to ton Tongan;tr tur Turkish
ts tso Tsonga;tt tat Tatar;tw twi Twi;ty tah Tahitian;ug uig Uyghur;uk ukr Ukrainian;ur urd Urdu;uz uzb Uzbek;ve ven Venda
vi vie Vietnamese;vo vol Volapük;wa wln Walloon;wo wol Wolof;xh xho Xhosa;yi yid Yiddish;yo yor Yoruba;za zha Zhuang
zh zho/chi Chinese;zu zul Zulu
"""
# Languages without a two-letter code.
_THREE_LETTER: Final = """
ace Acehnese;ast Asturian;awa Awadhi;ban Balinese;bar Bavarian;bem Bemba;bho Bhojpuri;brx Bodo;ceb Cebuano;chr Cherokee
ckb Central Kurdish;crh Crimean Tatar;csb Kashubian;doi Dogri;dsb Lower Sorbian;fil Filipino;fur Friulian;gom Goan Konkani
grc Ancient Greek;gsw Swiss German;hak Hakka Chinese;haw Hawaiian;hil Hiligaynon;hmn Hmong;hne Chhattisgarhi;hsb Upper Sorbian
hyw Western Armenian;ilo Iloko;jbo Lojban;kab Kabyle;kea Kabuverdianu;kmr Northern Kurdish;kok Konkani;krl Karelian
lad Ladino;ltg Latgalian;lus Mizo;lzh Literary Chinese;mag Magahi;mai Maithili;min Minangkabau;mni Manipuri;mwl Mirandese
nan Min Nan Chinese;nap Neapolitan;nds Low German;new Newari;nso Northern Sotho;pag Pangasinan;pap Papiamento;prs Dari
rom Romany;rue Rusyn;sah Yakut;sat Santali;scn Sicilian;sco Scots;shi Tachelhit;smn Inari Sami;sms Skolt Sami;szl Silesian
tet Tetum;tlh Klingon;tpi Tok Pisin;tyv Tuvinian;tzm Central Atlas Tamazight;vec Venetian;war Waray;wuu Wu Chinese;yue Cantonese
zgh Standard Moroccan Tamazight
"""
# Scripts, with names for languages that are written in several.
SCRIPT_NAMES: Final = MappingProxyType(
    {
        "Arab": "Arabic", "Armn": "Armenian", "Beng": "Bengali", "Brai": "Braille", "Cyrl": "Cyrillic",
        "Deva": "Devanagari", "Ethi": "Ethiopic", "Geor": "Georgian", "Grek": "Greek", "Gujr": "Gujarati", "Guru": "Gurmukhi",
        "Hans": "Simplified", "Hant": "Traditional", "Hebr": "Hebrew", "Jpan": "Japanese", "Kore": "Korean", "Latn": "Latin",
        "Mong": "Mongolian", "Mtei": "Meitei Mayek", "Olck": "Ol Chiki", "Orya": "Odia", "Sinh": "Sinhala", "Taml": "Tamil",
        "Tfng": "Tifinagh", "Thaa": "Thaana", "Tibt": "Tibetan",
    }
)  # fmt: skip
# Further scripts in use today; countries of ISO 3166-1 with Kosovo, and areas of UN M49 in locales: the world, Europe, Latin
# America; spellings and transcriptions.
_SCRIPTS: Final = "Bopo Hang Hani Hira Khmr Knda Laoo Latf Latg Mlym Mymr Telu Thai"
_REGIONS: Final = """
AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF
CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH
GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW
KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG
NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN
SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT
ZA ZM ZW XK
001 150 419
"""
_VARIANTS: Final = "1901 1996 ekavsk fonipa ijekavsk jyutping monoton oxendict pinyin polyton tarask valencia wadegile"
SCRIPTS: Final = frozenset((*SCRIPT_NAMES, *_SCRIPTS.split()))
REGIONS: Final = frozenset(_REGIONS.split())
VARIANTS: Final = frozenset(_VARIANTS.split())


def _rows(table: str) -> list[list[str]]:
    return [row.split(" ", 2) for line in table.strip().splitlines() for row in line.split(";")]


_ROWS: Final = _rows(_TWO_LETTER)
LANGUAGE_NAMES: Final = MappingProxyType(
    {code: name for code, _, name in _ROWS} | {code: " ".join(name) for code, *name in _rows(_THREE_LETTER)}
)
# Two-letter codes by three-letter codes.
TWO_LETTERS: Final = MappingProxyType({longer: code for code, codes, _ in _ROWS for longer in codes.split("/")})


def language_name(code: str) -> str:
    """English name of a language code without subtags; the code itself if the tables have no name."""
    return LANGUAGE_NAMES.get(code, code)
