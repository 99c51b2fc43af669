"""Format strings with per cent signs: dialects of `printf`.

Sources: GNU gettext manual, "Translators for other Languages"; Python, "printf-style String Formatting"; PHP, `sprintf`; Perl,
`sprintf`; Lua, `string.format`; gawk, "Format-Control Letters"; Tcl, `format`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from app.checks.gettext.arguments import Arguments, Types

__all__ = ["DIALECTS", "Dialect"]

# Numbers of a version in Perl: %vd.
VECTOR: Final = "vector"
# Arguments of stars: lengths, and the text between the numbers of a vector.
STARS_OF: Final = {"vector": VECTOR, "width": "integer", "precision": "integer"}


@dataclass(frozen=True)
class Dialect:
    """A dialect of `printf`.

    - `pattern` matches a directive, with the groups `conversion` and, as the dialect has them, `number` or `name`, `vector`,
      `width`, `precision`, `size`, `macro`. A directive without an argument has no conversion, or one of `plain`.
    - `kinds` has the type of each conversion, `sizes` the prefix of each type by the sizes that change it.
    - `may_mix` and `may_skip` allow numbers beside none, and gaps in them.
    """

    pattern: re.Pattern[str]
    kinds: Mapping[str, str]
    sizes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    plain: str = "%"
    may_mix: bool = False
    may_skip: bool = False

    def types(self, text: str) -> Types | str:
        """Types of arguments; the fault of a text that is no format string. O(length)."""
        arguments, at = Arguments(self.may_mix), text.find("%")
        while at >= 0:
            match = self.pattern.match(text, at)
            if match is None or not self._add(arguments, match.groupdict()):
                return f"“{text[at : at + 8] if match is None else match[0]}”"
            at = text.find("%", match.end())
        gaps = [] if self.may_skip else arguments.gaps()
        return f"%{max(map(int, arguments.types))}$ without argument {gaps[0]}" if gaps else arguments.types

    def _add(self, arguments: Arguments, fields: Mapping[str, str | None]) -> bool:
        """Add the arguments of a directive, with those of its stars; False if they break a rule."""
        for name, kind_of_star in STARS_OF.items():
            star = fields.get(name)
            if star and star[0] == "*" and not arguments.add(int(star[1:-1]) if star[1:] else None, kind_of_star):
                return False
        conversion, kind = fields["conversion"], fields.get("macro")
        if fields.get("vector") is not None:
            kind = VECTOR
        elif conversion is not None and conversion not in self.plain:
            kind = self._kind(conversion, fields.get("size") or "")
        number = fields.get("number")
        return kind is None or arguments.add(int(number) if number else fields.get("name"), kind)

    def _kind(self, conversion: str, size: str) -> str:
        kind = self.kinds[conversion]
        return f"{self.sizes.get(kind, {}).get(size, '')} {kind}".strip()


def _kinds(**letters: str) -> dict[str, str]:
    """Types of the letters of each keyword."""
    return {letter: kind for kind, text in letters.items() for letter in text}


NUMBER: Final = r"(?:(?P<number>[1-9]\d{0,4})\$)?"
STARS: Final = r"(?P<width>\*(?:\d{1,5}\$)?|\d*+)(?:\.(?P<precision>\*(?:\d{1,5}\$)?|\d*+))?"
DIGITS: Final = r"\d*+(?:\.\d*+)?"
MACRO: Final = r"PRI[diouxX](?:(?:LEAST|FAST)?(?:8|16|32|64)|MAX|PTR)"
INTEGERS: Final = ("integer", "unsigned", "count")
KINDS_OF_C: Final = {
    **_kinds(integer="di", unsigned="ouxX", number="eEfFgGaA", character="c", string="s", pointer="p", count="n"),
    "C": "l character", "S": "l string",
}  # fmt: skip
SIZES: Final = {size: size for size in ("hh", "h", "ll", "l", "L", "q", "j", "z", "t")}
SIZES_OF_C: Final = dict.fromkeys(KINDS_OF_C.values(), SIZES)
KINDS_OF_PERL: Final = {
    **_kinds(integer="di", unsigned="uoxXbB", number="eEfFgG", character="c", string="s", pointer="p", count="n", vector="_"),
    "D": "V integer", **dict.fromkeys("UO", "V unsigned"),
}  # fmt: skip
LONG_SIZES: Final = {"ll": "q", "q": "q", "L": "q", "V": "V"}
SIZES_OF_PERL: Final = {**{kind: {"h": "h", "l": "l", **LONG_SIZES} for kind in INTEGERS}, "number": LONG_SIZES}


def _c(conversions: str) -> re.Pattern[str]:
    return re.compile(
        rf"%{NUMBER}[ +\-#0'I]*+{STARS}"
        rf"(?:<(?P<macro>{MACRO})>|(?P<size>hh|h|ll|l|L|q|j|z|t)?(?P<conversion>[%diouxXeEfFgGaAcsCSpnm{conversions}]))"
    )


DIALECTS: Final[Mapping[str, Dialect]] = {
    "c-format": Dialect(_c(""), KINDS_OF_C, SIZES_OF_C, plain="%m"),
    "objc-format": Dialect(_c("@"), {**KINDS_OF_C, "@": "object"}, SIZES_OF_C, plain="%m"),
    "python-format": Dialect(
        re.compile(
            r"%(?:\((?P<name>[^)]*)\))?[ +\-#0]*+(?P<width>\*|\d*+)(?:\.(?P<precision>\*|\d*+))?[hlL]?"
            "(?P<conversion>[%diouxXeEfFgGcrs])"
        ),
        _kinds(integer="diouxX", number="eEfFgG", character="c", string="rs"),
    ),
    "php-format": Dialect(
        re.compile(rf"%(?:%|{NUMBER}(?:[\- 0]|'.)*+{DIGITS}l?(?P<conversion>[bdouxXeEfFgGcs]))", re.DOTALL),
        _kinds(integer="bdouxX", number="eEfFgG", character="c", string="s"),
        may_mix=True,
        may_skip=True,
    ),
    "perl-format": Dialect(
        re.compile(
            rf"%{NUMBER}[ +\-#0]*+(?:(?P<vector>(?:\*(?:\d{{1,5}}\$)?)?)v)?{STARS}(?P<size>h|ll|l|q|L|V)?"
            "(?P<conversion>[%csdiuoxXeEfFgGbBpnDUO_])"
        ),
        KINDS_OF_PERL,
        SIZES_OF_PERL,
        may_mix=True,
        may_skip=True,
    ),
    "lua-format": Dialect(
        re.compile(rf"%(?:%|{DIGITS}(?P<conversion>[diouxXeEfgGaAcsq]))"),
        _kinds(integer="diouxX", number="eEfgGaA", character="c", string="s", quotation="q"),
    ),
    "awk-format": Dialect(
        re.compile(rf"%{NUMBER}[ +\-#0]*+{STARS}(?P<conversion>[%diouxXeEfgGcs])"),
        _kinds(integer="di", unsigned="ouxX", number="eEfgG", character="c", string="s"),
        may_skip=True,
    ),
    "tcl-format": Dialect(
        re.compile(
            rf"%(?:%|{NUMBER}[ +\-#0]*+(?P<width>\*|\d*+)(?:\.(?P<precision>\*|\d*+))?"
            "(?P<size>[hl])?(?P<conversion>[diouxXeEfgGcs]))"
        ),
        _kinds(integer="di", unsigned="ouxX", number="eEfgG", character="c", string="s"),
        {kind: {"h": "h"} for kind in INTEGERS},
        may_skip=True,
    ),
    "javascript-format": Dialect(
        re.compile(rf"%{NUMBER}[ +\-0]*+{DIGITS}(?P<conversion>[%bcdoxXfsj])"),
        _kinds(integer="bdoxX", number="f", character="c", string="s", object="j"),
        may_skip=True,
    ),
}
