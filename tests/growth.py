"""Whether time grows with a hostile input and no faster."""

import gc
import time
from collections.abc import Callable
from typing import Any

__all__ = ["PIECES", "assert_grows_evenly"]

# What an input is made of, again and again: each was, or might be, where a pattern begins anew or a loop looks back.
PIECES = {
    "instruction": "<?a?>", "open instruction": "<?", "open comment": "<!--", "comment": "<!---->", "section": "<![CDATA[", "open tag": "<a ", "tag": "<g>",
    "end tag": "</g>", "empty tag": "<x/>", "prefixed": "<a:", "less": "<", "greater": ">", "attribute": " a='", "named": " its:mtConfidence=",
    "reference": "&amp;", "open reference": "&#", "digits": "9", "grouped digits": "1 000", "points": "1.", "double quote": '"', "quote": "'",
    "possessive": "'s ", "backslash": "\\", "escaped": '\\"', "brace": "{", "braces": "{}", "pairs": "{a}", "bracket": "[", "member": ',"assay":{',
    "open member": '{"a":', "comma": ",", "commas": " , ", "semicolon": ";", "bars": "|||", "spaced bars": " ||| ", "feature": " Assay= 0.5", "named feature": "a= 1 ",
    "stop": ".", "stops": " .", "stopped": "a. ", "stops and marks": ". - ", "marker": "DOT", "closed marker": "DOTMULTI", "space": " ", "tab": "\t",
    "line": "\n", "carriage": "\r", "form feed": "\f", "next line": "\x85", "no-break": "\u00a0", "joiner": "\u200d", "zero width": "\u200b",
    "accent": "\u0301", "two accents": "\u0301\u0323", "vowel sign": "\u0940", "letter": "a", "capital": "A", "name": "Abcd ", "word": "ab ", "dash": "-", "dashes": " - ",
    "underscore": "_", "han": "中", "full width": "，", "emoji": "😀", "po line": '"x"\n', "po text": '""\n', "msgid": 'msgid "a"\n', "empty msgid": 'msgid ""\n',
    "po message": 'msgid "a"\nmsgstr "b"\n', "po comment": "#. assay: a\n", "obsolete": '#~ msgid "a"\n', "context": 'msgctxt "a"\n', "row": "a\tb\n",
    "csv row": "a,b\n", "quoted": '"a",', "doubled": '""', "negation": "\u0926\u0948\u0928", "n't": "n't", "hash": "#",
}  # fmt: skip
SPARE_SECONDS = 0.05
MOST_TIMES = 8


def processor_seconds(use: Callable[[Any], object], value: Any) -> float:
    # What else lives in this process would be looked through again and again.
    gc.disable()
    begun = time.process_time()
    try:
        use(value)
    finally:
        gc.enable()
    return time.process_time() - begun


def assert_grows_evenly(make: Callable[[int], Any], use: Callable[[Any], object], size: int) -> None:
    """Use what is made of four times a size, and of the size unless that was quick; the best of five where the first looks bad."""
    once = many = float("inf")
    for _ in range(5):
        many = min(many, processor_seconds(use, make(4 * size)))
        if many < SPARE_SECONDS:
            return
        once = min(once, processor_seconds(use, make(size)))
        if many < MOST_TIMES * once + SPARE_SECONDS:
            return
    raise AssertionError(f"{1000 * once:.0f} ms for {size}, {1000 * many:.0f} ms for {4 * size}")
