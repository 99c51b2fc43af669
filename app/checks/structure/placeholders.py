"""Placeholders of programs: stretches that a program replaces by values before it shows a text.

Families: printf with positions (C, PHP, Java, Go, Apple), Python, Ruby, .NET, Qt, braces of many kinds, i18next, Vue, Fluent, ERB.
"""

import re
from collections.abc import Iterator
from typing import Final

from app.checks.structure.check import Finding, Texts
from app.checks.structure.marks import Mark, unmatched_names
from app.checks.structure.messages import is_message
from app.text.languages import LanguagePair

__all__ = ["Placeholders"]

# Every repetition is bounded, and no two neighbours can match the same character: no pattern tracks back.
SIGNS: Final = re.compile(
    r"%\([^()%\n]{1,80}\)[-+#0]{0,3}\d{0,3}(?:\.\d{1,3})?[diouxXeEfFgGcrsa]"  # Python: %(name)s
    r"|%[{<](?!PRI[diouxX])[\w.-]{1,80}[}>]"  # Ruby: %{name}, %<name>
    r"|\$t\([^()\n]{1,200}\)"  # i18next: $t(key)
    r"|@(?:\.[a-z]{1,12})?:(?:\{[^{}\n]{1,100}\}|\([^()\n]{1,100}\)|[A-Za-z][\w.-]{0,100}(?<![.-]))"  # Vue: @:key
    r"|<%[=-]?[^%<>\n]{1,200}%>"  # ERB: <%= name %>
    r"|[$#]\{[^{}\n]{1,200}\}"  # ${name}, #{name}
    r"|\{\{\{?[^{}\n]{1,200}\}\}\}?"  # {{name}}
    r"|\{\s{0,3}[$-]?\w[\w.-]{0,80}\s{0,3}(?:![rsa])?(?::[^{}\n]{1,80})?\}|\{\}"  # {name}, {0:N2}, { $name }, {}
    r"|\$[A-Za-z]\w{0,60}\$"  # Chrome: $name$
    # Symfony: %name%; %dx%d has two of printf, %lu%% one
    r"|%(?!(?:hh?|ll?|[Lqjzt])[diouxX]%)[A-Za-z][\w.]{1,60}%(?![-+#.,'\d$]{0,5}[A-Za-z@])"
)
# A per cent sign, or an argument: %5d, %2$s, %*d, %Id (digits of the language), %<PRIu64> (gettext).
PRINTF: Final = re.compile(
    r"%(?:%|(?:(?P<position>\d{1,2})\$)?[+#0,']{0,4}(?:I(?=\d{0,3}[hlqjzt]{0,2}[diu](?![A-Za-z])))?(?:-?\d{1,3}|-?\*(?:\d{1,2}\$)?|-(?=\.))?"
    r"(?:\.(?:\d{1,3}|\*(?:\d{1,2}\$)?))?(?:hh?|ll?|[Lqjzt])?"
    r"(?:(?P<conversion>[ds@])|(?P<rare>[iouxXeEfFgGcCpn])|<PRI(?P<fixed>[diouxX])\w{1,12}>))"
)
# Letters of alphabets in which prose such as 5 %of has its signs.
LATIN: Final = re.compile(r"[A-Za-z\u00c0-\u024f]")
# A per cent sign that begins no argument.
STRAY: Final = re.compile(r"%(?!(?:\d{1,2}\$)?[A-Za-z@])")
# Directives of dates (strftime): those that printf lacks, and a text of directives alone such as %b %d.
DATE: Final = re.compile(r"%[-^0_]?[YBHMyZj](?!\w)|\A(?:%[-^0_]?[A-Za-z]|[^\w%]){0,40}%b(?:%[-^0_]?[A-Za-z]|[^\w%]){0,40}\Z")
# The count of Qt and the amount of Ruby, which have names rather than places.
COUNT: Final = "n"
# Numbers of Qt (%1) and words of Laravel (:name), which prose has too.
WEAK: Final = re.compile(r"%L?[1-9]\d?(?![\d$%]|[.,]\d)|(?<![\w:/.)]):[a-z][a-z_]{1,40}(?![0-9A-Za-z\u00c0-\u024f_:/])")
# Braces of ICU's messages, which have a check of their own: {name}, and #{name} for a number before it.
OF_MESSAGES: Final = ("{", "#{")
# Characters that precede a per cent sign of a number: 50%, 50 %.
NUMBER_BEFORE: Final = re.compile(r"\d[ \u00a0\u202f]?$")
PRINTF_KEY: Final = re.compile(r"%\d{1,4}\$[A-Za-z@]|%n")
INTEGERS: Final = frozenset("diouxX")


class Placeholders:
    """Placeholders that one side lacks. A translation may repeat a placeholder, or name it once.

    Placeholders of printf without positions correspond in order. Numbers of Qt and words behind a colon may also be prose, so
    only those of the source count. Braces of a message belong to the check of messages.
    """

    code = "placeholders"
    meaning = "a placeholder is missing, added or changed"
    signs = frozenset("%{$@:")

    def marks(self, text: str, pair: LanguagePair) -> list[Mark]:
        """Placeholders that are clear from the text alone, in order. O(length)."""
        return _marks(text)

    def find(self, texts: Texts, source_marks: list[Mark], marks: list[Mark]) -> Finding | None:
        """Placeholders without a counterpart. O(length)."""
        is_format = any(map(_is_printf, source_marks))
        if is_format or any(map(_is_printf, marks)):
            # Arguments of one side show that letters behind an argument of either are no prose: %u ms, %ums.
            source_marks, marks = _format_marks(texts.source, source_marks), _format_marks(texts.translation, marks)
        stray = _stray(texts.translation, marks) if is_format and not _stray(texts.source, source_marks) else []
        weak = _weak(texts.translation, marks)
        weak_source = _without_prose(_weak(texts.source, source_marks), texts.translation)
        if texts.are_messages:
            source_marks, marks = (
                [mark for mark in side if not mark.key.startswith(OF_MESSAGES)] for side in (source_marks, marks)
            )
        if marks and DATE.search(texts.source) is not None:
            # Languages order dates in their own way: %B %d, %-d. %B.
            marks = [mark for mark in marks if not PRINTF_KEY.fullmatch(mark.key)]
        missing = [*unmatched_names(source_marks, marks), *unmatched_names(weak_source, weak)]
        extra = unmatched_names(marks, source_marks)
        if not missing:
            extra = extra or stray
        return Finding(missing, extra) if missing or extra else None


def _named(match: re.Match[str]) -> Mark:
    return Mark("".join(match[0].split()), match.start(), match.end())


def _marks(text: str, *, is_format: bool = False) -> list[Mark]:
    """Placeholders in order; in a format of printf, letters may follow any argument."""
    if not any(c in text for c in "%{$@"):
        return []
    marks = [_named(match) for match in SIGNS.finditer(text)] if _may_have_signs(text) else []
    if is_message(text):
        marks = [mark for mark in marks if not mark.key.startswith(OF_MESSAGES)]
    if "%" in text and DATE.search(text) is None:
        marks += list(_printf(text, marks, is_format))
    return sorted(marks, key=lambda mark: mark.start)


def _format_marks(text: str, marks: list[Mark]) -> list[Mark]:
    """Placeholders of a format, whose clear ones are `marks`: no others if each per cent sign begins one of them."""
    is_clear = text.count("%") == len(marks) and all(text[mark.start] == "%" for mark in marks)
    return marks if is_clear else _marks(text, is_format=True)


def _may_have_signs(text: str) -> bool:
    """Return False for a text with at most one per cent sign, as in printf, and no sign of another family."""
    return any(sign in text for sign in ("{", "$", "@", "%(", "%<", "<%")) or text.count("%") > 1


def _is_printf(mark: Mark) -> bool:
    """Return True for arguments of printf and of Python, whose texts write a per cent sign as %%."""
    return mark.key != "%n" and (mark.key.startswith("%(") or PRINTF_KEY.fullmatch(mark.key) is not None)


def _stray(text: str, marks: list[Mark]) -> list[Mark]:
    """Marks of single per cent signs outside of `marks`."""
    signs = _outside(re.finditer("%+", text), marks)
    return [Mark("%", at, at + 1) for sign in signs if len(sign[0]) % 2 and STRAY.match(text, at := sign.end() - 1)]


def _printf(text: str, marks: list[Mark], is_format: bool) -> Iterator[Mark]:
    """Placeholders of printf outside of `marks`. The key has the number of the argument and the kind of its value."""
    count = 0
    for match in _outside(PRINTF.finditer(text), marks):
        conversion = match["conversion"] or match["rare"] or match["fixed"]
        is_word = match["rare"] and (not is_format or conversion == COUNT) and LATIN.match(text, match.end())
        if conversion is None or is_word:
            continue
        before = text[max(match.start() - 2, 0) : match.start()]
        behind = text[match.end() : match.end() + 1]
        # 50% discount, and 50%d'augmentation; G10 %s is an argument if others are.
        is_percentage = NUMBER_BEFORE.search(before) and (before[-1].isdigit() or (_goes_on(behind) and not is_format))
        if match["position"] is None and is_percentage:
            continue
        if conversion == COUNT and match["position"] is None:
            yield Mark(match[0], match.start(), match.end())
            continue
        # A width of * is an argument of its own.
        count += 0 if match["position"] else 1 + match[0].count("*")
        number = match["position"] or str(count)
        yield Mark(f"%{number}${'d' if conversion in INTEGERS else conversion}", match.start(), match.end())


def _goes_on(character: str) -> bool:
    return character.isalnum() or character in {"'", "\u2019"}


def _weak(text: str, marks: list[Mark]) -> list[Mark]:
    """Numbers of Qt and words behind a colon, outside of `marks`."""
    if "%" not in text and ":" not in text:
        return []
    return [Mark(match[0].replace("L", ""), match.start(), match.end()) for match in _outside(WEAK.finditer(text), marks)]


def _without_prose(marks: list[Mark], translation: str) -> list[Mark]:
    """Marks without percentages, as in Turkish: numbers of Qt run from 1, and no translation has one before its sign."""
    keys = {mark.key for mark in marks if mark.key[0] == "%"}
    are_percentages = len(keys) < max((int(key[1:]) for key in keys), default=0)
    prose = {key for key in keys if are_percentages or re.search(rf"(?<!\d){key[1:]}\s?%", translation)}
    return [mark for mark in marks if mark.key not in prose]


def _outside(matches: Iterator[re.Match[str]], marks: list[Mark]) -> Iterator[re.Match[str]]:
    """Matches that overlap no mark; both are in order."""
    k = 0
    for match in matches:
        while k < len(marks) and marks[k].end <= match.start():
            k += 1
        if k == len(marks) or marks[k].start >= match.end():
            yield match
