"""Name, languages, licence and day of the shipped cross-encoder."""

from typing import Final

__all__ = ["BASE_NETWORK", "CREATED", "LANGUAGES", "LICENCE", "NAME"]

NAME: Final = "cross-e5-small"
# The layers that training begins with.
BASE_NETWORK: Final = "multilingual-e5-small"
LICENCE: Final = "CC-BY-SA-4.0"
# A fixed day, so that a rebuild gives equal bytes.
CREATED: Final = "2026-11-29"
# From the card of intfloat/multilingual-e5-small, which lists the languages of its base model and of XLM-R.
LANGUAGES: Final = (
    "af am ar as az be bg bn br bs ca cs cy da de el en eo es et eu fa fi fr fy ga gd gl gu ha he hi hr hu hy id is it ja jv "
    "ka kk km kn ko ku ky la lo lt lv mg mk ml mn mr ms my ne nl no om or pa pl ps pt ro ru sa sd si sk sl so sq sr su sv sw "
    "ta te th tl tr ug uk ur uz vi xh yi zh"
)
