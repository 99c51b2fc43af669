"""Languages of the training data of encoders, from their published cards."""

from typing import Final

__all__ = ["E5_LANGUAGES"]

# From the card of intfloat/multilingual-e5-small, which lists the languages of its base model and of XLM-R.
E5_LANGUAGES: Final = frozenset(
    language
    for line in (
        "af am ar as az be bg bn br bs ca cs cy da de el en eo es et eu fa fi fr fy ga gd gl gu ha he hi hr hu hy id is it ja jv",
        "ka kk km kn ko ku ky la lo lt lv mg mk ml mn mr ms my ne nl no om or pa pl ps pt ro ru sa sd si sk sl so sq sr su sv sw",
        "ta te th tl tr ug uk ur uz vi xh yi zh",
    )
    for language in line.split()
)
